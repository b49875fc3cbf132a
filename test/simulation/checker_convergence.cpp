#include "checker_convergence.h"

#include "policy/references.h"

#include "node.h"
#include "reference_rewriting.h"
#include "workload.h"

namespace kdsd::sim {

std::string ConvergenceChecker::difference(bool tolerant) const {
  const auto& global = world_.global();
  for (const auto& party : world_.parties()) {
    if (auto text = orphans(*party); !text.empty()) return text;
    if (party->is_global()) continue;
    auto up = compare(global, party->name(),
                      wanted_by_global(party->resources(), party->place(), global.place(), nullptr), tolerant);
    if (!up.empty()) return up;
    auto down = compare(*party, std::string(source_global),
                        wanted_by_zone(global.resources(), global.place(), party->place(), nullptr), tolerant);
    if (!down.empty()) return down;
  }
  return {};
}

std::string ConvergenceChecker::compare(const ControlPlane& at, const std::string& source, const WantedMap& wanted,
                                        bool tolerant) const {
  // What a Kuma zone refused for a secret of its own comes with its next connection only; kdsd asks for it.
  const auto is_let_off = [&](const ResourceType& type) { return tolerant && !at.is_kdsd() && type.name == "Secret"; };
  const auto where = at.name() + " (from " + source + "): ";
  for (const auto& [key, expected] : wanted) {
    if (world_.options().disabled_types.contains(key.type->name)) continue;
    if (is_let_off(*key.type)) continue;
    auto it = at.resources().find(key);
    if (it == at.resources().end()) return where + key.text() + " is missing";
    const auto& found = *it->second;
    if (!found.is_copy()) {
      if (keeps_name_on_the_way_down(*key.type)) continue;  // its own one of that name: refused
      return where + key.text() + " is hidden by a resource that was made there";
    }
    if (found.source != source) return where + key.text() + " is there from " + found.source;
    if (found.labels != expected.labels) {
      return where + key.text() + " has labels " + content_of(it->second).text() + " instead of " +
             Content{true, expected.labels, expected.spec}.text();
    }
    if (!same_where_received(found, found.spec, expected.spec, at.place(), at.is_kdsd()))
      return where + key.text() + " has an old spec";
    if (auto text = wrong_form(at, found); !text.empty()) return where + text;
    if (at.is_global() && key.type->has_status && found.status != expected.status)
      return where + key.text() + " has an old status";
  }
  for (const auto& [key, resource] : at.resources()) {
    if (resource->source != source || wanted.contains(key)) continue;
    if (is_let_off(*key.type)) continue;
    return where + key.text() + " should not be there";
  }
  return {};
}

// The form in which a kdsd control plane uses a copy, and shows it.
std::string ConvergenceChecker::wrong_form(const ControlPlane& at, const Resource& found) const {
  if (!at.is_kdsd()) return {};
  const auto derived = policy::derived_form(found, control_plane_of(at.place()));
  const auto expected = with_local_references(found, found.spec, at.place());
  if (same_meaning(*found.type, derived.spec, expected)) return {};
  return found.key().text() + " is used as " + derived.spec + " instead of " + expected;
}

// Whoever made something in a mesh removes it when the mesh goes.
std::string ConvergenceChecker::orphans(const ControlPlane& at) const {
  for (const auto& [key, resource] : at.resources()) {
    if (resource->is_copy() || !key.type->mesh_scoped) continue;
    if (!at.resources().contains({&world_.type("Mesh"), "", key.mesh}))
      return at.name() + ": " + key.text() + " has outlived its mesh";
  }
  return {};
}

std::set<std::pair<std::string, std::string>> ConvergenceChecker::conflicts() const {
  std::set<std::pair<std::string, std::string>> out;
  for (const auto& party : world_.parties()) {
    if (party->is_global()) continue;
    for (const auto& [key, wanted] :
         wanted_by_zone(world_.global().resources(), world_.global().place(), party->place(), nullptr)) {
      auto it = party->resources().find(key);
      if (it != party->resources().end() && !it->second->is_copy()) out.emplace(party->name(), key.type->name);
    }
  }
  return out;
}

}  // namespace kdsd::sim
