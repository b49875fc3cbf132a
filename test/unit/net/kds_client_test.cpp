#include "net/kds_client.h"

#include <boost/asio/ip/tcp.hpp>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <memory>

#include "net/kds_server.h"

#include "certificate.h"
#include "harness.h"

namespace kdsd::net {
namespace {

using testing::Contains;
using testing::ElementsAre;
constexpr auto down = kds::StreamKind::global_to_zone;
constexpr auto up = kds::StreamKind::zone_to_global;
constexpr std::int64_t millisecond = 1'000'000;

// A zone's client and, where the test wants it, our own server. Both apps run on one core thread.
class KdsClientTest : public testing::Test {
 protected:
  void serve(ServerOptions options = {}) {
    options.address = "127.0.0.1:" + std::to_string(port_);
    core_.run([&] {
      server_ = std::make_unique<KdsServer>(options, core_.post(), global_);
      const auto started = server_->start();
      ASSERT_TRUE(started.ok()) << started.text();
      port_ = server_->port();
      echo(global_, *server_);
    });
  }
  void connect(ClientOptions options = {}) {
    if (options.address.empty()) options.address = "127.0.0.1:" + std::to_string(port_);
    options.zone = "east";
    options.version = "2.13.0";
    options.backoff_base_nanos = millisecond;
    options.backoff_cap_nanos = 4 * millisecond;
    core_.run([&] {
      client_ = std::make_unique<KdsClient>(options, core_.io(), core_.post(), zone_, 1);
      client_->start();
    });
  }
  bool wait_dials(std::uint64_t count) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::uint64_t dials = 0;
    while (dials < count && std::chrono::steady_clock::now() < deadline) core_.run([&] { dials = client_->dials(); });
    return dials >= count;
  }
  std::size_t streams_of_zone() {
    return zone_.signal.read([this] { return zone_.opened_streams.size(); });
  }
  void TearDown() override {
    core_.run([this] {
      client_.reset();
      server_.reset();
    });
  }

  int port_ = 0;
  FakeEvents global_;
  FakeEvents zone_;
  CoreThread core_;
  std::unique_ptr<KdsServer> server_;
  std::unique_ptr<KdsClient> client_;
};

TEST_F(KdsClientTest, ZoneIntroducesItselfOnOneConnection) {
  serve();
  connect();
  zone_.stream(down);
  zone_.stream(up);
  global_.stream(down);
  global_.stream(up);
  for (auto kind : {kds::StreamKind::config_dumps, kds::StreamKind::stats, kds::StreamKind::clusters})
    global_.stream(kind);
  const auto seen = global_.signal.read([this] { return global_.opened_streams; });
  ASSERT_EQ(seen.size(), 5U);
  for (const auto& each : seen) {
    EXPECT_EQ(each.stream.peer_zone, "east");
    EXPECT_THAT(each.stream.features,
                ElementsAre("zone-ping-health", "hash-suffix", "kdsd-resume", "kdsd-chunked-first-state",
                            "kdsd-structured-nack", "kdsd-target-ref-rewrite"));
    EXPECT_FALSE(each.stream.token_provided);
    EXPECT_EQ(each.stream.connection, seen[0].stream.connection);
  }
  EXPECT_TRUE(global_.signal.wait([this] { return !global_.pings.empty(); }));
  EXPECT_THAT(global_.pings, Contains("east"));
}

TEST_F(KdsClientTest, MessagesGoBothWaysCompressedOrNot) {
  serve();
  ClientOptions options;
  options.compress = true;
  connect(options);
  for (auto kind : {down, up}) {
    const auto id = zone_.stream(kind);
    const std::string texts[] = {"short", std::string(1 << 20, 'z'), ""};
    std::size_t n = 0;
    for (const auto& text : texts) {
      core_.run([&] {
        client_->allow_read(id);
        client_->send(id, message_of(text));
      });
      ASSERT_TRUE(zone_.wait_messages(id, ++n));
      EXPECT_TRUE(zone_.messages[id].back() == text);
      // The answer may be there before this side hears that its message is written, and one is written at a time.
      ASSERT_TRUE(zone_.signal.wait([&] { return zone_.writes[id] == static_cast<int>(n); }));
    }
  }
}

TEST_F(KdsClientTest, OneMessageIsDeliveredForOneAllowance) {
  serve();
  connect();
  const auto id = zone_.stream(down);
  const auto at_global = global_.stream(down);
  core_.run([&] {
    global_.on_written = [&, sent = 0](std::uint64_t stream) mutable {
      if (++sent < 5) server_->send(stream, message_of("message " + std::to_string(sent)));
    };
    server_->send(at_global, message_of("message 0"));
  });
  ASSERT_TRUE(global_.signal.wait([&] { return global_.writes[at_global] == 5; }));
  for (std::size_t n = 0; n < 5; ++n) {
    core_.run([] {});
    EXPECT_EQ(zone_.signal.read([&] { return zone_.messages[id].size(); }), n);
    core_.run([&] { client_->allow_read(id); });
    ASSERT_TRUE(zone_.wait_messages(id, n + 1));
    EXPECT_EQ(zone_.messages[id].back(), "message " + std::to_string(n));
  }
}

TEST_F(KdsClientTest, EndOfOneStreamReplacesTheConnection) {
  serve();
  connect();
  for (std::size_t n = 1; n <= 4; ++n) {
    const auto kind = n % 2 == 0 ? up : down;
    zone_.stream(down, n);
    zone_.stream(up, n);
    global_.stream(down, n);
    global_.stream(up, n);
    const auto id = global_.stream(kind, n);
    core_.run([&] { server_->close(id, kds::CloseCode::unavailable, "stream unavailable"); });
    ASSERT_TRUE(zone_.wait_closed(zone_.stream(down, n)));
    ASSERT_TRUE(zone_.wait_closed(zone_.stream(up, n)));
  }
  zone_.stream(down, 5);
  global_.stream(down, 5);
  std::map<std::string, int> connections;
  for (const auto& each : global_.opened_streams) {
    if (each.stream.kind == down) ++connections[each.stream.connection];
  }
  EXPECT_EQ(connections.size(), 5U) << "each dial has a connection of its own";
}

TEST_F(KdsClientTest, CloseByTheCoreReplacesTheConnection) {
  serve();
  connect();
  const auto id = zone_.stream(up);
  core_.run([&] { client_->close(id, kds::CloseCode::internal, "broken message"); });
  ASSERT_TRUE(zone_.wait_closed(id));
  EXPECT_THAT(zone_.closes[id], ElementsAre("broken message"));
  zone_.stream(up, 2);
}

// Guards: Kuma's zone leaves an upload stream dead that ends with OK.
// The zone had stopped reading when its global went away, and then wrote: the stream looked alive for ever.
TEST_F(KdsClientTest, WriteAfterTheEndEndsAStreamWithUnreadMessages) {
  serve();
  core_.run([&] {
    // On both streams: one that is being read would notice the end and take the other along.
    global_.on_opened = [this](std::uint64_t id, const kds::StreamOpened&) { server_->send(id, message_of("first")); };
    global_.on_written = [this](std::uint64_t id) { server_->send(id, message_of("one more")); };
  });
  connect();
  const auto stream = zone_.stream(down);
  for (const auto kind : {down, up}) {
    const auto at_global = global_.stream(kind);
    ASSERT_TRUE(global_.signal.wait([&] { return global_.writes[at_global] >= 3; }));
  }
  core_.run([&] {
    global_.on_written = nullptr;
    server_->stop();
  });
  core_.run([&] {
    zone_.on_written = [this](std::uint64_t id) { client_->send(id, message_of("answer")); };
    client_->send(stream, message_of("answer"));
  });
  EXPECT_TRUE(zone_.wait_closed(stream));
  EXPECT_TRUE(wait_dials(2));
}

TEST_F(KdsClientTest, EndWithOkReplacesTheConnectionToo) {
  class EndsAll : public grpc::CallbackGenericService {
    grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
      struct Reactor : grpc::ServerGenericBidiReactor {
        void OnDone() override { delete this; }
      };
      auto* reactor = new Reactor;
      if (context->method() == method::health_check) {
        reactor->Finish({grpc::StatusCode::UNIMPLEMENTED, ""});
      } else if (context->method() == method::zone_to_global) {
        reactor->StartSendInitialMetadata();
        reactor->Finish(grpc::Status::OK);
      } else {
        reactor->Finish(grpc::Status::OK);
      }
      return reactor;
    }
  };
  EndsAll service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterCallbackGenericService(&service);
  auto server = builder.BuildAndStart();
  connect();
  EXPECT_TRUE(wait_dials(4));
  core_.run([this] { client_.reset(); });
  server->Shutdown(std::chrono::system_clock::now());
}

TEST_F(KdsClientTest, NothingIsAnnouncedWhileNobodyListens) {
  {
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor free(io, {boost::asio::ip::make_address("127.0.0.1"), 0});
    port_ = free.local_endpoint().port();
  }
  connect();
  EXPECT_TRUE(wait_dials(3));
  EXPECT_EQ(streams_of_zone(), 0U);
  serve();
  zone_.stream(down);
}

TEST_F(KdsClientTest, GlobalThatAcceptsAndSaysNothingIsGivenUp) {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor silent(io, {boost::asio::ip::make_address("127.0.0.1"), 0});
  port_ = silent.local_endpoint().port();
  ClientOptions options;
  options.address = "127.0.0.1:" + std::to_string(port_);
  options.connect_timeout_nanos = 20 * millisecond;
  connect(options);
  EXPECT_TRUE(wait_dials(3));
  EXPECT_EQ(streams_of_zone(), 0U);
}

TEST_F(KdsClientTest, PingsFollowTheIntervalOfTheGlobal) {
  ServerOptions options;
  options.health_interval_nanos = millisecond;
  serve(options);
  connect();
  EXPECT_TRUE(global_.signal.wait([this] { return global_.pings.size() >= 5; }));
}

TEST_F(KdsClientTest, MessageAboveTheLimitReplacesTheConnection) {
  serve();
  ClientOptions options;
  options.message_bytes_max = 1'000;
  connect(options);
  const auto id = zone_.stream(down);
  const auto at_global = global_.stream(down);
  core_.run([&] {
    client_->allow_read(id);
    server_->send(at_global, message_of(std::string(2'001, 'x')));
  });
  EXPECT_TRUE(zone_.wait_closed(id));
  zone_.stream(down, 2);
}

TEST_F(KdsClientTest, StopEndsTheStreamsOnBothSides) {
  serve();
  connect();
  const auto id = zone_.stream(down);
  const auto at_global = global_.stream(down);
  core_.run([this] { client_->stop(); });
  core_.run([] {});
  EXPECT_EQ(zone_.closes[id].size(), 1U);
  EXPECT_TRUE(global_.wait_closed(at_global));
}

TEST_F(KdsClientTest, CertificateOfTheGlobalIsVerified) {
  const auto certificate = self_signed();
  ServerOptions server;
  server.tls.certificate_pem = certificate.certificate_pem;
  server.tls.key_pem = certificate.key_pem;
  serve(server);
  ClientOptions trusting;
  trusting.tls = {true, certificate.certificate_pem, false};
  connect(trusting);
  zone_.stream(down);
  core_.run([this] { client_.reset(); });

  ClientOptions careless;
  careless.tls = {true, "", true};
  connect(careless);
  zone_.stream(down, 2);
  core_.run([this] { client_.reset(); });

  const auto before = streams_of_zone();
  ClientOptions wary;
  wary.tls = {true, self_signed().certificate_pem, false};
  connect(wary);
  EXPECT_TRUE(wait_dials(3));
  core_.run([this] { client_.reset(); });
  connect();  // clear text
  EXPECT_TRUE(wait_dials(3));
  EXPECT_EQ(streams_of_zone(), before);
}

TEST_F(KdsClientTest, KeyThatDoesNotFitTheCertificateIsRefused) {
  ServerOptions options;
  options.address = "127.0.0.1:0";
  options.tls.certificate_pem = self_signed().certificate_pem;
  options.tls.key_pem = "no key";
  core_.run([&] {
    KdsServer server(options, core_.post(), global_);
    EXPECT_EQ(server.start().code(), Code::unavailable);
  });
}

}  // namespace
}  // namespace kdsd::net
