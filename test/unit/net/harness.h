// What the tests of the gRPC adapters share: a core executor on its own thread, a recording fake of the app, and a peer
// that speaks gRPC without our code.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/byte_buffer.h"
#include "net/methods.h"
#include "net/stream_events.h"

namespace kdsd::net {

// How long a test waits for what must happen before it fails.
inline constexpr std::chrono::seconds patience{20};

// The core executor.
class CoreThread {
 public:
  CoreThread() : thread_([this] { io_.run(); }) {}
  ~CoreThread() {
    guard_.reset();
    io_.stop();
    thread_.join();
  }

  boost::asio::io_context& io() { return io_; }
  Post post() {
    return [this](std::function<void()> closure) { boost::asio::post(io_, std::move(closure)); };
  }

  // Runs on the core thread and waits for it.
  void run(const std::function<void()>& closure) {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
      closure();
      done.set_value();
    });
    done.get_future().wait();
  }

 private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_ = boost::asio::make_work_guard(io_);
  std::thread thread_;
};

// Something that happens on other threads and that a test waits for.
class Signal {
 public:
  template <typename Change>
  void change(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  template <typename Condition>
  [[nodiscard]] bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, condition);
  }
  template <typename Read>
  auto read(Read read) {
    const std::lock_guard lock(mutex_);
    return read();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

// The app: gives out ids, records, and does what the test hangs into `on_opened` and `on_received` (on the core
// thread).
class FakeEvents : public StreamEvents {
 public:
  struct Opened {
    std::uint64_t id;
    kds::StreamOpened stream;
  };

  Result<std::uint64_t> opened(const kds::StreamOpened& stream) override {
    if (!refusal.ok()) return refusal;
    const auto id = ++last_;
    signal.change([&] { opened_streams.push_back({id, stream}); });
    if (on_opened) on_opened(id, stream);
    return id;
  }
  void received(std::uint64_t stream, std::string bytes) override {
    auto copy = bytes;
    signal.change([&] { messages[stream].push_back(std::move(bytes)); });
    if (on_received) on_received(stream, copy);
  }
  void written(std::uint64_t stream) override {
    signal.change([&] { ++writes[stream]; });
    if (on_written) on_written(stream);
  }
  void closed(std::uint64_t stream, const std::string& why) override {
    signal.change([&] { closes[stream].push_back(why); });
  }
  Status pinged(const kds::ZoneCredentials& zone) override {
    if (!refusal.ok()) return refusal;
    signal.change([&] { pings.push_back(zone.zone); });
    return {};
  }

  // The id of the n-th stream of this kind, counted from 1; waits for it.
  std::uint64_t stream(kds::StreamKind kind, std::size_t n = 1) {
    std::uint64_t id = 0;
    EXPECT_TRUE(signal.wait([&] {
      std::size_t seen = 0;
      for (const auto& each : opened_streams) {
        if (each.stream.kind == kind && ++seen == n) id = each.id;
      }
      return id != 0;
    })) << "stream did not open";
    return id;
  }
  bool wait_messages(std::uint64_t stream, std::size_t count) {
    return signal.wait([&] { return messages[stream].size() >= count; });
  }
  bool wait_closed(std::uint64_t stream) {
    return signal.wait([&] { return !closes[stream].empty(); });
  }

  Signal signal;
  Status refusal;
  std::function<void(std::uint64_t, const kds::StreamOpened&)> on_opened;
  std::function<void(std::uint64_t, const std::string&)> on_received;
  std::function<void(std::uint64_t)> on_written;
  std::vector<Opened> opened_streams;
  std::map<std::uint64_t, std::vector<std::string>> messages;
  std::map<std::uint64_t, int> writes;
  std::map<std::uint64_t, std::vector<std::string>> closes;
  std::vector<std::string> pings;

 private:
  std::uint64_t last_ = 0;
};

inline kds::Message message_of(std::string text) {
  kds::Message message;
  message.append(std::move(text));
  return message;
}

// Makes the app read everything and answer each message with itself, one write at a time as the core does.
template <typename Server>
void echo(FakeEvents& events, Server& server) {
  struct Outbox {
    std::deque<std::string> waiting;
    bool writing = false;
  };
  auto outboxes = std::make_shared<std::map<std::uint64_t, Outbox>>();
  auto pump = [outboxes, &server](std::uint64_t id) {
    auto& outbox = (*outboxes)[id];
    if (outbox.writing || outbox.waiting.empty()) return;
    outbox.writing = true;
    server.send(id, message_of(std::move(outbox.waiting.front())));
    outbox.waiting.pop_front();
  };
  events.on_opened = [&server](std::uint64_t id, const kds::StreamOpened&) { server.allow_read(id); };
  events.on_received = [outboxes, pump, &server](std::uint64_t id, const std::string& text) {
    (*outboxes)[id].waiting.push_back(text);
    pump(id);
    server.allow_read(id);
  };
  events.on_written = [outboxes, pump](std::uint64_t id) {
    (*outboxes)[id].writing = false;
    pump(id);
  };
}

// One call of a foreign client. Reads all the time unless told not to.
class Call : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  Call(const std::shared_ptr<grpc::Channel>& channel, const std::string& method, const Metadata& metadata,
       bool reads = true)
      : stub_(channel), reads_(reads) {
    for (const auto& [key, value] : metadata) context_.AddMetadata(key, value);
    stub_.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    AddHold();
    if (reads_) StartRead(&in_);
    StartCall();
  }
  ~Call() override {
    context_.TryCancel();
    release();
    EXPECT_TRUE(signal_.wait([this] { return done_; })) << "the call does not end";
  }

  void write(const std::string& text) {
    out_ = to_byte_buffer(text);
    signal_.change([this] { writing_ = true; });
    StartWrite(&out_);
    EXPECT_TRUE(signal_.wait([this] { return !writing_; })) << "the server does not take the message";
  }
  void half_close() { StartWritesDone(); }
  void read() { StartRead(&in_); }

  // The n-th message, counted from 0.
  std::string message(std::size_t n) {
    EXPECT_TRUE(signal_.wait([&] { return messages_.size() > n || done_; }));
    return signal_.read(
        [&] { return messages_.size() > n ? messages_[n] : "(call ended: " + status_.error_message() + ")"; });
  }
  grpc::Status status() {
    EXPECT_TRUE(signal_.wait([this] { return done_; })) << "the call does not end";
    return signal_.read([this] { return status_; });
  }
  bool wait_headers() {
    return signal_.wait([this] { return headers_; });
  }
  bool is_open() {
    return signal_.read([this] { return !done_; });
  }

  void OnReadInitialMetadataDone(bool ok) override {
    signal_.change([&] { headers_ = ok; });
  }
  void OnReadDone(bool ok) override {
    if (!ok) return release();
    std::vector<grpc::Slice> slices;
    std::string text;
    if (in_.Dump(&slices).ok()) {
      for (const auto& slice : slices) text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
    signal_.change([&] { messages_.push_back(std::move(text)); });
    StartRead(&in_);
  }
  void OnWriteDone(bool) override {
    signal_.change([this] { writing_ = false; });
  }
  void OnDone(const grpc::Status& status) override {
    signal_.change([&] {
      status_ = status;
      done_ = true;
    });
  }

 private:
  void release() {
    bool first = false;
    signal_.change([&] { first = !std::exchange(released_, true); });
    if (first) RemoveHold();
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  bool reads_;
  grpc::ByteBuffer in_;
  grpc::ByteBuffer out_;
  Signal signal_;
  bool released_ = false;
  bool writing_ = false;
  bool headers_ = false;
  bool done_ = false;
  grpc::Status status_;
  std::vector<std::string> messages_;
};

inline const Call::Metadata& of_zone_east() {
  static const Call::Metadata metadata = {{"version", "2.13.0"},
                                          {"client-id", "east"},
                                          {"kds-version", "v3"},
                                          {"features", "zone-ping-health"},
                                          {"features", "hash-suffix"}};
  return metadata;
}

inline std::shared_ptr<grpc::Channel> channel_to(int port, grpc::ChannelArguments arguments = {}) {
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(64 << 20);
  return grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace kdsd::net
