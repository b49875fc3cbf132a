#include <gtest/gtest.h>
#include <limits>

#include "app/config/config.h"
#include "app/config/nearest.h"

namespace kdsd::app {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(Duration, IsReadAsGoReadsIt) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},
      {"0s", 0},
      {"+5s", 5 * second},
      {"-1.5h", -5400 * second},
      {"1m30s", 90 * second},
      {"250ms", second / 4},
      {"1.5s", 3 * second / 2},
      {".5s", second / 2},
      {"5.s", 5 * second},
      {"10us", 10'000},
      {"10\u00b5s", 10'000},
      {"10\u03bcs", 10'000},
      {"7ns", 7},
      {"1h2m3.004s", 3723 * second + 4'000'000},
      {"2540400h10m10s", std::int64_t{2540400} * 3600 * second + 610 * second},
      {"0.100000000000000000000h", 360 * second},
      {"9223372036854775807ns", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775808ns", std::numeric_limits<std::int64_t>::min()},
  };
  for (const auto& [text, nanos] : cases) {
    auto read = parse_duration(text);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(*read, nanos) << text;
  }
}

TEST(Duration, IsRefusedWithoutUnitOrNumberOrWhenItDoesNotFit) {
  for (const char* text : {"", "-", "5", "s", ".s", "1x", "1m 30s", " 1s", "1s ", "1.2.3s", "3000000h", "1d", "1M",
                           "9223372036854775808ns", "99999999999999999999s",
                           "9223372036854775808ns9223372036854775808ns", "-9223372036854775809ns"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(Duration, IsShownAsGoShowsIt) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {0, "0s"},
      {1, "1ns"},
      {1'100, "1.1\u00b5s"},
      {2'200'000, "2.2ms"},
      {250'000'000, "250ms"},
      {second, "1s"},
      {3 * second / 2, "1.5s"},
      {60 * second, "1m0s"},
      {90 * second, "1m30s"},
      {3600 * second, "1h0m0s"},
      {72 * 3600 * second, "72h0m0s"},
      {300 * second + 1'000'000, "5m0.001s"},
      {-second, "-1s"},
      {std::numeric_limits<std::int64_t>::max(), "2562047h47m16.854775807s"},
      {std::numeric_limits<std::int64_t>::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& [nanos, text] : cases) {
    EXPECT_EQ(format_duration(nanos), text);
    EXPECT_EQ(*parse_duration(text), nanos) << text;
  }
}

TEST(Nearest, CountsSingleLetterEditsWithoutCase) {
  EXPECT_EQ(edit_distance("port", "PORT"), 0u);
  EXPECT_EQ(edit_distance("prot", "port"), 2u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(nearest("tlsEnable", {"tlsCertFile", "tlsEnabled", "grpcPort"}), "tlsEnabled");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Ciphers, AreKnownByGosNames) {
  ASSERT_NE(find_cipher("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"), nullptr);
  EXPECT_EQ(find_cipher("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")->openssl_name, "ECDHE-RSA-AES128-GCM-SHA256");
  EXPECT_TRUE(find_cipher("TLS_AES_128_GCM_SHA256")->is_tls13);
  EXPECT_EQ(find_cipher("ECDHE-RSA-AES128-GCM-SHA256"), nullptr);
}

// What a variable of each type accepts, by a key of that type.
const Key& key_of(const char* path) { return *find_key(path); }

TEST(Value, BooleansHaveGosSpellings) {
  const Key& key = key_of("apiServer.readOnly");
  for (const char* text : {"1", "t", "T", "true", "True", "TRUE"})
    EXPECT_EQ(*parse_value(key, text), Value(true)) << text;
  for (const char* text : {"0", "f", "F", "false", "False", "FALSE"}) {
    EXPECT_EQ(*parse_value(key, text), Value(false)) << text;
  }
  for (const char* text : {"", "yes", "on", "tRUE", "2", " true"}) {
    EXPECT_EQ(parse_value(key, text).status().message(), "true or false") << text;
  }
}

TEST(Value, NumbersAreWholeAndInTheirRange) {
  const Key& number = key_of("kdsd.maxBodyBytes");
  EXPECT_EQ(*parse_value(number, "0"), Value(std::int64_t{0}));
  EXPECT_EQ(*parse_value(number, "9223372036854775807"), Value(std::numeric_limits<std::int64_t>::max()));
  for (const char* text : {"", "-1", "1.0", "0x10", "1e3", " 1", "9223372036854775808"}) {
    EXPECT_EQ(parse_value(number, text).status().message(), "a whole number, not negative") << text;
  }
  const Key& port = key_of("apiServer.http.port");
  EXPECT_TRUE(parse_value(port, "65535").ok());
  EXPECT_EQ(parse_value(port, "65536").status().message(), "a port from 0 to 65535");
  const Key& percent = key_of("store.upsert.conflictRetryJitterPercent");
  EXPECT_TRUE(parse_value(percent, "100").ok());
  EXPECT_EQ(parse_value(percent, "101").status().message(), "a percentage from 0 to 100");
}

TEST(Value, BareNumbersAreDurationsOnlyWhereTheFileHoldsThem) {
  const Key& key = key_of("metrics.zone.idleTimeout");
  EXPECT_EQ(*parse_value(key, "5000", BareNumber::nanoseconds), Value(std::int64_t{5000}));
  EXPECT_EQ(parse_value(key, "5000").status().message(), "a duration such as 1m30s or 250ms, not negative");
  EXPECT_FALSE(parse_value(key, "-1s").ok());
  EXPECT_FALSE(parse_value(key, "-1", BareNumber::nanoseconds).ok());
  EXPECT_FALSE(parse_value(key, "").ok());
}

TEST(Value, ListsAreSplitAtCommasAndNotTrimmed) {
  const Key& key = key_of("apiServer.corsAllowedDomains");
  EXPECT_EQ(*parse_value(key, "a, b,,c"), Value(std::vector<std::string>{"a", " b", "", "c"}));
  EXPECT_EQ(*parse_value(key, ""), Value(std::vector<std::string>{}));
}

TEST(Value, TlsVersionsAndCiphersAreThoseOfGo) {
  const Key& version = key_of("general.tlsMinVersion");
  for (const char* text : {"", "TLSv1_2", "TLSv1_3"}) EXPECT_TRUE(parse_value(version, text).ok()) << text;
  EXPECT_EQ(parse_value(version, "TLSv1.2").status().message(), "TLSv1_2, TLSv1_3, or empty");
  const Key& ciphers = key_of("general.tlsCipherSuites");
  EXPECT_TRUE(parse_value(ciphers, "TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_RC4_128_SHA").ok());
  EXPECT_EQ(parse_value(ciphers, "TLS_AES_128_GCM_SHA256,AES").status().message(),
            "a list of Go's names of cipher suites; \"AES\" is none of them");
}

TEST(Value, ChoicesAreExact) {
  EXPECT_TRUE(parse_value(key_of("mode"), "global").ok());
  EXPECT_EQ(parse_value(key_of("mode"), "Global").status().message(), "one of global, zone, standalone");
  EXPECT_FALSE(parse_value(key_of("mode"), "").ok());
  EXPECT_TRUE(parse_value(key_of("dpServer.authn.dpProxy.type"), "").ok());
  EXPECT_EQ(parse_value(key_of("dpServer.authn.dpProxy.type"), "x").status().message(),
            "one of dpToken, serviceAccountToken, none, or empty");
}

TEST(Value, SecretsAreNeverShown) {
  const Key& key = key_of("store.postgres.password");
  EXPECT_EQ(show_text(key, Value(std::string("hidden"))), "*****");
  EXPECT_EQ(show_text(key, Value(std::string())), "*****");
}

}  // namespace
}  // namespace kdsd::app
