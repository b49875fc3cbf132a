// The configuration as the commands see it that work on a control plane's files: file, environment, and known types.
#pragma once

#include <string>

#include "app/cli/console.h"
#include "app/config/config.h"
#include "app/store_options.h"

namespace kdsd::app::cli {

// `file` may be empty: defaults and environment alone.
Result<LoadedConfig> load_configuration(const Console& console, const std::string& file);

}  // namespace kdsd::app::cli
