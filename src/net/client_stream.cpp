#include "net/client_stream.h"

#include <chrono>
#include <spdlog/spdlog.h>
#include <utility>

#include "net/byte_buffer.h"
#include "net/memory_bound.h"
#include "net/methods.h"

namespace kdsd::net {

void ClientHub::call_began() {
  const std::lock_guard lock(mutex_);
  ++calls_;
}

void ClientHub::call_ended() {
  const std::lock_guard lock(mutex_);
  if (--calls_ == 0) idle_.notify_all();
}

bool ClientHub::wait_until_idle(std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return calls_ == 0; });
}

void add_metadata(grpc::ClientContext& context, const ClientOptions& options) {
  context.AddMetadata(metadata::version, options.version);
  context.AddMetadata(metadata::client_id, options.zone);
  context.AddMetadata(metadata::kds_version, "v3");
  if (!options.token.empty()) context.AddMetadata(metadata::authorization, "Bearer " + options.token);
  // One entry a feature, never a list (2.5).
  for (const auto& feature : kds::own_request_features()) context.AddMetadata(metadata::features, feature);
}

ClientStream::ClientStream(std::shared_ptr<ClientHub> hub, kds::StreamOpened description, const ClientOptions& options)
    : hub_(std::move(hub)),
      description_(std::move(description)),
      message_bytes_max_(static_cast<std::size_t>(transport_message_bytes(options.message_bytes_max))),
      compress_(options.compress) {
  add_metadata(context_, options);
  if (compress_) context_.set_compression_algorithm(GRPC_COMPRESS_GZIP);
}

const char* ClientStream::name() const { return kds::name_of(description_.kind); }

void ClientStream::start(grpc::GenericStub& stub, Listener listener) {
  {
    // The call may end before anything else happens. `OnDone` takes the mutex, so it sees what was written until here
    // by our own order and not only by gRPC's.
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
    self_ = shared_from_this();
  }
  hub_->call_began();
  stub.PrepareBidiStreamingCall(&context_, method::of(description_.kind), grpc::StubOptions(), this);
  AddHold();  // operations are started from outside of reactions until `release`
  StartRead(&in_);
  StartCall();
}

Status ClientStream::announce() {
  if (!listener_.ended) return {Code::unavailable, "stream has ended"};
  auto id = hub_->table.open(description_, shared_from_this());
  if (!id.ok()) return id.status();
  id_ = *id;
  return {};
}

void ClientStream::cancel(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (why_.empty()) why_ = why;
  }
  context_.TryCancel();
  release();
}

void ClientStream::release() {
  {
    const std::lock_guard lock(mutex_);
    if (released_) return;
    released_ = true;
  }
  RemoveHold();
}

void ClientStream::send(const kds::Message& message) {
  grpc::WriteOptions options;
  if (!compress_ || message.bytes < limits::compressed_bytes_min) options.set_no_compression();
  auto buffer = to_byte_buffer(message);
  {
    const std::lock_guard lock(mutex_);
    if (released_) return;
    if (!writing_) {
      writing_ = true;
      out_ = std::move(buffer);
      StartWrite(&out_, options);
      return;
    }
  }
  // A mistake of the core. The stream cannot go on without the message, a new one can.
  spdlog::error("component=kds event=second-write-in-flight stream={}", name());
  cancel("second write in flight");
}

void ClientStream::allow_read() {
  if (!ahead_) {
    allowed_ = true;
    return;
  }
  // Later, because the core is being called right now.
  hub_->post(
      [stream = shared_from_this(), bytes = std::move(*ahead_)]() mutable { stream->deliver(std::move(bytes)); });
  ahead_.reset();
  start_read();
}

void ClientStream::close(kds::CloseCode, const std::string& text) { cancel(text); }

void ClientStream::start_read() {
  const std::lock_guard lock(mutex_);
  if (!released_) StartRead(&in_);
}

void ClientStream::arrived(std::string bytes) {
  if (!allowed_) {
    ahead_ = std::move(bytes);
    return;
  }
  allowed_ = false;
  start_read();
  deliver(std::move(bytes));
}

void ClientStream::deliver(std::string bytes) {
  if (id_ != 0) hub_->table.received(id_, std::move(bytes));
}

void ClientStream::finished(const grpc::Status& status) {
  if (id_ != 0)
    hub_->table.closed(id_, status.error_message().empty() ? "ended by the global" : status.error_message());
  const auto ended = std::move(listener_.ended);
  listener_ = {};
  if (ended) ended(status);
}

void ClientStream::OnReadInitialMetadataDone(bool ok) {
  if (!ok) return;
  hub_->post([stream = shared_from_this(), peer = context_.peer()] {
    if (stream->listener_.answered) stream->listener_.answered(peer);
  });
}

void ClientStream::OnReadDone(bool ok) {
  if (!ok) return release();
  grpc::ByteBuffer buffer;
  buffer.Swap(&in_);
  auto bytes = from_byte_buffer(buffer, message_bytes_max_);
  if (!bytes.ok()) return cancel(bytes.status().message());
  hub_->post([stream = shared_from_this(), text = std::move(*bytes)]() mutable { stream->arrived(std::move(text)); });
}

void ClientStream::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    out_.Clear();
  }
  if (!ok) {
    // The call is over. gRPC keeps its end to itself as long as a message lies unread, and after `release` nothing is
    // read any more: without the cancellation the stream would look alive for ever.
    context_.TryCancel();
    return release();
  }
  hub_->post([stream = shared_from_this()] {
    if (stream->id_ != 0) stream->hub_->table.written(stream->id_);
  });
}

void ClientStream::OnDone(const grpc::Status& status) {
  grpc::Status told = status;
  {
    const std::lock_guard lock(mutex_);
    if (!why_.empty()) told = grpc::Status(grpc::StatusCode::CANCELLED, why_);
  }
  // The last reference goes with the closure: the context holds the channel, and a channel that is destroyed on one of
  // gRPC's threads makes that thread wait for itself.
  const auto hub = hub_;
  hub->post([stream = std::move(self_), told] { stream->finished(told); });
  hub->call_ended();
}

}  // namespace kdsd::net
