// References inside policies: where they stand, and what name and namespace they have in the store of this control
// plane (policy-semantics.md 4.3 to 4.5).
//
// Pure; looks at no store, so the result is the same whatever has arrived and however often it is computed. What is
// stored stays as it was received; this is the form in which a copy is used, shown, and sent on to peers that ask for
// it.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/resource.h"
#include "policy/control_plane.h"

namespace kdsd::policy {

// One place that may hold a reference to an object.
struct Reference {
  std::string path;  // `spec.to[0].targetRef`, `spec.to[0].rules[1].default.backendRefs[0]`
  boost::json::object before;
  boost::json::object after;  // the same object when nothing is rewritten

  bool is_rewritten() const { return before != after; }
};

struct References {
  std::vector<Reference> places;  // in the order of the spec; empty for types that are no target-ref policies
  boost::json::value spec;        // with every place as `after` says

  bool any_rewritten() const;
};

// A policy that came from elsewhere, as far as its references depend on it. `labels` as stored: with the zone that the
// global forces.
struct ReferenceContext {
  const ResourceType* type = nullptr;
  std::string mesh;
  const Labels* labels = nullptr;
};

// Step 1 on a global, step 2 on a zone. `spec` as received.
References rewrite_references(const ReferenceContext& policy, const boost::json::value& spec,
                              const ControlPlaneKind& control_plane);

// The places of a spec without changing any: for own resources, which are never rewritten.
References list_references(const ResourceType& type, const boost::json::value& spec);

// Whether a resource can have a form other than the stored one here: a copy of a policy.
bool has_derived_form(const Resource& resource);

// The spec of a copy as it is used, shown and relayed here; nothing where that is the stored one.
std::optional<boost::json::value> derived_spec(const Resource& resource, const ControlPlaneKind& control_plane);

// The same resource with that spec; for whoever shows it.
Resource derived_form(const Resource& resource, const ControlPlaneKind& control_plane);

}  // namespace kdsd::policy
