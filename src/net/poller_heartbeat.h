// Keeps gRPC's threads at their sockets.
//
// With the callback API of this gRPC, each of its threads waits for events for at most a second; when nothing came it
// sleeps for 100 ms in which it polls nothing. On a quiet link all threads do so at about the same time, and a message
// that arrives just then lies in the socket for up to 100 ms. A thread that had an event within the last second does
// not go to sleep, so a completion from time to time keeps one of them awake.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace grpc {
class ChannelInterface;
template <class Request, class Response>
class TemplatedGenericStub;
class ByteBuffer;
}  // namespace grpc

namespace kdsd::net {

class PollerHeartbeat {
 public:
  PollerHeartbeat();
  ~PollerHeartbeat();

  // To be called several times a second, from any one thread. Sends nothing and waits for nothing: the call ends in
  // this process.
  void beat();

  // Beats that have come to their end, from any thread.
  std::uint64_t ended() const { return *ended_; }

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> ended_;  // outlives this object with the last beat
  std::unique_ptr<grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>> stub_;
};

}  // namespace kdsd::net
