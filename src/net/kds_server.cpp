#include "net/kds_server.h"

#include <algorithm>
#include <chrono>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <limits>
#include <optional>
#include <spdlog/spdlog.h>
#include <utility>

#include "net/memory_bound.h"
#include "net/methods.h"
#include "net/server_calls.h"

namespace kdsd::net {
namespace {

std::string text_of(const grpc::string_ref& value) { return {value.data(), value.size()}; }

std::optional<std::string> first_value(const grpc::GenericCallbackServerContext& context, const char* key) {
  const auto& all = context.client_metadata();
  auto it = all.find(key);
  if (it == all.end()) return std::nullopt;
  return text_of(it->second);
}

// What the zone brings along to prove its name: a bearer token, and the names of the certificate that gRPC has
// verified.
kds::ZoneCredentials credentials_of(const grpc::GenericCallbackServerContext& context, const std::string& zone) {
  kds::ZoneCredentials out{zone, {}, {}};
  constexpr std::string_view scheme = "Bearer ";
  const auto& all = context.client_metadata();
  const auto header = first_value(context, metadata::authorization);
  if (header && all.count(metadata::authorization) == 1 && header->starts_with(scheme))
    out.token = header->substr(scheme.size());
  const auto identity = context.auth_context();
  if (identity == nullptr || !identity->IsPeerAuthenticated()) return out;
  for (const char* property : {GRPC_X509_CN_PROPERTY_NAME, GRPC_X509_SAN_PROPERTY_NAME}) {
    for (const auto& name : identity->FindPropertyValues(property)) out.certificate_names.push_back(text_of(name));
  }
  return out;
}

kds::StreamOpened description_of(const grpc::GenericCallbackServerContext& context, kds::StreamKind kind,
                                 std::string zone) {
  kds::StreamOpened opened;
  opened.kind = kind;
  opened.peer_zone = std::move(zone);
  opened.connection = context.peer();
  const auto& all = context.client_metadata();
  // One entry a feature; a list joined by commas counts as no feature at all (2.5).
  auto [feature, end] = all.equal_range(metadata::features);
  for (; feature != end; ++feature) opened.features.push_back(text_of(feature->second));
  opened.token_provided = all.count(metadata::authorization) == 1;
  auto credentials = credentials_of(context, opened.peer_zone);
  opened.token = std::move(credentials.token);
  opened.certificate_names = std::move(credentials.certificate_names);
  return opened;
}

// Bits of the algorithms that may be used: only identity and gzip, as with a Kuma global (2.4).
constexpr int gzip_and_identity = (1 << GRPC_COMPRESS_NONE) | (1 << GRPC_COMPRESS_GZIP);

void set_arguments(grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(transport_message_bytes(options.message_bytes_max)));
  builder.SetMaxSendMessageSize(static_cast<int>(options.message_bytes_max));
  set_memory_bound(builder, options.message_bytes_max);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);  // see byte_buffer.h
  builder.AddChannelArgument(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, gzip_and_identity);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, limits::ping_interval_min_ms);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, limits::ping_strikes_max);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA,
                             0);  // the own keepalive goes on while a stream is silent
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, limits::server_keepalive_time_ms);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, limits::server_keepalive_timeout_ms);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits::streams_per_connection_max);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, limits::handshake_timeout_ms);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, limits::idle_connection_ms);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, limits::metadata_bytes_max);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a second server on the port is a mistake to be told
}

}  // namespace

class KdsServer::Service : public grpc::CallbackGenericService {
 public:
  Service(const ServerOptions& options, std::shared_ptr<ServerHub> hub) : options_(options), hub_(std::move(hub)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    const auto& name = context->method();
    using Kind = kds::StreamKind;
    for (auto kind : {Kind::global_to_zone, Kind::zone_to_global, Kind::config_dumps, Kind::stats, Kind::clusters}) {
      if (name == method::of(kind)) return stream(*context, kind);
    }
    if (name != method::health_check) return refused_call({grpc::StatusCode::UNIMPLEMENTED, "unknown method " + name});
    auto zone = first_value(*context, metadata::client_id);
    if (!zone) return refused_call({grpc::StatusCode::INVALID_ARGUMENT, client_id_missing});
    auto call = std::make_shared<HealthCall>(hub_, *context, credentials_of(*context, *zone),
                                             options_.health_interval_nanos, options_.health_request_ms);
    return begun(*call, hub_->admit_health(call));
  }

 private:
  grpc::ServerGenericBidiReactor* stream(grpc::GenericCallbackServerContext& context, kds::StreamKind kind) {
    auto zone = first_value(context, metadata::client_id);
    const auto code = kds::is_admin(kind) ? grpc::StatusCode::INVALID_ARGUMENT : grpc::StatusCode::UNKNOWN;
    if (!zone) return refused_call({code, client_id_missing});
    auto opened = description_of(context, kind, std::move(*zone));
    auto call = std::make_shared<StreamCall>(
        hub_, context, std::move(opened), static_cast<std::size_t>(transport_message_bytes(options_.message_bytes_max)),
        options_.compress);
    return begun(*call, hub_->admit(call));
  }

  static grpc::ServerGenericBidiReactor* begun(ServerCall& call, const grpc::Status& admitted) {
    if (!admitted.ok()) return refused_call(admitted);
    auto* reactor = call.released_to_grpc();
    call.begin();
    return reactor;
  }

  const ServerOptions& options_;
  const std::shared_ptr<ServerHub> hub_;
};

KdsServer::KdsServer(ServerOptions options, Post post, StreamEvents& events)
    : options_(std::move(options)),
      hub_(std::make_shared<ServerHub>(std::move(post), events,
                                       CallBounds{options_.calls_max, options_.health_calls_max})) {}

KdsServer::~KdsServer() {
  stop();
  hub_->table.detach();
}

Status KdsServer::start() {
  service_ = std::make_unique<Service>(options_, hub_);
  grpc::ServerBuilder builder;
  set_arguments(builder, options_);
  if (options_.tls.enabled()) certificates_ = std::make_unique<ServerCertificates>(options_.tls);
  builder.AddListeningPort(options_.address, server_credentials(options_.tls, certificates_.get()), &port_);
  builder.RegisterCallbackGenericService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    server_.reset();
    const char* hint =
        options_.tls.enabled() ? ": it is in use, or the certificate and its key are not usable" : ": it is in use";
    return {Code::unavailable, "cannot listen on " + options_.address + hint};
  }
  spdlog::info("component=kds event=listening address={} port={} tls={}", options_.address, port_,
               options_.tls.enabled());
  return {};
}

Status KdsServer::set_certificates(const ServerTls& tls) {
  return certificates_ == nullptr ? Status() : certificates_->replace(tls);
}

void KdsServer::send(std::uint64_t stream, const kds::Message& message) {
  if (auto found = hub_->table.find(stream)) found->send(message);
}

void KdsServer::allow_read(std::uint64_t stream) {
  if (auto found = hub_->table.find(stream)) found->allow_read();
}

void KdsServer::close(std::uint64_t stream, kds::CloseCode code, const std::string& text) {
  if (auto found = hub_->table.find(stream)) found->close(code, text);
}

void KdsServer::stop() {
  if (server_ == nullptr) return;
  for (const auto& call : hub_->stop_admitting()) call->end(grpc::StatusCode::UNAVAILABLE, "stream unavailable");
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(limits::stop_timeout_ms));
  if (!hub_->wait_until_empty(limits::last_events_timeout_ms))
    spdlog::warn("component=kds event=calls-left port={}", port_);
  server_.reset();
  service_.reset();
  spdlog::info("component=kds event=stopped port={}", port_);
}

}  // namespace kdsd::net
