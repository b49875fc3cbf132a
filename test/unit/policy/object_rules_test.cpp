// Objects that are no policies, judged as by a Kuma 2.13 (test/data/object-rules.json).
#include "policy/object_rules.h"

#include <map>

#include "policy/schema.h"
#include "policy/validate.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

std::string expected(const boost::json::value& each) {
  Violations out;
  for (const auto& pair : each.at("refused").get_array())
    out.push_back({pair.at(0).get_string().c_str(), pair.at(1).get_string().c_str()});
  return joined(out);
}

TEST(ObjectRulesTest, AuthorsReadTheFieldsAndTextsOfKuma) {
  std::map<std::string, std::pair<int, int>> counts;  // refused, accepted
  const auto data = read_data("object-rules.json");
  for (const auto& each : data.get_array()) {
    SCOPED_TRACE(boost::json::serialize(each));
    const auto& type = *Catalogue::builtin().find(find_text(each, {"type"}));
    const auto checked = check_schema(type, each.at("spec"));
    EXPECT_EQ(joined(checked.violations), "");
    EXPECT_TRUE(check_decodes(type, checked.spec).ok());
    EXPECT_EQ(joined(validate_spec(type, checked.spec, {}, "a").violations), expected(each));
    ++(expected(each).empty() ? counts[type.name].second : counts[type.name].first);
  }
  EXPECT_EQ(counts.size(), 5U);
  for (const auto& [type, count] : counts) {
    EXPECT_GE(count.first, 2) << type;
    EXPECT_GE(count.second, 1) << type;
  }
}

}  // namespace
}  // namespace kdsd::policy
