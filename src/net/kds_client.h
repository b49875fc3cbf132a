// A zone's link to its global: dials, keeps both sync streams and the health checks going, dials again when one of them
// ends (kds-protocol.md 2, 3.1, 3.11, 9.4).
//
// Knows gRPC and no rule. Create, call and destroy it on the core executor, which also runs `io`. The random source of
// the back-off is seeded by the caller.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "net/backoff.h"
#include "net/channel.h"
#include "net/stream_events.h"

namespace kdsd::net {

namespace limits {
inline constexpr std::int64_t client_stop_timeout_ms = 2'000;  // for gRPC to let go of cancelled calls
}  // namespace limits

class ClientConnection;
class ClientHub;

class KdsClient {
 public:
  // `events` and `io` must outlive the client.
  KdsClient(ClientOptions options, boost::asio::io_context& io, Post post, StreamEvents& events, std::uint64_t seed);
  ~KdsClient();
  KdsClient(const KdsClient&) = delete;
  KdsClient& operator=(const KdsClient&) = delete;

  // Dials at once and for ever.
  void start();

  // Unknown streams are ignored: their end may be on its way to the core.
  void send(std::uint64_t stream, const kds::Message& message);
  void allow_read(std::uint64_t stream);
  // A zone has no status to give: the stream is cancelled, and with it the connection ends.
  void close(std::uint64_t stream, kds::CloseCode code, const std::string& text);

  // Cancels everything and dials no more. The `closed` events of the streams have been posted when it returns.
  void stop();

  // What the zone proves its name with, from the next dial on.
  void set_credentials(ClientTls tls, std::string token);

  // Attempts so far, for metrics and tests.
  std::uint64_t dials() const { return dials_; }

 private:
  void dial();
  void ended(std::int64_t lasted_nanos);

  std::shared_ptr<const ClientOptions> options_;
  boost::asio::io_context& io_;
  std::shared_ptr<ClientHub> hub_;
  Backoff backoff_;
  boost::asio::steady_timer redial_timer_;
  std::shared_ptr<ClientConnection> connection_;
  std::uint64_t dials_ = 0;
  std::string peer_;  // address of the last connection that came about
  bool stopped_ = false;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);  // ends with this object
};

}  // namespace kdsd::net
