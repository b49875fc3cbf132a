// Keeps gRPC's threads at their sockets.
//
// With the callback API of this gRPC, each of its threads waits for events for at most a second; when nothing came it
// sleeps for 100 ms in which it polls nothing. On a quiet link all threads do so at about the same time, and a message
// that arrives just then lies in the socket for up to 100 ms. A thread that had an event within the last second does
// not go to sleep, so a completion from time to time keeps one of them awake.
//
// Made, called and destroyed by one thread, which must be none of gRPC's.
#pragma once

#include <cstdint>
#include <future>
#include <memory>

namespace grpc {
template <class Request, class Response>
class TemplatedGenericStub;
class ByteBuffer;
}  // namespace grpc

namespace kdsd::net {

class PollerHeartbeat {
 public:
  PollerHeartbeat();
  // Waits for the last beat, which ends within this process: a channel must not go while a call of its own, and with it
  // the thread that would have to be joined, is still at work.
  ~PollerHeartbeat();
  PollerHeartbeat(const PollerHeartbeat&) = delete;
  PollerHeartbeat& operator=(const PollerHeartbeat&) = delete;

  // To be called several times a second. Sends nothing and waits for nothing; does nothing while the last beat is on
  // its way.
  void beat();

  // Beats that have begun.
  std::uint64_t begun() const { return begun_; }

 private:
  struct Beat;

  std::unique_ptr<grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>> stub_;
  std::unique_ptr<Beat> last_;
  std::future<void> last_ended_;
  std::uint64_t begun_ = 0;
};

}  // namespace kdsd::net
