#include "app/random.h"

#include <random>

namespace kdsd::app {

std::string random_text(std::size_t length, std::string_view alphabet) {
  std::random_device device;
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += alphabet[device() % alphabet.size()];
  return out;
}

std::uint64_t random_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

std::string random_uuid() {
  auto hex = random_text(32, "0123456789abcdef");
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-4" + hex.substr(13, 3) + "-a" + hex.substr(17, 3) + "-" +
         hex.substr(20);
}

}  // namespace kdsd::app
