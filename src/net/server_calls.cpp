#include "net/server_calls.h"

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

}  // namespace

StreamCall::StreamCall(std::shared_ptr<ServerHub> hub, grpc::GenericCallbackServerContext& context,
                       kds::StreamOpened opened, std::size_t message_bytes_max, bool compress)
    : ServerCall(std::move(hub), context),
      opened_(std::move(opened)),
      message_bytes_max_(message_bytes_max),
      compress_(compress) {
  // A level, not an algorithm: gRPC then picks gzip only when the zone accepts it.
  if (compress_) context.set_compression_level(GRPC_COMPRESS_LEVEL_LOW);
}

void StreamCall::begin() {
  // The zone may wait for these before it takes the stream as open; on the other stream they go with the first
  // response.
  if (opened_.kind == kds::StreamKind::zone_to_global) StartSendInitialMetadata();
  hub().post([call = self()] { call->open(); });
}

void StreamCall::open() {
  auto id = hub().table.open(opened_, self());
  if (!id.ok()) {
    spdlog::warn("component=kds zone={} stream={} event=refused reason={}", log_quoted(opened_.peer_zone),
                 kds::name_of(opened_.kind), log_quoted(id.status().message()));
    return end(status_code_of(id.status().code()), id.status().message());
  }
  id_ = *id;
  spdlog::info("component=kds zone={} stream={} event=opened id={} peer={}", opened_.peer_zone,
               kds::name_of(opened_.kind), id_, log_value(opened_.connection));
}

void StreamCall::send(const kds::Message& message) {
  grpc::WriteOptions options;
  if (!compress_ || message.bytes < limits::compressed_bytes_min) options.set_no_compression();
  start_write(to_byte_buffer(message), options);
}

void StreamCall::close(kds::CloseCode code, const std::string& text) { end(status_code_of(code), text); }

void StreamCall::on_message(const grpc::ByteBuffer* buffer) {
  if (buffer == nullptr) {
    // A zone that closes its half of GlobalToZoneSync may still be waiting for responses; Kuma keeps that stream open
    // too.
    if (is_cut()) return;  // a lost connection, or a message above gRPC's limit: OnCancel follows
    if (opened_.kind == kds::StreamKind::zone_to_global) end(grpc::StatusCode::INTERNAL, "the zone sends no more");
    // Questions on it would wait for answers that cannot come.
    if (kds::is_admin(opened_.kind)) end(grpc::StatusCode::OK, "the zone answers no more");
    return;
  }
  auto bytes = from_byte_buffer(*buffer, message_bytes_max_);
  if (!bytes.ok()) return end(status_code_of(bytes.status().code()), bytes.status().message());
  hub().post(
      [call = self(), text = std::move(*bytes)]() mutable { call->hub().table.received(call->id_, std::move(text)); });
}

void StreamCall::on_written() {
  hub().post([call = self()] { call->hub().table.written(call->id_); });
}

void StreamCall::on_ended(const std::string& why) {
  hub().post([call = self(), why] {
    if (call->id_ == 0) return;
    spdlog::info("component=kds zone={} stream={} event=closed id={} reason={}", call->opened_.peer_zone,
                 kds::name_of(call->opened_.kind), call->id_, log_quoted(why));
    call->hub().table.closed(call->id_, why);
  });
}

HealthCall::HealthCall(std::shared_ptr<ServerHub> hub, grpc::GenericCallbackServerContext& context,
                       kds::ZoneCredentials zone, std::int64_t interval_nanos, std::int64_t request_ms)
    : ServerCall(std::move(hub), context),
      zone_(std::move(zone)),
      interval_nanos_(interval_nanos),
      request_ms_(request_ms) {
  ++this->hub().health_calls;
}

HealthCall::~HealthCall() { --hub().health_calls; }

// The request says nothing that the headers do not say: a stranger is sent away before one is waited for.
void HealthCall::begin() {
  hub().post([call = std::static_pointer_cast<HealthCall>(shared_from_this())] {
    if (auto status = call->hub().table.pinged(call->zone_); !status.ok())
      return call->end(status_code_of(status.code()), status.message());
    call->await_request();
  });
}

void HealthCall::await_request() {
  const auto deadline = std::chrono::system_clock::now() + std::chrono::milliseconds(request_ms_);
  // Ends a call once, so that it may expire after the answer; it goes with the call.
  deadline_.Set(deadline, [weak = weak_from_this()](bool expired) {
    const auto call = weak.lock();
    if (call != nullptr && expired) call->end(grpc::StatusCode::DEADLINE_EXCEEDED, "the request did not come in time");
  });
  start_read();
}

void HealthCall::on_message(const grpc::ByteBuffer* buffer) {
  if (buffer == nullptr) return end(grpc::StatusCode::INTERNAL, "no request");
  kuma::mesh::v1alpha1::ZoneHealthCheckResponse response;
  response.mutable_interval()->set_seconds(interval_nanos_ / nanos_per_second);
  response.mutable_interval()->set_nanos(static_cast<std::int32_t>(interval_nanos_ % nanos_per_second));
  end_with(to_byte_buffer(response.SerializeAsString()));
}

}  // namespace kdsd::net
