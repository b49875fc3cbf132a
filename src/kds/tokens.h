// User, zone and dataplane tokens: which keys sign and verify them, what they claim, when they count (tokens.md 1 to
// 3).
//
// Pure. Keys and revocations are collected from the index on the core executor; everything else works on that copy and
// may run on any thread, or on several at once. A refused token is Code::denied with a reason for the log: callers are
// told only that it was refused.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kds/index.h"
#include "kds/jwt.h"
#include "kds/rsa_keys.h"
#include "model/status.h"
#include "policy/control_plane.h"

namespace kdsd::kds {

enum class TokenKind { user, zone, dataplane };

// The scope of a zone token that speaks for a zone control plane, beside Kuma's `ingress` and `egress`.
inline constexpr std::string_view zone_control_plane_scope = "cp";

// A key of the configuration; found by the text of its id.
struct StaticKey {
  std::string id;
  std::string pem;
};

struct SigningKey {
  std::uint64_t serial = 0;
  std::string key;  // as in rsa_keys.h
};

struct TokenKeys {
  std::vector<SigningKey> keys;   // by serial, the highest last: that one signs
  std::set<std::string> revoked;  // ids of tokens

  const SigningKey* newest() const { return keys.empty() ? nullptr : &keys.back(); }
};

// The secret that would hold the first key of the kind.
std::string first_key_name(TokenKind kind, std::string_view mesh);

// `mesh`: of dataplane tokens, else empty.
TokenKeys collect_token_keys(const Index& index, const policy::ControlPlaneKind& control_plane, TokenKind kind,
                             const std::string& mesh);

// Whether the secret is one that `collect_token_keys` takes something from.
bool is_token_secret(const policy::ControlPlaneKind& control_plane, TokenKind kind, const std::string& mesh,
                     const ResourceKey& secret);

// How tokens of one kind are verified here.
struct TokenRules {
  std::vector<StaticKey> static_keys;  // tried first
  bool use_secrets = true;
};

struct VerifiedToken {
  boost::json::object claims;
  Timestamp expires;
};

// Signature, times and revocation; what the claims mean is for the reader. Reads its keys once, so that a token costs
// no more than a signature for each key with the id that it names.
class TokenVerifier {
 public:
  TokenVerifier(const TokenRules& rules, TokenKeys keys);

  Result<VerifiedToken> verify(std::string_view token, Timestamp now) const;

 private:
  struct StaticRsaKey {
    std::string id;
    Result<RsaKey> key;
  };
  struct SecretRsaKey {
    std::uint64_t serial = 0;
    Result<RsaKey> key;
  };

  Status check(const Jwt& token) const;

  std::vector<StaticRsaKey> static_keys_;
  std::vector<SecretRsaKey> secret_keys_;
  std::set<std::string> revoked_;
};

struct UserClaims {
  std::string name;
  std::vector<std::string> groups;
};
struct ZoneClaims {
  std::string zone;
  std::vector<std::string> scope;
};
Result<UserClaims> user_claims(const boost::json::object& claims);
Result<ZoneClaims> zone_claims(const boost::json::object& claims);

boost::json::object claims_of(const UserClaims& user);
boost::json::object claims_of(const ZoneClaims& zone);

// When a token begins and ends, and the id by which it can be revoked.
struct TokenLife {
  Timestamp now;
  std::int64_t valid_nanos = 0;
  std::string id;
};

// Adds the times and the id to `claims` and signs. Code::invalid: the key cannot sign.
Result<std::string> issue_token(boost::json::object claims, const TokenLife& life, std::string_view key_id,
                                std::string_view private_key);

}  // namespace kdsd::kds
