#include "kds/rsa_keys.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace kdsd::kds {
namespace {

using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free)>;

// Far above any RSA key in text; keeps OpenSSL's int from overflowing.
constexpr std::size_t key_bytes_max = 64 << 10;

bool is_pem(std::string_view text) { return text.find("-----BEGIN ") != std::string_view::npos; }

BioPtr reader_of(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
}

Result<RsaKey> checked(EVP_PKEY* key, const char* what) {
  RsaKey owned(key, EVP_PKEY_free);
  if (!owned || EVP_PKEY_get_base_id(owned.get()) != EVP_PKEY_RSA) return Status(Code::invalid, what);
  return owned;
}

}  // namespace

Result<RsaKey> read_private_key(std::string_view text) {
  constexpr const char* what = "not an RSA private key";
  if (text.empty() || text.size() > key_bytes_max) return Status(Code::invalid, what);
  if (is_pem(text)) {
    // An empty passphrase instead of the default, which would ask on the terminal.
    return checked(PEM_read_bio_PrivateKey(reader_of(text).get(), nullptr, nullptr, const_cast<char*>("")), what);
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  return checked(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &bytes, static_cast<long>(text.size())), what);
}

Result<RsaKey> read_public_key(std::string_view text) {
  constexpr const char* what = "not an RSA key";
  if (text.empty() || text.size() > key_bytes_max) return Status(Code::invalid, what);
  if (is_pem(text) ? text.find(" PRIVATE KEY-----") != std::string_view::npos : read_private_key(text).ok())
    return read_private_key(text);
  if (!is_pem(text)) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return checked(d2i_PublicKey(EVP_PKEY_RSA, nullptr, &bytes, static_cast<long>(text.size())), what);
  }
  if (text.find("-----BEGIN RSA PUBLIC KEY-----") == std::string_view::npos)
    return checked(PEM_read_bio_PUBKEY(reader_of(text).get(), nullptr, nullptr, nullptr), what);
  // PKCS#1: the block is taken apart here, because the reader for it is deprecated.
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  if (PEM_read_bio(reader_of(text).get(), &name, &header, &data, &size) != 1) return Status(Code::invalid, what);
  const unsigned char* bytes = data;
  auto key = checked(d2i_PublicKey(EVP_PKEY_RSA, nullptr, &bytes, size), what);
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_free(data);
  return key;
}

}  // namespace kdsd::kds
