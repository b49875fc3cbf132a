// An HTTP/1.1 server on one address: connections, limits and timeouts, nothing of what is served.
//
// Threads: runs on the io_context that it is given, which may have several threads; each connection is a coroutine on a
// strand of its own. `start`, `stop` and `port` may be called from any thread. The server must outlive the running of
// the io_context. Errors of a connection end that connection; nothing is thrown.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "model/status.h"

namespace kdsd::api {

namespace limits {
inline constexpr std::size_t header_bytes = 64 << 10;           // request line and headers
inline constexpr std::size_t connections = 4'096;               // of one listener; beyond it one that waits makes room
inline constexpr std::chrono::milliseconds header_time{1'000};  // from the first byte of a request to its last header
inline constexpr std::chrono::milliseconds first_byte_time{10'000};  // from the connection to its first request
inline constexpr std::chrono::milliseconds idle_time{60'000};        // between requests
inline constexpr std::chrono::milliseconds body_time{30'000};        // from the last header to the end of the body
inline constexpr std::chrono::milliseconds response_time{30'000};    // to write an answer to a slow reader
inline constexpr std::chrono::milliseconds handshake_time{10'000};
inline constexpr std::chrono::milliseconds stop_time{2'000};  // that running requests get when the server stops
inline constexpr std::size_t linger_bytes =
    16 << 20;  // of a refused body that are still read, so that the client sees the answer
}  // namespace limits

enum class ClientCertificates { ignore, verify_if_offered, demand };

// Everything as PEM texts; reading files is the caller's business.
struct TlsOptions {
  std::string certificate_pem;  // chain, leaf first
  std::string key_pem;
  std::string min_version = "TLSv1_2";     // TLSv1_0, TLSv1_1, TLSv1_2, TLSv1_3; empty: TLSv1_2
  std::string max_version;                 // empty: no limit
  std::vector<std::string> cipher_suites;  // names as Go and IANA spell them; empty: OpenSSL's defaults
  ClientCertificates client_certificates = ClientCertificates::ignore;
  std::string client_ca_pem;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  std::optional<TlsOptions> tls;
  std::size_t body_bytes_max = 4 << 20;
  std::size_t connections_max = limits::connections;
  std::chrono::milliseconds header_time = limits::header_time;
  std::chrono::milliseconds first_byte_time = limits::first_byte_time;
  std::chrono::milliseconds idle_time = limits::idle_time;
  std::chrono::milliseconds body_time = limits::body_time;
  std::chrono::milliseconds stop_time = limits::stop_time;
  // Answers for requests that never reach the handler (413, 431, 400); empty: without a body.
  std::function<Response(int status, std::string_view detail)> refusal;
  std::function<void(std::string_view)> log;  // what went wrong inside; may be empty; callable from any thread
};

class HttpServer {
 public:
  HttpServer(boost::asio::io_context& context, HttpServerOptions options, RequestHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds and listens. The error names address and port, or what is wrong with the TLS material.
  Status start();
  // Begins to stop and returns at once: no new connections, idle ones are closed, running requests get `stop_time`.
  void stop();
  // For connections from now on; Code::invalid, and the old one stays, when it cannot be used. Whether client
  // certificates are asked for stays as it was. Any thread.
  Status set_tls(const TlsOptions& tls);
  std::uint16_t port() const;
  std::size_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kdsd::api
