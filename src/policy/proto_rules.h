// Rules of proto-encoded types: proxies, meshes and the older policies. The rules of each type are in proto/.
//
// Pure. Fields are those of the flat document (`networking.inbound[0].port`), without `spec`.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "model/catalogue.h"
#include "policy/outcome.h"

namespace kdsd::policy {

// Whether validate_proto_spec says anything about a type; a spec of any other need not be opened.
bool has_proto_rules(const ResourceType& type);

// `spec`: members as JSON, names in camel case, names of enums and durations as texts. An empty object is another thing
// than a member that is not there, and is lost on the way through the binary form where it is a map.
Outcome validate_proto_spec(const ResourceType& type, const boost::json::value& spec);

// Adds the tag `kuma.io/zone` to every inbound and the gateway tag set of a Dataplane.
void add_zone_tag(boost::json::value& dataplane, const std::string& zone);

// `gateway` for a builtin gateway, else `sidecar`; `zoneingress`, `zoneegress`; empty for types that are no proxies.
std::string_view proxy_type(const ResourceType& type, const boost::json::value& spec);

}  // namespace kdsd::policy
