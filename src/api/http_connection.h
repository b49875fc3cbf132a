// One connection of an HTTP server: reads requests, calls the handler, writes answers, until one side has enough.
//
// A coroutine on a strand. The only file pair that knows the HTTP library.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <compare>
#include <functional>
#include <memory>
#include <mutex>

#include "api/http.h"
#include "api/http_server.h"

namespace kdsd::api {

struct ConnectionSettings {
  const HttpServerOptions& options;
  RequestHandler handler;
  const std::atomic<bool>& stopping;
};

// The outside grip on a connection.
class ConnectionHandle {
 public:
  // What the connection is at. Between requests, and before the first one, it is idle; one that was dismissed leaves.
  enum class Phase { idle, reading, answering, leaving };
  struct Standing {
    Phase phase = Phase::idle;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    friend auto operator<=>(const Standing&, const Standing&) = default;
  };

  explicit ConnectionHandle(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // Any thread.
  const boost::asio::any_io_executor& executor() const { return executor_; }
  Standing standing() const;
  // The connection goes on with this; false when it was dismissed meanwhile and has to end.
  bool enter(Phase phase);
  // It is to leave; false, and it stays, when it is no longer at what it was at. `close` has to follow.
  bool dismiss(const Standing& seen);

  // On the executor: ends the connection; with `idle_only` not while it works on a request.
  void close(bool idle_only);
  void attach(std::function<void()> closer) { closer_ = std::move(closer); }

 private:
  boost::asio::any_io_executor executor_;
  std::function<void()> closer_;
  mutable std::mutex mutex_;
  Standing standing_;  // guarded by `mutex_`
};

boost::asio::awaitable<void> serve_plain(const ConnectionSettings& settings, boost::asio::ip::tcp::socket socket,
                                         std::shared_ptr<ConnectionHandle> handle);
boost::asio::awaitable<void> serve_tls(const ConnectionSettings& settings, boost::asio::ip::tcp::socket socket,
                                       std::shared_ptr<boost::asio::ssl::context> context,
                                       std::shared_ptr<ConnectionHandle> handle);

}  // namespace kdsd::api
