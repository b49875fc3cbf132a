#include "kds/jwt.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/json.h"

namespace kdsd::kds {
namespace json = boost::json;
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string to_base64url(std::string_view bytes) {
  std::string out;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += alphabet[(buffer >> bits) & 0x3f];
    }
  }
  if (bits > 0) out += alphabet[(buffer << (6 - bits)) & 0x3f];
  return out;
}

// Without padding, and with nothing in the bits that no byte owns: each value has one spelling only.
std::optional<std::string> from_base64url(std::string_view text) {
  std::string out;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const auto value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    buffer = (buffer << 6) | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((buffer >> bits) & 0xff);
  }
  const bool has_rest = (buffer & ((1U << bits) - 1)) != 0;
  if (bits == 6 || has_rest) return std::nullopt;
  return out;
}

std::optional<json::object> object_from(std::string_view part) {
  const auto text = from_base64url(part);
  if (!text) return std::nullopt;
  auto value = parse_json(*text);
  if (!value.ok() || !value->is_object()) return std::nullopt;
  return std::move(value->get_object());
}

}  // namespace

Result<Jwt> parse_jwt(std::string_view token) {
  const Status malformed(Code::malformed, "not a JSON web token");
  if (token.empty() || token.size() > limits::token_bytes_max) return malformed;
  if (std::count(token.begin(), token.end(), '.') != 2) return malformed;
  const auto first = token.find('.');
  const auto second = token.rfind('.');
  const auto header = object_from(token.substr(0, first));
  auto claims = object_from(token.substr(first + 1, second - first - 1));
  auto signature = from_base64url(token.substr(second + 1));
  if (!header || !claims || !signature) return malformed;
  if (find_text(*header, {"alg"}) != "RS256") return Status(Code::denied, "only tokens signed with RS256 are accepted");
  const std::string key_id(find_text(*header, {"kid"}));
  if (key_id.empty() || key_id.size() > limits::key_id_bytes_max)
    return Status(Code::denied, "the token does not name the key it was signed with");
  // A header that a verifier has to understand: none is understood here.
  if (header->contains("crit")) return Status(Code::denied, "the token has critical headers");
  return Jwt{key_id, std::move(*claims), std::string(token.substr(0, second)), std::move(*signature)};
}

Status check_signature(const Jwt& token, const RsaKey& key) {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* signature = reinterpret_cast<const unsigned char*>(token.signature.data());
  const auto* text = reinterpret_cast<const unsigned char*>(token.signed_text.data());
  const bool is_good =
      context && EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context.get(), signature, token.signature.size(), text, token.signed_text.size()) == 1;
  if (!is_good) return Status(Code::denied, "the token's signature is not right");
  return {};
}

Result<std::string> sign_jwt(const json::object& claims, std::string_view key_id, std::string_view private_key) {
  auto rsa = read_private_key(private_key);
  if (!rsa.ok()) return rsa.status();
  const json::object header{{"alg", "RS256"}, {"kid", key_id}, {"typ", "JWT"}};
  auto text = to_base64url(to_compact_json(header)) + "." + to_base64url(to_compact_json(claims));
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(rsa->get())), '\0');
  auto size = signature.size();
  const bool is_signed =
      context && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, rsa->get()) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) == 1;
  if (!is_signed) return Status(Code::invalid, "the key cannot sign");
  signature.resize(size);
  return text + "." + to_base64url(signature);
}

}  // namespace kdsd::kds
