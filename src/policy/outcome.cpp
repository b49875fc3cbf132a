#include "policy/outcome.h"

namespace kdsd::policy {

std::string joined(const Violations& violations) {
  std::string out;
  for (const auto& violation : violations) {
    if (!out.empty()) out += "; ";
    out += violation.field + ": " + violation.reason;
  }
  return out;
}

std::string member(std::string_view path, std::string_view name) {
  std::string out(path);
  if (!out.empty()) out += '.';
  return out.append(name);
}

std::string element(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

std::string keyed(std::string_view path, std::string_view key) {
  return std::string(path).append("[\"").append(key).append("\"]");
}

}  // namespace kdsd::policy
