#include "policy/engine/attachment.h"

#include <algorithm>

#include "policy/engine/evaluation.h"

#include "engine_cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;
namespace json = boost::json;

TEST(AttachmentTest, CasesOfTheSpecificationHoldWhateverTheOrderOfTheInput) {
  const auto cases = cases_of("policy-attachment");
  ASSERT_EQ(cases.size(), 15U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    auto input = *find(entry, {"input"});
    auto& policies = input.get_object()["policies"].get_array();
    for (std::size_t turn = 0; turn < policies.size(); ++turn) {
      const auto found = evaluate_attachment(input, {});
      ASSERT_TRUE(found.ok()) << found.status().text();
      EXPECT_TRUE(json_equal(*found, *find(entry, {"expected"}))) << to_compact_json(*found);
      std::rotate(policies.begin(), policies.begin() + 1, policies.end());
    }
  }
}

json::object evaluated(const std::string& policies) {
  const auto input = json_of(
      R"({"chain":[{"group":"core","kind":"Service","name":"s","namespace":"shop"}],"policies":[)" + policies + "]}");
  auto found = evaluate_attachment(input, {true, false, false});
  EXPECT_TRUE(found.ok()) << found.status().text();
  return found.ok() ? *found : json::object();
}

std::string attached(const std::string& name, const std::string& created, const std::string& sections) {
  return R"({"name":")" + name + R"(","namespace":"shop","creationTimestamp":")" + created +
         R"(","targetRef":{"kind":"Service","name":"s"},)" + sections + "}";
}

TEST(AttachmentTest, AConflictIsReportedWithTheSectionThatWinsAndTheOneThatLoses) {
  const auto found = evaluated(attached("old", "2026-01-01T00:00:00Z", R"("default":{"a":1,"b":{"x":1},"c":1})") + "," +
                               attached("young", "2026-01-02T00:00:00Z", R"("default":{"a":1,"b":{"x":2,"y":2}})"));
  EXPECT_EQ(to_compact_json(found.at("conflicts")),
            R"([{"field":"b.x","winner":"shop/old default","loser":"shop/young default"}])")
      << "equal values are none, and fields of one policy are kept";
  EXPECT_EQ(to_compact_json(found.at("fields")),
            R"([{"field":"a","origin":["shop/old default"]},{"field":"b.x","origin":["shop/old default"]},)"
            R"({"field":"b.y","origin":["shop/young default"]},{"field":"c","origin":["shop/old default"]}])");
}

TEST(AttachmentTest, AnOverrideAndADefaultAreNoConflict) {
  const auto found = evaluated(attached("a", "2026-01-01T00:00:00Z", R"("override":{"a":1})") + "," +
                               attached("b", "2026-01-01T00:00:00Z", R"("default":{"a":2})"));
  EXPECT_EQ(to_compact_json(found.at("conflicts")), "[]");
  EXPECT_EQ(to_compact_json(found.at("effective")), R"({"a":1})");
}

TEST(AttachmentTest, AgesAreComparedAsInstants) {
  const auto found = evaluated(attached("a", "2026-01-01T01:00:00+02:00", R"("default":{"a":"older"})") + "," +
                               attached("b", "2026-01-01T00:00:00Z", R"("default":{"a":"younger"})"));
  EXPECT_EQ(to_compact_json(found.at("effective")), R"({"a":"older"})");
}

}  // namespace
}  // namespace kdsd::policy
