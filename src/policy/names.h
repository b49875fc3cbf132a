// Names and label texts: which characters and lengths are legal (rest-api.md 6.4, 6.5).
//
// Pure. Reasons are the texts that clients of Kuma and Kubernetes know.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/outcome.h"

namespace kdsd::policy {

namespace limits {
inline constexpr std::size_t name_bytes = 253;       // an RFC 1123 subdomain
inline constexpr std::size_t dns_label_bytes = 63;   // mesh names, label values, DNS-1035 labels
inline constexpr std::size_t core_name_bytes = 317;  // name, dot, namespace (namespaces.md 2)
}  // namespace limits

// An API group as it is compared: `core` is the one without a name.
std::string_view plain_group(std::string_view group);

// The reason why a text is no resource name; nothing when it is one.
std::optional<std::string> name_problem(std::string_view name, std::size_t longest = limits::name_bytes);
std::optional<std::string> mesh_name_problem(std::string_view mesh);

// `cannot be longer than 63 characters`: the store's own rule for names of meshes.
std::optional<std::string> new_mesh_name_problem(std::string_view name);

// Every reason why a text is no DNS-1035 label.
std::vector<std::string> dns1035_problems(std::string_view text);
// The remark for a Mesh or a service whose name is none; nothing for other types and good names.
std::optional<std::string> dns1035_warning(std::string_view type, std::string_view name);

// Kuma's rule for zone names, applied by both sides: a DNS label, lower case, at most 63 characters.
bool is_zone_name(std::string_view name);
// The remark for a Zone whose name no zone can have: it is stored, as by Kuma, and nobody can connect under it.
std::optional<std::string> zone_name_warning(std::string_view type, std::string_view name);

// Every reason why a text is no qualified name (label key), or no label value.
std::vector<std::string> label_key_problems(std::string_view key);
std::vector<std::string> label_value_problems(std::string_view value);

}  // namespace kdsd::policy
