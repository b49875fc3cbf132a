// What the configuration says about the KDS port of a global, and about a zone's link to it.
//
// Reads the files that the configuration names, and nothing else.
#pragma once

#include <string>

#include "app/config/config.h"
#include "model/status.h"
#include "net/channel.h"
#include "net/kds_server.h"

namespace kdsd::app {

// How zones prove their names to this global.
kds::ZoneAuthentication zone_authentication(const Config& config);

// Refused: a greatest TLS version of 1.2, which gRPC cannot keep to, and suites of which none is for TLS 1.2 while that
// version is allowed.
Result<net::ServerOptions> kds_server_options(const Config& config);

// For a federated zone. `version`: of this program, as a Kuma version. Refused: a token file with anything in it that
// is no token.
Result<net::ClientOptions> kds_client_options(const Config& config, const std::string& version);

}  // namespace kdsd::app
