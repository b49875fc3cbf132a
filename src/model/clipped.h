// Texts cut to a length, between characters: half of one makes a text that no peer can read.
//
// Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace kdsd {

// The text, or as much of its beginning as fits.
inline std::string_view clipped(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  auto size = bytes_max;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace kdsd
