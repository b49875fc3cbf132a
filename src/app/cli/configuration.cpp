#include "app/cli/configuration.h"

namespace kdsd::app::cli {

Result<LoadedConfig> load_configuration(const Console& console, const std::string& file) {
  ConfigSource source;
  if (!file.empty()) source.file_path = file;
  for (const auto& [name, value] : console.environment) {
    if (name.starts_with("KUMA_") || name.starts_with("KDSD_") || name == "HOME")
      source.environment.emplace(name, value);
  }
  for (const auto* type : Catalogue::builtin().types()) {
    if (type->is_target_ref_policy) source.policy_types.push_back(type->path);
    if (type->is_plugin && !type->is_policy) source.core_resource_types.push_back(type->path);
  }
  return load_config(source);
}

store::SqliteOptions store_options(const Config& config) {
  store::SqliteOptions options;
  options.path = config.store.path;
  options.catalogue = &Catalogue::builtin();
  options.purpose.mode = config.is_global() ? "global" : "zone";
  if (!config.is_global()) options.purpose.zone = config.zone_name;
  options.purpose.environment = config.environment == Environment::kubernetes ? "kubernetes" : "universal";
  return options;
}

}  // namespace kdsd::app::cli
