// The checksum of one stored row: CRC-32 over its columns in their order, each with its length, so that a byte that
// changed on the disk is noticed at the next start, wherever it lies. Guards against damage, not against intent.
//
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace kdsd::store {

class Checksum {
 public:
  void add(std::string_view bytes);
  void add(std::int64_t number);
  std::int64_t value() const { return static_cast<std::int64_t>(crc_); }

 private:
  unsigned long crc_ = 0;
};

}  // namespace kdsd::store
