// The REST API and the diagnostics server of one control plane, wired to a Backend.
//
// Threads: everything runs on the io_context given ("API threads"), and on the core executor through the Backend. Both,
// and the Backend, must outlive the server; destroy it after the io_context has stopped running.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/backend.h"
#include "api/http.h"
#include "api/http_server.h"
#include "model/status.h"

namespace kdsd::api {

struct ListenerOptions {
  std::string address = "0.0.0.0";
  std::uint16_t port = 0;  // 0: any free one
  std::optional<TlsOptions> tls;
};

// The listeners of the API; one that is missing is off.
struct ApiListeners {
  std::optional<ListenerOptions> http;   // without `tls`
  std::optional<ListenerOptions> https;  // with `tls`; same routes
};

struct ApiServerOptions {
  std::optional<ListenerOptions> diagnostics;                                // /healthy, /ready, /metrics
  std::size_t connections_max = limits::connections;                         // of each listener
  std::chrono::nanoseconds service_insight_pause = std::chrono::seconds(1);  // between two looks, on a global
  std::chrono::nanoseconds relay_hold{0};  // so long after the start zones are waited for before services are counted
  Observer observer;                       // called on API threads after each API request; may be empty
  std::function<void(std::string_view)> log;  // internal errors; callable from any thread; may be empty
};

class ApiServer {
 public:
  ApiServer(boost::asio::io_context& context, Backend& backend, ApiServerOptions options);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Opens the diagnostics listener: it answers while everything else is still on its way.
  Status start_diagnostics();
  // Opens the others, or none. Errors name the listener that could not be opened.
  Status start(ApiListeners listeners);
  // Begins to stop and returns at once. The io_context runs out of work after at most two seconds.
  void stop();

  // Certificates for connections from now on; a listener without TLS is left alone. The first error, after both were
  // tried.
  Status set_tls(const std::optional<TlsOptions>& https, const std::optional<TlsOptions>& diagnostics);

  // The real ports; 0 for a listener that is off.
  std::uint16_t http_port() const;
  std::uint16_t https_port() const;
  std::uint16_t diagnostics_port() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kdsd::api
