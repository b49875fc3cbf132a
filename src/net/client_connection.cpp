#include "net/client_connection.h"

#include <chrono>
#include <spdlog/spdlog.h>
#include <utility>

#include "model/log_text.h"
#include "net/byte_buffer.h"
#include "net/methods.h"

#include "kuma/mesh/v1alpha1/kds.pb.h"

namespace kdsd::net {
namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;
constexpr std::int64_t interval_min_nanos =
    nanos_per_second / 10;  // whatever a global asks for, a zone does not flood it

std::string quoted(const grpc::Status& status) {
  static constexpr const char* names[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  const auto code = static_cast<std::size_t>(status.error_code());
  return std::string("status=") + (code < std::size(names) ? names[code] : "UNKNOWN") +
         " reason=" + log_quoted(status.error_message());
}

// A port that expects TLS hangs up on a plain connection and says nothing.
std::string hint_of(const grpc::Status& status, bool was_connected, bool has_tls) {
  // gRPC's words for it; a port where nobody listens is "Connection refused".
  const bool was_hung_up = status.error_message().find("Socket closed") != std::string::npos ||
                           status.error_message().find("reset by peer") != std::string::npos;
  if (was_connected || has_tls || !was_hung_up) return "";
  return " hint=\"the global hung up before it said anything; if it expects TLS, the address has to begin with "
         "grpcs://\"";
}

// The interval the global asks for; 0 when it does not.
std::int64_t interval_of(const grpc::ByteBuffer& buffer) {
  auto bytes = from_byte_buffer(buffer, limits::compressed_bytes_min);
  kuma::mesh::v1alpha1::ZoneHealthCheckResponse response;
  if (!bytes.ok() || !response.ParseFromString(*bytes)) return 0;
  constexpr std::int64_t seconds_max = 24 * 3600;  // more is a mistake and would overflow further on
  const auto seconds = response.interval().seconds();
  if (seconds < 0 || seconds > seconds_max) return 0;
  const auto asked = seconds * nanos_per_second + response.interval().nanos();
  return asked == 0 ? 0 : std::max(asked, interval_min_nanos);
}

}  // namespace

struct ClientConnection::HealthCall {
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

ClientConnection::ClientConnection(std::shared_ptr<ClientHub> hub, boost::asio::io_context& io,
                                   std::shared_ptr<const ClientOptions> options, std::uint64_t number,
                                   std::string former_peer, Ended ended)
    : hub_(std::move(hub)),
      options_(std::move(options)),
      number_(number),
      peer_(std::move(former_peer)),
      ended_(std::move(ended)),
      connect_timer_(io),
      health_timer_(io) {}

void ClientConnection::dial() {
  channel_ = make_channel(*options_);
  stub_ = std::make_unique<grpc::GenericStub>(channel_);
  open(kds::StreamKind::global_to_zone);
  open(kds::StreamKind::zone_to_global);
  for (auto kind : {kds::StreamKind::config_dumps, kds::StreamKind::stats, kds::StreamKind::clusters}) open(kind);
  check_health();
  watch_connect();
}

void ClientConnection::open(kds::StreamKind kind) {
  kds::StreamOpened description;
  description.kind = kind;
  description.connection = "dial-" + std::to_string(number_);
  auto stream = std::make_shared<ClientStream>(hub_, std::move(description), *options_);
  streams_.push_back(stream);
  ++calls_;
  ClientStream::Listener listener;
  listener.answered = [connection = shared_from_this()](const std::string& peer) { connection->connected(peer); };
  listener.ended = [connection = shared_from_this(), kind](const grpc::Status& status) {
    connection->stream_ended(kind, status);
  };
  stream->start(*stub_, std::move(listener));
}

void ClientConnection::watch_connect() {
  connect_timer_.expires_after(std::chrono::nanoseconds(options_->connect_timeout_nanos));
  connect_timer_.async_wait([connection = shared_from_this()](const boost::system::error_code& cancelled) {
    if (cancelled || connection->torn_down_ || connection->connected_) return;
    if (connection->channel_->GetState(false) == GRPC_CHANNEL_READY) return;
    const auto& options = *connection->options_;
    spdlog::warn("component=kds zone={} event=not-connected global={} connection={} reason=\"no connection in {} ms\"",
                 options.zone, options.address, connection->number_, options.connect_timeout_nanos / 1'000'000);
    connection->tear_down("no connection in time");
  });
}

void ClientConnection::connected(const std::string& peer) {
  if (connected_ || torn_down_) return;
  connected_ = true;
  connected_at_ = std::chrono::steady_clock::now();
  connect_timer_.cancel();
  const auto former = std::exchange(peer_, peer);
  const bool has_moved = !former.empty() && former != peer_;
  spdlog::info("component=kds zone={} event=connected global={} peer={}{} connection={}", options_->zone,
               options_->address, log_value(peer_), has_moved ? " former=" + log_value(former) : "", number_);
  for (const auto& stream : std::vector(streams_)) {
    if (torn_down_) return;
    if (auto status = stream->announce(); !status.ok()) return tear_down(status.message());
  }
}

void ClientConnection::stream_ended(kds::StreamKind kind, const grpc::Status& status) {
  const auto* name = kds::name_of(kind);
  if (!torn_down_ && kds::is_admin(kind)) {
    std::erase_if(streams_, [kind](const auto& stream) { return stream->kind() == kind; });
    spdlog::info("component=kds zone={} stream={} event=ended connection={} {}", options_->zone, name, number_,
                 quoted(status));
  } else if (!torn_down_) {
    spdlog::warn("component=kds zone={} stream={} event=ended connection={} {}{}", options_->zone, name, number_,
                 quoted(status), hint_of(status, connected_, options_->tls.enabled));
    tear_down("another stream of the connection ended");
  }
  call_ended();
}

void ClientConnection::check_health() {
  health_ = std::make_shared<HealthCall>();
  add_metadata(health_->context, *options_);
  health_->context.set_deadline(std::chrono::system_clock::now() +
                                std::chrono::milliseconds(limits::health_deadline_ms));
  health_->request = to_byte_buffer(kuma::mesh::v1alpha1::ZoneHealthCheckRequest().SerializeAsString());
  ++calls_;
  hub_->call_began();
  auto* call = health_.get();
  // The references go with the closure, as in ClientStream::OnDone.
  auto done = [connection = shared_from_this(), hub = hub_, call = health_](const grpc::Status& status) mutable {
    hub->post([connection = std::move(connection), call = std::move(call), status] {
      connection->health_answered(status);
      connection->call_ended();
    });
    hub->call_ended();
  };
  stub_->UnaryCall(&call->context, method::health_check, grpc::StubOptions(), &call->request, &call->response,
                   std::move(done));
}

void ClientConnection::health_answered(const grpc::Status& status) {
  const auto call = std::exchange(health_, nullptr);
  if (torn_down_) return;
  if (status.ok()) {
    const auto interval = interval_of(call->response);
    check_health_after(interval > 0 ? interval : options_->health_interval_nanos);
  } else if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
    spdlog::info("component=kds zone={} event=no-health-checks connection={} {}", options_->zone, number_,
                 quoted(status));
  } else {
    spdlog::warn("component=kds zone={} call=HealthCheck event=ended connection={} {}{}", options_->zone, number_,
                 quoted(status), hint_of(status, connected_, options_->tls.enabled));
    return tear_down("health check failed");
  }
  connected(call->context.peer());
}

void ClientConnection::check_health_after(std::int64_t nanos) {
  health_timer_.expires_after(std::chrono::nanoseconds(nanos));
  health_timer_.async_wait([connection = shared_from_this()](const boost::system::error_code& cancelled) {
    if (!cancelled && !connection->torn_down_) connection->check_health();
  });
}

void ClientConnection::tear_down(const std::string& why) {
  if (torn_down_) return;
  torn_down_ = true;
  connect_timer_.cancel();
  health_timer_.cancel();
  for (const auto& stream : streams_) stream->cancel(why);
  if (health_ != nullptr) health_->context.TryCancel();
}

void ClientConnection::abandon(const std::string& why) {
  ended_ = nullptr;
  tear_down(why);
  streams_.clear();  // gRPC keeps them; they keep this
}

void ClientConnection::call_ended() {
  if (--calls_ > 0 || !torn_down_) return;
  streams_.clear();
  stub_.reset();
  channel_.reset();
  const auto lasted =
      connected_ ? std::chrono::steady_clock::now() - connected_at_ : std::chrono::steady_clock::duration::zero();
  if (auto ended = std::exchange(ended_, nullptr))
    ended(std::chrono::duration_cast<std::chrono::nanoseconds>(lasted).count());
}

}  // namespace kdsd::net
