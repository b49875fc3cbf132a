#include "model/hash.h"

#include <cstdint>

#include "model/clipped.h"

namespace kdsd {
namespace {

constexpr std::size_t kept_name_bytes = 236;  // with dash and suffix 253, what Kubernetes allows
constexpr std::size_t suffix_length = 16;
constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";

void feed(std::uint64_t& hash, std::string_view text) {
  for (unsigned char byte : text) {
    hash ^= byte;
    hash *= 0x100000001b3ULL;
  }
}

}  // namespace

std::string hashed_name(std::string_view mesh, std::string_view name, const std::vector<std::string_view>& values) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  feed(hash, mesh);
  feed(hash, name);
  for (auto value : values) feed(hash, value);

  std::string out(clipped(name, kept_name_bytes));
  out += '-';
  for (std::size_t i = 0; i < suffix_length; ++i) {
    unsigned nibble = (hash >> (60 - 4 * i)) & 0xf;
    unsigned char hex = static_cast<unsigned char>(nibble < 10 ? '0' + nibble : 'a' + nibble - 10);
    out += alphabet[hex % alphabet.size()];
  }
  return out;
}

std::string canonical_name(std::string_view mesh, std::string_view name, const Labels& labels) {
  std::vector<std::string_view> values;
  if (labels.has(label::zone)) values.push_back(labels.get(label::zone));
  if (labels.has(label::namespace_)) values.push_back(labels.get(label::namespace_));
  const auto& shown = labels.get(label::display_name);
  return hashed_name(mesh, shown.empty() ? name : std::string_view(shown), values);
}

bool looks_canonical(std::string_view name) {
  if (name.size() < suffix_length + 1 || name[name.size() - suffix_length - 1] != '-') return false;
  // The images of the sixteen hex digits; the other letters of the alphabet cannot occur.
  return name.substr(name.size() - suffix_length).find_first_not_of("2456789bcdfvwxz") == std::string_view::npos;
}

const std::string& display_name(const std::string& name, const Labels& labels) {
  const auto& shown = labels.get(label::display_name);
  return shown.empty() ? name : shown;
}

}  // namespace kdsd
