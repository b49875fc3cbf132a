#include "policy/engine/merge_budget.h"

namespace kdsd::policy {
namespace {

constexpr std::size_t part_bytes = 64;

}  // namespace

std::size_t parts_of(const boost::json::value& conf) {
  if (const auto* text = conf.if_string()) return 1 + text->size() / part_bytes;
  std::size_t parts = 1;
  if (const auto* array = conf.if_array()) {
    for (const auto& element : *array) parts += parts_of(element);
  } else if (const auto* object = conf.if_object()) {
    for (const auto& member : *object) parts += member.key().size() / part_bytes + parts_of(member.value());
  }
  return parts;
}

}  // namespace kdsd::policy
