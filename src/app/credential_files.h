// The files with certificates, keys and tokens that a control plane uses, and whether one of them has changed.
//
// Looks at files, reads none. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"

namespace kdsd::app {

std::vector<std::string> credential_files(const Config& config);

// Differs when a file was written, replaced, made or removed since; links are followed.
std::string stamp_of(const std::vector<std::string>& files);

}  // namespace kdsd::app
