#include "app/logging.h"

#include <gtest/gtest.h>

namespace kdsd::app {
namespace {

TEST(Logging, TextOfAPeerStaysOneLine) {
  EXPECT_EQ(printable("reason=\"no\nfake line\r\x1b[31m\x7f\""), "reason=\"no\\nfake line\\x0d\\x1b[31m\\x7f\"");
  EXPECT_EQ(printable("zürich → west"), "zürich → west");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Logging, ControlsOfTwoBytesAndEndsOfLinesAreEscaped) {
  EXPECT_EQ(printable("a\u0085b\u2028c \u009b31m"), "a\\u0085b\\u2028c \\u009b31m");
}

TEST(Logging, LongTextIsCutAndSaysSo) {
  EXPECT_EQ(printable(std::string(4096, 'x')), std::string(4096, 'x'));
  EXPECT_EQ(printable(std::string(5000, 'x')), std::string(4096, 'x') + " [904 bytes more]");
}

}  // namespace
}  // namespace kdsd::app
