#include "store/store_id.h"

#include <random>

namespace kdsd::store {

std::string make_store_id() {
  constexpr int words = 4;          // of 32 bits
  constexpr int digits_a_word = 8;  // of 4 bits
  static constexpr char digits[] = "0123456789abcdef";
  std::random_device source;
  std::string id;
  for (int i = 0; i < words; ++i) {
    const std::uint32_t word = source();
    for (int digit = 0; digit < digits_a_word; ++digit) id += digits[(word >> (4 * digit)) & 0xF];
  }
  return id;
}

}  // namespace kdsd::store
