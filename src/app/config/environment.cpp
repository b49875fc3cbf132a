// Environment variables over the settings (declared in app/config/settings.h).
#include <algorithm>

#include "app/config/nearest.h"
#include "app/config/settings.h"

namespace kdsd::app {
namespace {

// Variables of the command line, not of the daemon.
constexpr std::string_view command_line_variables[] = {"KDSD_ADDRESS", "KDSD_TOKEN"};

using Variables = std::map<std::string, std::string>;

const std::string* find_variable(const Variables& environment, std::string_view name) {
  if (name.empty()) return nullptr;
  auto found = environment.find(std::string(name));
  return found == environment.end() ? nullptr : &found->second;
}

void apply_key(const Key& key, const Variables& environment, Settings& settings, Findings& findings) {
  const std::string* first = find_variable(environment, key.variable);
  const std::string* second = find_variable(environment, key.other_variable);
  if (first == nullptr && second == nullptr) return;
  if (first != nullptr && second != nullptr && *first != *second) {
    const std::string shown = key.is_secret ? "" : ": \"" + *first + "\" and \"" + *second + "\"";
    findings.refuse(key.path, std::string(key.variable) + " and " + std::string(key.other_variable) +
                                  " are two names of one setting and differ" + shown + "; set one of them");
    return;
  }
  const std::string_view variable = first != nullptr ? key.variable : key.other_variable;
  const std::string& text = first != nullptr ? *first : *second;
  auto value = parse_value(key, text);
  if (!value.ok()) {
    findings.refuse(key.path, refusal(key, text, variable, value.status().message()));
    return;
  }
  settings.set(key, std::move(*value), std::string(variable));
}

std::vector<std::string_view> known_variables() {
  std::vector<std::string_view> out;
  for (const auto& key : all_keys()) {
    if (!key.variable.empty()) out.push_back(key.variable);
    if (!key.other_variable.empty()) out.push_back(key.other_variable);
  }
  return out;
}

bool is_of_command_line(std::string_view name) {
  for (auto known : command_line_variables) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

void apply_environment(const Variables& environment, Settings& settings, Findings& findings) {
  for (const auto& key : all_keys()) apply_key(key, environment, settings, findings);

  const auto known = known_variables();
  for (const auto& [name, text] : environment) {
    if (!name.starts_with("KUMA_") && !name.starts_with("KDSD_")) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (is_foreign_variable(name) || is_of_command_line(name)) continue;
    findings.warn("variable " + name + " is unknown and ignored; the nearest known one is " +
                  std::string(nearest(name, known)));
  }
}

}  // namespace kdsd::app
