#include "replay_state.h"

#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"

namespace kdsd::kds::replay {

std::string Held::shown_name(const Key& key) const {
  return key.type + " " + key.mesh + "/" + display_name(key.name, labels);
}

bool same(const Held* a, const Held* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->labels == b->labels && json_equal(a->spec, b->spec) && json_equal(a->status, b->status);
}

std::string text(const Held* held) {
  if (held == nullptr) return "nothing";
  std::string out;
  for (const auto& [key, value] : held->labels) out += key + "=" + value + " ";
  return out + to_compact_json(held->spec) + " " + to_compact_json(held->status);
}

void State::apply(const Response& response, bool is_full) {
  if (is_full) clear(response.type);
  const auto* type = Catalogue::builtin().find(response.type);
  if (type == nullptr) return;
  for (const auto& removed : response.removed) {
    const auto key = parse_removed(*type, removed);
    erase({response.type, key.mesh, key.name});
  }
  for (const auto& received : response.resources) put(key_of(received.resource), held_of(received.resource));
}

const Held* State::find(const Key& key) const {
  const auto found = held_.find(key);
  return found == held_.end() ? nullptr : &found->second;
}

void State::clear(const std::string& type) {
  std::erase_if(held_, [&](const auto& entry) { return entry.first.type == type; });
}

Key key_of(const Resource& resource) { return {resource.type->name, resource.mesh, resource.name}; }

Held held_of(const Resource& resource) {
  Held out{resource.labels, spec_json(resource), {}};
  if (auto status = parse_json(resource.status); status.ok()) out.status = *status;
  return out;
}

}  // namespace kdsd::kds::replay
