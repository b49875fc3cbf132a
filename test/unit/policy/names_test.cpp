#include "policy/names.h"

#include <gmock/gmock.h>

namespace kdsd::policy {
namespace {

constexpr std::string_view lower_case =
    "invalid characters. A lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', "
    "and must start and end with an alphanumeric character";

TEST(NamesTest, NamesAreSubdomains) {
  for (std::string_view bad : {"A", "a_b", "-a", "a-", ".a", "a.", "a..b", "a b", "Bad_Name", "a.-b"}) {
    EXPECT_EQ(name_problem(bad), lower_case) << bad;
  }
  for (std::string_view good : {"a", "0.a-b", "1"}) EXPECT_EQ(name_problem(good), std::nullopt) << good;
  EXPECT_EQ(name_problem(""), "cannot be empty");
  EXPECT_EQ(name_problem(std::string(253, 'n')), std::nullopt);
  EXPECT_EQ(name_problem(std::string(254, 'n')), "value length must less or equal 253");
}

TEST(NamesTest, MeshNamesMayHoldDotsAndUnderscores) {
  EXPECT_EQ(mesh_name_problem("a.b_c-1"), std::nullopt);
  EXPECT_EQ(mesh_name_problem("Mesh"),
            "invalid characters. Valid characters are numbers, lowercase latin letters and '-', '_', '.' symbols.");
  EXPECT_EQ(new_mesh_name_problem(std::string(63, 'm')), std::nullopt);
  EXPECT_EQ(new_mesh_name_problem(std::string(64, 'm')), "cannot be longer than 63 characters");
}

TEST(NamesTest, LabelKeysAreQualifiedNames) {
  for (std::string_view good : {"a", "A_b.c-1", "example.com/empty", "kuma.io/origin", "x/Y"}) {
    EXPECT_TRUE(label_key_problems(good).empty()) << good;
  }
  for (std::string_view bad : {"bad key!", "-a", "a-", "/a", "a/", "a/b/c", "Upper.com/a", "a_b/c"}) {
    EXPECT_FALSE(label_key_problems(bad).empty()) << bad;
  }
  EXPECT_EQ(label_key_problems("").size(), 2U);
  EXPECT_EQ(label_key_problems(std::string(64, 'k')).front(), "name part must be no more than 63 characters");
  EXPECT_TRUE(label_key_problems("Upper.com/a").front().starts_with("prefix part a lowercase RFC 1123 subdomain must"));
}

TEST(NamesTest, LabelValuesAreShortAndPlain) {
  EXPECT_TRUE(label_value_problems("").empty());
  EXPECT_TRUE(label_value_problems(std::string(63, 'v')).empty());
  EXPECT_EQ(label_value_problems(std::string(64, 'v')), std::vector<std::string>{"must be no more than 63 characters"});
  EXPECT_TRUE(
      label_value_problems("not ok").front().starts_with("a valid label must be an empty string or consist of"));
  EXPECT_FALSE(label_value_problems("ends-").empty());
}

TEST(NamesTest, TheCoreGroupIsTheOneWithoutAName) {
  EXPECT_EQ(plain_group("core"), "");
  EXPECT_EQ(plain_group(""), "");
  EXPECT_EQ(plain_group("apps"), "apps");
}

TEST(NamesTest, OddNamesOfMeshesAndServicesAreWarnedAbout) {
  const auto warning = dns1035_warning("Mesh", "a.b");
  ASSERT_TRUE(warning.has_value());
  EXPECT_TRUE(
      warning->starts_with("Invalid Mesh resource name: 'a.b'. It does not conform to the DNS format (RFC 1035). "
                           "This is deprecated. Errors: a DNS-1035 label must consist of"));
  EXPECT_EQ(dns1035_warning("Mesh", "default"), std::nullopt);
  EXPECT_EQ(dns1035_warning("MeshTimeout", "a.b"), std::nullopt);
  EXPECT_TRUE(dns1035_warning("MeshService", "1a").has_value());
}

TEST(NamesTest, ZoneThatNobodyCanBeGetsARemark) {
  EXPECT_THAT(*zone_name_warning("Zone", "east.eu"), testing::HasSubstr("'east.eu'"));
  for (const auto* name : {"Ost", "-east", "east-", "a_b", "z\u00fcrich", ""})
    EXPECT_TRUE(zone_name_warning("Zone", name)) << name;
  EXPECT_TRUE(zone_name_warning("Zone", std::string(64, 'a')));
  for (const auto& name : {std::string("east"), std::string("9zone"), std::string(63, 'a')})
    EXPECT_FALSE(zone_name_warning("Zone", name)) << name;
  EXPECT_FALSE(zone_name_warning("Mesh", "east.eu"));
}

}  // namespace
}  // namespace kdsd::policy
