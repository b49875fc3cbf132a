// A gRPC channel from a zone to its global: one TCP connection that closes with it (kds-protocol.md 2.1-2.4).
#pragma once

#include <cstdint>
#include <grpcpp/channel.h>
#include <memory>
#include <string>

#include "net/credentials.h"

namespace kdsd::net {

namespace limits {
inline constexpr int connect_timeout_ms = 10'000;  // of one attempt, name resolution included
// A Kuma global throws out who pings more often than every 15 s (2.2); a frozen global is noticed after both together.
inline constexpr int client_keepalive_time_ms = 20'000;
inline constexpr int client_keepalive_timeout_ms = 15'000;
}  // namespace limits

struct ClientOptions {
  std::string address;  // host:port; names are resolved at every dial
  ClientTls tls;
  std::string zone;     // the client-id
  std::string token;    // proves it; empty: none is sent
  std::string version;  // of this program, as a Kuma version
  std::int64_t message_bytes_max = 10 << 20;
  bool compress = false;  // gzip for what is long enough
  std::int64_t backoff_base_nanos = 5'000'000'000;
  std::int64_t backoff_cap_nanos = 60'000'000'000;
  std::int64_t health_interval_nanos = 300'000'000'000;  // unless the global names one
  std::int64_t connect_timeout_nanos = limits::connect_timeout_ms * 1'000'000LL;
};

// Does not dial yet; the first call does. Each channel has its own connection and its own view of DNS.
std::shared_ptr<grpc::Channel> make_channel(const ClientOptions& options);

}  // namespace kdsd::net
