// The kinds of calls a global answers: streams, of synchronisation or about proxies, and health checks
// (kds-protocol.md 3.1, 3.10, 9.4, 10).
//
// Same threads as ServerCall.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/server_call.h"

namespace kdsd::net {

// A stream of any kind: announced to the core, which reads and writes from then on.
class StreamCall : public ServerCall, public Stream {
 public:
  StreamCall(std::shared_ptr<ServerHub> hub, grpc::GenericCallbackServerContext& context, kds::StreamOpened opened,
             std::size_t message_bytes_max, bool compress);

  void begin() override;

  // Stream; core executor.
  void send(const kds::Message& message) override;
  void allow_read() override { start_read(); }
  void close(kds::CloseCode code, const std::string& text) override;

 protected:
  void on_message(const grpc::ByteBuffer* buffer) override;
  void on_written() override;
  void on_ended(const std::string& why) override;

 private:
  std::shared_ptr<StreamCall> self() { return std::static_pointer_cast<StreamCall>(shared_from_this()); }
  void open();

  const kds::StreamOpened opened_;
  const std::size_t message_bytes_max_;
  const bool compress_;
  std::uint64_t id_ = 0;  // core executor only; 0 until the core knows the stream
};

// HealthCheck: tells the core, reads one request, answers. Fails for a zone that does not prove its name, before
// anything is read, and when the request does not come in time.
class HealthCall : public ServerCall {
 public:
  HealthCall(std::shared_ptr<ServerHub> hub, grpc::GenericCallbackServerContext& context, kds::ZoneCredentials zone,
             std::int64_t interval_nanos, std::int64_t request_ms);
  ~HealthCall() override;
  void begin() override;

 protected:
  void on_message(const grpc::ByteBuffer* buffer) override;

 private:
  void await_request();

  const kds::ZoneCredentials zone_;
  const std::int64_t interval_nanos_;
  const std::int64_t request_ms_;
  grpc::Alarm deadline_;
};

}  // namespace kdsd::net
