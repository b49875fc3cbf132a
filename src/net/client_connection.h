// One connection of a zone to its global, from dialling to its end: both sync streams, the health checks, and the
// streams for questions about proxies (kds-protocol.md 3.1, 3.11, 9.4, 10).
//
// Lives on the core executor. When one part ends, all of it ends, but for the streams for questions: not every global
// has them. `ended` is called once, after gRPC is done with every call and the TCP connection is closed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/client_stream.h"

namespace kdsd::net {

namespace limits {
inline constexpr std::int64_t health_deadline_ms = 30'000;  // a Kuma global stores the ping before it answers
}  // namespace limits

class ClientConnection : public std::enable_shared_from_this<ClientConnection> {
 public:
  // Called with the time that the connection was usable; 0 when it never was.
  using Ended = std::function<void(std::int64_t lasted_nanos)>;

  // `options` must outlive the connection and its calls.
  // `former_peer`: where the connection before it led to, for the log.
  ClientConnection(std::shared_ptr<ClientHub> hub, boost::asio::io_context& io,
                   std::shared_ptr<const ClientOptions> options, std::uint64_t number, std::string former_peer,
                   Ended ended);

  void dial();

  // The address that the name of the global has become, or the one before; empty when there was no connection.
  const std::string& peer() const { return peer_; }

  // Ends everything. `ended` is still called.
  void tear_down(const std::string& why);
  // Ends everything; `ended` is not called any more.
  void abandon(const std::string& why);

 private:
  struct HealthCall;

  void open(kds::StreamKind kind);
  void watch_connect();
  void connected(const std::string& peer);
  void stream_ended(kds::StreamKind kind, const grpc::Status& status);
  void check_health();
  void health_answered(const grpc::Status& status);
  void check_health_after(std::int64_t nanos);
  void call_ended();

  const std::shared_ptr<ClientHub> hub_;
  const std::shared_ptr<const ClientOptions> options_;
  const std::uint64_t number_;
  std::string peer_;
  Ended ended_;
  boost::asio::steady_timer connect_timer_;
  boost::asio::steady_timer health_timer_;
  std::chrono::steady_clock::time_point connected_at_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<grpc::GenericStub> stub_;
  std::vector<std::shared_ptr<ClientStream>> streams_;
  std::shared_ptr<HealthCall> health_;
  std::size_t calls_ = 0;  // that gRPC is not done with
  bool connected_ = false;
  bool torn_down_ = false;
};

}  // namespace kdsd::net
