// Certificates that are exchanged while a server runs.
#include "net/credentials.h"

#include <gtest/gtest.h>

#include "certificate.h"

namespace kdsd::net {
namespace {

ServerTls tls_of(const Certificate& certificate, const std::string& client_ca_pem = "") {
  ServerTls tls;
  tls.certificate_pem = certificate.certificate_pem;
  tls.key_pem = certificate.key_pem;
  tls.client_ca_pem = client_ca_pem;
  return tls;
}

// Whether gRPC gets something new at the next handshake.
bool has_new(ServerCertificates& certificates) {
  grpc_ssl_server_certificate_config* config = nullptr;
  const auto status = certificates.fetch(&config);
  if (config != nullptr) grpc_ssl_server_certificate_config_destroy(config);
  return status == GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

TEST(ServerCertificates, ThatCannotBeUsedAreRefusedAndTheOldStay) {
  const auto old = self_signed();
  const auto next = self_signed();
  ServerCertificates certificates(tls_of(old, old.certificate_pem));
  EXPECT_TRUE(has_new(certificates));
  EXPECT_EQ(certificates.replace(tls_of({next.certificate_pem, old.key_pem})).code(), Code::invalid);
  EXPECT_EQ(certificates.replace(tls_of({"", ""})).code(), Code::invalid);
  EXPECT_FALSE(has_new(certificates));
  EXPECT_TRUE(certificates.replace(tls_of(next, next.certificate_pem)).ok());
  EXPECT_TRUE(has_new(certificates));
}

TEST(ServerCertificates, AuthoritiesHaveToBeReadableToTheLast) {
  const auto pair = self_signed();
  const auto& pem = pair.certificate_pem;
  ServerCertificates certificates(tls_of(pair, pem));
  EXPECT_TRUE(has_new(certificates));
  auto broken = pem;
  broken.replace(broken.find('\n') + 1, 8, "AAAAAAAA");
  const auto half = pem.substr(0, pem.size() / 2);
  for (const auto& authorities : {std::string("no certificate"), broken, pem + broken, pem + half, broken + pem}) {
    EXPECT_EQ(certificates.replace(tls_of(pair, authorities)).code(), Code::invalid) << authorities;
    EXPECT_FALSE(has_new(certificates));
  }
  EXPECT_TRUE(certificates.replace(tls_of(pair, "# two\n" + pem + "\n" + pem + "\n# end\n")).ok());
}

}  // namespace
}  // namespace kdsd::net
