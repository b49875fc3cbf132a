#include "net/kds_server.h"

#include <memory>

#include "harness.h"
#include "kuma/mesh/v1alpha1/kds.pb.h"

namespace kdsd::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
constexpr auto down = kds::StreamKind::global_to_zone;
constexpr auto up = kds::StreamKind::zone_to_global;

// A server whose app reads everything and answers each message with itself.
class KdsServerTest : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.address = "127.0.0.1:0";
    core_.run([&] {
      server_ = std::make_unique<KdsServer>(options, core_.post(), events_);
      const auto started = server_->start();
      ASSERT_TRUE(started.ok()) << started.text();
      echo(events_, *server_);
    });
  }
  void TearDown() override {
    core_.run([this] { server_.reset(); });
  }

  std::shared_ptr<grpc::Channel> channel(grpc::ChannelArguments arguments = {}) {
    return channel_to(server_->port(), std::move(arguments));
  }

  FakeEvents events_;
  CoreThread core_;
  std::unique_ptr<KdsServer> server_;
};

TEST_F(KdsServerTest, StreamIsDescribedByItsMetadata) {
  start();
  auto metadata = of_zone_east();
  metadata.emplace_back("authorization", "Bearer x");
  Call call(channel(), method::global_to_zone, metadata);
  events_.stream(down);
  const auto opened = events_.signal.read([this] { return events_.opened_streams.at(0).stream; });
  EXPECT_EQ(opened.peer_zone, "east");
  EXPECT_THAT(opened.features, ElementsAre("zone-ping-health", "hash-suffix"));
  EXPECT_TRUE(opened.token_provided);
  EXPECT_THAT(opened.connection, HasSubstr("127.0.0.1"));
}

TEST_F(KdsServerTest, StreamsOfOneConnectionCarryTheSameConnectionText) {
  start();
  auto shared = channel();
  Call a(shared, method::global_to_zone, of_zone_east());
  Call b(shared, method::zone_to_global, of_zone_east());
  Call c(channel(), method::zone_to_global, of_zone_east());
  events_.stream(down);
  events_.stream(up, 2);
  std::map<std::string, int> connections;
  for (const auto& each : events_.opened_streams) ++connections[each.stream.connection];
  EXPECT_EQ(connections.size(), 2U);
}

TEST_F(KdsServerTest, MissingClientIdIsTold) {
  start();
  for (const char* name : {method::global_to_zone, method::zone_to_global}) {
    const auto status = Call(channel(), name, {}).status();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNKNOWN);
    EXPECT_EQ(status.error_message(), "\"client-id\" is not present in metadata");
  }
  for (const char* name : {method::health_check, method::xds_configs, method::stats, method::clusters}) {
    EXPECT_EQ(Call(channel(), name, {}).status().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(KdsServerTest, UnknownMethodIsUnimplemented) {
  start();
  const auto status = Call(channel(), "/kuma.mesh.v1alpha1.MultiplexService/StreamMessage", of_zone_east()).status();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(KdsServerTest, HealthCheckIsAnsweredWithTheIntervalAndReported) {
  ServerOptions options;
  options.health_interval_nanos = 90'500'000'000;
  start(options);
  Call call(channel(), method::health_check, of_zone_east());
  call.write("");
  kuma::mesh::v1alpha1::ZoneHealthCheckResponse response;
  ASSERT_TRUE(response.ParseFromString(call.message(0)));
  EXPECT_EQ(response.interval().seconds(), 90);
  EXPECT_EQ(response.interval().nanos(), 500'000'000);
  EXPECT_TRUE(call.status().ok());
  EXPECT_THAT(events_.signal.read([this] { return events_.pings; }), ElementsAre("east"));
}

TEST_F(KdsServerTest, MessagesGoBothWays) {
  start();
  Call call(channel(), method::global_to_zone, of_zone_east());
  for (std::size_t i = 0; i < 20; ++i) {
    call.write("message " + std::to_string(i));
    EXPECT_EQ(call.message(i), "message " + std::to_string(i));
  }
  const auto id = events_.stream(down);
  EXPECT_TRUE(events_.signal.wait([&] { return events_.writes[id] == 20; }));
}

TEST_F(KdsServerTest, HeadersOfTheUploadStreamComeAtOnce) {
  start();
  Call call(channel(), method::zone_to_global, of_zone_east());
  EXPECT_TRUE(call.wait_headers());
}

TEST_F(KdsServerTest, MessageOfManyPartsArrivesJoined) {
  start();
  kds::Message message;
  std::string expected;
  for (std::size_t i = 0; i < 200; ++i) {
    std::string part(i * 37, static_cast<char>('a' + i % 26));
    expected += part;
    message.append(std::move(part));
  }
  Call call(channel(), method::global_to_zone, of_zone_east());
  const auto id = events_.stream(down);
  core_.run([&] { server_->send(id, message); });
  EXPECT_TRUE(call.message(0) == expected);
}

TEST_F(KdsServerTest, GzipOfAZoneIsInflated) {
  start();
  grpc::ChannelArguments arguments;
  arguments.SetCompressionAlgorithm(GRPC_COMPRESS_GZIP);
  Call call(channel(arguments), method::zone_to_global, of_zone_east());
  const std::string text(1 << 20, 'z');
  call.write(text);
  EXPECT_TRUE(call.message(0) == text);
}

TEST_F(KdsServerTest, CompressedAnswersReachAZone) {
  ServerOptions options;
  options.compress = true;
  start(options);
  Call call(channel(), method::zone_to_global, of_zone_east());
  const std::string text(1 << 20, 'z');
  call.write(text);
  EXPECT_TRUE(call.message(0) == text);
  call.write("short");
  EXPECT_EQ(call.message(1), "short");
}

TEST_F(KdsServerTest, CompressedAnswersAreCompressed) {
  ServerOptions options;
  options.compress = true;
  start(options);
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);  // shows what is on the wire
  Call call(channel(arguments), method::zone_to_global, of_zone_east());
  call.write(std::string(1 << 20, 'z'));
  EXPECT_LT(call.message(0).size(), 10'000U);
}

TEST_F(KdsServerTest, CompressionOtherThanGzipIsUnimplemented) {
  start();
  grpc::ChannelArguments arguments;
  arguments.SetCompressionAlgorithm(GRPC_COMPRESS_DEFLATE);
  Call call(channel(arguments), method::zone_to_global, of_zone_east());
  EXPECT_EQ(call.status().error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(KdsServerTest, MessageAboveTheLimitEndsTheStream) {
  ServerOptions options;
  options.message_bytes_max = 100'000;
  start(options);
  for (const char* name : {method::global_to_zone, method::zone_to_global}) {
    Call call(channel(), name, of_zone_east());
    call.write(std::string(200'001, 'x'));
    EXPECT_EQ(call.status().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << name;
  }
  // The core refuses what is somewhat too long, and says more.
  Call call(channel(), method::zone_to_global, of_zone_east());
  call.write(std::string(200'000, 'x'));
  EXPECT_TRUE(events_.signal.wait([this] { return !events_.messages.empty(); }));
  EXPECT_EQ(events_.messages.begin()->second.front().size(), 200'000U);
}

// Guards: gRPC inflates without a bound what is below the limit while it is compressed.
TEST_F(KdsServerTest, MessageAboveTheLimitAfterInflatingEndsTheStream) {
  ServerOptions options;
  options.message_bytes_max = 100'000;
  start(options);
  grpc::ChannelArguments arguments;
  arguments.SetCompressionAlgorithm(GRPC_COMPRESS_GZIP);
  for (const char* name : {method::global_to_zone, method::zone_to_global}) {
    Call call(channel(arguments), name, of_zone_east());
    call.write(std::string(16 << 20, 'x'));  // some 16 KiB on the wire
    EXPECT_EQ(call.status().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << name;
    // Our text: gRPC's would tell the whole size, which it knows only after inflating all of it.
    EXPECT_EQ(call.status().error_message(), "message is larger than 200000 bytes");
  }
}

TEST_F(KdsServerTest, CloseCodesReachTheZone) {
  start();
  const std::pair<kds::CloseCode, grpc::StatusCode> codes[] = {
      {kds::CloseCode::unavailable, grpc::StatusCode::UNAVAILABLE},
      {kds::CloseCode::internal, grpc::StatusCode::INTERNAL},
      {kds::CloseCode::invalid_argument, grpc::StatusCode::INVALID_ARGUMENT},
      {kds::CloseCode::resource_exhausted, grpc::StatusCode::RESOURCE_EXHAUSTED}};
  std::size_t n = 0;
  for (const auto& [code, expected] : codes) {
    Call call(channel(), method::global_to_zone, of_zone_east());
    const auto id = events_.stream(down, ++n);
    core_.run([&, code = code] { server_->close(id, code, "because"); });
    EXPECT_EQ(call.status().error_code(), expected);
    EXPECT_EQ(call.status().error_message(), "because");
    ASSERT_TRUE(events_.wait_closed(id));
    EXPECT_THAT(events_.closes[id], ElementsAre("because"));
  }
}

TEST_F(KdsServerTest, RefusedStreamEndsWithTheReason) {
  events_.refusal = Status(Code::invalid, "no zone name");
  start();
  Call call(channel(), method::global_to_zone, of_zone_east());
  EXPECT_EQ(call.status().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(call.status().error_message(), "no zone name");
}

TEST_F(KdsServerTest, StreamMayBeClosedWhileItIsAnnounced) {
  start();
  core_.run([this] {
    events_.on_opened = [this](std::uint64_t id, const kds::StreamOpened&) {
      server_->close(id, kds::CloseCode::unavailable, "held off");
    };
  });
  Call call(channel(), method::global_to_zone, of_zone_east());
  EXPECT_EQ(call.status().error_message(), "held off");
  EXPECT_TRUE(events_.wait_closed(1));
}

TEST_F(KdsServerTest, ZoneThatGoesAwayIsReportedOnce) {
  start();
  {
    Call call(channel(), method::global_to_zone, of_zone_east());
    events_.stream(down);
  }
  ASSERT_TRUE(events_.wait_closed(1));
  core_.run([this] { server_->close(1, kds::CloseCode::internal, "late"); });
  EXPECT_EQ(events_.closes[1].size(), 1U);
}

TEST_F(KdsServerTest, HalfClosedUploadEndsWithInternal) {
  start();
  Call call(channel(), method::zone_to_global, of_zone_east());
  events_.stream(up);
  call.half_close();
  EXPECT_EQ(call.status().error_code(), grpc::StatusCode::INTERNAL);
}

TEST_F(KdsServerTest, HalfClosedAdminStreamEnds) {
  start();
  Call call(channel(), method::stats, of_zone_east());
  events_.stream(kds::StreamKind::stats);
  call.half_close();
  EXPECT_TRUE(call.status().ok());
  EXPECT_TRUE(events_.wait_closed(1));
}

TEST_F(KdsServerTest, HalfClosedDownloadStaysOpen) {
  start();
  Call call(channel(), method::global_to_zone, of_zone_east());
  const auto id = events_.stream(down);
  call.write("last");
  EXPECT_EQ(call.message(0), "last");
  call.half_close();
  ASSERT_TRUE(events_.signal.wait([&] { return events_.writes[id] == 1; }));
  core_.run([&] { server_->send(id, message_of("still here")); });
  EXPECT_EQ(call.message(1), "still here");
  EXPECT_TRUE(call.is_open());
}

TEST_F(KdsServerTest, OrderlyStopEndsAllStreamsWithUnavailable) {
  start();
  auto shared = channel();
  std::vector<std::unique_ptr<Call>> calls;
  for (const char* name :
       {method::global_to_zone, method::zone_to_global, method::xds_configs, method::stats, method::clusters}) {
    calls.push_back(std::make_unique<Call>(shared, name, of_zone_east()));
  }
  events_.stream(down);
  events_.stream(up);
  for (auto kind : {kds::StreamKind::config_dumps, kds::StreamKind::stats, kds::StreamKind::clusters})
    events_.stream(kind);
  core_.run([this] { server_->stop(); });
  for (const auto& call : calls) {
    EXPECT_EQ(call->status().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  EXPECT_EQ(calls[0]->status().error_message(), "stream unavailable");
  // Posted before `stop` returned.
  core_.run([] {});
  EXPECT_EQ(events_.closes.size(), 5U);
}

TEST_F(KdsServerTest, StopDoesNotWaitForAZoneThatDoesNotRead) {
  start();
  Call call(channel(), method::global_to_zone, of_zone_east(), false);
  const auto id = events_.stream(down);
  const auto begin = std::chrono::steady_clock::now();
  core_.run([&] {
    server_->send(id, message_of(std::string(9 << 20, 'x')));
    server_->stop();
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience);
  EXPECT_TRUE(events_.wait_closed(id));
  call.read();
}

TEST_F(KdsServerTest, StreamThatIsNotReadDoesNotBlockOthers) {
  start();
  auto shared = channel();
  Call stuck(shared, method::global_to_zone, of_zone_east(), false);
  const auto id = events_.stream(down);
  core_.run([&] { server_->send(id, message_of(std::string(9 << 20, 'x'))); });
  Call other(shared, method::zone_to_global, of_zone_east());
  for (std::size_t i = 0; i < 50; ++i) {
    other.write(std::string(10'000, 'y'));
    EXPECT_EQ(other.message(i).size(), 10'000U);
  }
  EXPECT_EQ(events_.signal.read([&] { return events_.writes[id]; }), 0) << "the other stream was not stuck";
  stuck.read();
  EXPECT_EQ(stuck.message(0).size(), std::size_t{9} << 20);
}

TEST_F(KdsServerTest, CloseOfAStreamThatIsNotReadDoesNotLast) {
  start();
  Call stuck(channel(), method::global_to_zone, of_zone_east(), false);
  const auto id = events_.stream(down);
  core_.run([&] {
    server_->send(id, message_of(std::string(9 << 20, 'x')));
    server_->close(id, kds::CloseCode::unavailable, "superseded");
  });
  EXPECT_TRUE(events_.wait_closed(id));
  stuck.read();
}

TEST_F(KdsServerTest, MessagesThatAreNotReadStayWithTheZone) {
  start();
  core_.run([this] { events_.on_opened = nullptr; });
  Call call(channel(), method::zone_to_global, of_zone_east());
  const auto id = events_.stream(up);
  call.write("first");
  EXPECT_EQ(events_.signal.read([&] { return events_.messages[id].size(); }), 0U);
  core_.run([&] { server_->allow_read(id); });
  EXPECT_TRUE(events_.wait_messages(id, 1));
}

// Guards: the message was dropped and the stream waited for ever.
TEST_F(KdsServerTest, SecondWriteInFlightEndsTheStream) {
  start();
  Call call(channel(), method::global_to_zone, of_zone_east());
  const auto id = events_.stream(down);
  core_.run([&] {
    server_->send(id, message_of(std::string(9 << 20, 'x')));
    server_->send(id, message_of("second"));
  });
  EXPECT_EQ(call.status().error_code(), grpc::StatusCode::INTERNAL);
}

TEST_F(KdsServerTest, CallsAboveTheLimitAreRefused) {
  ServerOptions options;
  options.calls_max = 2;
  start(options);
  Call a(channel(), method::global_to_zone, of_zone_east());
  events_.stream(down, 1);
  Call b(channel(), method::global_to_zone, of_zone_east());
  events_.stream(down, 2);
  Call c(channel(), method::global_to_zone, of_zone_east());
  EXPECT_EQ(c.status().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

// Guards: a call without its message stayed for as long as its connection, and was asked for its proof only with the
// message.
TEST_F(KdsServerTest, HealthCheckWithoutItsMessageEnds) {
  ServerOptions options;
  options.health_request_ms = 50;
  start(options);
  Call call(channel(), method::health_check, of_zone_east());
  EXPECT_EQ(call.status().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(KdsServerTest, HealthCheckOfAStrangerEndsBeforeItsMessage) {
  events_.refusal = Status(Code::denied, "not authenticated");
  start();
  Call call(channel(), method::health_check, of_zone_east());
  EXPECT_EQ(call.status().error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(KdsServerTest, HealthChecksThatWaitKeepNobodyOut) {
  ServerOptions options;
  options.calls_max = 12;
  options.health_calls_max = 4;  // calls that have ended count until gRPC is done with them
  start(options);
  auto shared = channel();
  std::vector<std::unique_ptr<Call>> waiting;
  for (std::size_t i = 1; i <= 6; ++i) {
    waiting.push_back(std::make_unique<Call>(shared, method::health_check, of_zone_east()));
    ASSERT_TRUE(events_.signal.wait([&] { return events_.pings.size() == i; }));
    if (i <= 4) continue;
    EXPECT_EQ(waiting[i - 5]->status().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << "the oldest makes room";
  }
  EXPECT_TRUE(waiting[5]->is_open());
  Call stream(channel(), method::global_to_zone, of_zone_east());
  events_.stream(down);
  Call ping(channel(), method::health_check, of_zone_east());
  ping.write("");
  EXPECT_TRUE(ping.status().ok());
}

TEST_F(KdsServerTest, OneConnectionHasRoomForAZoneManyTimesAndNotForEverything) {
  start();
  auto shared = channel();
  std::vector<std::unique_ptr<Call>> calls;
  for (std::size_t i = 0; i < 101; ++i)
    calls.push_back(std::make_unique<Call>(shared, method::global_to_zone, of_zone_east()));
  events_.stream(down, 100);
  Call other(channel(), method::zone_to_global, of_zone_east());
  events_.stream(up);
  EXPECT_EQ(events_.signal.read([this] { return events_.opened_streams.size(); }), 101U);
  core_.run([this] { server_->close(1, kds::CloseCode::unavailable, "makes room"); });
  events_.stream(down, 101);
}

TEST_F(KdsServerTest, SecondServerOnOnePortFails) {
  start();
  ServerOptions options;
  options.address = "127.0.0.1:" + std::to_string(server_->port());
  core_.run([&] {
    KdsServer second(options, core_.post(), events_);
    const auto started = second.start();
    EXPECT_EQ(started.code(), Code::unavailable);
    EXPECT_THAT(started.message(), HasSubstr(options.address));
  });
}

TEST_F(KdsServerTest, StreamsOutliveTheirServerHarmlessly) {
  start();
  Call call(channel(), method::global_to_zone, of_zone_east());
  events_.stream(down);
  core_.run([this] { server_.reset(); });
  EXPECT_EQ(call.status().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace kdsd::net
