// One connection of an HTTP server: reads requests, calls the handler, writes answers, until one side has enough.
//
// A coroutine on a strand. The only file pair that knows the HTTP library.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>

#include "api/http.h"
#include "api/http_server.h"

namespace kdsd::api {

struct ConnectionSettings {
  const HttpServerOptions& options;
  RequestHandler handler;
  const std::atomic<bool>& stopping;
};

// The outside grip on a connection. All members but `executor` are used on that executor only.
class ConnectionHandle {
 public:
  explicit ConnectionHandle(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  const boost::asio::any_io_executor& executor() const { return executor_; }
  // Ends the connection; with `idle_only` not while it works on a request.
  void close(bool idle_only) {
    if (closer_ && !(idle_only && busy_)) closer_();
  }
  void attach(std::function<void()> closer) { closer_ = std::move(closer); }
  void set_busy(bool busy) { busy_ = busy; }

 private:
  boost::asio::any_io_executor executor_;
  std::function<void()> closer_;
  bool busy_ = false;
};

boost::asio::awaitable<void> serve_plain(const ConnectionSettings& settings, boost::asio::ip::tcp::socket socket,
                                         std::shared_ptr<ConnectionHandle> handle);
boost::asio::awaitable<void> serve_tls(const ConnectionSettings& settings, boost::asio::ip::tcp::socket socket,
                                       std::shared_ptr<boost::asio::ssl::context> context,
                                       std::shared_ptr<ConnectionHandle> handle);

}  // namespace kdsd::api
