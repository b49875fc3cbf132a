// What the configuration says about the store of this control plane: one answer for `run` and for the commands on its
// files.
#pragma once

#include "app/config/config.h"
#include "store/store.h"

namespace kdsd::app {

inline store::SqliteOptions store_options(const Config& config) {
  store::SqliteOptions options;
  options.path = config.store.path;
  options.catalogue = &Catalogue::builtin();
  options.purpose.mode = config.is_global() ? "global" : "zone";
  if (!config.is_global()) options.purpose.zone = config.zone_name;
  options.purpose.environment = config.environment == Environment::kubernetes ? "kubernetes" : "universal";
  return options;
}

}  // namespace kdsd::app
