// Questions to proxies: numbered, bounded in number and time, answered once.
#include "kds/proxy_queries.h"

#include <gtest/gtest.h>

#include "kuma/mesh/v1alpha1/kds.pb.h"

namespace kdsd::kds {
namespace {

namespace wire = kuma::mesh::v1alpha1;
constexpr std::int64_t second = 1'000'000'000;

class Questions : public testing::Test {
 protected:
  void ask(const std::string& id, ProxyView view = ProxyView::stats, const std::string& zone = "west") {
    ProxyQuery query;
    query.zone = zone;
    query.view = view;
    query.type = "Dataplane";
    query.mesh = "shop";
    query.name = "web-1";
    queries_.ask(query, id, now_, [this, id](const Result<std::string>& answer) {
      answers_[id] = answer.ok() ? *answer : "error: " + answer.status().message();
    });
  }
  static std::string stats(const std::string& id, const std::string& text) {
    wire::StatsResponse response;
    response.set_request_id(id);
    response.set_stats(text);
    return response.SerializeAsString();
  }

  static constexpr std::size_t bytes_max = 1'000;
  ProxyQueries queries_{bytes_max};
  Timestamp now_{100 * second};
  std::map<std::string, std::string> answers_;
};

TEST_F(Questions, ReachTheNewestStreamOfTheZoneForTheirView) {
  queries_.opened(1, "west", ProxyView::stats);
  queries_.opened(2, "west", ProxyView::clusters);
  queries_.opened(3, "west", ProxyView::stats);
  queries_.opened(4, "east", ProxyView::stats);
  ask("a");
  for (std::uint64_t stream : {1, 2, 4}) EXPECT_FALSE(queries_.next(stream));
  auto bytes = queries_.next(3);
  ASSERT_TRUE(bytes);
  wire::StatsRequest request;
  ASSERT_TRUE(request.ParseFromString(*bytes));
  EXPECT_EQ(request.request_id() + request.resource_type() + request.resource_mesh() + request.resource_name(),
            "aDataplaneshopweb-1");
  EXPECT_TRUE(queries_.answered(3, stats("a", "x: 1")).ok());
  EXPECT_EQ(answers_["a"], "x: 1");
}

TEST_F(Questions, AreAnsweredOnceAndStrangeAnswersAreDropped) {
  queries_.opened(1, "west", ProxyView::stats);
  ask("a");
  EXPECT_TRUE(queries_.answered(1, stats("b", "other")).ok());
  EXPECT_TRUE(answers_.empty());
  wire::StatsResponse error;
  error.set_request_id("a");
  error.set_error("no Envoy");
  EXPECT_TRUE(queries_.answered(1, error.SerializeAsString()).ok());
  EXPECT_TRUE(queries_.answered(1, stats("a", "late")).ok());
  EXPECT_EQ(answers_["a"], "error: no Envoy");
  EXPECT_EQ(queries_.answered(1, "\xff").code(), Code::malformed);
}

// field-cases F054.
TEST_F(Questions, WithTooLongAnAnswerSayHowLongAndTheOthersAreAnswered) {
  queries_.opened(1, "west", ProxyView::stats);
  ask("long");
  ask("fitting");
  const auto length = stats("long", std::string(bytes_max, 'x')).size();
  EXPECT_TRUE(queries_.answered(1, stats("long", std::string(bytes_max, 'x'))).ok());
  EXPECT_EQ(answers_["long"],
            "error: the answer of zone west has " + std::to_string(length) + " bytes, more than the limit of 1000");
  EXPECT_TRUE(queries_.answered(1, stats("fitting", "x: 1")).ok());
  EXPECT_EQ(answers_["fitting"], "x: 1");
}

TEST_F(Questions, EndWithTheirStreamOrTheirTime) {
  ask("nobody");
  EXPECT_EQ(answers_["nobody"], "error: zone west is not connected");
  queries_.opened(1, "west", ProxyView::stats);
  ask("a");
  queries_.closed(1, "gone");
  EXPECT_EQ(answers_["a"], "error: the zone's stream ended: gone");
  queries_.opened(2, "west", ProxyView::stats);
  ask("b");
  queries_.tick({now_.nanos + limits::proxy_answer_nanos - 1});
  EXPECT_FALSE(answers_.contains("b"));
  queries_.tick({now_.nanos + limits::proxy_answer_nanos});
  EXPECT_EQ(answers_["b"], "error: the zone gave no answer in time");
}

TEST_F(Questions, WaitInBoundedNumber) {
  queries_.opened(1, "west", ProxyView::stats);
  for (std::size_t i = 0; i < limits::proxy_queries_waiting; ++i) ask(std::to_string(i));
  EXPECT_TRUE(answers_.empty());
  ask("more");
  EXPECT_TRUE(answers_["more"].starts_with("error: too many"));
}

TEST_F(Questions, ThatWereGivenUpAreNotAsked) {
  queries_.opened(1, "west", ProxyView::stats);
  ask("in flight");
  ASSERT_TRUE(queries_.next(1));
  // The zone does not read: whoever asks is told, again and again, and nothing piles up.
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < limits::proxy_queries_waiting; ++i) ask(std::to_string(i));
    now_.nanos += limits::proxy_answer_nanos;
    queries_.tick(now_);
    EXPECT_EQ(answers_["0"], "error: the zone gave no answer in time");
    answers_.clear();
  }
  ask("newest");
  queries_.written(1);
  auto bytes = queries_.next(1);
  ASSERT_TRUE(bytes);
  wire::StatsRequest request;
  ASSERT_TRUE(request.ParseFromString(*bytes));
  EXPECT_EQ(request.request_id(), "newest");
}

TEST_F(Questions, AreWrittenOneAfterTheOther) {
  queries_.opened(1, "west", ProxyView::stats);
  ask("a");
  ask("b");
  EXPECT_TRUE(queries_.next(1));
  EXPECT_FALSE(queries_.next(1));
  queries_.written(1);
  EXPECT_TRUE(queries_.next(1));
}

TEST_F(Questions, ToAZoneOfThisProgramAreAnsweredWithAnErrorAndNotTooEarly) {
  queries_.opened(1, "west", ProxyView::config_dump);
  wire::XDSConfigRequest request;
  request.set_request_id("a");
  request.set_resource_type("Dataplane");
  request.set_resource_name("web-1");
  request.set_include_eds(true);
  ASSERT_TRUE(queries_.asked(1, request.SerializeAsString(), now_).ok());
  queries_.tick({now_.nanos + limits::proxy_answer_delay_nanos - 1});
  EXPECT_FALSE(queries_.next(1));
  queries_.tick({now_.nanos + limits::proxy_answer_delay_nanos});
  auto bytes = queries_.next(1);
  ASSERT_TRUE(bytes);
  wire::XDSConfigResponse response;
  ASSERT_TRUE(response.ParseFromString(*bytes));
  EXPECT_EQ(response.request_id(), "a");
  EXPECT_EQ(response.error(), "control plane west runs no proxies: it has no Envoy to ask about Dataplane web-1");
}

TEST_F(Questions, OfAGlobalThatDoesNotReadTheAnswersAreRefusedInTheEnd) {
  queries_.opened(1, "west", ProxyView::stats);
  wire::StatsRequest request;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < 3 * limits::proxy_queries_waiting; ++i) {
    request.set_request_id(std::to_string(i));
    const auto status = queries_.asked(1, request.SerializeAsString(), now_);
    if (status.ok()) ++taken;
    now_.nanos += limits::proxy_answer_delay_nanos;
    queries_.tick(now_);
  }
  EXPECT_EQ(taken, limits::proxy_queries_waiting);
  EXPECT_EQ(queries_.asked(1, request.SerializeAsString(), now_).code(), Code::exhausted);
}

TEST_F(Questions, AreNotEchoedAtAnyLength) {
  queries_.opened(1, "west", ProxyView::stats);
  wire::StatsRequest request;
  request.set_request_id("a");
  request.set_resource_type("Dataplane");
  request.set_resource_name(std::string(limits::proxy_echoed_bytes - 1, 'n') + "\xc3\xa4" + std::string(1 << 20, 'n'));
  ASSERT_TRUE(queries_.asked(1, request.SerializeAsString(), now_).ok());
  queries_.tick({now_.nanos + limits::proxy_answer_delay_nanos});
  auto bytes = queries_.next(1);
  ASSERT_TRUE(bytes);
  wire::StatsResponse response;
  ASSERT_TRUE(response.ParseFromString(*bytes));
  EXPECT_TRUE(response.error().ends_with("Dataplane " + std::string(limits::proxy_echoed_bytes - 1, 'n')))
      << "a character is kept or left out whole";
  request.set_request_id(std::string(limits::proxy_query_id_bytes + 1, 'a'));
  EXPECT_EQ(queries_.asked(1, request.SerializeAsString(), now_).code(), Code::malformed);
}

}  // namespace
}  // namespace kdsd::kds
