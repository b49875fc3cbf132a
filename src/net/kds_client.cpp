#include "net/kds_client.h"

#include <chrono>
#include <spdlog/spdlog.h>
#include <utility>

#include "model/log_text.h"
#include "net/client_connection.h"

namespace kdsd::net {

KdsClient::KdsClient(ClientOptions options, boost::asio::io_context& io, Post post, StreamEvents& events,
                     std::uint64_t seed)
    : options_(std::make_shared<const ClientOptions>(std::move(options))),
      io_(io),
      hub_(std::make_shared<ClientHub>(std::move(post), events)),
      backoff_(options_->backoff_base_nanos, options_->backoff_cap_nanos, seed),
      redial_timer_(io) {}

KdsClient::~KdsClient() {
  stop();
  hub_->table.detach();
}

void KdsClient::start() {
  if (!stopped_ && connection_ == nullptr) dial();
}

void KdsClient::dial() {
  ++dials_;
  connection_ = std::make_shared<ClientConnection>(hub_, io_, options_, dials_, peer_,
                                                   [this](std::int64_t lasted) { ended(lasted); });
  connection_->dial();
}

void KdsClient::ended(std::int64_t lasted_nanos) {
  peer_ = connection_->peer();
  connection_.reset();
  if (stopped_) return;
  backoff_.ended_after(lasted_nanos);
  const auto delay = backoff_.next_nanos();
  spdlog::info("component=kds zone={} event=redial global={}{} delay_ms={}", options_->zone, options_->address,
               peer_.empty() ? "" : " former=" + log_value(peer_), delay / 1'000'000);
  redial_timer_.expires_after(std::chrono::nanoseconds(delay));
  // A handler that is already queued when the timer is cancelled still runs, maybe after the client is gone.
  redial_timer_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& cancelled) {
    if (!cancelled && !alive.expired() && !stopped_) dial();
  });
}

void KdsClient::send(std::uint64_t stream, const kds::Message& message) {
  if (auto found = hub_->table.find(stream)) found->send(message);
}

void KdsClient::allow_read(std::uint64_t stream) {
  if (auto found = hub_->table.find(stream)) found->allow_read();
}

void KdsClient::close(std::uint64_t stream, kds::CloseCode code, const std::string& text) {
  if (auto found = hub_->table.find(stream)) found->close(code, text);
}

void KdsClient::set_credentials(ClientTls tls, std::string token) {
  auto options = std::make_shared<ClientOptions>(*options_);
  options->tls = std::move(tls);
  options->token = std::move(token);
  options_ = std::move(options);
}

void KdsClient::stop() {
  if (std::exchange(stopped_, true)) return;
  redial_timer_.cancel();
  if (connection_ != nullptr) connection_->abandon("zone stops");
  connection_.reset();
  if (!hub_->wait_until_idle(limits::client_stop_timeout_ms))
    spdlog::warn("component=kds zone={} event=calls-left", options_->zone);
}

}  // namespace kdsd::net
