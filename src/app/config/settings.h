// The value of every key with the place it came from, while defaults, file and environment are laid over each other.
//
// Pure; one owner. Spec: configuration, sources and precedence.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/value.h"
#include "model/status.h"

namespace kdsd::app {

struct Setting {
  const Key* key = nullptr;
  Value value;
  std::string source = "default";  // or "kdsd.yaml:12", or the variable
  bool is_explicit = false;
};

// What was found while loading: broken rules stop the start, warnings do not.
struct Findings {
  Violations violations;
  std::vector<std::string> warnings;

  void refuse(std::string_view field, std::string reason) {
    violations.push_back({std::string(field), std::move(reason)});
  }
  void warn(std::string text) { warnings.push_back(std::move(text)); }
};

class Settings {
 public:
  Settings();

  // A path that is not in the table is an error of the caller: the process ends.
  const Setting& at(std::string_view path) const;
  Setting& at(std::string_view path);
  const std::vector<Setting>& all() const { return settings_; }

  // An explicit value. A later call wins.
  void set(const Key& key, Value value, std::string source);

  const std::string& text(std::string_view path) const;
  bool flag(std::string_view path) const;
  std::int64_t number(std::string_view path) const;
  const std::vector<std::string>& list(std::string_view path) const;
  const std::vector<PublicKey>& public_keys(std::string_view path) const;

 private:
  std::vector<Setting> settings_;  // in the order of the table
};

// Why a value cannot stay: "\"70000\" (kdsd.yaml:3) is not accepted, want a port from 0 to 65535".
std::string refusal(const Key& key, std::string_view value, std::string_view source, std::string_view accepted);
std::string refusal(const Setting& setting, std::string_view accepted);

// Lays a YAML (or JSON) text over the settings. `name` is what messages call the file.
// Fails when the text is no YAML at all; everything else is a finding.
Status apply_file(std::string_view text, std::string_view name, Settings& settings, Findings& findings);

// Lays environment variables over the settings; those of other programs are passed over.
void apply_environment(const std::map<std::string, std::string>& environment, Settings& settings, Findings& findings);

// One line for each setting that was asked for and has no effect here.
void warn_without_effect(const Settings& settings, Findings& findings);

// Fills what was left empty from what is there: work directory, certificates, TLS versions, store path, old names.
void resolve(const std::map<std::string, std::string>& environment, Settings& settings, Findings& findings);

// The rules that concern more than the form of one value. Reads the files that are named, to see that it can.
void validate(Settings& settings, Findings& findings);

}  // namespace kdsd::app
