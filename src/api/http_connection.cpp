#include "api/http_connection.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <openssl/ssl.h>

#include "api/url.h"
#include "model/log_text.h"

namespace kdsd::api {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
using Parser = http::request_parser<http::string_body>;
namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t read_bytes = 16 << 10;
// One byte more than the longest header and room for what follows it.
constexpr std::size_t buffer_bytes = limits::header_bytes + 2 * read_bytes;
constexpr int close_now = -1;  // no answer reaches anybody
using Phase = ConnectionHandle::Phase;

struct Peer {
  std::string address;
  bool is_loopback = false;
  bool is_tls = false;
  bool certificate_verified = false;
};

Peer peer_of(beast::tcp_stream& stream) {
  Peer peer;
  boost::system::error_code error;
  auto address = stream.socket().remote_endpoint(error).address();
  if (error) return peer;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  peer.address = address.to_string();
  peer.is_loopback = address.is_loopback();
  return peer;
}

// What became of reading a request.
struct Reading {
  int refused = 0;  // the status of a refusal, or `close_now`
  std::string_view detail = "the request cannot be read";
};

// The status of the answer to a request that could not be read.
int refusal_status(const boost::system::error_code& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return close_now;
  static const auto& syntax = http::make_error_code(http::error::bad_method).category();
  return error.category() == syntax ? 400 : close_now;
}

std::string lower(beast::string_view text) {
  std::string out(text.data(), text.size());
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

// The HTTP library takes a body of any other coding for none, and what is in it for the next request.
bool has_unknown_coding(const Parser& parser) {
  const auto& message = parser.get();
  const auto codings = message.count(http::field::transfer_encoding);
  return codings > 1 || (codings == 1 && lower(message[http::field::transfer_encoding]) != "chunked");
}

// Path and query of a request target; proxies send a whole URL.
Status split_target(std::string_view target, Request& request) {
  for (std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const auto path = target.find('/', scheme.size());
    target = path == std::string_view::npos ? std::string_view("/") : target.substr(path);
  }
  const auto mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query_text = target.substr(std::min(mark + 1, target.size()));
  auto query = parse_query(request.query_text);
  if (!query.ok()) return query.status();
  request.query = std::move(*query);
  return {};
}

Result<Request> to_request(Parser& parser, const Peer& peer) {
  auto& message = parser.get();
  Request request;
  request.method = std::string(message.method_string());
  request.peer = peer.address;
  request.peer_is_loopback = peer.is_loopback;
  request.is_tls = peer.is_tls;
  request.client_certificate_verified = peer.certificate_verified;
  if (message.count(http::field::host) > 1 || (message.version() >= 11 && message.count(http::field::host) == 0)) {
    return Status(Code::malformed, "bad request: exactly one Host header is needed");
  }
  for (const auto& field : message)
    request.headers.emplace_back(lower(field.name_string()), std::string(field.value()));
  if (auto status = split_target({message.target().data(), message.target().size()}, request); !status.ok())
    return status;
  request.body = std::move(message.body());
  return request;
}

http::response<http::string_body> to_message(Response response, unsigned version, bool keep_alive, bool head) {
  http::response<http::string_body> message;
  message.version(version);
  message.result(static_cast<unsigned>(response.status));
  for (auto& [name, value] : response.headers) message.insert(name, value);
  if (!head) message.body() = std::move(response.body);
  message.keep_alive(keep_alive);
  message.prepare_payload();
  return message;
}

template <typename Stream>
class Connection {
 public:
  Connection(const ConnectionSettings& settings, Stream& stream, Peer peer, ConnectionHandle& handle)
      : settings_(settings), options_(settings.options), stream_(stream), peer_(std::move(peer)), handle_(handle) {}

  asio::awaitable<void> serve() {
    while (!settings_.stopping && co_await first_bytes() && handle_.enter(Phase::reading)) {
      Parser parser;
      parser.header_limit(limits::header_bytes);
      parser.body_limit(options_.body_bytes_max);
      const auto [refused, detail] = co_await read(parser);
      if (refused == close_now || !handle_.enter(Phase::answering)) co_return;
      Response response;
      if (refused != 0) {
        response = refusal(refused, detail);
      } else {
        response = co_await answer(parser);
      }
      const bool keep = refused == 0 && parser.get().keep_alive() && !settings_.stopping;
      const bool head = parser.get().method() == http::verb::head;
      auto message = to_message(std::move(response), parser.get().version() == 10 ? 10 : 11, keep, head);
      layer().expires_after(limits::response_time);
      auto [error, bytes] = co_await http::async_write(stream_, message, as_result);
      if (error) co_return;
      if (refused != 0 && handle_.enter(Phase::reading)) co_await linger();
      if (!keep) co_return;
      has_answered_ = true;
      handle_.enter(Phase::idle);
    }
  }

 private:
  beast::tcp_stream& layer() { return beast::get_lowest_layer(stream_); }

  Response refusal(int status, std::string_view detail) const {
    return options_.refusal ? options_.refusal(status, detail) : Response{status, {}, {}};
  }

  asio::awaitable<bool> first_bytes() {
    if (buffer_.size() > 0) co_return true;
    layer().expires_after(has_answered_ ? options_.idle_time : std::min(options_.first_byte_time, options_.idle_time));
    auto [error, bytes] = co_await stream_.async_read_some(buffer_.prepare(read_bytes), as_result);
    if (error) co_return false;
    buffer_.commit(bytes);
    co_return true;
  }

  asio::awaitable<Reading> read(Parser& parser) {
    layer().expires_after(options_.header_time);
    auto [header_error, header_bytes] = co_await http::async_read_header(stream_, buffer_, parser, as_result);
    if (header_error) co_return Reading{refusal_status(header_error)};
    if (has_unknown_coding(parser)) co_return Reading{400, "Transfer-Encoding: only one, and it must be chunked"};
    layer().expires_after(options_.body_time);
    if (!parser.is_done() && lower(parser.get()[http::field::expect]) == "100-continue") {
      http::response<http::empty_body> go_on(http::status::continue_, 11);
      auto [error, bytes] = co_await http::async_write(stream_, go_on, as_result);
      if (error) co_return Reading{close_now};
    }
    if (parser.is_done()) co_return Reading{};
    auto [error, bytes] = co_await http::async_read(stream_, buffer_, parser, as_result);
    co_return Reading{error ? refusal_status(error) : 0};
  }

  asio::awaitable<Response> answer(Parser& parser) {
    layer().expires_never();
    auto request = to_request(parser, peer_);
    if (!request.ok()) co_return refusal(400, request.status().message());
    std::string problem;
    try {
      co_return co_await settings_.handler(*request);
    } catch (const std::exception& exception) {
      problem = exception.what();
    }
    if (options_.log) {
      options_.log("component=api method=" + log_value(request->method) + " path=" + log_value(request->path) +
                   " result=failed reason=" + log_quoted(problem));
    }
    co_return refusal(500, "Internal Server Error");
  }

  // Closing with unread bytes makes the system reset the connection, and the client would not see the answer.
  asio::awaitable<void> linger() {
    if constexpr (std::is_same_v<Stream, PlainStream>) {
      boost::system::error_code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
    layer().expires_after(options_.stop_time);
    buffer_.consume(buffer_.size());
    for (std::size_t taken = 0; taken < limits::linger_bytes;) {
      auto [error, bytes] = co_await stream_.async_read_some(buffer_.prepare(read_bytes), as_result);
      if (error) co_return;
      taken += bytes;
    }
  }

  const ConnectionSettings& settings_;
  const HttpServerOptions& options_;
  Stream& stream_;
  Peer peer_;
  ConnectionHandle& handle_;
  beast::flat_buffer buffer_{buffer_bytes};
  bool has_answered_ = false;
};

// While it exists, the handle can close the stream.
class Attached {
 public:
  Attached(ConnectionHandle& handle, beast::tcp_stream& stream) : handle_(handle) {
    handle.attach([&stream] { stream.close(); });
  }
  ~Attached() { handle_.attach({}); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  ConnectionHandle& handle_;
};

bool has_verified_certificate(SSL* connection) {
  X509* certificate = SSL_get1_peer_certificate(connection);
  if (certificate == nullptr) return false;
  X509_free(certificate);
  return SSL_get_verify_result(connection) == X509_V_OK;
}

}  // namespace

ConnectionHandle::Standing ConnectionHandle::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

bool ConnectionHandle::enter(Phase phase) {
  const std::lock_guard lock(mutex_);
  if (standing_.phase == Phase::leaving) return false;
  standing_ = Standing{phase};
  return true;
}

bool ConnectionHandle::dismiss(const Standing& seen) {
  const std::lock_guard lock(mutex_);
  if (standing_ != seen) return false;
  standing_.phase = Phase::leaving;
  return true;
}

void ConnectionHandle::close(bool idle_only) {
  const auto phase = standing().phase;
  const bool works = phase == Phase::reading || phase == Phase::answering;
  if (closer_ && !(idle_only && works)) closer_();
}

asio::awaitable<void> serve_plain(const ConnectionSettings& settings, tcp::socket socket,
                                  std::shared_ptr<ConnectionHandle> handle) {
  PlainStream stream(std::move(socket));
  Attached attached(*handle, stream);
  Connection<PlainStream> connection(settings, stream, peer_of(stream), *handle);
  co_await connection.serve();
  boost::system::error_code ignored;
  stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
}

asio::awaitable<void> serve_tls(const ConnectionSettings& settings, tcp::socket socket,
                                std::shared_ptr<asio::ssl::context> context, std::shared_ptr<ConnectionHandle> handle) {
  TlsStream stream(std::move(socket), *context);
  auto& layer = beast::get_lowest_layer(stream);
  Attached attached(*handle, layer);
  layer.expires_after(limits::handshake_time);
  auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, as_result);
  if (error) co_return;
  auto peer = peer_of(layer);
  peer.is_tls = true;
  peer.certificate_verified = settings.options.tls->client_certificates != ClientCertificates::ignore &&
                              has_verified_certificate(stream.native_handle());
  Connection<TlsStream> connection(settings, stream, std::move(peer), *handle);
  co_await connection.serve();
  layer.expires_after(std::chrono::seconds(1));
  co_await stream.async_shutdown(as_result);
}

}  // namespace kdsd::api
