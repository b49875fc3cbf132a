#include <gtest/gtest.h>

#include "model/json.h"

namespace kdsd {
namespace {

std::string spelled(std::string_view text) {
  auto value = parse_json(text);
  return value.ok() ? to_compact_json(*value) : value.status().message();
}

// Expected texts: what Go's encoding/json gives for the same float64.
TEST(JsonNumbers, AreSpelledAsGoSpellsThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"0.5", "0.5"},
      {"1.0", "1"},
      {"1e2", "100"},
      {"99.9", "99.9"},
      {"-0.25", "-0.25"},
      {"0.1234567890123456789", "0.12345678901234568"},
      {"1e20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"1.5e300", "1.5e+300"},
      {"0.000001", "0.000001"},
      {"0.0000001", "1e-7"},
      {"1.25e-10", "1.25e-10"},
      {"1e-320", "1e-320"},
      {"1e-999", "0"},
      {"-0.0", "-0"},
      {"9007199254740993.0", "9007199254740992"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9223372036854775808"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(spelled(text), expected) << text;
}

// 0.30000000000000004 and its neighbours differ in the last bit only.
TEST(JsonNumbers, KeepTheirLastBitWhereverTheyStand) {
  const std::string text =
      R"({"a":[0.30000000000000004,1,0.3,{"b":5e-324}],"c":123456789.12345679,"d":[[0.1,-0.1]],"e":8.41e+21})";
  EXPECT_EQ(spelled(text), text);
}

TEST(JsonNumbers, OutOfRangeAreRefusedWithTheirLine) {
  EXPECT_EQ(spelled("{\n\"a\": 1e999}"), "line 2: number is out of range");
  EXPECT_EQ(spelled("-1e400"), "line 1: number is out of range");
  EXPECT_EQ(spelled("18446744073709551616"), "line 1: integer does not fit 64 bits");
  EXPECT_EQ(spelled("-9223372036854775809"), "line 1: integer does not fit 64 bits");
}

TEST(JsonNumbers, AreWholeWhereAnInt64HoldsThemWithoutLoss) {
  const auto whole = [](std::string_view text) { return whole_number(*parse_json(text)); };
  EXPECT_EQ(whole("9223372036854775807"), 9'223'372'036'854'775'807);
  EXPECT_EQ(whole("80.0"), 80);
  for (const char* text : {"18446744073709551615", "1.5", "1e30", "\"80\"", "null"})
    EXPECT_EQ(whole(text), std::nullopt) << text;
}

TEST(JsonNumbers, OfYamlThatJsonDoesNotKnowAreRefused) {
  for (const char* text : {".inf", "-.Inf", "+.INF", ".nan", ".NAN", "1e999", "-1.5e400"}) {
    EXPECT_EQ(parse_yaml_documents("a: 1\nb: " + std::string(text)).status().code(), Code::malformed) << text;
  }
  auto documents = parse_yaml_documents("a: 0.30000000000000004\nb: 1e2");
  ASSERT_TRUE(documents.ok());
  EXPECT_EQ(to_compact_json(documents->front()), R"({"a":0.30000000000000004,"b":100})");
}

}  // namespace
}  // namespace kdsd
