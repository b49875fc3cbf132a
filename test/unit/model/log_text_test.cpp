#include "model/log_text.h"

#include <gtest/gtest.h>

namespace kdsd {
namespace {

TEST(LogText, OrdinaryValueStaysAsItIs) {
  for (const char* text : {"east", "2.13.0+kdsd.1", "ipv4:127.0.0.1:5685", "MeshTimeout/default/slow_1", ""})
    EXPECT_EQ(log_value(text), text);
}

TEST(LogText, ValueThatLooksLikeFieldsIsQuoted) {
  EXPECT_EQ(log_value("i zone=west offline reason=\"fake\""), "\"i zone=west offline reason=\\\"fake\\\"\"");
  EXPECT_EQ(log_value("a=b"), "\"a=b\"");
  EXPECT_EQ(log_value("a\tb"), "\"a\\x09b\"");
  EXPECT_EQ(log_value("zürich"), "\"zürich\"");
}

TEST(LogText, QuotedTextCannotLeaveItsQuotes) {
  EXPECT_EQ(log_quoted("bad"), "\"bad\"");
  EXPECT_EQ(log_quoted("bad\" result=\"ack"), "\"bad\\\" result=\\\"ack\"");
  EXPECT_EQ(log_quoted("bad\\\" result=ack"), "\"bad\\\\\\\" result=ack\"");
  EXPECT_EQ(log_quoted("bad\\"), "\"bad\\\\\"");
  EXPECT_EQ(log_quoted("one\ntwo"), "\"one\\ntwo\"");
}

TEST(LogText, ControlsAreEscaped) {
  EXPECT_EQ(without_controls("a\r\x1b[31m\x7f"), "a\\x0d\\x1b[31m\\x7f");
  EXPECT_EQ(without_controls("next\u0085line \u009b31m"), "next\\u0085line \\u009b31m");
  EXPECT_EQ(without_controls("line\u2028paragraph\u2029"), "line\\u2028paragraph\\u2029");
  EXPECT_EQ(without_controls("\u202egnp.exe \u2066x"), "\\u202egnp.exe \\u2066x");
}

TEST(LogText, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(without_controls("\x9b"
                             "31m \x85"),
            "\\x9b31m \\x85");
  EXPECT_EQ(without_controls("\xc0\x8a"), "\\xc0\\x8a");           // an end of line, longer than it needs to be
  EXPECT_EQ(without_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(without_controls("\xe2\x80"), "\\xe2\\x80");           // cut off
  EXPECT_EQ(without_controls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
}

TEST(LogText, TextOfAnyLanguageStaysReadable) {
  EXPECT_EQ(without_controls("zürich → 東京 🙂"), "zürich → 東京 🙂");
  EXPECT_EQ(without_controls("\u00a0"), "\u00a0");
}

}  // namespace
}  // namespace kdsd
