// RSA keys in the forms in which secrets and configuration hold them (tokens.md 2).
//
// Pure. A key is PEM `RSA PRIVATE KEY`, `PRIVATE KEY`, `RSA PUBLIC KEY` or `PUBLIC KEY`, or the old binary PKCS#1 form.
// Errors: Code::invalid for what is no such key; the text never holds key material.
#pragma once

#include <memory>
#include <openssl/evp.h>
#include <string_view>

#include "model/status.h"

namespace kdsd::kds {

using RsaKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Result<RsaKey> read_private_key(std::string_view text);
// Of either half: a private key has its public one in it.
Result<RsaKey> read_public_key(std::string_view text);

}  // namespace kdsd::kds
