// Who receives what: the cases of the specification, run through the sender's own rules.
#include <gtest/gtest.h>
#include <set>

#include "kds/outbound.h"
#include "kds/peer_features.h"

#include "decision_cases.h"

namespace kdsd::kds {
namespace {

using policy::testing::cases_of;
using policy::testing::control_plane_of;

struct Zones {
  explicit Zones(const boost::json::value& list) : list_(list.get_array()) {}

  bool enabled(std::string_view zone) const {
    for (const auto& entry : list_) {
      if (find_text(entry, {"name"}) == zone) return find(entry, {"enabled"})->get_bool();
    }
    return true;
  }
  boost::json::array receivers(const Decision& decision) const {
    boost::json::array out;
    for (const auto& entry : list_) {
      const auto needs = decision.needs;
      const bool has_features = (needs & KnownFeatures::of(features_of_case(entry)).bits) == needs;
      if (has_features && decision.audience.includes(find_text(entry, {"name"}))) out.push_back(entry.at("name"));
    }
    return out;
  }

 private:
  boost::json::array list_;
};

Resource received_by_global(Resource resource, const std::string& zone) {
  resource.source = zone;
  resource.labels.set(label::zone, zone);
  resource.labels.set(label::origin, "zone");
  return resource;
}

TEST(SyncDecision, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("sync-decision");
  ASSERT_EQ(cases.size(), 34U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    const auto& input = *find(entry, {"input"});
    const auto origin = control_plane_of(*find(input, {"origin"}));
    const Zones zones(*find(input, {"zones"}));
    const ZoneEnabled enabled = [&](std::string_view zone) { return zones.enabled(zone); };
    const auto resource = resource_of_case(input, origin);
    if (const auto* flags = find(input, {"typeFlags"})) {
      EXPECT_EQ(resource.type->zone_to_global(), flags->at("zoneToGlobal").get_bool());
      EXPECT_EQ(resource.type->global_to_zone(), flags->at("globalToZones").get_bool());
      EXPECT_EQ(resource.type->across_zones, flags->at("acrossZones").get_bool());
    }

    boost::json::object outcome;
    policy::ControlPlaneKind global;
    auto decision = audience_of(resource, Sending{origin, {}}, enabled);
    if (origin.is_zone()) {
      const bool to_global = decision.audience.kind != Audience::Kind::nobody;
      outcome["toGlobal"] = to_global;
      outcome["toZones"] = boost::json::array();
      if (to_global) {
        decision = audience_of(received_by_global(resource, origin.zone), Sending{global, {}}, enabled);
        outcome["toZones"] = zones.receivers(decision);
      }
    } else {
      outcome["toGlobal"] = nullptr;
      outcome["toZones"] = zones.receivers(decision);
    }
    outcome["reason"] = decision.reason;
    EXPECT_TRUE(json_equal(outcome, *find(entry, {"expected"}))) << to_compact_json(outcome);
  }
}

}  // namespace
}  // namespace kdsd::kds
