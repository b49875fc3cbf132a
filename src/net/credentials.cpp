#include "net/credentials.h"

#include <cstdlib>
#include <grpcpp/security/tls_credentials_options.h>

namespace kdsd::net {
namespace {

constexpr char cipher_variable[] = "GRPC_SSL_CIPHER_SUITES";
// A TLS 1.2 suite that needs a pre-shared key, which neither side has: only TLS 1.3 is left, whose suites the list does
// not touch.
constexpr char no_tls12_cipher[] = "PSK-AES128-GCM-SHA256";

}  // namespace

std::shared_ptr<grpc::ServerCredentials> server_credentials(const ServerTls& tls) {
  if (!tls.enabled()) return grpc::InsecureServerCredentials();
  if (tls.tls13_only) {
    setenv(cipher_variable, no_tls12_cipher, 1);
  } else if (!tls.ciphers.empty()) {
    setenv(cipher_variable, tls.ciphers.c_str(), 1);
  }
  grpc::SslServerCredentialsOptions options(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  options.pem_key_cert_pairs.push_back({tls.key_pem, tls.certificate_pem});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> client_credentials(const ClientTls& tls) {
  if (!tls.enabled) return grpc::InsecureChannelCredentials();
  if (!tls.skip_verify) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = tls.root_ca_pem;
    return grpc::SslCredentials(options);
  }
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  options.set_check_call_host(false);
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace kdsd::net
