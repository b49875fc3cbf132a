#include "net/server_call.h"

#include <chrono>
#include <spdlog/spdlog.h>
#include <utility>

namespace kdsd::net {

grpc::Status ServerHub::has_room() const {
  if (stopping_) return {grpc::StatusCode::UNAVAILABLE, "stream unavailable"};
  if (calls > bounds.calls) return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many calls"};
  return grpc::Status::OK;
}

grpc::Status ServerHub::admit(const std::shared_ptr<ServerCall>& call) {
  const std::lock_guard lock(mutex_);
  if (auto status = has_room(); !status.ok()) return status;
  open_.insert(call);
  return grpc::Status::OK;
}

grpc::Status ServerHub::admit_health(const std::shared_ptr<ServerCall>& call) {
  const grpc::Status too_many(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many health checks");
  std::shared_ptr<ServerCall> oldest;
  {
    const std::lock_guard lock(mutex_);
    if (auto status = has_room(); !status.ok()) return status;
    // As many again have ended, and the core has not heard of them yet.
    if (health_calls > 2 * bounds.health_calls) return too_many;
    open_.insert(call);
    open_health_.emplace(call->number(), call);
    if (open_health_.size() > bounds.health_calls) oldest = open_health_.extract(open_health_.begin()).mapped();
  }
  if (oldest) oldest->end(too_many.error_code(), too_many.error_message());
  return grpc::Status::OK;
}

void ServerHub::leave(ServerCall& call) {
  const std::lock_guard lock(mutex_);
  open_.erase(call.shared_from_this());
  open_health_.erase(call.number());
  if (open_.empty()) emptied_.notify_all();
}

bool ServerHub::wait_until_empty(std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return open_.empty(); });
}

std::vector<std::shared_ptr<ServerCall>> ServerHub::stop_admitting() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  return {open_.begin(), open_.end()};
}

ServerCall::ServerCall(std::shared_ptr<ServerHub> hub, grpc::GenericCallbackServerContext& context)
    : hub_(std::move(hub)), number_(++hub_->last_number), context_(context) {
  ++hub_->calls;
}

ServerCall::~ServerCall() { --hub_->calls; }

grpc::ServerGenericBidiReactor* ServerCall::released_to_grpc() {
  self_ = shared_from_this();
  return this;
}

void ServerCall::end(grpc::StatusCode code, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    status_ = grpc::Status(code, text);
    why_ = std::move(text);
    if (writing_) return arm_grace();
    finished_ = true;
  }
  Finish(status_);
}

void ServerCall::arm_grace() {
  const auto deadline = std::chrono::system_clock::now() + std::chrono::milliseconds(limits::end_grace_ms);
  // The alarm keeps the closure for as long as it lives, so the closure must not keep the alarm's owner.
  grace_.Set(deadline, [weak = weak_from_this()](bool expired) {
    const auto call = weak.lock();
    if (call == nullptr || !expired) return;
    const std::lock_guard lock(call->mutex_);
    if (!call->finished_) call->context_.TryCancel();  // the write fails then, and OnWriteDone finishes the call
  });
}

void ServerCall::start_read() {
  const std::lock_guard lock(mutex_);
  if (ended_ || reading_ || read_closed_) return;
  reading_ = true;
  StartRead(&in_);
}

void ServerCall::start_write(grpc::ByteBuffer buffer, grpc::WriteOptions options) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (!writing_) {
      writing_ = true;
      out_ = std::move(buffer);
      StartWrite(&out_, options);
      return;
    }
  }
  // A mistake of the core. The stream cannot go on without the message, a new one can.
  spdlog::error("component=kds event=second-write-in-flight");
  end(grpc::StatusCode::INTERNAL, "second write in flight");
}

void ServerCall::end_with(grpc::ByteBuffer buffer) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    finished_ = true;
    out_ = std::move(buffer);
  }
  StartWriteAndFinish(&out_, grpc::WriteOptions(), grpc::Status::OK);
}

void ServerCall::OnReadDone(bool ok) {
  grpc::ByteBuffer buffer;
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    read_closed_ = !ok;
    buffer.Swap(&in_);
    if (ended_) return;
  }
  on_message(ok ? &buffer : nullptr);
}

void ServerCall::OnWriteDone(bool ok) {
  bool finish = false;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    out_.Clear();
    finish = ended_ && !finished_;
    finished_ = finished_ || finish;
  }
  if (finish) {
    Finish(status_);
  } else if (ok) {
    on_written();
  } else {
    end(grpc::StatusCode::UNAVAILABLE, "connection lost");
  }
}

void ServerCall::OnCancel() { end(grpc::StatusCode::UNAVAILABLE, "cancelled by the zone, or connection lost"); }

void ServerCall::OnDone() {
  grace_.Cancel();
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    why = why_;
  }
  on_ended(why);
  hub_->leave(*this);
  const auto last = std::move(self_);
}

grpc::ServerGenericBidiReactor* refused_call(const grpc::Status& status) {
  class Refused : public grpc::ServerGenericBidiReactor {
   public:
    explicit Refused(const grpc::Status& status) { Finish(status); }
    void OnDone() override { delete this; }
  };
  return new Refused(status);
}

}  // namespace kdsd::net
