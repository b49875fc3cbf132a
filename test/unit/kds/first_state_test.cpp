// What a Kuma zone gets at first: it takes its first response of a type for everything that there is.
#include <gmock/gmock.h>

#include "scripted_zone.h"

namespace kdsd::kds {
namespace {

using testing::Contains;
using testing::HasSubstr;

NodeInfo kuma_zone() {
  NodeInfo node;
  node.features = Features({"hash-suffix"});
  return node;
}

CoreOptions deriving() {
  CoreOptions options;
  options.derived_types = {"ServiceInsight"};
  return options;
}

TEST(FirstState, OfADerivedTypeWaitsUntilThereIsOne) {
  TestPlane global("", deriving());
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  ScriptedZone zone(global, kuma_zone(), "ServiceInsight");
  EXPECT_EQ(global.core->sender_of("old")->totals().sent, 0u) << "it keeps what it has of another global";
  ASSERT_TRUE(global.put("ServiceInsight", "default", "all-services-default", "{}").ok());
  EXPECT_EQ(global.core->sender_of("old")->totals().sent, 1u);
}

TEST(FirstState, OfAnyOtherTypeIsSentEvenWhenThereIsNothing) {
  TestPlane global("", deriving());
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  ScriptedZone zone(global, kuma_zone(), "MeshTimeout");
  EXPECT_EQ(global.core->sender_of("old")->totals().sent, 1u);
}

TEST(FirstState, ThatIsTooLargeIsHeldBackAndToldOnce) {
  CoreOptions options;
  options.foreign_message_bytes_max = 4096;
  TestPlane global("", options);
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  const auto large = [](char letter) {
    return R"({"targetRef":{"kind":"Mesh"},"default":{"appendModifications":[{"cluster":{"operation":"Add","value":")" +
           std::string(1500, letter) + R"("}}]}})";
  };
  for (const char letter : {'a', 'b', 'c'}) {
    ASSERT_TRUE(global.put("MeshProxyPatch", "default", std::string(1, letter), large(letter)).ok());
  }
  ScriptedZone zone(global, kuma_zone(), "MeshProxyPatch");
  EXPECT_TRUE(zone.held.empty());
  const auto told = [&] {
    return std::count_if(global.logged.begin(), global.logged.end(),
                         [](const std::string& line) { return line.find("held-back=") != std::string::npos; });
  };
  EXPECT_EQ(told(), 1);
  EXPECT_THAT(global.logged, Contains(HasSubstr("zone=old held-back=\"MeshProxyPatch has ")));
  ASSERT_TRUE(global.put("MeshProxyPatch", "default", "d", large('d')).ok());
  EXPECT_EQ(told(), 1);
  for (const auto* name : {"d", "c", "b"}) ASSERT_TRUE(global.remove("MeshProxyPatch", "default", name).ok());
  EXPECT_EQ(global.core->sender_of("old")->totals().sent, 1u) << "what is left fits";
}

TEST(FirstState, ThatBecameSmallerIsSentThoughAsManyAreThere) {
  CoreOptions options;
  options.foreign_message_bytes_max = 4096;
  TestPlane global("", options);
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  const auto patch = [](std::size_t bytes) {
    return R"({"targetRef":{"kind":"Mesh"},"default":{"appendModifications":[{"cluster":{"operation":"Add","value":")" +
           std::string(bytes, 'x') + R"("}}]}})";
  };
  for (const auto* name : {"a", "b", "c"}) ASSERT_TRUE(global.put("MeshProxyPatch", "default", name, patch(1500)).ok());
  ScriptedZone zone(global, kuma_zone(), "MeshProxyPatch");
  for (const auto* name : {"a", "b", "c"}) ASSERT_TRUE(global.put("MeshProxyPatch", "default", name, patch(10)).ok());
  EXPECT_EQ(global.core->sender_of("old")->totals().sent, 0u);
  global.pass(3);
  EXPECT_EQ(global.core->sender_of("old")->totals().sent, 1u);
}

TEST(Rejections, OfTheSameReasonAreToldOnceAMinute) {
  TestPlane global("");
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  ScriptedZone zone(global, kuma_zone());
  const auto told = [&] {
    return std::count_if(global.logged.begin(), global.logged.end(),
                         [](const std::string& line) { return line.find("result=nack") != std::string::npos; });
  };
  const auto change = [&](const char* name) {
    ASSERT_TRUE(global.put("MeshTimeout", "default", name, R"({"targetRef":{"kind":"Mesh"},"to":[]})").ok());
    zone.reject("no thanks");
  };
  change("a");
  change("b");
  EXPECT_EQ(told(), 1);
  global.pass(61);
  zone.reject("no thanks");
  EXPECT_EQ(told(), 2);
}

}  // namespace
}  // namespace kdsd::kds
