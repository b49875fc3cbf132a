// What a reference in a policy stands for: the objects that it names (policy-semantics.md 4.7 and 4.9).
//
// Pure; objects are found through the caller's lookup. References are those of the form that is used here
// (references.h).
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"

namespace kdsd::policy {

// Where objects are found. Both functions see live resources of the store that the policy is read in.
struct ObjectLookup {
  using Visit = std::function<void(const Resource&)>;
  // Every object of a kind in a mesh.
  std::function<void(const ResourceType& kind, const std::string& mesh, const Visit& visit)> each;
  // Those whose canonical name is `name`: for copies the name they are stored under without its namespace, for own
  // objects the one they have elsewhere.
  std::function<void(const ResourceType& kind, const std::string& mesh, const std::string& name, const Visit& visit)>
      named;
};

// An object, and the port of it where the reference names one.
struct ResolvedObject {
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string name;     // as stored
  std::string section;  // name of the port, or its number where it has none; empty: the whole object
  std::string kri;
  Labels labels;  // of the object; empty for the mesh
};

enum class Resolver {
  kuma,  // what a 2.13 control plane makes of it
  kdsd,  // the same, and canonical names
};

// The policy as far as its references depend on it; for copies the mesh, zone and namespace of the author.
struct ReferenceOrigin {
  const Catalogue* catalogue = nullptr;
  std::string mesh;
  const Labels* labels = nullptr;
};

// Sorted by KRI. A reference to nothing gives an empty list, which is no error: the target may still arrive. Subsets
// are no objects and give nothing either.
std::vector<ResolvedObject> resolve(const boost::json::object& ref, const ReferenceOrigin& policy,
                                    const ObjectLookup& lookup, Resolver resolver);

}  // namespace kdsd::policy
