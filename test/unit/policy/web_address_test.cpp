// Which addresses of collectors are taken: verdicts of a Kuma 2.13 (test/data/web-addresses.json).
#include "policy/web_address.h"

#include "policy/own_door.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;
namespace json = boost::json;

const json::array& cases(const char* list) {
  static const auto data = read_data("web-addresses.json");
  return data.at(list).get_array();
}

TEST(WebAddressTest, AddressesAreTakenAsByKuma) {
  EXPECT_GT(cases("webAddresses").size(), 100U);
  for (const auto& each : cases("webAddresses")) {
    const std::string text(find_text(each, {"text"}));
    EXPECT_EQ(is_web_address(text), each.at("accepted").get_bool()) << text;
  }
}

TEST(WebAddressTest, LongTextsAreNone) {
  EXPECT_TRUE(is_web_address(std::string(2000, 'a') + ".example"));
  EXPECT_FALSE(is_web_address(std::string(2100, 'a') + ".example"));
}

// What is wrong is told in no certain order.
TEST(WebAddressTest, UrlsOfDatadogAreTakenAsByKuma) {
  const ControlPlaneKind plane;
  const auto& type = *Catalogue::builtin().find("MeshTrace");
  for (const auto& each : cases("datadogUrls")) {
    SCOPED_TRACE(json::serialize(each));
    json::value backend = {{"type", "Datadog"}, {"datadog", {{"url", each.at("text")}}}};
    const json::value spec = {{"targetRef", {{"kind", "Mesh"}}}, {"default", {{"backends", json::array{backend}}}}};
    std::multiset<std::string> found;
    for (const auto& violation : check_spec_of_own(type, spec, {}, "a", {&plane, "", {}}).violations) {
      EXPECT_EQ(violation.field, "spec.default.backends[0].datadog.url");
      found.insert(violation.reason);
    }
    std::multiset<std::string> expected;
    for (const auto& reason : each.at("refused").get_array()) expected.insert(reason.get_string().c_str());
    EXPECT_EQ(found, expected);
  }
}

TEST(WebAddressTest, PartsOfUrisAreTold) {
  const auto uri = parse_request_uri("HTTP://user@dd.example:8126/a?b");
  ASSERT_TRUE(uri);
  EXPECT_EQ(uri->scheme, "http");
  EXPECT_EQ(uri->host, "dd.example");
  EXPECT_EQ(uri->port, "8126");
  EXPECT_TRUE(uri->has_user);
  EXPECT_EQ(uri->path, "/a");
  EXPECT_EQ(uri->query, "b");
  EXPECT_EQ(parse_request_uri("dd:8126")->opaque, "8126");
}

}  // namespace
}  // namespace kdsd::policy
