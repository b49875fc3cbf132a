// Rules of proto-encoded types: proxies, meshes, secrets and the older policies, as far as the specification states
// them.
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

// `spec`: members as JSON, names in camel case.
Outcome validate_proto_spec(const ResourceType& type, const boost::json::value& spec, std::string_view name = {});

// Adds the tag `kuma.io/zone` to every inbound and the gateway tag set of a Dataplane.
void add_zone_tag(boost::json::value& dataplane, const std::string& zone);

// `gateway` for a builtin gateway, else `sidecar`; `zoneingress`, `zoneegress`; empty for types that are no proxies.
std::string_view proxy_type(const ResourceType& type, const boost::json::value& spec);

}  // namespace kdsd::policy
