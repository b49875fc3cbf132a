// Zone token signing keys on their way to zones: the public half under a public name (kds-protocol.md 11.2). Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/status.h"

namespace kdsd::kds {

inline constexpr std::string_view zone_signing_key_prefix = "zone-token-signing-key";
inline constexpr std::string_view zone_public_key_prefix = "zone-token-signing-public-key";

// PEM `RSA PUBLIC KEY` (PKCS#1) of a PEM `RSA PRIVATE KEY`.
Result<std::string> public_half(std::string_view private_pem);

// zone-token-signing-key-1 → zone-token-signing-public-key-1
std::string public_key_name(std::string_view name);

}  // namespace kdsd::kds
