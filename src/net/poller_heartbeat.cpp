#include "net/poller_heartbeat.h"

#include <chrono>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>

namespace kdsd::net {

struct PollerHeartbeat::Beat {
  grpc::ClientContext context;
  grpc::Slice nothing;
  grpc::ByteBuffer request{&nothing, 1};
  grpc::ByteBuffer response;
};

// A channel without credentials refuses every call at once, by itself, and the refusal is the completion that is
// wanted.
PollerHeartbeat::PollerHeartbeat()
    : stub_(std::make_unique<grpc::GenericStub>(grpc::CreateChannel("heartbeat", nullptr))) {}

PollerHeartbeat::~PollerHeartbeat() {
  if (last_ended_.valid()) last_ended_.wait();
}

void PollerHeartbeat::beat() {
  if (last_ended_.valid() && last_ended_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  // The context of a call holds the channel, so it is freed here and not by gRPC's thread.
  last_ = std::make_unique<Beat>();
  // Shared with the callback, which may still be inside it when this side knows already.
  auto ended = std::make_shared<std::promise<void>>();
  last_ended_ = ended->get_future();
  ++begun_;
  stub_->UnaryCall(&last_->context, "/heartbeat", grpc::StubOptions(), &last_->request, &last_->response,
                   [ended](const grpc::Status&) { ended->set_value(); });
}

}  // namespace kdsd::net
