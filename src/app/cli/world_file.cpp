#include "app/cli/world_file.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "model/json.h"
#include "policy/names.h"
#include "policy/outcome.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

using policy::ControlPlaneKind;
using policy::member;

class Reader {
 public:
  Result<kds::World> read(const json::value& value) {
    kds::World world;
    world.catalogue = &Catalogue::builtin();
    if (!value.is_object()) return Status(Code::invalid, "a description of a mesh must be an object");
    check_members(value, "", {"mode", "zone", "environment", "systemNamespace", "federated", "global", "zones"});
    auto& here = world.here.control_plane;
    here = plane(value, "");
    const auto mode = text(value, "", "mode");
    if (mode != "zone" && mode != "global") refuse("mode", "must be zone or global");
    here.mode = mode == "zone" ? policy::Mode::zone : policy::Mode::global;
    if (here.is_zone()) {
      here.zone = zone_name(value, "", "zone");
      here.federated = flag(value, "", "federated", true);
    }
    if (const auto* global = find(value, {"global"})) {
      check_members(*global, "global", {"environment", "systemNamespace"});
      world.global = plane(*global, "global");
    }
    read_zones(value, world);
    if (!outcome_.ok()) return Status(Code::invalid, "the description is not valid", std::move(outcome_.violations));
    return world;
  }

 private:
  void refuse(const std::string& field, const std::string& reason) { outcome_.refuse(field, reason); }

  static std::string path(const std::string& holder, std::string_view name) {
    return holder.empty() ? std::string(name) : member(holder, name);
  }

  void check_members(const json::value& value, const std::string& holder,
                     std::initializer_list<std::string_view> known) {
    if (!value.is_object()) return refuse(holder, "must be an object");
    for (const auto& entry : value.get_object()) {
      const std::string_view name(entry.key().data(), entry.key().size());
      if (std::find(known.begin(), known.end(), name) == known.end()) refuse(path(holder, name), "is not known");
    }
  }

  std::string text(const json::value& value, const std::string& holder, std::string_view name) {
    const auto* found = find(value, {name});
    if (found == nullptr) return {};
    if (!found->is_string()) refuse(path(holder, name), "must be a text");
    return std::string(find_text(value, {name}));
  }

  bool flag(const json::value& value, const std::string& holder, std::string_view name, bool otherwise) {
    const auto* found = find(value, {name});
    if (found == nullptr) return otherwise;
    if (found->is_bool()) return found->get_bool();
    refuse(path(holder, name), "must be true or false");
    return otherwise;
  }

  std::string zone_name(const json::value& value, const std::string& holder, std::string_view name) {
    auto out = text(value, holder, name);
    if (!policy::is_zone_name(out))
      refuse(path(holder, name), "must be a DNS label of at most 63 lower-case characters");
    return out;
  }

  ControlPlaneKind plane(const json::value& value, const std::string& holder) {
    ControlPlaneKind kind;
    const auto environment = text(value, holder, "environment");
    if (environment == "kubernetes") kind.environment = policy::Environment::kubernetes;
    if (!environment.empty() && environment != "kubernetes" && environment != "universal") {
      refuse(path(holder, "environment"), "must be universal or kubernetes");
    }
    if (auto name = text(value, holder, "systemNamespace"); !name.empty()) kind.system_namespace = std::move(name);
    return kind;
  }

  void read_zones(const json::value& value, kds::World& world) {
    const auto* list = find(value, {"zones"});
    world.knows_zones = list != nullptr;
    if (list == nullptr) return;
    if (!list->is_array()) return refuse("zones", "must be a list");
    for (std::size_t i = 0; i < list->get_array().size(); ++i) {
      world.zones.push_back(zone(list->get_array()[i], policy::element("zones", i)));
    }
    std::sort(world.zones.begin(), world.zones.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    const auto twice = std::adjacent_find(world.zones.begin(), world.zones.end(),
                                          [](const auto& a, const auto& b) { return a.name == b.name; });
    if (twice != world.zones.end()) refuse("zones", "zone " + twice->name + " is there twice");
  }

  kds::KnownZone zone(const json::value& value, const std::string& holder) {
    kds::KnownZone out;
    check_members(value, holder, {"name", "enabled", "environment", "systemNamespace", "features"});
    out.name = zone_name(value, holder, "name");
    out.enabled = flag(value, holder, "enabled", true);
    auto kind = plane(value, holder);
    kind.mode = policy::Mode::zone;
    kind.federated = true;
    kind.zone = out.name;
    out.kind = kind;
    if (const auto* features = find(value, {"features"})) read_features(*features, holder, out);
    return out;
  }

  void read_features(const json::value& list, const std::string& holder, kds::KnownZone& out) {
    std::vector<std::string> names;
    if (!list.is_array()) return refuse(path(holder, "features"), "must be a list of texts");
    for (const auto& name : list.get_array()) {
      if (!name.is_string()) return refuse(path(holder, "features"), "must be a list of texts");
      names.emplace_back(name.get_string().c_str());
    }
    out.features = kds::KnownFeatures::of(kds::Features(std::move(names)));
  }

  policy::Outcome outcome_;
};

}  // namespace

Result<kds::World> world_from(const json::value& description) { return Reader().read(description); }

}  // namespace kdsd::app::cli
