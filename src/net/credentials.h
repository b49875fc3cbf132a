// TLS of the KDS port, for both roles (kds-protocol.md 2.1).
//
// gRPC of this version speaks TLS 1.2 and 1.3 and has no call to narrow that. Both requests below therefore go through
// its one process-wide setting, the cipher list for TLS 1.2; it has to be made before the first TLS connection of the
// process.
#pragma once

#include <cstdint>
#include <grpc/grpc_security.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <memory>
#include <mutex>
#include <string>

#include "model/status.h"

namespace kdsd::net {

struct ServerTls {
  std::string certificate_pem;  // chain, the server's own first; empty: clear text
  std::string key_pem;
  bool tls13_only = false;
  std::string ciphers;        // OpenSSL names joined by ':', for TLS 1.2; empty: gRPC's choice
  std::string client_ca_pem;  // who may sign clients' certificates; empty: clients are not asked for any

  bool enabled() const { return !certificate_pem.empty(); }
};

struct ClientTls {
  bool enabled = false;
  std::string root_ca_pem;  // empty: the roots of the system
  bool skip_verify = false;
  std::string certificate_pem;  // to show to the server; empty: none
  std::string key_pem;
};

// The certificates a server shows, exchangeable while it runs: connections made from then on see the new ones.
// Thread safe: gRPC asks on its own threads, at each handshake.
class ServerCertificates {
 public:
  explicit ServerCertificates(ServerTls tls) : tls_(std::move(tls)) {}

  // Code::invalid, and the old ones stay, when a certificate or the key cannot be read, or do not belong together. A
  // client certificate is asked for or not as it was at the start.
  Status replace(const ServerTls& tls);

  // What gRPC calls.
  grpc_ssl_certificate_config_reload_status fetch(grpc_ssl_server_certificate_config** config);

 private:
  std::mutex mutex_;
  ServerTls tls_;
  bool is_new_ = true;  // since gRPC last asked
};

// `certificates` must outlive the server that uses the credentials; null: clear text.
std::shared_ptr<grpc::ServerCredentials> server_credentials(const ServerTls& tls, ServerCertificates* certificates);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const ClientTls& tls);

}  // namespace kdsd::net
