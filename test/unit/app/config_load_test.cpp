// Precedence, the file's rules and the environment's rules.
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/config.h"

namespace kdsd::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

Result<LoadedConfig> load(std::string text, Variables variables = {}) {
  ConfigSource source;
  source.file_path = "kdsd.yaml";
  source.file_text = std::move(text);
  source.environment = std::move(variables);
  source.environment.emplace("HOME", "/home/mesh");
  return load_config(source);
}

LoadedConfig loaded(std::string text, Variables variables = {}) {
  auto result = load(std::move(text), std::move(variables));
  EXPECT_TRUE(result.ok()) << result.status().text();
  return result.ok() ? *result : LoadedConfig();
}

// The one refusal, as `field: reason`.
std::string refused(std::string text, Variables variables = {}) {
  auto result = load(std::move(text), std::move(variables));
  if (result.ok()) return "accepted";
  if (result.status().code() == Code::malformed) return result.status().message();
  EXPECT_EQ(result.status().violations().size(), 1u) << result.status().text();
  return result.status().violations()[0].field + ": " + result.status().violations()[0].reason;
}

const EffectiveValue& value_of(const LoadedConfig& config, std::string_view key) {
  for (const auto& value : config.values) {
    if (value.key == key) return value;
  }
  ADD_FAILURE() << key;
  return config.values.front();
}

TEST(ConfigLoading, NothingGivenMeansDefaults) {
  ConfigSource source;
  source.environment["HOME"] = "/home/mesh";
  auto result = load_config(source);
  ASSERT_TRUE(result.ok()) << result.status().text();
  EXPECT_THAT(result->warnings, IsEmpty());
  const Config& config = result->config;
  EXPECT_EQ(config.mode, Mode::zone);
  EXPECT_FALSE(config.is_federated_zone());
  EXPECT_EQ(config.zone_name, "default");
  EXPECT_EQ(config.store.type, StoreType::sqlite);
  EXPECT_EQ(config.store.path, "/home/mesh/.kuma/kdsd.db");
  EXPECT_EQ(config.api_server.http.port, 5681);
  EXPECT_EQ(config.api_server.body_bytes_max, 4194304);
  EXPECT_EQ(config.kds_client.timing.message_bytes_max, 10485760);
  EXPECT_EQ(config.kds_client.timing.send_timeout_ns, 60'000'000'000);
  EXPECT_EQ(config.sync.foreign_message_bytes_max, 10485760);
  EXPECT_THAT(config.access.admin_resources.users, ElementsAre("mesh-system:admin"));
  EXPECT_THAT(config.access.view_stats.groups, ElementsAre("mesh-system:unauthenticated", "mesh-system:authenticated"));
  EXPECT_FALSE(config.types.policies.has_value());
}

TEST(ConfigLoading, TheFileWinsOverDefaultsAndVariablesOverTheFile) {
  auto config = loaded("mode: global\napiServer:\n  http:\n    port: 7000\n  https: {port: 7001}\n",
                       {{"KUMA_API_SERVER_HTTP_PORT", "8000"}});
  EXPECT_EQ(config.config.api_server.http.port, 8000);
  EXPECT_EQ(config.config.api_server.https.port, 7001);
  EXPECT_EQ(value_of(config, "apiServer.http.port").source, "KUMA_API_SERVER_HTTP_PORT");
  EXPECT_EQ(value_of(config, "apiServer.https.port").source, "kdsd.yaml:5");
  EXPECT_EQ(value_of(config, "apiServer.https.port").value, "7001");
  EXPECT_EQ(value_of(config, "diagnostics.serverPort").source, "default");
}

TEST(ConfigLoading, EveryTypeIsReadFromTheFile) {
  auto config = loaded(R"(
mode: global
apiServer:
  readOnly: true
  corsAllowedDomains: [a.example, 'b, c']
  basePath: /mesh
multizone:
  global:
    kds:
      msgSendTimeout: 1m30s
      responseBackoff: 2500
      nackBackoff: "250ms"
      tlsMinVersion: TLSv1_3
      tlsCipherSuites: [TLS_AES_128_GCM_SHA256]
)")
                    .config;
  EXPECT_TRUE(config.api_server.read_only);
  EXPECT_THAT(config.api_server.cors_allowed_domains, ElementsAre("a.example", "b, c"));
  EXPECT_EQ(config.api_server.base_path, "/mesh");
  EXPECT_EQ(config.kds_server.timing.send_timeout_ns, 90'000'000'000);
  EXPECT_EQ(config.kds_server.tls.min_version, TlsVersion::v1_3);
  EXPECT_THAT(config.kds_server.tls.cipher_suites, ElementsAre("TLS_AES_128_GCM_SHA256"));
}

TEST(ConfigLoading, AListInTheFileReplacesTheDefault) {
  auto config = loaded("access: {static: {adminResources: {users: [root]}}}").config;
  EXPECT_THAT(config.access.admin_resources.users, ElementsAre("root"));
  EXPECT_THAT(config.access.admin_resources.groups, ElementsAre("mesh-system:admin"));
}

TEST(ConfigLoading, JsonIsAccepted) {
  EXPECT_TRUE(loaded("{\"mode\": \"global\",\n\t\"apiServer\": {\"http\": {\"port\": 7000}}}").config.is_global());
}

TEST(ConfigLoading, AnEmptyFileAndEmptySectionsAndNullsChangeNothing) {
  for (const char* text : {"", "# nothing\n", "apiServer:\n", "apiServer: {http: null}\n", "mode:\n", "mode: ~\n"}) {
    EXPECT_EQ(loaded(text).config.mode, Mode::zone) << text;
  }
}

TEST(ConfigLoading, KeysAreMatchedWithoutCase) {
  auto config = loaded("MODE: global\napiserver: {HTTP: {Port: 7}}\ndefaults: {skipHostnameGenerators: true}").config;
  EXPECT_TRUE(config.is_global());
  EXPECT_EQ(config.api_server.http.port, 7);
  EXPECT_TRUE(config.defaults.skip_hostname_generators);
}

TEST(ConfigLoading, ValuesOfTheWrongKindAreRefusedWithKeyValuePlaceAndWhatIsAccepted) {
  EXPECT_EQ(refused("apiServer:\n  http:\n    port: 70000\n"),
            "apiServer.http.port: \"70000\" (kdsd.yaml:3) is not accepted, want a port from 0 to 65535");
  EXPECT_EQ(refused("mode: globe"),
            "mode: \"globe\" (kdsd.yaml:1) is not accepted, want one of global, zone, standalone");
  EXPECT_EQ(refused("apiServer: {readOnly: yes}"),
            "apiServer.readOnly: \"yes\" (kdsd.yaml:1) is not accepted, want true or false");
  EXPECT_EQ(refused("multizone: {zone: {kds: {nackBackoff: \"5\"}}}"),
            "multizone.zone.kds.nackBackoff: \"5\" (kdsd.yaml:1) is not accepted, want a duration such as 1m30s or "
            "250ms, not negative");
  EXPECT_EQ(refused("apiServer: {corsAllowedDomains: a}"),
            "apiServer.corsAllowedDomains: \"a\" (kdsd.yaml:1) is not accepted, want a list of texts");
  EXPECT_EQ(refused("apiServer: {basePath: [a]}"),
            "apiServer.basePath: \"[…]\" (kdsd.yaml:1) is not accepted, want a text");
  EXPECT_EQ(refused("apiServer: 5"), "apiServer: kdsd.yaml:1: has keys below it and takes no value itself");
  EXPECT_EQ(refused("store: {postgres: {password: [secret]}}"),
            "store.postgres.password: \"*****\" (kdsd.yaml:1) is not accepted, want a text");
}

TEST(ConfigLoading, AllFaultsAreReportedTogether) {
  auto result = load("mode: x\napiServer: {http: {port: y}}", {{"KDSD_HTTP_MAX_CONNECTIONS", "0"}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::invalid);
  EXPECT_EQ(result.status().violations().size(), 3u) << result.status().text();
  EXPECT_THAT(result.status().text(), HasSubstr("configuration refused: mode: \"x\" (kdsd.yaml:1)"));
}

TEST(ConfigLoading, UnknownKeysAreRefusedWhereTheSectionIsUsed) {
  EXPECT_EQ(refused("multizone:\n  global:\n    kds:\n      tlsEnable: false\n"),
            "multizone.global.kds.tlsEnable: kdsd.yaml:4: the key is unknown; did you mean "
            "multizone.global.kds.tlsEnabled?");
  EXPECT_EQ(refused("kdsd: {stor: {path: x}}"), "kdsd.stor: kdsd.yaml:1: the key is unknown; did you mean kdsd.store?");
  EXPECT_THAT(refused("runtime: {universal: {dataplaneCleanupAges: 1s}}"), HasSubstr("the key is unknown"));
  EXPECT_THAT(refused("dpServer: {authn: {zoneProxy: {zoneToken: {enable: true}}}}"), HasSubstr("the key is unknown"));
}

TEST(ConfigLoading, UnknownTopLevelSectionsAreWarnedAbout) {
  EXPECT_THAT(loaded("multizon: {global: {}}").warnings,
              ElementsAre("multizon (kdsd.yaml:1) is an unknown section and ignored; did you mean multizone?"));
}

TEST(ConfigLoading, UnknownKeysOfPartsThatAreNotHerePassOrAreWarnedAbout) {
  EXPECT_THAT(loaded("runtime: {kubernetes: {injector: {envVars: {a: b, A: c}}}}\n"
                     "dpServer: {new: 1}\nbootstrapServer: {params: {other: x}}\nexperimental: {more: true}")
                  .warnings,
              IsEmpty());
  EXPECT_THAT(loaded("ipam: {other: 1}").warnings, ElementsAre("ipam.other (kdsd.yaml:1) has no effect here"));
}

TEST(ConfigLoading, AKeyThatComesTwiceIsRefused) {
  EXPECT_EQ(refused("mode: global\nmode: zone\n"), "mode: kdsd.yaml:2: the key comes twice");
  EXPECT_EQ(refused("mode: global\nMode: zone\n"), "Mode: kdsd.yaml:2: the key comes twice, also as mode");
  EXPECT_THAT(refused("runtime: {kubernetes: {a: {b: 1, b: 2}}}"), HasSubstr("runtime.kubernetes.a.b"));
}

TEST(ConfigLoading, WhatIsNoConfigurationIsRefusedWithItsLine) {
  EXPECT_THAT(refused("mode: global\n  x: [\n"), HasSubstr("kdsd.yaml:"));
  EXPECT_EQ(refused("- mode\n"), ": kdsd.yaml:1: the file has to be a map of keys");
  EXPECT_EQ(refused("mode: zone\n---\nmode: global\n"), "kdsd.yaml: holds several documents, want one");
  EXPECT_THAT(refused("a: &a {mode: zone}\n<<: *a\n"), HasSubstr("merge keys are not supported"));
  EXPECT_THAT(refused("[a]: b\n"), HasSubstr("a key has to be a text"));
}

TEST(ConfigLoading, FilesBeyondTheirBoundsAreRefused) {
  EXPECT_THAT(refused("# " + std::string(1 << 20, 'x')), HasSubstr("larger than 1048576 bytes"));
  std::string deep = "x: ";
  for (int i = 0; i < 40; ++i) deep += "{x: ";
  deep += "1" + std::string(40, '}');
  EXPECT_THAT(refused(deep), HasSubstr("larger or deeper than a configuration can be"));
  // Each line doubles what the one before it stands for.
  std::string doubling = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    doubling += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + "]\n";
  }
  EXPECT_THAT(refused(doubling), HasSubstr("larger or deeper than a configuration can be"));
}

TEST(ConfigLoading, AFileThatCannotBeReadIsNamed) {
  ConfigSource source;
  source.file_path = "/nonexistent/kdsd.yaml";
  EXPECT_EQ(load_config(source).status().text(), "/nonexistent/kdsd.yaml: the configuration file cannot be read");
  source.file_path = "/";
  EXPECT_EQ(load_config(source).status().text(), "/: the configuration file cannot be read");
}

TEST(ConfigEnvironment, EmptyVariablesCountAsSet) {
  auto config = loaded("apiServer: {corsAllowedDomains: [a], rootUrl: b}",
                       {{"KUMA_API_SERVER_CORS_ALLOWED_DOMAINS", ""}, {"KUMA_API_SERVER_ROOT_URL", ""}})
                    .config;
  EXPECT_THAT(config.api_server.cors_allowed_domains, IsEmpty());
  EXPECT_EQ(config.api_server.root_url, "");
  EXPECT_EQ(refused("", {{"KUMA_API_SERVER_HTTP_PORT", ""}}),
            "apiServer.http.port: \"\" (KUMA_API_SERVER_HTTP_PORT) is not accepted, want a port from 0 to 65535");
  EXPECT_THAT(refused("", {{"KUMA_API_SERVER_READ_ONLY", ""}}), HasSubstr("want true or false"));
  EXPECT_THAT(refused("", {{"KUMA_METRICS_ZONE_IDLE_TIMEOUT", ""}}), HasSubstr("want a duration"));
  EXPECT_THAT(refused("", {{"KUMA_MODE", ""}}), HasSubstr("want one of global, zone, standalone"));
}

TEST(ConfigEnvironment, DurationsNeedAUnit) {
  EXPECT_EQ(refused("", {{"KUMA_METRICS_ZONE_IDLE_TIMEOUT", "5000"}}),
            "metrics.zone.idleTimeout: \"5000\" (KUMA_METRICS_ZONE_IDLE_TIMEOUT) is not accepted, want a duration such "
            "as 1m30s or 250ms, not negative");
}

TEST(ConfigEnvironment, UnknownVariablesAreWarnedAboutWithTheNearestKnownOne) {
  auto warnings =
      loaded("", {{"KUMA_API_SERVER_HTTP_PROT", "1"}, {"KDSD_STORE_PAHT", "x"}, {"OTHER_PORT", "1"}}).warnings;
  EXPECT_THAT(warnings,
              ElementsAre("variable KDSD_STORE_PAHT is unknown and ignored; the nearest known one is KDSD_STORE_PATH",
                          "variable KUMA_API_SERVER_HTTP_PROT is unknown and ignored; the nearest known one is "
                          "KUMA_API_SERVER_HTTP_PORT"));
  EXPECT_THAT(loaded("", {{"KUMA_DP_SERVER_AUTHN_DP_PROXY_TIPE", "x"}}).warnings, testing::SizeIs(1));
}

TEST(ConfigEnvironment, VariablesOfServersThatAreNotHerePassSilently) {
  auto result = loaded("", {{"KUMA_DP_SERVER_PORT", "1"},
                            {"KUMA_DP_SERVER_HDS_SOMETHING", "x"},
                            {"KUMA_MONITORING_ASSIGNMENT_SERVER_PORT", "2"},
                            {"KUMA_INTER_CP_SERVER_PORT", "3"},
                            {"KUMA_STORE_CACHE_ENABLED", "false"},
                            {"KUMA_RUNTIME_KUBERNETES_INJECTOR_CNI_ENABLED", "true"},
                            {"KUMA_EXPERIMENTAL_DELTA_XDS", "true"},
                            {"KUMA_REPORTS_ENABLED", "false"},
                            {"KUMA_MESH_TRAFFIC_PERMISSION_DISABLE_CLIQUES_ALGORITHM", "true"},
                            {"KUMA_CONTROL_PLANE_SERVICE_HOST", "10.0.0.1"},
                            {"KUMA_MULTIZONE_ZONE_KDS_REFRESH_INTERVAL", "300ms"},
                            {"KDSD_ADDRESS", "x"},
                            {"KDSD_TOKEN", "y"}});
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(value_of(result, "dpServer.port").value, "1");
}

TEST(ConfigEnvironment, BothSpellingsOfAVariableWorkAndMustNotDiffer) {
  const std::pair<const char*, const char*> pairs[] = {
      {"KUMA_STORE_POSTGRES_TLS_CA_PATH", "KUMA_STORE_POSTGRES_TLS_ROOT_CERT_PATH"},
      {"KUMA_API_SERVER_HTTPS_TLS_CA_FILE", "KUMA_API_SERVER_HTTPS_CLIENT_CERTS_CA_FILE"},
      {"KUMA_DNS_SERVER_SERVICE_VIP_PORT", "KUMA_DNS_SERVICE_SERVICE_VIP_PORT"},
  };
  for (const auto& [one, other] : pairs) {
    EXPECT_TRUE(load("", {{one, "81"}}).ok()) << one;
    EXPECT_TRUE(load("", {{other, "81"}}).ok()) << other;
    EXPECT_TRUE(load("", {{one, "81"}, {other, "81"}}).ok()) << one;
    EXPECT_THAT(refused("", {{one, "81"}, {other, "82"}}), HasSubstr("are two names of one setting and differ"));
  }
  EXPECT_EQ(loaded("", {{"KUMA_DNS_SERVICE_SERVICE_VIP_PORT", "81"}}).config.dns_service_vip_port, 81);
}

TEST(ConfigEnvironment, OfTheProcessHoldsOnlyWhatConcernsTheConfiguration) {
  ASSERT_EQ(setenv("KDSD_STORE_PATH", "a=b", 1), 0);
  const auto variables = process_environment();
  EXPECT_EQ(variables.at("KDSD_STORE_PATH"), "a=b");
  EXPECT_FALSE(variables.contains("PATH"));
  unsetenv("KDSD_STORE_PATH");
}

TEST(ConfigWarnings, KeysWithoutEffectAreNamedOnceWhenTheyDifferFromTheDefault) {
  EXPECT_THAT(loaded("general: {dnsCacheTTL: 30s}").warnings,
              ElementsAre("general.dnsCacheTTL: \"30s\" (kdsd.yaml:1) has no effect here: age up to which addresses of "
                          "dataplanes are cached; not resolved here"));
  EXPECT_THAT(loaded("general: {dnsCacheTTL: 10s}").warnings, IsEmpty());
  EXPECT_THAT(loaded("", {{"KUMA_TRACING_OPENTELEMETRY_ENABLED", "true"}}).warnings, testing::SizeIs(1));
  EXPECT_THAT(loaded("metrics: {mesh: {bufferSize: 5}}\neventBus: {bufferSize: 7}").warnings, IsEmpty());
}

}  // namespace
}  // namespace kdsd::app
