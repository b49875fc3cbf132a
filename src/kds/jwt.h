// JSON web tokens in compact form, signed with RS256 and nothing else (tokens.md 1).
//
// Pure. The algorithm is never chosen by the token: a header that names another one is refused before any key is looked
// at, so an RS256 public key cannot be used as the secret of an HMAC.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "kds/rsa_keys.h"
#include "model/status.h"

namespace kdsd::kds {

namespace limits {
inline constexpr std::size_t token_bytes_max = 16 << 10;  // what a header of HTTP or gRPC may hold
inline constexpr std::size_t key_id_bytes_max = 64;
}  // namespace limits

struct Jwt {
  std::string key_id;
  boost::json::object claims;
  std::string signed_text;  // header and payload as they came
  std::string signature;    // bytes
};

// Code::malformed: three parts of base64url with JSON objects in the first two are not there, or too long.
// Code::denied: another algorithm, or no key id.
Result<Jwt> parse_jwt(std::string_view token);

// Code::denied: the signature is not by this key.
Status check_signature(const Jwt& token, const RsaKey& key);

// Code::invalid: the key cannot be used.
Result<std::string> sign_jwt(const boost::json::object& claims, std::string_view key_id, std::string_view private_key);

}  // namespace kdsd::kds
