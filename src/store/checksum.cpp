#include "store/checksum.h"

#include <zlib.h>

namespace kdsd::store {
namespace {

unsigned long extended(unsigned long crc, const void* bytes, std::size_t size) {
  return crc32_z(crc, static_cast<const unsigned char*>(bytes), size);
}

}  // namespace

void Checksum::add(std::string_view bytes) {
  add(static_cast<std::int64_t>(bytes.size()));
  // zlib takes a null pointer, which an empty text may have, as the wish to start over.
  if (!bytes.empty()) crc_ = extended(crc_, bytes.data(), bytes.size());
}

// In a fixed byte order: a file may move between machines.
void Checksum::add(std::int64_t number) {
  unsigned char bytes[8];
  auto rest = static_cast<std::uint64_t>(number);
  for (auto& byte : bytes) {
    byte = static_cast<unsigned char>(rest);
    rest >>= 8;
  }
  crc_ = extended(crc_, bytes, sizeof bytes);
}

}  // namespace kdsd::store
