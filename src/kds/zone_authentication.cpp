#include "kds/zone_authentication.h"

#include <algorithm>
#include <openssl/sha.h>
#include <utility>

namespace kdsd::kds {
namespace {

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string hash_of(const std::string& token) {
  std::string hash(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(),
         reinterpret_cast<unsigned char*>(hash.data()));
  return hash;
}

}  // namespace

ZoneAuthenticator::ZoneAuthenticator(ZoneAuthentication rules, const Index& index,
                                     policy::ControlPlaneKind control_plane, std::size_t tokens_remembered)
    : rules_(std::move(rules)),
      index_(index),
      control_plane_(std::move(control_plane)),
      tokens_remembered_(tokens_remembered) {}

Result<Timestamp> ZoneAuthenticator::authenticate(const ZoneCredentials& credentials, Timestamp now) {
  if (rules_.proof == ZoneProof::none || rules_.exempt_zones.contains(credentials.zone)) return Timestamp();
  const std::string who = "zone \"" + credentials.zone + "\" is not authenticated: ";
  if (rules_.proof == ZoneProof::client_certificate) {
    if (credentials.certificate_names.empty()) return Status(Code::denied, who + "it shows no client certificate");
    if (has(credentials.certificate_names, credentials.zone)) return Timestamp();
    return Status(Code::denied, who + "its client certificate is for another name");
  }
  if (credentials.token.empty()) return Status(Code::denied, who + "it sends no zone token");
  if (credentials.token.size() > limits::token_bytes_max)
    return Status(Code::denied, who + "its token is too long to be one");
  auto hash = hash_of(credentials.token);
  auto known = known_.find(hash);
  if (known == known_.end() || now >= known->second.expires) {
    auto verified = verify(credentials.token, now);
    if (!verified.ok()) return Status(Code::denied, who + verified.status().message());
    if (known_.size() >= tokens_remembered_) known_.clear();
    known = known_.insert_or_assign(std::move(hash), std::move(*verified)).first;
  }
  if (known->second.zone != credentials.zone) return Status(Code::denied, who + "the token is for another zone");
  return known->second.expires;
}

Result<ZoneAuthenticator::Known> ZoneAuthenticator::verify(const std::string& token, Timestamp now) {
  if (!verifier_) verifier_.emplace(rules_.tokens, collect_token_keys(index_, control_plane_, TokenKind::zone, ""));
  ++tokens_verified_;
  const auto verified = verifier_->verify(token, now);
  if (!verified.ok()) return verified.status();
  auto claims = zone_claims(verified->claims);
  if (!claims.ok()) return claims.status();
  if (!has(claims->scope, zone_control_plane_scope)) {
    return Status(Code::denied, "the scope of the token has no \"" + std::string(zone_control_plane_scope) + "\"");
  }
  return Known{std::move(claims->zone), verified->expires};
}

bool ZoneAuthenticator::on_change(const ResourceKey& secret) {
  if (!is_token_secret(control_plane_, TokenKind::zone, "", secret)) return false;
  verifier_.reset();
  known_.clear();
  return true;
}

}  // namespace kdsd::kds
