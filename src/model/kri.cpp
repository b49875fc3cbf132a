#include "model/kri.h"

#include <vector>

#include "model/hash.h"

namespace kdsd {

std::string Kri::text() const {
  return "kri_" + type->short_name + "_" + mesh + "_" + zone + "_" + namespace_ + "_" + name + "_" + section;
}

std::string kri_of(const Resource& resource) {
  if (resource.type->short_name.empty()) return {};
  return Kri{resource.type,
             resource.mesh,
             resource.labels.get(label::zone),
             resource.labels.get(label::namespace_),
             display_name(resource.name, resource.labels),
             ""}
      .text();
}

Result<Kri> parse_kri(const Catalogue& catalogue, std::string_view text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == '_' && parts.size() < 7) {
      parts.emplace_back();
    } else if (c != '_') {  // from the seventh part on everything is the section, joined without a separator
      parts.back() += c;
    }
  }
  const auto quoted = "\"" + std::string(text) + "\"";
  if (parts.size() < 7) return Status(Code::malformed, "invalid identifier string: " + quoted);
  if (parts[0] != "kri") return Status(Code::malformed, "identifier must start with 'kri': " + quoted);
  const auto* type = catalogue.by_short_name(parts[1]);
  if (type == nullptr) return Status(Code::malformed, "unknown short name of resource type: \"" + parts[1] + "\"");
  return Kri{type, parts[2], parts[3], parts[4], parts[5], parts[6]};
}

}  // namespace kdsd
