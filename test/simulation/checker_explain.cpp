#include "checker_explain.h"

#include "model/document.h"
#include "policy/object_questions.h"
#include "policy/references.h"

namespace kdsd::sim {
namespace {

ResourceKey key_at(const kds::Explanation& explanation, const kds::Place& place, const ControlPlane& party) {
  return {explanation.type, explanation.mesh, kept_as(*explanation.type, place.name, party.place())};
}

}  // namespace

std::string ExplainChecker::difference() const {
  Said said;
  for (const auto& party : world_.parties()) {
    if (!party->is_kdsd()) continue;
    if (auto text = explain_all(static_cast<const Node&>(*party), said); !text.empty()) return text;
  }
  for (const auto& party : world_.parties()) {
    if (party->is_global()) continue;
    if (auto text = compare(*party, std::string(source_global), said[party.get()]); !text.empty()) return text;
    if (!party->is_kdsd()) continue;  // nobody asked it
    std::set<ResourceKey> on_global;
    for (const auto& key : said[&world_.global()]) {
      const auto it = world_.global().resources().find(key);
      if (it == world_.global().resources().end())
        return party->name() + ": explain says that the global has " + key.text();
      if (it->second->source == party->name()) on_global.insert(key);
    }
    if (auto text = compare(world_.global(), party->name(), on_global); !text.empty()) return text;
  }
  return {};
}

std::string ExplainChecker::explain_all(const Node& node, Said& said) const {
  const auto world = kds::world_of(node.core());
  for (const auto& [key, resource] : node.resources()) {
    const auto explanation = kds::explain(*resource, world, policy::ObjectAnswers().lookup());
    world_.count("explained");
    std::string problem;
    if (node.is_global()) {
      problem = check_zones(explanation, said);
    } else if (!resource->is_copy() && explanation.to_global.value_or(false)) {
      for (const auto& place : explanation.places) {
        if (place.is_global) said[&world_.global()].insert(key_at(explanation, place, world_.global()));
      }
    }
    if (!problem.empty()) return node.name() + ": explain " + key.text() + ": " + problem;
  }
  return {};
}

std::string ExplainChecker::check_zones(const kds::Explanation& explanation, Said& said) const {
  for (std::size_t i = 0; i < explanation.places.size(); ++i) {
    const auto& place = explanation.places[i];
    if (place.is_global || place.is_author) continue;
    const auto& party = world_.party(place.zone);
    said[&party].insert(key_at(explanation, place, party));
    if (auto text = check_place(explanation, i, party); !text.empty()) return place.zone + " " + text;
  }
  return {};
}

// What is held there, and its references in the form in which they are used there: by a plain Kuma zone as they were
// written.
std::string ExplainChecker::check_place(const kds::Explanation& explanation, std::size_t at,
                                        const ControlPlane& party) const {
  const auto key = key_at(explanation, explanation.places[at], party);
  const auto it = party.resources().find(key);
  if (it == party.resources().end()) return "has no " + key.text() + ", reason " + explanation.reason;
  const auto& held = *it->second;
  if (!held.is_copy() || !held.type->is_target_ref_policy) return {};
  const auto& place = explanation.places[at];
  const auto& own = party.place();
  if (place.namespace_ && *place.namespace_ != (own.is_kubernetes ? own.system_namespace : ""))
    return "has another namespace than " + *place.namespace_;
  const auto spec =
      party.is_kdsd() ? spec_json(policy::derived_form(held, control_plane_of(party.place()))) : spec_json(held);
  for (const auto& real : policy::list_references(*held.type, spec).places) {
    for (const auto& reference : explanation.references) {
      if (real.path != reference.path) continue;
      world_.count(party.is_kdsd() ? "explained reference" : "explained reference in a kuma zone");
      if (real.after != reference.there[at]) {
        return "has in " + real.path + " of " + key.text() + " " + boost::json::serialize(real.after) + " and not " +
               boost::json::serialize(reference.there[at]);
      }
    }
  }
  return {};
}

std::string ExplainChecker::compare(const ControlPlane& at, const std::string& source,
                                    const std::set<ResourceKey>& said) const {
  for (const auto& [key, resource] : at.resources()) {
    if (resource->source != source || said.contains(key)) continue;
    return at.name() + " holds " + key.text() + " of " + source + ", and explain says that it does not";
  }
  return {};
}

}  // namespace kdsd::sim
