// The files with certificates, keys and tokens that a control plane uses, and whether one of them has changed.
//
// Looks at files, reads none. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"
#include "model/status.h"

namespace kdsd::app {

std::vector<std::string> credential_files(const Config& config);

// The certificates in `apiServer.auth.clientCertsDir`, by name. Code::not_found: the folder cannot be read.
Result<std::vector<std::string>> client_certificate_files(const std::string& directory);

// Differs when a file was written, replaced, made or removed since; links are followed.
std::string stamp_of(const std::vector<std::string>& files);

}  // namespace kdsd::app
