#include "app/cli/configuration.h"

namespace kdsd::app::cli {

Result<LoadedConfig> load_configuration(const Console& console, const std::string& file) {
  ConfigSource source;
  if (!file.empty()) source.file_path = file;
  for (const auto& [name, value] : console.environment) {
    if (name.starts_with("KUMA_") || name.starts_with("KDSD_") || name == "HOME")
      source.environment.emplace(name, value);
  }
  add_known_types(source, Catalogue::builtin());
  return load_config(source);
}

}  // namespace kdsd::app::cli
