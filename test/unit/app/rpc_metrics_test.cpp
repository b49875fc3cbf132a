// Counts of RPCs as a scrape shows them.
#include "app/rpc_metrics.h"

#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

namespace kdsd::app {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char down[] = "/kuma.mesh.v1alpha1.KDSSyncService/GlobalToZoneSync";
constexpr char stats[] = "/kuma.mesh.v1alpha1.GlobalKDSService/StreamStats";
constexpr char ping[] = "/kuma.mesh.v1alpha1.GlobalKDSService/HealthCheck";

std::string scrape(const prometheus::Registry& registry) {
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

std::string line(const std::string& name, const std::string& service, const std::string& method,
                 const std::string& type, const std::string& more, const std::string& value) {
  return name + "{zone=\"Global\"," + more + "grpc_method=\"" + method + "\",grpc_service=\"" + service +
         "\",grpc_type=\"" + type + "\"} " + value + "\n";
}

TEST(RpcMetrics, EachStreamCountsUnderItsOwnMethod) {
  prometheus::Registry registry;
  RpcMetrics rpcs(registry, {{"zone", "Global"}}, "server");
  rpcs.started(1, down);
  rpcs.started(2, stats);
  rpcs.received(1);
  rpcs.received(1);
  rpcs.received(2);
  rpcs.sent(1);
  rpcs.received(9);  // of no stream that is known
  rpcs.ended(1, "Unavailable");
  rpcs.ended(1, "Canceled");  // it has ended already
  rpcs.answered(ping, "OK");
  rpcs.answered(ping, "PermissionDenied");
  const auto text = scrape(registry);
  const std::string sync = "kuma.mesh.v1alpha1.KDSSyncService";
  const std::string inter_cp = "kuma.mesh.v1alpha1.GlobalKDSService";
  EXPECT_THAT(text, HasSubstr(line("grpc_server_started_total", sync, "GlobalToZoneSync", "bidi_stream", "", "1")));
  EXPECT_THAT(text,
              HasSubstr(line("grpc_server_msg_received_total", sync, "GlobalToZoneSync", "bidi_stream", "", "2")));
  EXPECT_THAT(text, HasSubstr(line("grpc_server_msg_received_total", inter_cp, "StreamStats", "bidi_stream", "", "1")));
  EXPECT_THAT(text, HasSubstr(line("grpc_server_msg_sent_total", sync, "GlobalToZoneSync", "bidi_stream", "", "1")));
  EXPECT_THAT(text, HasSubstr(line("grpc_server_handled_total", sync, "GlobalToZoneSync", "bidi_stream",
                                   "grpc_code=\"Unavailable\",", "1")));
  EXPECT_THAT(text, Not(HasSubstr("Canceled")));
  EXPECT_THAT(text, HasSubstr(line("grpc_server_handled_total", inter_cp, "HealthCheck", "unary",
                                   "grpc_code=\"PermissionDenied\",", "1")));
  EXPECT_THAT(text, HasSubstr("grpc_server_handling_seconds_count{zone=\"Global\""));
  EXPECT_THAT(text, Not(HasSubstr("grpc_client")));
}

}  // namespace
}  // namespace kdsd::app
