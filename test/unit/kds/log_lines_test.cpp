// What a peer says of itself stays in its field of a log line.
#include <gmock/gmock.h>

#include "scripted_zone.h"

namespace kdsd::kds {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char timeout_spec[] =
    R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"connectionTimeout":"1s"}}]})";

NodeInfo node_of(std::string instance, std::string version) {
  NodeInfo node;
  node.instance_id = std::move(instance);
  node.kuma_version = std::move(version);
  return node;
}

TEST(LogLines, OfAnOrdinaryZoneAreBare) {
  TestPlane global("");
  ScriptedZone zone(global, node_of("old-1", "2.13.0"));
  EXPECT_THAT(global.logged, Contains("zone=old online instance=old-1 version=2.13.0"));
}

TEST(LogLines, InstanceAndVersionCannotAddFields) {
  TestPlane global("");
  ScriptedZone zone(global, node_of("i zone=west offline reason=\"fake\"", "2.13.0\nzone=west"));
  EXPECT_THAT(global.logged, Contains("zone=old online instance=\"i zone=west offline reason=\\\"fake\\\"\" "
                                      "version=\"2.13.0\\nzone=west\""));
}

TEST(LogLines, TextOfARejectionCannotLeaveItsQuotes) {
  TestPlane global("");
  EXPECT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  EXPECT_TRUE(global.put("MeshTimeout", "default", "t", timeout_spec).ok());
  ScriptedZone zone(global, node_of("old-1", "2.13.0"));
  zone.reject("bad\" zone=west result=\"ack");
  EXPECT_THAT(global.logged, Contains(HasSubstr("result=nack reason=\"bad\\\" zone=west result=\\\"ack\"")));
}

}  // namespace
}  // namespace kdsd::kds
