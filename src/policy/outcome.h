// What a validator found: broken rules, and remarks that do not stop a write.
//
// Pure values, and the spelling of field paths that every validator shares (rest-api.md 4: `a.b`, `a[0]`, `a["key"]`).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/status.h"

namespace kdsd::policy {

namespace limits {
// Of one document: nobody reads more, and a document of a few megabytes could have millions.
inline constexpr std::size_t violations = 1000;
}  // namespace limits

struct Outcome {
  Violations violations;
  std::vector<std::string> warnings;

  bool ok() const { return violations.empty(); }
  void refuse(std::string field, std::string reason) {
    if (violations.size() < limits::violations) violations.push_back({std::move(field), std::move(reason)});
  }
  void warn(std::string text) { warnings.push_back(std::move(text)); }
};

// "field: reason; field: reason": the text a NACK carries.
std::string joined(const Violations& violations);

std::string member(std::string_view path, std::string_view name);
std::string element(std::string_view path, std::size_t index);
std::string keyed(std::string_view path, std::string_view key);

}  // namespace kdsd::policy
