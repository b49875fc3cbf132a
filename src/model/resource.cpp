#include "model/resource.h"

namespace kdsd {

std::string ResourceKey::text() const {
  std::string out = type ? type->name : std::string("?");
  if (!mesh.empty()) out += "/" + mesh;
  return out + "/" + name;
}

bool operator<(const ResourceKey& a, const ResourceKey& b) {
  if (a.type != b.type) return a.type->name < b.type->name;
  if (int order = a.mesh.compare(b.mesh); order != 0) return order < 0;
  return a.name < b.name;
}

bool Audience::includes(std::string_view receiver) const {
  switch (kind) {
    case Kind::nobody:
      return false;
    case Kind::everybody:
      return true;
    case Kind::everybody_but:
      return receiver != zone;
    case Kind::only:
      return receiver == zone;
  }
  return false;
}

std::string Audience::text() const {
  switch (kind) {
    case Kind::nobody:
      return "nobody";
    case Kind::everybody:
      return "everybody";
    case Kind::everybody_but:
      return "everybody-but:" + zone;
    case Kind::only:
      return "only:" + zone;
  }
  return "nobody";
}

Audience Audience::parse(std::string_view text) {
  if (text == "everybody") return {Kind::everybody, {}};
  if (text.starts_with("everybody-but:")) return {Kind::everybody_but, std::string(text.substr(14))};
  if (text.starts_with("only:")) return {Kind::only, std::string(text.substr(5))};
  return {};
}

const Presence* Entry::presence_at(Revision at) const {
  const Presence* found = nullptr;
  for (const auto& presence : presences) {
    if (presence.since > at) break;
    found = &presence;
  }
  return found;
}

}  // namespace kdsd
