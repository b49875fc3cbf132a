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

  ProxyQueries queries_;
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

}  // namespace
}  // namespace kdsd::kds
