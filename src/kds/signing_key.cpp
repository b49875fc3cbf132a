#include "kds/signing_key.h"

#include <memory>
#include <openssl/bio.h>
#include <openssl/encoder.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace kdsd::kds {

Result<std::string> public_half(std::string_view private_pem) {
  if (private_pem.find("-----BEGIN RSA PRIVATE KEY-----") == std::string_view::npos) {
    return Status(Code::invalid, "not a PEM block of type RSA PRIVATE KEY");
  }
  std::unique_ptr<BIO, decltype(&BIO_free)> in(
      BIO_new_mem_buf(private_pem.data(), static_cast<int>(private_pem.size())), BIO_free);
  // An empty passphrase instead of the default, which would ask on the terminal.
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, const_cast<char*>("")), EVP_PKEY_free);
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) return Status(Code::invalid, "not an RSA private key");
  std::unique_ptr<OSSL_ENCODER_CTX, decltype(&OSSL_ENCODER_CTX_free)> encoder(
      OSSL_ENCODER_CTX_new_for_pkey(key.get(), EVP_PKEY_PUBLIC_KEY, "PEM", "type-specific", nullptr),
      OSSL_ENCODER_CTX_free);
  unsigned char* data = nullptr;
  std::size_t size = 0;
  if (!encoder || OSSL_ENCODER_to_data(encoder.get(), &data, &size) != 1) {
    return Status(Code::internal, "cannot encode the public key");
  }
  std::string pem(reinterpret_cast<char*>(data), size);
  OPENSSL_free(data);
  return pem;
}

std::string public_key_name(std::string_view name) {
  return std::string(zone_public_key_prefix) + std::string(name.substr(zone_signing_key_prefix.size()));
}

}  // namespace kdsd::kds
