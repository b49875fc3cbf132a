// The open streams of a server or a client by the ids that the core gave them, and the way of events to the core.
//
// Lives on the core executor. Calls hold it shared, because gRPC may end them after their server or client is gone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "net/stream_events.h"

namespace kdsd::net {

// One sync stream as the core sees it.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void send(const kds::Message& message) = 0;
  virtual void allow_read() = 0;
  virtual void close(kds::CloseCode code, const std::string& text) = 0;
};

class StreamTable {
 public:
  explicit StreamTable(StreamEvents& events) : events_(&events) {}

  // After this no event reaches the app any more.
  void detach();

  // Announces the stream to the app. The table keeps it alive until `closed`.
  Result<std::uint64_t> open(const kds::StreamOpened& description, std::shared_ptr<Stream> stream);

  void received(std::uint64_t id, std::string bytes);
  void written(std::uint64_t id);
  void closed(std::uint64_t id, const std::string& why);
  Status pinged(const kds::ZoneCredentials& zone);

  // Null when there is no such stream (any more).
  std::shared_ptr<Stream> find(std::uint64_t id);

  std::size_t size() const { return streams_.size(); }

 private:
  StreamEvents* events_;
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;
  // The stream inside `open`: the core may already act on the id that it is about to return.
  std::shared_ptr<Stream> opening_;
};

}  // namespace kdsd::net
