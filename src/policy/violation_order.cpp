#include "policy/violation_order.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/json.h"
#include "policy/type_rules.h"

namespace kdsd::policy {
namespace {

struct Place {
  std::size_t section = 0;  // 0: before all of them
  std::size_t item = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

constexpr Place behind_all = {std::numeric_limits<std::size_t>::max(), 0};

// Where a field lies: the section, counted from 1, and its item. Nothing where it lies in no section.
std::optional<Place> place_of(std::string_view field, const std::vector<std::string_view>& sections) {
  constexpr std::string_view spec = "spec.";
  if (!field.starts_with(spec)) return std::nullopt;
  field.remove_prefix(spec.size());
  const auto name = field.substr(0, field.find_first_of(".["));
  const auto section = std::find(sections.begin(), sections.end(), name);
  if (section == sections.end()) return std::nullopt;
  Place out{static_cast<std::size_t>(section - sections.begin()) + 1, 0};
  field.remove_prefix(name.size());
  if (field.starts_with('[')) std::from_chars(field.data() + 1, field.data() + field.size(), out.item);
  return out;
}

}  // namespace

Violations in_order_of_items(const ResourceType& type, Violations first, Violations second) {
  std::vector<std::string_view> sections;
  for (const auto step : texts(find(type.target_refs, {"evaluationOrder"}))) {
    if (step == "from" || step == "to" || step == "rules") sections.push_back(step);
  }
  std::vector<std::pair<Place, Violation>> all;
  all.reserve(first.size() + second.size());
  Place last;
  for (auto& violation : first) {
    if (const auto place = place_of(violation.field, sections)) last = *place;
    all.emplace_back(last, std::move(violation));
  }
  for (auto& violation : second) {
    const auto place = place_of(violation.field, sections).value_or(behind_all);
    all.emplace_back(place, std::move(violation));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Violations out;
  out.reserve(all.size());
  for (auto& [place, violation] : all) out.push_back(std::move(violation));
  return out;
}

}  // namespace kdsd::policy
