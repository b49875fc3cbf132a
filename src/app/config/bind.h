// Turns settings, by then complete and valid, into the typed configuration.
//
// Pure.
#pragma once

#include <set>
#include <string>

#include "app/config/config.h"
#include "app/config/settings.h"

namespace kdsd::app {

// "grpcs://host:port"; none when it is something else.
std::optional<GlobalAddress> parse_global_address(std::string_view text);

// `read` collects the paths that were used, so that a test can find keys that are accepted and forgotten.
Config bind_config(const Settings& settings, std::set<std::string>* read = nullptr);

}  // namespace kdsd::app
