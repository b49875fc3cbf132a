#include "app/config/config.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

#include "app/config/bind.h"
#include "app/config/nearest.h"
#include "app/config/settings.h"

namespace kdsd::app {
namespace json = boost::json;
namespace {

// A full reference file has 40 KiB; nothing that large is a configuration.
constexpr std::size_t file_bytes_max = 1 << 20;

Result<std::string> read_config_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(Code::not_found, path + ": the configuration file cannot be read");
  std::string text(file_bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Status(Code::not_found, path + ": the configuration file cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

Status apply_source_file(const ConfigSource& source, Settings& settings, Findings& findings) {
  if (!source.file_path && !source.file_text) return {};
  const std::string name = source.file_path.value_or("configuration");
  Result<std::string> text = source.file_text ? Result<std::string>(*source.file_text) : read_config_file(name);
  if (!text.ok()) return text.status();
  if (text->size() > file_bytes_max) {
    return Status(Code::malformed, name + ": larger than " + std::to_string(file_bytes_max) + " bytes");
  }
  return apply_file(*text, name, settings, findings);
}

// Unset means all: show the names. Set: a name that is none of them switches on nothing, so say it.
void resolve_types(std::string_view path, const std::vector<std::string>& known, Settings& settings,
                   Findings& findings) {
  if (known.empty()) return;
  Setting& setting = settings.at(path);
  if (!setting.is_explicit) {
    auto sorted = known;
    std::sort(sorted.begin(), sorted.end());
    setting.value = std::move(sorted);
    return;
  }
  for (const auto& name : std::get<std::vector<std::string>>(setting.value)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    findings.warn(std::string(path) + ": \"" + name + "\" (" + setting.source +
                  ") is no type that exists here; did you mean " + std::string(nearest(name, names)) + "?");
  }
}

void insert_nested(json::object& root, std::string_view path, json::value value) {
  json::object* level = &root;
  for (auto dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    json::value& next = (*level)[path.substr(0, dot)];
    if (!next.is_object()) next.emplace_object();
    level = &next.get_object();
    path.remove_prefix(dot + 1);
  }
  (*level)[path] = std::move(value);
}

LoadedConfig finish(const Settings& settings, std::vector<std::string> warnings) {
  LoadedConfig out;
  out.config = bind_config(settings);
  out.warnings = std::move(warnings);
  for (const auto& setting : settings.all()) {
    out.values.push_back({std::string(setting.key->path), show_text(*setting.key, setting.value), setting.source,
                          setting.key->decision});
    insert_nested(out.effective, setting.key->path, show_json(*setting.key, setting.value));
  }
  return out;
}

}  // namespace

Result<LoadedConfig> load_config(const ConfigSource& source) {
  Settings settings;
  Findings findings;
  auto read = apply_source_file(source, settings, findings);
  if (!read.ok()) return read;
  apply_environment(source.environment, settings, findings);
  warn_without_effect(settings, findings);
  resolve_types("policies.pluginPoliciesEnabled", source.policy_types, settings, findings);
  resolve_types("coreResources.enabled", source.core_resource_types, settings, findings);
  resolve(source.environment, settings, findings);
  validate(settings, findings);
  if (!findings.violations.empty()) return Status(Code::invalid, "configuration refused", findings.violations);
  return finish(settings, std::move(findings.warnings));
}

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    if (!name.starts_with("KUMA_") && !name.starts_with("KDSD_") && name != "HOME") continue;
    out.emplace(name, line.substr(equals + 1));
  }
  return out;
}

void add_known_types(ConfigSource& source, const Catalogue& catalogue) {
  for (const auto* type : catalogue.types()) {
    if (type->is_target_ref_policy) source.policy_types.push_back(type->path);
    if (type->is_plugin && !type->is_policy) source.core_resource_types.push_back(type->path);
  }
}

}  // namespace kdsd::app
