#include "kds/explain.h"

#include <array>
#include <utility>

#include "kds/explain_role.h"
#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "model/kri.h"
#include "policy/core_name.h"
#include "policy/references.h"
#include "policy/role.h"

namespace kdsd::kds {
namespace {

using policy::ControlPlaneKind;
using policy::Environment;

constexpr std::array<std::pair<std::uint8_t, std::string_view>, 3> feature_names = {{
    {feature_bit::producer_policy_flow, feature::producer_policy_flow},
    {feature_bit::optional_target_ref, feature::optional_target_ref},
    {feature_bit::multizone_generator, feature::multizone_generator},
}};

std::string_view missing_feature(std::uint8_t needs, std::uint8_t has) {
  for (const auto& [bit, name] : feature_names) {
    if ((needs & bit) != 0 && (has & bit) == 0) return name;
  }
  return {};
}

// A zone that was not connected yet is taken for one of ours.
KnownFeatures features_of(const KnownZone& zone) {
  return zone.features.value_or(KnownFeatures::of(Features(own_node_features())));
}

ControlPlaneKind kind_of(const KnownZone& zone) {
  if (zone.kind) return *zone.kind;
  ControlPlaneKind kind;
  kind.mode = policy::Mode::zone;
  kind.federated = true;
  kind.zone = zone.name;
  return kind;
}

// Where copies live (namespaces.md 5).
std::string namespace_of_copies(const ResourceType& type, const ControlPlaneKind& at) {
  return at.has_namespaces() && type.kubernetes.namespaced ? at.system_namespace : std::string();
}

class Explainer {
 public:
  Explainer(const Resource& resource, const World& world, const policy::ObjectLookup& objects)
      : resource_(resource), type_(*resource.type), world_(world), plane_(world.plane()), objects_(objects) {}

  Explanation run() {
    if (type_.encoding == SpecEncoding::json) spec_ = spec_json(resource_);
    out_.type = &type_;
    out_.mesh = resource_.mesh;
    out_.canonical_name = wire_name(resource_, world_.here);
    out_.kri = kri_of(resource_);
    out_.knows_zones = world_.knows_zones;
    find_origin();
    if (type_.is_plugin_policy()) out_.role = explain_role(resource_, spec_, plane_);
    decide();
    add_author();
    add_global();
    add_zones();
    resolve_references();
    warn_of_unknown_zone();
    return std::move(out_);
  }

 private:
  bool is_own() const { return !resource_.is_copy(); }

  void find_origin() {
    auto& origin = out_.origin;
    origin.namespace_ = resource_.labels.get(label::namespace_);
    if (is_own()) {
      origin.is_global = plane_.is_global();
      origin.zone = plane_.zone;
      origin.environment = plane_.environment;
      return;
    }
    // Everything that a zone receives says that it comes from the global; the zone label tells whose it is.
    origin.is_global = plane_.is_zone() && resource_.labels.get(label::zone).empty();
    if (origin.is_global) return;
    origin.zone = plane_.is_global() ? resource_.source : resource_.labels.get(label::zone);
    const auto& environment = resource_.labels.get(label::env);
    if (environment == "kubernetes") origin.environment = Environment::kubernetes;
    if (environment == "universal") origin.environment = Environment::universal;
  }

  // The rules of each control plane on the way, in the order of the way.
  void decide() {
    const ZoneEnabled enabled = [this](std::string_view zone) { return world_.is_enabled(zone); };
    if (plane_.is_global()) {
      if (!is_own()) out_.to_global = true;
      at_global_ = resource_;
      global_ = world_.here;
      return decide_zones(audience_of(resource_, global_, enabled));
    }
    auto leaving = audience_of(resource_, world_.here, enabled);
    if (leaving.audience.kind != Audience::Kind::nobody && !plane_.federated) leaving = {{}, "no-global", 0};
    out_.to_global = leaving.audience.kind != Audience::Kind::nobody;
    if (!*out_.to_global) return decide_zones(leaving);
    global_.control_plane = world_.global.value_or(ControlPlaneKind());
    at_global_ = arriving_copy(resource_, world_.here, global_.control_plane, {});
    decide_zones(audience_of(*at_global_, global_, enabled));
  }

  void decide_zones(const Decision& decision) {
    out_.reason = decision.reason;
    for (const auto& zone : world_.zones) {
      auto problem = why_not(zone, decision);
      const bool is_sent = problem.empty();
      out_.zones.push_back({zone.name, is_sent, is_sent ? decision.reason : std::move(problem)});
    }
  }

  // Empty: the zone gets it.
  std::string why_not(const KnownZone& zone, const Decision& decision) const {
    if (!out_.origin.is_global && zone.name == out_.origin.zone) return "origin-zone";
    if (!decision.audience.includes(zone.name)) {
      if (decision.reason == "producer-zone-tag") return "zone-tag:" + policy::zone_tag(spec_);
      return decision.reason;
    }
    const auto bits = features_of(zone).bits;
    if ((decision.needs & ~bits & feature_bit::own_store) != 0)
      return "api-server-refuses:" + held_back_because(*at_global_, global_);
    const auto missing = missing_feature(decision.needs, bits);
    return missing.empty() ? std::string() : "feature-missing:" + std::string(missing);
  }

  void add(Place place, policy::References references) {
    out_.places.push_back(std::move(place));
    references_.push_back(std::move(references));
  }

  void add_author() {
    Place place{out_.origin.is_global, out_.origin.zone, is_own(), true, "", out_.origin.namespace_};
    if (is_own()) {
      auto own = policy::split_core_name(plane_, type_, resource_.name);
      place.name = std::move(own.name);
      place.namespace_ = own.namespace_.empty() ? namespace_of_copies(type_, plane_) : std::move(own.namespace_);
    } else {
      place.name = display_name(resource_.name, resource_.labels);
      const bool may_have_one = type_.kubernetes.namespaced && out_.origin.environment != Environment::universal;
      if (place.namespace_->empty() && may_have_one) place.namespace_ = std::nullopt;
    }
    auto references = policy::list_references(type_, spec_);
    if (!is_own() && plane_.is_zone() && !out_.origin.is_global) forget_names(references);
    add(std::move(place), std::move(references));
  }

  // A zone has a relayed policy as the global sent it, and what the author wrote is not in there.
  static void forget_names(policy::References& references) {
    for (auto& reference : references.places) {
      for (const auto* key : {"name", "namespace"}) reference.after.erase(key);
    }
  }

  policy::References rewritten_at(const Resource& copy, const ControlPlaneKind& at) const {
    const auto spec = type_.is_target_ref_policy ? spec_json(copy) : boost::json::value();
    return policy::rewrite_references({&type_, copy.mesh, &copy.labels}, spec, at);
  }

  void add_global() {
    if (out_.origin.is_global) return;
    if (plane_.is_global()) {
      add({true, "", true, false, wire_name(resource_, world_.here, false), namespace_of_copies(type_, plane_)},
          rewritten_at(resource_, plane_));
    } else if (at_global_) {
      Place place{true, "", false, false, at_global_->name, std::nullopt};
      if (world_.global || !type_.kubernetes.namespaced)
        place.namespace_ = namespace_of_copies(type_, global_.control_plane);
      add(std::move(place), rewritten_at(*at_global_, global_.control_plane));
    } else if (!is_own()) {
      // It came through there; what it looks like there only the global knows.
      add({true, "", false, false, out_.canonical_name, std::nullopt}, policy::list_references(type_, spec_));
    }
  }

  void add_zones() {
    if (!is_own() && plane_.is_zone()) {
      add({false, plane_.zone, true, false, wire_name(resource_, world_.here), namespace_of_copies(type_, plane_)},
          rewritten_at(resource_, plane_));
      return;
    }
    for (std::size_t i = 0; i < world_.zones.size(); ++i) {
      if (out_.zones[i].sent) add_zone(world_.zones[i]);
    }
  }

  void add_zone(const KnownZone& zone) {
    const auto kind = kind_of(zone);
    const auto form = features_of(zone).form;
    const auto copy = arriving_copy(*at_global_, global_, kind, form);
    Place place{false, zone.name, false, false, copy.name, std::nullopt};
    if (zone.kind || !type_.kubernetes.namespaced) place.namespace_ = namespace_of_copies(type_, kind);
    // A control plane that does not rewrite reads references in their author's context.
    const auto spec = type_.is_target_ref_policy ? spec_json(copy) : boost::json::value();
    add(std::move(place), form.rewritten ? rewritten_at(copy, kind) : policy::list_references(type_, spec));
  }

  void resolve_references() {
    const policy::ReferenceOrigin origin{world_.catalogue, resource_.mesh, &resource_.labels};
    std::size_t here = 0;
    while (!out_.places[here].is_here) ++here;
    const auto& written = references_.front().places;
    for (std::size_t i = 0; i < written.size(); ++i) {
      const boost::json::value ref = written[i].before;
      if (!policy::is_real_object_kind(find_text(ref, {"kind"}))) continue;
      ExplainedReference reference{written[i].path, written[i].before, references_[here].places[i].after, {}, {}};
      for (const auto& there : references_) reference.there.push_back(there.places[i].after);
      reference.resolved = policy::resolve(reference.here, origin, objects_, policy::Resolver::kdsd);
      if (reference.resolved.empty()) {
        out_.warnings.push_back(reference.path + ": nothing that is stored here has this name, or these labels");
      }
      out_.references.push_back(std::move(reference));
    }
  }

  void warn_of_unknown_zone() {
    if (out_.reason != "producer-zone-tag" || !world_.knows_zones) return;
    const auto tag = policy::zone_tag(spec_);
    if (world_.find(tag) == nullptr) out_.warnings.push_back("spec.targetRef: there is no zone " + tag);
  }

  const Resource& resource_;
  const ResourceType& type_;
  const World& world_;
  const ControlPlaneKind& plane_;
  const policy::ObjectLookup& objects_;
  boost::json::value spec_;
  Sending global_;
  std::optional<Resource> at_global_;
  std::vector<policy::References> references_;  // of each place
  Explanation out_;
};

}  // namespace

Resource arriving_copy(const Resource& resource, const Sending& from, const ControlPlaneKind& at,
                       const PeerClass& form) {
  Resource copy = resource;
  copy.name = wire_name(resource, from, form.hashed);
  copy.labels = wire_labels(resource, from, form.hashed);
  copy.source = at.is_global() ? from.control_plane.zone : std::string(source_global);
  if (form.rewritten) {
    if (auto spec = rewritten_spec(resource, from)) copy.spec = std::move(*spec);
  }
  return copy;
}

Explanation explain(const Resource& resource, const World& world, const policy::ObjectLookup& objects) {
  return Explainer(resource, world, objects).run();
}

}  // namespace kdsd::kds
