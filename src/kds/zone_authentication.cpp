#include "kds/zone_authentication.h"

#include <algorithm>

namespace kdsd::kds {
namespace {

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

Result<Timestamp> authenticate_zone(const ZoneAuthentication& rules, const ZoneCredentials& credentials,
                                    const Index& index, const policy::ControlPlaneKind& control_plane, Timestamp now) {
  if (rules.proof == ZoneProof::none || rules.exempt_zones.contains(credentials.zone)) return Timestamp();
  const std::string who = "zone \"" + credentials.zone + "\" is not authenticated: ";
  if (rules.proof == ZoneProof::client_certificate) {
    if (credentials.certificate_names.empty()) return Status(Code::denied, who + "it shows no client certificate");
    if (has(credentials.certificate_names, credentials.zone)) return Timestamp();
    return Status(Code::denied, who + "its client certificate is for another name");
  }
  if (credentials.token.empty()) return Status(Code::denied, who + "it sends no zone token");
  const auto keys = collect_token_keys(index, control_plane, TokenKind::zone, "");
  auto token = verify_token(credentials.token, rules.tokens, keys, now);
  if (!token.ok()) return Status(Code::denied, who + token.status().message());
  const auto claims = zone_claims(token->claims);
  if (!claims.ok()) return Status(Code::denied, who + claims.status().message());
  if (claims->zone != credentials.zone) return Status(Code::denied, who + "the token is for another zone");
  if (!has(claims->scope, zone_control_plane_scope))
    return Status(Code::denied,
                  who + "the scope of the token has no \"" + std::string(zone_control_plane_scope) + "\"");
  return token->expires;
}

}  // namespace kdsd::kds
