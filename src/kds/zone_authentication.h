// Whether who calls is the zone it says it is (tokens.md 4). Off unless configured: a Kuma zone cannot prove it.
//
// Pure; runs on the core executor.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kds/index.h"
#include "kds/tokens.h"
#include "model/status.h"
#include "policy/control_plane.h"

namespace kdsd::kds {

enum class ZoneProof { none, zone_token, client_certificate };

struct ZoneAuthentication {
  ZoneProof proof = ZoneProof::none;
  std::set<std::string> exempt_zones;  // believed by name alone
  TokenRules tokens;
};

// What came with a call of a zone.
struct ZoneCredentials {
  std::string zone;                            // the name it states
  std::string token;                           // of `authorization: Bearer`, empty when there was none
  std::vector<std::string> certificate_names;  // of a client certificate that was verified
};

// Until when the proof holds; 0: for as long as the connection. Code::denied with the reason.
Result<Timestamp> authenticate_zone(const ZoneAuthentication& rules, const ZoneCredentials& credentials,
                                    const Index& index, const policy::ControlPlaneKind& control_plane, Timestamp now);

}  // namespace kdsd::kds
