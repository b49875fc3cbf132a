#include "policy/text_forms.h"

#include <gtest/gtest.h>
#include <string>

#include "policy/decimal.h"

namespace kdsd::policy {
namespace {

TEST(TextFormsTest, PathsAreAbsolute) {
  for (auto text : {"/", "/dev/stdout", "//a", "C:\\logs\\a", "C:\\"}) EXPECT_TRUE(is_file_path(text)) << text;
  for (auto text : {"", "a", "./a", "C:a", "C:\\a\\\\b", "C:\\a:b"}) EXPECT_FALSE(is_file_path(text)) << text;
}

TEST(TextFormsTest, AddressesHaveNoZerosInFrontUnlessTheyMay) {
  for (auto text : {"192.0.2.1", "::", "::ffff:1.2.3.4", "2001:db8::1"}) EXPECT_TRUE(is_ip(text)) << text;
  for (auto text : {"", "192.0.2", "192.0.2.01", "192.0.2.256", "fe80::1%eth0", "1::2::3"}) {
    EXPECT_FALSE(is_ip(text)) << text;
  }
  EXPECT_TRUE(is_sloppy_ipv4("010.0.0.01"));
  EXPECT_FALSE(is_sloppy_ipv4("10.0.0"));
  EXPECT_FALSE(is_sloppy_ipv4("10.0.0.a"));
  for (auto text : {"192.0.2.0/24", "::/0", "2001:db8::/128"}) EXPECT_TRUE(is_cidr(text)) << text;
  for (auto text : {"192.0.2.0", "192.0.2.0/33", "192.0.2.0/-1", "::/129", "192.0.2.0/"}) {
    EXPECT_FALSE(is_cidr(text)) << text;
  }
}

TEST(TextFormsTest, NamesRatesAndPorts) {
  for (auto text : {"a.example", "_a.example.", "localhost"}) EXPECT_TRUE(is_dns_name(text)) << text;
  for (auto text : {"", "-a", "a..b", "192.0.2.1", "a b"}) EXPECT_FALSE(is_dns_name(text)) << text;
  EXPECT_TRUE(is_dns_name(std::string(63, 'a')));
  EXPECT_FALSE(is_dns_name(std::string(64, 'a')));
  for (auto text : {"10kbps", "1 Mbps", "Gbps"}) EXPECT_TRUE(is_bandwidth(text)) << text;
  for (auto text : {"", "10", "10bps", "5mbps", "1  Mbps", "-1Mbps"}) EXPECT_FALSE(is_bandwidth(text)) << text;
  for (auto text : {"1", "65535"}) EXPECT_TRUE(is_port(text)) << text;
  for (auto text : {"", "0", "65536", "-1", "99999999999"}) EXPECT_FALSE(is_port(text)) << text;
}

TEST(DecimalTest, SignAndDistanceTo100AreKnown) {
  for (auto text : {"0", "100", "100.0", "12.5", ".5", "1e2", "+7", "0.000"}) {
    const auto number = parse_decimal(text);
    ASSERT_TRUE(number) << text;
    EXPECT_TRUE(number->is_percentage()) << text;
  }
  for (auto text : {"-1", "100.01", "1e3", "99999999999999999999", "-0.1"}) {
    const auto number = parse_decimal(text);
    ASSERT_TRUE(number) << text;
    EXPECT_FALSE(number->is_percentage()) << text;
  }
  for (auto text : {"", "abc", "1.2.3", "5%", "1e", "1e99999999999", " 1", "-"})
    EXPECT_FALSE(parse_decimal(text)) << text;
}

}  // namespace
}  // namespace kdsd::policy
