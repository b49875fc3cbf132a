#include "api/http_server.h"

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <mutex>
#include <set>

#include "api/http_connection.h"
#include "api/tls_context.h"

namespace kdsd::api {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

constexpr auto accept_pause = std::chrono::milliseconds(100);  // when the system has no descriptors left
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  State(asio::io_context& io, HttpServerOptions server_options, RequestHandler request_handler)
      : context(io),
        options(std::move(server_options)),
        strand(asio::make_strand(io)),
        acceptor(strand),
        stop_timer(strand),
        settings{options, std::move(request_handler), stopping} {}

  Status listen();
  asio::awaitable<void> accept();
  asio::awaitable<void> run(tcp::socket socket, std::shared_ptr<ConnectionHandle> handle);
  void spawn(tcp::socket socket);
  void stop();
  std::size_t count();
  bool make_room();
  std::shared_ptr<ConnectionHandle> longest_waiting(ConnectionHandle::Standing& standing);
  void close_all(bool idle_only);

  asio::io_context& context;
  HttpServerOptions options;
  asio::any_io_executor strand;
  tcp::acceptor acceptor;
  asio::steady_timer stop_timer;
  std::mutex tls_mutex;
  std::shared_ptr<asio::ssl::context> tls;  // guarded by `tls_mutex`
  std::atomic<bool> stopping{false};
  std::atomic<std::uint16_t> bound_port{0};
  std::mutex mutex;
  std::set<std::shared_ptr<ConnectionHandle>> open;  // guarded by `mutex`
  ConnectionSettings settings;
};

Status HttpServer::State::listen() {
  if (options.tls) {
    auto made = make_tls_context(*options.tls);
    if (!made.ok()) return made.status();
    tls = std::move(*made);
  }
  const auto place = options.address + ":" + std::to_string(options.port);
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) return Status(Code::invalid, "cannot listen on " + place + ": not an IP address");
  const tcp::endpoint endpoint(address, options.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) bound_port = acceptor.local_endpoint(error).port();
  if (error) {
    boost::system::error_code ignored;
    acceptor.close(ignored);
    return Status(Code::unavailable, "cannot listen on " + place + ": " + error.message());
  }
  return {};
}

std::size_t HttpServer::State::count() {
  std::lock_guard lock(mutex);
  return open.size();
}

// The connection that is idle the longest, otherwise the one that reads its request the longest: whoever sends it gets
// it there in a moment. Nothing when all are being answered.
std::shared_ptr<ConnectionHandle> HttpServer::State::longest_waiting(ConnectionHandle::Standing& standing) {
  std::shared_ptr<ConnectionHandle> found;
  for (const auto& handle : open) {
    const auto other = handle->standing();
    if (other.phase >= ConnectionHandle::Phase::answering || (found && standing < other)) continue;
    found = handle;
    standing = other;
  }
  return found;
}

// Strangers that connect and say nothing must not keep others out: one of them has to go for a new connection. False:
// nobody can go.
bool HttpServer::State::make_room() {
  const std::lock_guard lock(mutex);
  if (open.size() < options.connections_max) return true;
  ConnectionHandle::Standing seen;
  while (auto handle = longest_waiting(seen)) {
    if (!handle->dismiss(seen)) continue;  // its request came right now
    open.erase(handle);
    asio::post(handle->executor(), [handle] { handle->close(false); });
    return true;
  }
  return false;
}

asio::awaitable<void> HttpServer::State::accept() {
  while (!stopping) {
    auto [error, socket] = co_await acceptor.async_accept(asio::any_io_executor(asio::make_strand(context)), as_result);
    if (stopping) co_return;
    if (error) {
      asio::steady_timer pause(strand, accept_pause);
      co_await pause.async_wait(as_result);
    } else if (make_room()) {
      spawn(std::move(socket));
    }
  }
}

void HttpServer::State::spawn(tcp::socket socket) {
  auto handle = std::make_shared<ConnectionHandle>(socket.get_executor());
  {
    std::lock_guard lock(mutex);
    open.insert(handle);
  }
  auto executor = socket.get_executor();
  asio::co_spawn(executor, run(std::move(socket), handle),
                 [self = shared_from_this(), handle](std::exception_ptr problem) {
                   if (problem && self->options.log) self->options.log("a connection ended by an exception");
                   std::lock_guard lock(self->mutex);
                   self->open.erase(handle);
                   if (self->stopping && self->open.empty())
                     asio::post(self->strand, [self] { self->stop_timer.cancel(); });
                 });
}

asio::awaitable<void> HttpServer::State::run(tcp::socket socket, std::shared_ptr<ConnectionHandle> handle) {
  auto self = shared_from_this();
  std::shared_ptr<asio::ssl::context> current;
  {
    std::lock_guard lock(tls_mutex);
    current = tls;
  }
  if (current) {
    co_await serve_tls(settings, std::move(socket), current, handle);
  } else {
    co_await serve_plain(settings, std::move(socket), handle);
  }
}

void HttpServer::State::close_all(bool idle_only) {
  std::lock_guard lock(mutex);
  for (const auto& handle : open) {
    asio::post(handle->executor(), [handle, idle_only] { handle->close(idle_only); });
  }
}

void HttpServer::State::stop() {
  if (stopping.exchange(true)) return;
  asio::post(strand, [self = shared_from_this()] {
    boost::system::error_code ignored;
    self->acceptor.close(ignored);
    self->close_all(true);
    if (self->count() == 0) return;
    self->stop_timer.expires_after(self->options.stop_time);
    self->stop_timer.async_wait([self](const boost::system::error_code&) { self->close_all(false); });
  });
}

HttpServer::HttpServer(asio::io_context& context, HttpServerOptions options, RequestHandler handler)
    : state_(std::make_shared<State>(context, std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() = default;

Status HttpServer::start() {
  if (auto status = state_->listen(); !status.ok()) return status;
  asio::co_spawn(state_->strand, state_->accept(), [state = state_](std::exception_ptr problem) {
    if (problem && state->options.log) state->options.log("the listener ended by an exception");
  });
  return {};
}

void HttpServer::stop() { state_->stop(); }
Status HttpServer::set_tls(const TlsOptions& tls) {
  auto changed = tls;
  changed.client_certificates = state_->options.tls->client_certificates;
  auto made = make_tls_context(changed);
  if (!made.ok()) return made.status();
  std::lock_guard lock(state_->tls_mutex);
  state_->tls = std::move(*made);
  return {};
}

std::uint16_t HttpServer::port() const { return state_->bound_port; }
std::size_t HttpServer::connections() const { return state_->count(); }

}  // namespace kdsd::api
