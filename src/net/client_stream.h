// One sync stream of a zone to its global.
//
// gRPC calls the reactions on its own threads, everything else runs on the core executor. One message is read ahead of
// the core: on this side gRPC tells the end of a stream only to a reader. So at most two messages are in memory, one
// that the core has been promised and one that it has not allowed yet.
#pragma once

#include <condition_variable>
#include <functional>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/channel.h"
#include "net/stream_events.h"
#include "net/stream_table.h"

namespace kdsd::net {

// What the calls of a zone share with their client. Outlives it while calls are left.
class ClientHub {
 public:
  ClientHub(Post post_closure, StreamEvents& events) : post(std::move(post_closure)), table(events) {}

  const Post post;
  StreamTable table;  // core executor only

  void call_began();
  void call_ended();
  // Whether no call is left before the time is over.
  bool wait_until_idle(std::int64_t timeout_ms);

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t calls_ = 0;
};

// The request metadata of every call of a zone (kds-protocol.md 2.5).
void add_metadata(grpc::ClientContext& context, const ClientOptions& options);

class ClientStream : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                     public Stream,
                     public std::enable_shared_from_this<ClientStream> {
 public:
  struct Listener {
    // The global's headers came, from that address: the connection works.
    std::function<void(const std::string& peer)> answered;
    std::function<void(const grpc::Status&)> ended;  // once, the last call
  };

  ClientStream(std::shared_ptr<ClientHub> hub, kds::StreamOpened description, const ClientOptions& options);

  // The listener is called on the core executor.
  void start(grpc::GenericStub& stub, Listener listener);

  // Tells the core about the stream. Not before the connection works: a dial that fails is no stream that ends.
  Status announce();

  void cancel(const std::string& why);
  kds::StreamKind kind() const { return description_.kind; }
  const char* name() const;

  // Stream
  void send(const kds::Message& message) override;
  void allow_read() override;
  void close(kds::CloseCode code, const std::string& text) override;

  void OnReadInitialMetadataDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  void start_read();
  void release();
  void arrived(std::string bytes);
  void deliver(std::string bytes);
  void finished(const grpc::Status& status);

  const std::shared_ptr<ClientHub> hub_;
  const kds::StreamOpened description_;
  const std::size_t message_bytes_max_;
  const bool compress_;
  grpc::ClientContext context_;
  std::shared_ptr<ClientStream> self_;  // until gRPC is done with the call

  // Core executor only.
  Listener listener_;
  std::uint64_t id_ = 0;
  bool allowed_ = false;
  std::optional<std::string> ahead_;

  std::mutex mutex_;
  bool released_ = false;  // gRPC may finish the call; nothing new is started
  bool writing_ = false;
  std::string why_;  // set when this side ended the stream
  grpc::ByteBuffer in_;
  grpc::ByteBuffer out_;
};

}  // namespace kdsd::net
