#include "test_data.h"

namespace kdsd {

std::filesystem::path test_data() { return KDSD_TEST_DATA; }

}  // namespace kdsd
