// One call on the KDS port: what all kinds of calls have in common, which is how they end.
//
// gRPC calls the reactions on its own threads, the core acts from the core executor; a lock orders the two, so that
// nothing is started on a call that has been finished. A call ends once: `end` waits for a write in flight, because
// gRPC sends the status after the message, and cancels the call when the peer does not take the message within the
// grace time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "net/stream_events.h"
#include "net/stream_table.h"

namespace kdsd::net {

namespace limits {
// Time for a message in flight when the stream is to end; a peer that does not read sees CANCELLED instead of the
// status.
inline constexpr std::int64_t end_grace_ms = 1'000;
}  // namespace limits

class ServerCall;

struct CallBounds {
  std::size_t calls = 0;
  std::size_t health_calls = 0;  // of them; well below, so that streams find room
};

// What calls share with their server. Outlives it while calls are left.
class ServerHub {
 public:
  ServerHub(Post post_closure, StreamEvents& events, CallBounds call_bounds)
      : post(std::move(post_closure)), table(events), bounds(call_bounds) {}

  const Post post;
  StreamTable table;  // core executor only
  const CallBounds bounds;

  // Fails when the server stops or has as many calls as it may have.
  grpc::Status admit(const std::shared_ptr<ServerCall>& call);
  // A health check above its bound takes the place of the one that is there the longest: a zone sends its message with
  // the headers and is answered at once, so what is still there waits for a message that does not come.
  grpc::Status admit_health(const std::shared_ptr<ServerCall>& call);
  void leave(ServerCall& call);
  // No call is admitted from now on; returns those that are open.
  std::vector<std::shared_ptr<ServerCall>> stop_admitting();
  // Whether all open calls are gone before the time is over.
  bool wait_until_empty(std::int64_t timeout_ms);

  // Calls in memory, including ended ones of which the core has not heard yet.
  std::atomic<std::size_t> calls = 0;
  std::atomic<std::size_t> health_calls = 0;  // of them
  std::atomic<std::uint64_t> last_number = 0;

 private:
  grpc::Status has_room() const;

  std::mutex mutex_;
  std::condition_variable emptied_;
  bool stopping_ = false;
  std::set<std::shared_ptr<ServerCall>> open_;
  std::map<std::uint64_t, std::shared_ptr<ServerCall>> open_health_;  // of them, by number: the oldest is first
};

class ServerCall : public grpc::ServerGenericBidiReactor, public std::enable_shared_from_this<ServerCall> {
 public:
  ServerCall(std::shared_ptr<ServerHub> hub, grpc::GenericCallbackServerContext& context);
  ~ServerCall() override;

  // Begins what the call is for. Called once by gRPC's thread after the call has been admitted.
  virtual void begin() = 0;

  // Ends the call with this status; only the first end counts. Any thread.
  void end(grpc::StatusCode code, std::string text);

  // Higher than that of every call before it.
  std::uint64_t number() const { return number_; }

  // The call as gRPC wants it: it keeps itself alive until gRPC is done with it.
  grpc::ServerGenericBidiReactor* released_to_grpc();

  void OnReadDone(bool ok) final;
  void OnWriteDone(bool ok) final;
  void OnCancel() final;
  void OnDone() final;

 protected:
  // One message came, or (null) the peer will send no more. gRPC's thread.
  virtual void on_message(const grpc::ByteBuffer* buffer) = 0;
  virtual void on_written() {}
  // The last reaction; `why` is the text of the first end. gRPC's thread.
  virtual void on_ended(const std::string& why) { static_cast<void>(why); }

  // Both do nothing once the call has been ended.
  void start_read();
  void start_write(grpc::ByteBuffer buffer, grpc::WriteOptions options);
  // The message and an OK.
  void end_with(grpc::ByteBuffer buffer);

  ServerHub& hub() { return *hub_; }
  // Whether the call was cut rather than half-closed. Only inside a reaction.
  bool is_cut() const { return context_.IsCancelled(); }

 private:
  void arm_grace();

  const std::shared_ptr<ServerHub> hub_;
  const std::uint64_t number_;
  grpc::GenericCallbackServerContext& context_;  // valid until the call is finished
  std::shared_ptr<ServerCall> self_;

  std::mutex mutex_;
  bool reading_ = false;
  bool read_closed_ = false;
  bool writing_ = false;
  bool ended_ = false;     // `status_` is set, nothing new is started
  bool finished_ = false;  // gRPC has the status
  grpc::Status status_;
  std::string why_;
  grpc::ByteBuffer in_;
  grpc::ByteBuffer out_;
  grpc::Alarm grace_;
};

// Answers a call that was not admitted.
grpc::ServerGenericBidiReactor* refused_call(const grpc::Status& status);

}  // namespace kdsd::net
