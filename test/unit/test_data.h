// Where the recorded and handed data of the tests lies.
#pragma once

#include <filesystem>

namespace kdsd {

// The folder test/data of the checkout that was built.
std::filesystem::path test_data();

}  // namespace kdsd
