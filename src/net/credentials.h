// TLS of the KDS port, for both roles (kds-protocol.md 2.1).
//
// gRPC of this version speaks TLS 1.2 and 1.3 and has no call to narrow that. Both requests below therefore go through
// its one process-wide setting, the cipher list for TLS 1.2; it has to be made before the first TLS connection of the
// process.
#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <memory>
#include <string>

#include "model/status.h"

namespace kdsd::net {

struct ServerTls {
  std::string certificate_pem;  // chain, the server's own first; empty: clear text
  std::string key_pem;
  bool tls13_only = false;
  std::string ciphers;  // OpenSSL names joined by ':', for TLS 1.2; empty: gRPC's choice

  bool enabled() const { return !certificate_pem.empty(); }
};

struct ClientTls {
  bool enabled = false;
  std::string root_ca_pem;  // empty: the roots of the system
  bool skip_verify = false;
};

std::shared_ptr<grpc::ServerCredentials> server_credentials(const ServerTls& tls);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const ClientTls& tls);

}  // namespace kdsd::net
