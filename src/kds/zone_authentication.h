// Whether who calls is the zone it says it is (tokens.md 4). Off unless configured: a Kuma zone cannot prove it.
//
// Pure; owned by the core executor, on which every call of a zone is looked at. What it costs there is bounded: keys
// are read once, a token that was accepted is known by its hash from then on, and anything else costs one signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kds/index.h"
#include "kds/tokens.h"
#include "model/status.h"
#include "policy/control_plane.h"

namespace kdsd::kds {

namespace limits {
// Accepted tokens that are known again; a zone has one, and only signed ones get in. Beyond it all are forgotten.
inline constexpr std::size_t zone_tokens_remembered = 4'096;
}  // namespace limits

enum class ZoneProof { none, zone_token, client_certificate };

struct ZoneAuthentication {
  ZoneProof proof = ZoneProof::none;
  std::set<std::string> exempt_zones;  // believed by name alone
  TokenRules tokens;

  bool is_on() const { return proof != ZoneProof::none; }
};

// What came with a call of a zone.
struct ZoneCredentials {
  std::string zone;                            // the name it states
  std::string token;                           // of `authorization: Bearer`, empty when there was none
  std::vector<std::string> certificate_names;  // of a client certificate that was verified
};

class ZoneAuthenticator {
 public:
  // `index` must outlive it.
  ZoneAuthenticator(ZoneAuthentication rules, const Index& index, policy::ControlPlaneKind control_plane,
                    std::size_t tokens_remembered = limits::zone_tokens_remembered);

  // Until when the proof holds; 0: for as long as the connection. Code::denied with the reason.
  Result<Timestamp> authenticate(const ZoneCredentials& credentials, Timestamp now);

  // The secret was written or removed. True: it is one of those that count, and what was proved has to be again.
  bool on_change(const ResourceKey& secret);

  std::uint64_t tokens_verified() const { return tokens_verified_; }

 private:
  struct Known {
    std::string zone;
    Timestamp expires;
  };

  Result<Known> verify(const std::string& token, Timestamp now);

  const ZoneAuthentication rules_;
  const Index& index_;
  const policy::ControlPlaneKind control_plane_;
  const std::size_t tokens_remembered_;
  std::optional<TokenVerifier> verifier_;         // nothing: the keys are to be collected
  std::unordered_map<std::string, Known> known_;  // by hash of the token
  std::uint64_t tokens_verified_ = 0;
};

}  // namespace kdsd::kds
