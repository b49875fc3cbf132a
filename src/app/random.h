// Randomness from the system, for ids and epochs. Thread safe; `app` is the only place that reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kdsd::app {

std::string random_text(std::size_t length, std::string_view alphabet);
std::uint64_t random_number();
std::string random_uuid();  // version 4

}  // namespace kdsd::app
