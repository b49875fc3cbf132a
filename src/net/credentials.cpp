#include "net/credentials.h"

#include <cstdlib>
#include <grpc/grpc.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <utility>

namespace kdsd::net {
namespace {

constexpr char cipher_variable[] = "GRPC_SSL_CIPHER_SUITES";
// A TLS 1.2 suite that needs a pre-shared key, which neither side has: only TLS 1.3 is left, whose suites the list does
// not touch.
constexpr char no_tls12_cipher[] = "PSK-AES128-GCM-SHA256";

using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free)>;

BioPtr reader_of(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
}

using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;

CertificatePtr next_certificate(BIO* reader) {
  return {PEM_read_bio_X509(reader, nullptr, nullptr, nullptr), X509_free};
}

// All of them, to the end of the text.
bool can_read_all(const std::string& pem) {
  const auto reader = reader_of(pem);
  std::size_t count = 0;
  while (next_certificate(reader.get())) ++count;
  const auto error = ERR_peek_last_error();
  ERR_clear_error();
  return count > 0 && ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// What gRPC would stumble over at the next handshake, when nobody is told any more.
Status check_pair(const ServerTls& tls) {
  const auto certificate = next_certificate(reader_of(tls.certificate_pem).get());
  if (!certificate) return Status(Code::invalid, "the TLS certificate cannot be read");
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(reader_of(tls.key_pem).get(), nullptr, nullptr, const_cast<char*>("")), EVP_PKEY_free);
  if (!key) return Status(Code::invalid, "the TLS key cannot be read");
  if (X509_check_private_key(certificate.get(), key.get()) != 1)
    return Status(Code::invalid, "TLS certificate and key do not belong together");
  if (!tls.client_ca_pem.empty() && !can_read_all(tls.client_ca_pem))
    return Status(Code::invalid, "the certificates that clients' may be signed by cannot be read");
  return {};
}

grpc_ssl_certificate_config_reload_status fetch_certificates(void* certificates,
                                                             grpc_ssl_server_certificate_config** config) {
  return static_cast<ServerCertificates*>(certificates)->fetch(config);
}

// gRPC's C++ interface has no server credentials whose certificate can change at a moment of our choice; its C
// interface has.
class ChangingCredentials : public grpc::ServerCredentials {
 public:
  ChangingCredentials(ServerCertificates& certificates, bool asks_clients)
      : certificates_(certificates), asks_clients_(asks_clients) {}

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>& processor) override {
    static_cast<void>(processor);
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    // Who shows no certificate gets in and is told by the core what is missing; a bad one ends the handshake.
    auto* options = grpc_ssl_server_credentials_create_options_using_config_fetcher(
        asks_clients_ ? GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
        fetch_certificates, &certificates_);
    auto* credentials = grpc_ssl_server_credentials_create_with_options(options);
    const int port = grpc_server_add_http2_port(server, address.c_str(), credentials);
    grpc_server_credentials_release(credentials);
    return port;
  }

  ServerCertificates& certificates_;
  const bool asks_clients_;
};

}  // namespace

Status ServerCertificates::replace(const ServerTls& tls) {
  if (auto status = check_pair(tls); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  tls_.certificate_pem = tls.certificate_pem;
  tls_.key_pem = tls.key_pem;
  if (!tls_.client_ca_pem.empty() && !tls.client_ca_pem.empty()) tls_.client_ca_pem = tls.client_ca_pem;
  is_new_ = true;
  return {};
}

grpc_ssl_certificate_config_reload_status ServerCertificates::fetch(grpc_ssl_server_certificate_config** config) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_new_, false)) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  const grpc_ssl_pem_key_cert_pair pair{tls_.key_pem.c_str(), tls_.certificate_pem.c_str()};
  // Always some: this gRPC aborts without, also where no client is asked for a certificate.
  const char* roots = tls_.client_ca_pem.empty() ? tls_.certificate_pem.c_str() : tls_.client_ca_pem.c_str();
  *config = grpc_ssl_server_certificate_config_create(roots, &pair, 1);
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

std::shared_ptr<grpc::ServerCredentials> server_credentials(const ServerTls& tls, ServerCertificates* certificates) {
  if (certificates == nullptr) return grpc::InsecureServerCredentials();
  if (tls.tls13_only) {
    setenv(cipher_variable, no_tls12_cipher, 1);
  } else if (!tls.ciphers.empty()) {
    setenv(cipher_variable, tls.ciphers.c_str(), 1);
  }
  return std::make_shared<ChangingCredentials>(*certificates, !tls.client_ca_pem.empty());
}

std::shared_ptr<grpc::ChannelCredentials> client_credentials(const ClientTls& tls) {
  if (!tls.enabled) return grpc::InsecureChannelCredentials();
  if (!tls.skip_verify) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = tls.root_ca_pem;
    options.pem_cert_chain = tls.certificate_pem;
    options.pem_private_key = tls.key_pem;
    return grpc::SslCredentials(options);
  }
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  options.set_check_call_host(false);
  if (!tls.certificate_pem.empty()) {
    const std::vector<grpc::experimental::IdentityKeyCertPair> pairs = {{tls.key_pem, tls.certificate_pem}};
    options.set_certificate_provider(std::make_shared<grpc::experimental::StaticDataCertificateProvider>(pairs));
    options.watch_identity_key_cert_pairs();
  }
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace kdsd::net
