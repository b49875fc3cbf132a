// Names on the wire: display name plus a hash over mesh, name, zone and namespace (kds-protocol.md 7).
//
// Pure. Bit for bit what Kuma computes; test/data/hash-vectors.json holds the vectors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"

namespace kdsd {

// `values`: the zone label if there is one, then the namespace label if there is one.
std::string hashed_name(std::string_view mesh, std::string_view name, const std::vector<std::string_view>& values);

// The name a resource has everywhere but at home: from its display name and the labels it carries.
std::string canonical_name(std::string_view mesh, std::string_view name, const Labels& labels);

// Whether a name ends in what hashed_name appends (policy-semantics.md 4.4).
bool looks_canonical(std::string_view name);

// The display name label if it is non-empty, else the name.
const std::string& display_name(const std::string& name, const Labels& labels);

}  // namespace kdsd
