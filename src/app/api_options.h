// The configuration as the API wants it: facts for its handlers, and TLS material read from files.
//
// Thread safe. Errors name the file or key.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <set>
#include <string>

#include "api/api_server.h"
#include "api/backend.h"
#include "app/config/config.h"
#include "kds/tokens.h"

namespace kdsd::app {

policy::ControlPlaneKind kind_of(const Config& config);

// Types that the configuration switches off.
std::set<std::string> disabled_types(const Config& config);

// `effective`: for GET /config.
api::Facts api_facts(const Config& config, const boost::json::object& effective);

kds::TokenRules token_rules(const TokenVerification& verification);

// Nothing where the listener has no TLS.
Result<std::optional<api::TlsOptions>> https_options(const Config& config);
Result<std::optional<api::TlsOptions>> diagnostics_tls_options(const Config& config);

}  // namespace kdsd::app
