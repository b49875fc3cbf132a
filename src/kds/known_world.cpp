#include "kds/known_world.h"

#include <algorithm>

#include "kds/core.h"
#include "model/json.h"

namespace kdsd::kds {
const KnownZone* World::find(std::string_view zone) const {
  const auto it = std::lower_bound(zones.begin(), zones.end(), zone,
                                   [](const KnownZone& known, std::string_view name) { return known.name < name; });
  return it != zones.end() && it->name == zone ? &*it : nullptr;
}

bool World::is_enabled(std::string_view zone) const {
  const auto* known = find(zone);
  return known == nullptr || known->enabled;
}

std::optional<policy::ControlPlaneKind> kind_from_config(const std::string& zone, std::string_view config) {
  const auto value = parse_json(config);
  if (!value.ok()) return std::nullopt;
  const auto environment = find_text(*value, {"environment"});
  if (environment.empty()) return std::nullopt;
  policy::ControlPlaneKind kind;
  kind.mode = policy::Mode::zone;
  kind.federated = true;
  kind.zone = zone;
  if (environment == "kubernetes") kind.environment = policy::Environment::kubernetes;
  const auto name = find_text(*value, {"store", "kubernetes", "systemNamespace"});
  if (!name.empty()) kind.system_namespace = name;
  return kind;
}

World world_of(const Core& core) {
  World world;
  world.catalogue = &core.index().catalogue();
  world.here = core.sending();
  world.knows_zones = world.plane().is_global();
  if (!world.knows_zones) return world;
  const auto* type = core.index().catalogue().find("Zone");
  world.zones.reserve(core.index().count(*type));
  const Staged nothing;
  const Transaction view(core.index(), nothing, {});
  core.index().each(*type, [&](const ResourcePtr& zone) {
    KnownZone known{zone->name, zone_enabled(view, zone->name), std::nullopt, std::nullopt};
    if (const auto* status = core.zones().find(zone->name); status != nullptr && !status->subscription_id.empty()) {
      known.kind = status->kind;
      known.features = KnownFeatures::of(status->node);
    }
    world.zones.push_back(std::move(known));
  });
  return world;
}

std::optional<World> seen_from(const World& world, std::string_view zone) {
  const auto* known = world.find(zone);
  if (known == nullptr || !known->kind) return std::nullopt;
  World out = world;
  out.here.control_plane = *known->kind;
  out.global = world.plane();
  return out;
}

}  // namespace kdsd::kds
