#include "kds/tokens.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "model/json.h"
#include "policy/core_name.h"

#include "kuma/system/v1alpha1/config.pb.h"

namespace kdsd::kds {
namespace json = boost::json;
namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;
constexpr std::int64_t backdated_seconds = 5;  // clocks of verifiers may be a little behind
constexpr std::size_t serial_digits_max = 18;  // what fits a number

// Where the secrets of a kind are and what they are called.
struct Place {
  const char* type;
  std::string key_prefix;
  std::string revocations;
};

Place place_of(TokenKind kind, std::string_view mesh) {
  if (kind == TokenKind::user) return {"GlobalSecret", "user-token-signing-key", "user-token-revocations"};
  if (kind == TokenKind::zone) return {"GlobalSecret", "zone-token-signing-key", "zone-token-revocations"};
  const std::string suffix = "-" + std::string(mesh);
  return {"Secret", "dataplane-token-signing-key" + suffix, "dataplane-token-revocations" + suffix};
}

std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t number = 0;
  if (digits.empty() || digits.size() > serial_digits_max) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string data_of(const Resource& secret) {
  kuma::system::v1alpha1::Secret spec;
  if (!spec.ParseFromString(secret.spec)) return {};
  return spec.data().value();
}

// Ids with commas between; one newline at the end is no part of the last.
void add_revoked(std::string_view list, std::set<std::string>& revoked) {
  if (list.ends_with('\n')) list.remove_suffix(1);
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (end > 0) revoked.emplace(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// Seconds since 1970, as a whole number or with a fraction.
std::optional<double> seconds_of(const json::object& claims, std::string_view name) {
  const auto* value = claims.if_contains(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return static_cast<double>(value->get_int64());
  if (value->is_uint64()) return static_cast<double>(value->get_uint64());
  if (value->is_double() && std::isfinite(value->get_double())) return value->get_double();
  return std::nullopt;
}

Timestamp timestamp_of(double seconds) {
  constexpr double last = 9.2e9;  // beyond it nanoseconds do not fit
  return {static_cast<std::int64_t>(std::clamp(seconds, 0.0, last) * static_cast<double>(nanos_per_second))};
}

Status check_life(const json::object& claims, const std::set<std::string>& revoked, Timestamp now, Timestamp& expires) {
  const double here = static_cast<double>(now.nanos) / static_cast<double>(nanos_per_second);
  const auto end = seconds_of(claims, "exp");
  if (!end) return Status(Code::denied, "the token has no end");
  if (here >= *end) return Status(Code::denied, "the token has expired");
  const auto begin = seconds_of(claims, "nbf");
  if (claims.contains("nbf") && (!begin || here < *begin)) return Status(Code::denied, "the token is not valid yet");
  const std::string id(find_text(claims, {"jti"}));
  if (id.empty()) return Status(Code::denied, "the token has no id");
  if (revoked.contains(id)) return Status(Code::denied, "the token is revoked");
  expires = timestamp_of(*end);
  return {};
}

// `zone-token-signing-key-7`, or without a number; how the number is spelled does not matter.
bool is_signing_key(const Place& place, std::string_view name) {
  if (!name.starts_with(place.key_prefix)) return false;
  name.remove_prefix(place.key_prefix.size());
  return name.empty() || name.starts_with('-');
}

// As `is_signing_key` says.
std::uint64_t serial_of(const Place& place, std::string_view name) {
  name.remove_prefix(place.key_prefix.size());
  return name.empty() ? 0 : number_of(name.substr(1)).value_or(0);
}

Result<std::vector<std::string>> texts_of(const json::object& claims, std::string_view name) {
  std::vector<std::string> out;
  const auto* list = claims.if_contains(name);
  if (list == nullptr || list->is_null()) return out;
  if (!list->is_array()) return Status(Code::denied, "the token's " + std::string(name) + " is no list");
  for (const auto& item : list->get_array()) {
    if (!item.is_string()) return Status(Code::denied, "the token's " + std::string(name) + " is no list of texts");
    out.emplace_back(item.get_string());
  }
  return out;
}

}  // namespace

std::string first_key_name(TokenKind kind, std::string_view mesh) {
  const auto place = place_of(kind, mesh);
  const auto in_mesh = kind == TokenKind::dataplane ? " in mesh \"" + std::string(mesh) + "\"" : std::string();
  return std::string(place.type) + " \"" + place.key_prefix + "-1\"" + in_mesh;
}

TokenKeys collect_token_keys(const Index& index, const policy::ControlPlaneKind& control_plane, TokenKind kind,
                             const std::string& mesh) {
  TokenKeys out;
  const auto place = place_of(kind, mesh);
  const auto take = [&](const ResourcePtr& secret) {
    // Users are known to one control plane only: no peer can give it keys.
    if (kind == TokenKind::user && secret->is_copy()) return;
    const auto name = policy::split_core_name(control_plane, *secret->type, secret->name).name;
    if (name == place.revocations) add_revoked(data_of(*secret), out.revoked);
    if (is_signing_key(place, name)) out.keys.push_back({serial_of(place, name), data_of(*secret)});
  };
  if (kind == TokenKind::dataplane) {
    index.each_in_mesh(*index.catalogue().find("Secret"), mesh, take);
    const auto& global = *index.catalogue().find("GlobalSecret");
    index.each(global, [&](const ResourcePtr& secret) {
      const auto name = policy::split_core_name(control_plane, global, secret->name).name;
      if (name == place.revocations) add_revoked(data_of(*secret), out.revoked);
    });
  } else {
    index.each(*index.catalogue().find("GlobalSecret"), take);
  }
  std::stable_sort(out.keys.begin(), out.keys.end(), [](const auto& a, const auto& b) { return a.serial < b.serial; });
  return out;
}

bool is_token_secret(const policy::ControlPlaneKind& control_plane, TokenKind kind, const std::string& mesh,
                     const ResourceKey& secret) {
  const auto place = place_of(kind, mesh);
  const auto name = policy::split_core_name(control_plane, *secret.type, secret.name).name;
  const bool may_hold_keys = secret.type->name == place.type && secret.mesh == mesh;
  if (may_hold_keys && is_signing_key(place, name)) return true;
  // Those of a mesh may also be revoked for all meshes together.
  return name == place.revocations && (may_hold_keys || secret.type->name == "GlobalSecret");
}

TokenVerifier::TokenVerifier(const TokenRules& rules, TokenKeys keys) : revoked_(std::move(keys.revoked)) {
  for (const auto& key : rules.static_keys) static_keys_.push_back({key.id, read_public_key(key.pem)});
  if (!rules.use_secrets) return;
  for (const auto& key : keys.keys) secret_keys_.push_back({key.serial, read_public_key(key.key)});
}

Status TokenVerifier::check(const Jwt& token) const {
  Status last(Code::denied, "there is no key with the id that the token names");
  const auto is_by = [&](const Result<RsaKey>& key) {
    last = key.ok() ? check_signature(token, *key) : key.status();
    return last.ok();
  };
  for (const auto& each : static_keys_) {
    if (each.id == token.key_id && is_by(each.key)) return last;
  }
  const auto serial = number_of(token.key_id);
  if (!serial) return last;
  for (const auto& each : secret_keys_) {
    if (each.serial == *serial && is_by(each.key)) return last;
  }
  return last;
}

Result<VerifiedToken> TokenVerifier::verify(std::string_view token, Timestamp now) const {
  auto parsed = parse_jwt(token);
  if (!parsed.ok()) return Status(Code::denied, parsed.status().message());
  if (auto status = check(*parsed); !status.ok()) return Status(Code::denied, status.message());
  VerifiedToken out;
  if (auto status = check_life(parsed->claims, revoked_, now, out.expires); !status.ok()) return status;
  out.claims = std::move(parsed->claims);
  return out;
}

Result<UserClaims> user_claims(const json::object& claims) {
  UserClaims out;
  out.name = find_text(claims, {"Name"});
  if (out.name.empty()) return Status(Code::denied, "the token names no user");
  auto groups = texts_of(claims, "Groups");
  if (!groups.ok()) return groups.status();
  out.groups = std::move(*groups);
  return out;
}

Result<ZoneClaims> zone_claims(const json::object& claims) {
  ZoneClaims out;
  out.zone = find_text(claims, {"Zone"});
  if (out.zone.empty()) return Status(Code::denied, "the token names no zone");
  auto scope = texts_of(claims, "Scope");
  if (!scope.ok()) return scope.status();
  out.scope = std::move(*scope);
  return out;
}

json::object claims_of(const UserClaims& user) {
  return {{"Name", user.name}, {"Groups", json::array(user.groups.begin(), user.groups.end())}};
}

json::object claims_of(const ZoneClaims& zone) {
  return {{"Zone", zone.zone}, {"Scope", json::array(zone.scope.begin(), zone.scope.end())}};
}

Result<std::string> issue_token(json::object claims, const TokenLife& life, std::string_view key_id,
                                std::string_view private_key) {
  const auto now = life.now.nanos / nanos_per_second;
  claims["exp"] = now + life.valid_nanos / nanos_per_second;
  claims["nbf"] = now - backdated_seconds;
  claims["iat"] = now - backdated_seconds;
  claims["jti"] = life.id;
  return sign_jwt(claims, key_id, private_key);
}

}  // namespace kdsd::kds
