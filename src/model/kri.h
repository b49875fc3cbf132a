// Kuma resource identifiers: kri_<short>_<mesh>_<zone>_<namespace>_<name>_<section> (rest-api.md 3.4). Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/resource.h"
#include "model/status.h"

namespace kdsd {

struct Kri {
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string zone;
  std::string namespace_;
  std::string name;
  std::string section;

  std::string text() const;
};

// Empty text for types without a short name.
std::string kri_of(const Resource& resource);

// The error's message is the text that Kuma answers with (rest-api.md 9).
Result<Kri> parse_kri(const Catalogue& catalogue, std::string_view text);

}  // namespace kdsd
