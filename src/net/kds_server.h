// The global's KDS port: accepts zones, hands their streams to the core (kds-protocol.md 1.1, 2, 3.10).
//
// Knows gRPC and no rule. Create, call and destroy it on the core executor; gRPC's threads reach it only through
// closures that it posts there. Bounded: one read and one write in flight per stream, a fixed number of calls, messages
// up to a size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/credentials.h"
#include "net/stream_events.h"

namespace kdsd::net {

namespace limits {
// Calls at one time, of all zones; a zone holds five and a health check now and then.
inline constexpr std::size_t server_calls_max = 50'000;
// Of these, health checks; a zone has one for a moment in minutes. Beyond it the oldest one ends.
inline constexpr std::size_t server_health_calls_max = 5'000;
// From a health check's headers to its message, which zones send together.
inline constexpr std::int64_t health_request_ms = 5'000;
// Of one connection; a zone has six, and one peer must not take all of the above.
inline constexpr int streams_per_connection_max = 100;
// Pings that come faster than this count against the peer; Kuma zones send one in 15 s (2.2).
inline constexpr int ping_interval_min_ms = 5'000;
inline constexpr int ping_strikes_max = 5;
inline constexpr int server_keepalive_time_ms = 15'000;
inline constexpr int server_keepalive_timeout_ms = 15'000;
inline constexpr int handshake_timeout_ms = 20'000;
inline constexpr int idle_connection_ms = 900'000;  // without any call; zones always have some
inline constexpr int metadata_bytes_max = 16 << 10;
inline constexpr std::int64_t stop_timeout_ms = 2'000;       // for calls and connections together, then they are cut
inline constexpr std::int64_t last_events_timeout_ms = 500;  // for the reactions of calls that have been cut
}  // namespace limits

struct ServerOptions {
  std::string address = "[::]:5685";  // host:port; port 0 picks one
  ServerTls tls;
  std::int64_t message_bytes_max = 10 << 20;  // of a message, compressed or not
  bool compress = false;                      // gzip for what is long enough, to zones that accept it
  std::int64_t health_interval_nanos = 0;     // told to zones that ping; 0: their own choice
  std::size_t calls_max = limits::server_calls_max;
  std::size_t health_calls_max = limits::server_health_calls_max;
  std::int64_t health_request_ms = limits::health_request_ms;
};

class ServerHub;

class KdsServer {
 public:
  // `events` must outlive the server.
  KdsServer(ServerOptions options, Post post, StreamEvents& events);
  ~KdsServer();
  KdsServer(const KdsServer&) = delete;
  KdsServer& operator=(const KdsServer&) = delete;

  // Listens. `unavailable` when the address is taken or the certificate and its key are not usable.
  Status start();
  int port() const { return port_; }
  // For connections from now on; nothing on a server without TLS. Code::invalid when they are not usable: then the old
  // ones stay.
  Status set_certificates(const ServerTls& tls);

  // Unknown streams are ignored: their end may be on its way to the core.
  void send(std::uint64_t stream, const kds::Message& message);
  void allow_read(std::uint64_t stream);
  void close(std::uint64_t stream, kds::CloseCode code, const std::string& text);

  // Sync and admin streams end with UNAVAILABLE, then the port is closed. Blocks for at most three seconds. The
  // `closed` events of the streams have been posted when it returns. A second call does nothing.
  void stop();

 private:
  class Service;

  const ServerOptions options_;
  std::shared_ptr<ServerHub> hub_;
  std::unique_ptr<ServerCertificates> certificates_;  // before the server, which refers to them
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace kdsd::net
