// The random name of a store, by which peers tell whether they still speak to the same one.
#pragma once

#include <string>

namespace kdsd::store {

// 128 bits from the operating system's random source, in hexadecimal.
std::string make_store_id();

}  // namespace kdsd::store
