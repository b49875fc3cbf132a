#include "app/cli/rest_client.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <openssl/ssl.h>
#include <optional>

#include "app/run.h"

namespace kdsd::app::cli {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

namespace {

// A page of a thousand documents of a quarter of a megabyte each.
constexpr std::uint64_t answer_bytes_max = 256ull << 20;

struct Server {
  bool has_tls = false;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string host_header;  // as the address spells it
  std::string base_path;    // without a slash at its end
};

Result<Server> parse_address(const std::string& address) {
  const auto refuse = [&](const std::string& why) {
    return Status(Code::invalid, "address \"" + address + "\": " + why);
  };
  const auto url = boost::urls::parse_uri(address);
  if (url.has_error()) return refuse("is no URL; want http://host:port or https://host:port");
  const auto scheme = url->scheme();
  if (scheme != "http" && scheme != "https") return refuse("must begin with http:// or https://");
  if (url->encoded_host().empty()) return refuse("names no host");
  if (url->has_query() || url->has_fragment() || url->has_userinfo()) return refuse("must be a plain address");
  Server server;
  server.has_tls = scheme == "https";
  server.host = url->host_address();
  server.port = url->has_port() ? std::string(url->port()) : server.has_tls ? "443" : "80";
  server.host_header = std::string(url->encoded_host_and_port());
  server.base_path = std::string(url->encoded_path());
  while (server.base_path.ends_with('/')) server.base_path.pop_back();
  return server;
}

// One TCP connection with TLS where the address wants it. The coroutine of a call and the client share it: a call that
// runs out of time leaves its coroutine behind until the io_context goes.
struct Connection {
  std::optional<beast::tcp_stream> plain;
  std::optional<TlsStream> tls;
  beast::flat_buffer buffer;
  bool is_open = false;

  beast::tcp_stream& lowest() { return tls ? beast::get_lowest_layer(*tls) : *plain; }
};

struct Call {
  http::request<http::string_body> request;
  RestAnswer answer;
  error_code error;
  std::string step;
  bool is_finished = false;
  bool was_reused = false;
};

}  // namespace

class RestClient::Impl {
 public:
  Impl(RestOptions options, Server server)
      : options_(std::move(options)), server_(std::move(server)), tls_context_(asio::ssl::context::tls_client) {}

  Status set_up_tls();
  Result<RestAnswer> call(http::verb method, std::string_view target, std::string body);

 private:
  std::shared_ptr<Call> run(http::request<http::string_body> request);
  asio::awaitable<void> carry_out(std::shared_ptr<Connection> connection, std::shared_ptr<Call> call);
  asio::awaitable<bool> open(Connection& connection, Call& call);
  template <typename Stream>
  asio::awaitable<void> exchange(Stream& stream, Connection& connection, Call& call);
  std::shared_ptr<Connection> new_connection();
  void forget_connection();

  RestOptions options_;
  Server server_;
  asio::ssl::context tls_context_;
  std::unique_ptr<asio::io_context> io_ = std::make_unique<asio::io_context>(1);
  std::shared_ptr<Connection> connection_;
};

Status RestClient::Impl::set_up_tls() {
  error_code error;
  const auto refuse = [&](const std::string& file) { return Status(Code::invalid, file + ": " + error.message()); };
  tls_context_.set_verify_mode(asio::ssl::verify_peer, error);
  if (options_.ca_cert_file.empty()) {
    tls_context_.set_default_verify_paths(error);
  } else if (tls_context_.load_verify_file(options_.ca_cert_file, error)) {
    return refuse(options_.ca_cert_file);
  }
  if (options_.client_cert_file.empty() != options_.client_key_file.empty()) {
    return Status(Code::invalid, "--client-cert and --client-key belong together");
  }
  if (options_.client_cert_file.empty()) return {};
  if (tls_context_.use_certificate_chain_file(options_.client_cert_file, error))
    return refuse(options_.client_cert_file);
  if (tls_context_.use_private_key_file(options_.client_key_file, asio::ssl::context::pem, error)) {
    return refuse(options_.client_key_file);
  }
  return {};
}

std::shared_ptr<Connection> RestClient::Impl::new_connection() {
  auto connection = std::make_shared<Connection>();
  if (server_.has_tls) {
    connection->tls.emplace(*io_, tls_context_);
  } else {
    connection->plain.emplace(*io_);
  }
  return connection;
}

void RestClient::Impl::forget_connection() {
  connection_.reset();
  // Ends the coroutine of a call that ran out of time, wherever it waits.
  io_ = std::make_unique<asio::io_context>(1);
}

asio::awaitable<bool> RestClient::Impl::open(Connection& connection, Call& call) {
  call.step = "resolve";
  tcp::resolver resolver(*io_);
  const auto found = co_await resolver.async_resolve(server_.host, server_.port,
                                                     asio::redirect_error(asio::use_awaitable, call.error));
  if (call.error) co_return false;
  call.step = "connect";
  co_await connection.lowest().async_connect(found, asio::redirect_error(asio::use_awaitable, call.error));
  if (call.error) co_return false;
  if (connection.tls) {
    call.step = "TLS handshake";
    auto& stream = *connection.tls;
    stream.set_verify_callback(asio::ssl::host_name_verification(server_.host));
    error_code is_name;
    (void)asio::ip::make_address(server_.host, is_name);
    // Server name indication is for names only.
    if (is_name) SSL_set_tlsext_host_name(stream.native_handle(), server_.host.c_str());
    co_await stream.async_handshake(asio::ssl::stream_base::client,
                                    asio::redirect_error(asio::use_awaitable, call.error));
    if (call.error) co_return false;
  }
  connection.is_open = true;
  co_return true;
}

template <typename Stream>
asio::awaitable<void> RestClient::Impl::exchange(Stream& stream, Connection& connection, Call& call) {
  call.step = "send";
  co_await http::async_write(stream, call.request, asio::redirect_error(asio::use_awaitable, call.error));
  if (call.error) co_return;
  call.step = "receive";
  http::response_parser<http::string_body> parser;
  parser.body_limit(answer_bytes_max);
  co_await http::async_read(stream, connection.buffer, parser, asio::redirect_error(asio::use_awaitable, call.error));
  if (call.error) co_return;
  connection.is_open = parser.get().keep_alive();
  call.answer.status = static_cast<int>(parser.get().result_int());
  call.answer.body = std::move(parser.get().body());
}

asio::awaitable<void> RestClient::Impl::carry_out(std::shared_ptr<Connection> connection, std::shared_ptr<Call> call) {
  call->was_reused = connection->is_open;
  const bool is_open = connection->is_open || co_await open(*connection, *call);
  if (is_open) {
    if (connection->tls) {
      co_await exchange(*connection->tls, *connection, *call);
    } else {
      co_await exchange(*connection->plain, *connection, *call);
    }
  }
  call->is_finished = true;
}

std::shared_ptr<Call> RestClient::Impl::run(http::request<http::string_body> request) {
  if (!connection_) connection_ = new_connection();
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  asio::co_spawn(*io_, carry_out(connection_, call), asio::detached);
  io_->restart();
  io_->run_for(options_.timeout);
  if (!call->is_finished) call->error = beast::error::timeout;
  if (call->error || !connection_->is_open) forget_connection();
  return call;
}

Result<RestAnswer> RestClient::Impl::call(http::verb method, std::string_view target, std::string body) {
  constexpr int http_1_1 = 11;
  http::request<http::string_body> request(method, server_.base_path + std::string(target), http_1_1);
  request.set(http::field::host, server_.host_header);
  request.set(http::field::user_agent, std::string("kdsd/") + kdsd_version());
  request.set(http::field::accept, "application/json");
  if (!options_.token.empty()) request.set(http::field::authorization, "Bearer " + options_.token);
  if (method == http::verb::put || method == http::verb::post)
    request.set(http::field::content_type, "application/json");
  request.body() = std::move(body);
  request.prepare_payload();
  auto call = run(request);
  // The server may close a kept connection at any time. Every method here may be sent twice without harm.
  if (call->error && call->was_reused && call->is_finished) call = run(std::move(request));
  if (!call->error) return std::move(call->answer);
  const auto text = call->error == beast::error::timeout
                        ? "no answer within " + std::to_string(options_.timeout.count() / 1000) + " s"
                        : call->step + ": " + call->error.message();
  return Status(Code::unavailable, "cannot reach " + options_.address + ": " + text);
}

Result<RestClient> RestClient::create(RestOptions options) {
  auto server = parse_address(options.address);
  if (!server.ok()) return server.status();
  const bool has_tls = server->has_tls;
  auto impl = std::make_unique<Impl>(std::move(options), std::move(*server));
  if (has_tls) {
    if (auto status = impl->set_up_tls(); !status.ok()) return status;
  }
  return RestClient(std::move(impl));
}

RestClient::RestClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RestClient::RestClient(RestClient&&) noexcept = default;
RestClient& RestClient::operator=(RestClient&&) noexcept = default;
RestClient::~RestClient() = default;

Result<RestAnswer> RestClient::get(std::string_view target) { return impl_->call(http::verb::get, target, {}); }
Result<RestAnswer> RestClient::put(std::string_view target, std::string body) {
  return impl_->call(http::verb::put, target, std::move(body));
}
Result<RestAnswer> RestClient::post(std::string_view target, std::string body) {
  return impl_->call(http::verb::post, target, std::move(body));
}
Result<RestAnswer> RestClient::remove(std::string_view target) { return impl_->call(http::verb::delete_, target, {}); }

}  // namespace kdsd::app::cli
