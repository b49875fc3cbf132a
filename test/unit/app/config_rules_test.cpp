// Rules between keys, values that are derived, and the effective configuration.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "app/config/bind.h"
#include "app/config/config.h"
#include "model/json.h"

#include "../test_data.h"

namespace kdsd::app {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

ConfigSource source_of(std::string text, Variables variables = {}) {
  ConfigSource source;
  source.file_path = "kdsd.yaml";
  source.file_text = std::move(text);
  source.environment = std::move(variables);
  source.environment.emplace("HOME", "/home/mesh");
  return source;
}

LoadedConfig loaded(std::string text, Variables variables = {}) {
  auto result = load_config(source_of(std::move(text), std::move(variables)));
  EXPECT_TRUE(result.ok()) << result.status().text();
  return result.ok() ? *result : LoadedConfig();
}

std::string refused(std::string text, Variables variables = {}) {
  auto result = load_config(source_of(std::move(text), std::move(variables)));
  if (result.ok()) return "accepted";
  EXPECT_EQ(result.status().violations().size(), 1u) << result.status().text();
  return result.status().violations()[0].field + ": " + result.status().violations()[0].reason;
}

// A file that is gone when the test is over.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = testing::TempDir() + "/config_" + test->name() + "_" + std::to_string(count_++) + ".pem";
    std::ofstream(path_) << text;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::string path_;
};

TEST(ConfigRules, StandaloneIsAnOldNameOfZone) {
  auto config = loaded("mode: standalone");
  EXPECT_EQ(config.config.mode, Mode::zone);
  EXPECT_THAT(config.warnings, ElementsAre("mode: standalone (kdsd.yaml:1) is an old name of zone and taken as zone"));
  EXPECT_EQ(config.effective.at("mode").as_string(), "zone");
}

TEST(ConfigRules, AZoneNameIsADnsLabelWithoutDots) {
  for (const char* name : {"berlin", "zone-1", "1", "eu-west-1a"}) {
    EXPECT_EQ(loaded(std::string("multizone: {zone: {name: ") + name + "}}").config.zone_name, name);
  }
  const std::string longest(63, 'a');
  EXPECT_EQ(loaded("multizone: {zone: {name: " + longest + "}}").config.zone_name, longest);
  for (const std::string& name : {std::string(), std::string("Berlin"), std::string("eu.west"), std::string("-a"),
                                  std::string("a-"), std::string("a_b"), std::string(64, 'a')}) {
    EXPECT_EQ(refused("multizone: {zone: {name: \"" + name + "\"}}"),
              "multizone.zone.name: \"" + name +
                  "\" (kdsd.yaml:1) is not accepted, want a DNS label: lower-case letters, digits and '-', no dots, at "
                  "most 63, a letter or digit at both ends");
  }
}

TEST(ConfigRules, TheZoneSectionDoesNotMatterOnAGlobal) {
  EXPECT_TRUE(loaded("mode: global\nmultizone: {zone: {name: A.B, globalAddress: x}}").config.is_global());
  EXPECT_FALSE(loaded("mode: global\nmultizone: {zone: {globalAddress: \"grpc://g:1\"}}").config.is_federated_zone());
}

TEST(ConfigRules, AGlobalAddressHasSchemeHostAndPort) {
  auto address = parse_global_address("grpcs://global.mesh.example:5685");
  ASSERT_TRUE(address.has_value());
  EXPECT_TRUE(address->tls);
  EXPECT_EQ(address->host, "global.mesh.example");
  EXPECT_EQ(address->port, 5685);
  address = parse_global_address("grpc://[::1]:1");
  ASSERT_TRUE(address.has_value());
  EXPECT_FALSE(address->tls);
  EXPECT_EQ(address->host, "::1");
  for (const char* text : {"global:5685", "http://global:5685", "grpcs://global", "grpcs://:5685", "grpcs://global:0",
                           "grpcs://global:65536", "grpcs://global:5685/path", "grpcs://u@global:5685", "grpcs://::1:5",
                           "grpcs://[]:5", "grpcs://", "GRPCS://global:5685", "grpcs://global:"}) {
    EXPECT_EQ(refused(std::string("multizone: {zone: {globalAddress: \"") + text + "\"}}"),
              std::string("multizone.zone.globalAddress: \"") + text +
                  "\" (kdsd.yaml:1) is not accepted, want grpcs://host:port or grpc://host:port");
  }
}

TEST(ConfigRules, ARootCaFileIsReadableAndHoldsACertificate) {
  ScratchFile good("# authority\n-----BEGIN CERTIFICATE-----\n");
  ScratchFile bad("nothing\n");
  const std::string variable = "KUMA_MULTIZONE_ZONE_KDS_ROOT_CA_FILE";
  EXPECT_EQ(loaded("", {{variable, good.path()}}).config.kds_client.root_ca_file, good.path());
  EXPECT_THAT(refused("", {{variable, bad.path()}}), HasSubstr("want a file with a PEM certificate in it"));
  EXPECT_EQ(refused("", {{variable, "/nonexistent"}}),
            "multizone.zone.kds.rootCaFile: \"/nonexistent\" (KUMA_MULTIZONE_ZONE_KDS_ROOT_CA_FILE) is not accepted, "
            "want a file that can be read");
  EXPECT_THAT(refused("", {{variable, "/"}}), HasSubstr("want a file that can be read"));
}

TEST(ConfigRules, StoresThatAreNotHereAreRefusedWithWhatToDo) {
  EXPECT_EQ(refused("store: {type: postgres}"),
            "store.type: \"postgres\" (kdsd.yaml:1) is not accepted, want sqlite or memory: this version has no "
            "PostgreSQL store; set store.type: sqlite");
  EXPECT_EQ(refused("store: {type: kubernetes}"),
            "store.type: \"kubernetes\" (kdsd.yaml:1) is not accepted, want sqlite or memory: namespaced resources are "
            "kept in a store of our own as well; set store.type: sqlite and environment: kubernetes");
  EXPECT_EQ(refused("store: {type: mysql}"),
            "store.type: \"mysql\" (kdsd.yaml:1) is not accepted, want sqlite or memory");
}

TEST(ConfigRules, AMemoryStoreIsAcceptedWithAWarning) {
  auto config = loaded("", {{"KUMA_STORE_TYPE", "memory"}});
  EXPECT_EQ(config.config.store.type, StoreType::memory);
  EXPECT_THAT(config.warnings, ElementsAre("store.type: memory (KUMA_STORE_TYPE) loses everything at a restart"));
}

TEST(ConfigRules, UnknownWaysOfAccessAreRefused) {
  EXPECT_THAT(refused("access: {type: rbac}"), HasSubstr("want one of static"));
  EXPECT_THAT(refused("apiServer: {authn: {type: none}}"), HasSubstr("want one of tokens, adminClientCerts"));
  EXPECT_THAT(refused("store: {postgres: {driverName: postgres}}"), HasSubstr("want one of pgx"));
  EXPECT_THAT(refused("environment: vm"), HasSubstr("want one of universal, kubernetes"));
  EXPECT_EQ(loaded("apiServer: {authn: {type: adminClientCerts}}").config.api_server.authn,
            AuthnType::admin_client_certs);
}

TEST(ConfigRules, HealthCheckValuesAreBothZeroOrBothPositive) {
  const std::string start = "mode: global\nmultizone: {global: {kds: {zoneHealthCheck: ";
  EXPECT_EQ(loaded(start + "{pollInterval: 1s, timeout: 3s}}}}").config.kds_server.health_timeout_ns, 3'000'000'000);
  EXPECT_EQ(loaded(start + "{pollInterval: 0s, timeout: 0s}}}}").config.kds_server.health_poll_interval_ns, 0);
  EXPECT_EQ(
      refused(start + "{pollInterval: 1s}}}}"),
      "multizone.global.kds.zoneHealthCheck.pollInterval: \"1s\" (kdsd.yaml:2) is not accepted, want pollInterval "
      "and timeout both zero or both positive; timeout is 0s");
  EXPECT_THAT(refused(start + "{timeout: 1s}}}}"), HasSubstr("timeout is 1s"));
}

TEST(ConfigRules, IntervalsAndSizesOfTheServerArePositive) {
  const std::string start = "mode: global\nmultizone: {global: {kds: ";
  EXPECT_THAT(refused(start + "{refreshInterval: 0s}}}"), HasSubstr("want a positive duration"));
  EXPECT_THAT(refused(start + "{zoneInsightFlushInterval: 0s}}}"), HasSubstr("want a positive duration"));
  EXPECT_THAT(refused(start + "{maxMsgSize: 0}}}"), HasSubstr("want 1 to 2147483647 bytes"));
  EXPECT_EQ(loaded(start + "{maxMsgSize: 2147483647}}}").config.sync.foreign_message_bytes_max, 2147483647);
  EXPECT_THAT(refused(start + "{maxMsgSize: 2147483648}}}"), HasSubstr("want 1 to 2147483647 bytes"));
  EXPECT_THAT(refused("kdsd: {maxBodyBytes: 1073741825}"), HasSubstr("want 1 to 1073741824 bytes"));
  EXPECT_THAT(refused("kdsd: {maxBodyBytes: 0}"), HasSubstr("want 1 to 1073741824 bytes"));
  EXPECT_THAT(refused("kdsd: {foreignMaxMessageBytes: 2147483648}"), HasSubstr("want 0 to 2147483647 bytes"));
  EXPECT_THAT(refused("kdsd: {compatibleVersion: \"\"}"), HasSubstr("want a version of Kuma"));
  EXPECT_THAT(refused("interCp: {server: {port: 0}}"), HasSubstr("want a port from 1 to 65535"));
  EXPECT_THAT(refused("general: {resilientComponentBaseBackoff: 2m}"),
              HasSubstr("want no more than general.resilientComponentMaxBackoff"));
}

TEST(ConfigRules, InterfacesAreNotEmpty) {
  EXPECT_EQ(refused("apiServer: {http: {interface: \"\"}}"),
            "apiServer.http.interface: \"\" (kdsd.yaml:1) is not accepted, want an address, such as 0.0.0.0 or "
            "127.0.0.1");
  EXPECT_THAT(refused("apiServer: {https: {interface: \"\"}}"), HasSubstr("apiServer.https.interface"));
}

TEST(ConfigRules, TheSystemNamespaceIsADnsLabel) {
  EXPECT_EQ(loaded("store: {kubernetes: {systemNamespace: mesh-system}}").config.store.system_namespace, "mesh-system");
  EXPECT_THAT(refused("store: {kubernetes: {systemNamespace: a.b}}"), HasSubstr("want a namespace"));
}

TEST(ConfigRules, CertificateAndKeyComeTogether) {
  for (const std::string server : {"diagnostics", "general"}) {
    EXPECT_THAT(refused(server + ": {tlsCertFile: /c}"), HasSubstr("want certificate and key together"));
    EXPECT_THAT(refused(server + ": {tlsKeyFile: /k}"), HasSubstr("want certificate and key together"));
  }
  EXPECT_THAT(refused("multizone: {global: {kds: {tlsKeyFile: /k}}}"), HasSubstr("tlsCertFile is empty"));
  EXPECT_THAT(refused("apiServer: {https: {tlsCertFile: /c}}"), HasSubstr("tlsKeyFile is empty"));
}

TEST(ConfigCertificates, ComeFromTheServerElseTheGeneralPairElseTheWorkDirectory) {
  auto config = loaded("general: {workDir: /w/}").config;
  EXPECT_EQ(config.api_server.tls.cert_file, "/w/kuma-cp.crt");
  EXPECT_EQ(config.api_server.tls.key_file, "/w/kuma-cp.key");
  EXPECT_TRUE(config.api_server.tls.is_work_dir_pair);
  EXPECT_EQ(config.store.path, "/w/kdsd.db");

  config = loaded(
               "general: {tlsCertFile: /g.crt, tlsKeyFile: /g.key}\n"
               "diagnostics: {tlsCertFile: /d.crt, tlsKeyFile: /d.key}")
               .config;
  EXPECT_EQ(config.kds_server.tls.cert_file, "/g.crt");
  EXPECT_FALSE(config.kds_server.tls.is_work_dir_pair);
  EXPECT_EQ(config.diagnostics.tls.key_file, "/d.key");
  EXPECT_FALSE(config.diagnostics.tls.is_work_dir_pair);
}

TEST(ConfigCertificates, AnEmptyTextMeansNone) {
  auto config = loaded("", {{"KUMA_GENERAL_TLS_CERT_FILE", ""}, {"KUMA_DIAGNOSTICS_TLS_CERT_FILE", ""}}).config;
  EXPECT_EQ(config.diagnostics.tls.cert_file, "/home/mesh/.kuma/kuma-cp.crt");
  EXPECT_TRUE(config.diagnostics.tls.is_work_dir_pair);
}

TEST(ConfigWorkDir, AMissingHomeDirectoryStopsTheStart) {
  ConfigSource source;
  auto result = load_config(source);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().text(),
            "configuration refused: general.workDir: is not set, and there is no home directory (variable HOME) to put "
            "it in");
  source.environment["KUMA_GENERAL_WORK_DIR"] = "/w";
  EXPECT_TRUE(load_config(source).ok());
}

TEST(ConfigTls, TheGeneralSettingsHoldForServersThatSetNone) {
  auto config = loaded(
                    "general: {tlsMinVersion: TLSv1_3, tlsMaxVersion: TLSv1_3, tlsCipherSuites: "
                    "[TLS_AES_128_GCM_SHA256]}")
                    .config;
  for (const auto* tls : {&config.kds_server.tls, &config.api_server.tls, &config.diagnostics.tls}) {
    EXPECT_EQ(tls->min_version, TlsVersion::v1_3);
    EXPECT_EQ(tls->max_version, TlsVersion::v1_3);
    EXPECT_THAT(tls->cipher_suites, ElementsAre("TLS_AES_128_GCM_SHA256"));
  }
}

// Kuma's default for the general minimum silently undid a stricter minimum of one server.
TEST(ConfigTls, AValueOfAServerWinsAndTheDifferenceToKumaIsSaid) {
  auto config = loaded("diagnostics: {tlsMinVersion: TLSv1_3}");
  EXPECT_EQ(config.config.diagnostics.tls.min_version, TlsVersion::v1_3);
  EXPECT_EQ(config.config.api_server.tls.min_version, TlsVersion::v1_2);
  EXPECT_THAT(
      config.warnings,
      ElementsAre("diagnostics.tlsMinVersion: \"TLSv1_3\" (kdsd.yaml:1) is used; kuma-cp would use \"TLSv1_2\" of "
                  "general.tlsMinVersion"));
  EXPECT_THAT(loaded("diagnostics: {tlsMinVersion: TLSv1_2}").warnings, IsEmpty());
}

TEST(ConfigTls, TheHighestVersionIsNotBelowTheLowest) {
  EXPECT_EQ(
      refused("general: {tlsMinVersion: TLSv1_3, tlsMaxVersion: TLSv1_2}"),
      "general.tlsMaxVersion: \"TLSv1_2\" (kdsd.yaml:1) is not accepted, want no less than tlsMinVersion, TLSv1_3");
}

TEST(ConfigPublicKeys, AreReadFromTextAndFile) {
  ScratchFile pem("-----BEGIN PUBLIC KEY-----\nabc\n");
  auto config = loaded("apiServer: {authn: {tokens: {validator: {publicKeys: [{kid: '1', keyFile: " + pem.path() +
                       "}, {KID: '2', key: '-----BEGIN PUBLIC KEY-----'}]}}}}");
  const auto& keys = config.config.api_server.user_tokens.public_keys;
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].kid, "1");
  EXPECT_EQ(keys[0].key, "-----BEGIN PUBLIC KEY-----\nabc\n");
  EXPECT_EQ(keys[1].key, "-----BEGIN PUBLIC KEY-----");
  const auto shown = config.effective.at("apiServer").at("authn").at("tokens").at("validator").at("publicKeys");
  EXPECT_EQ(json::serialize(shown.at(0)), json::serialize(json::object{{"kid", "1"}, {"keyFile", pem.path()}}));
}

TEST(ConfigPublicKeys, NeedAKidAndOneKeyThatCanBeRead) {
  const auto with = [](const std::string& key) {
    return refused("dpServer: {authn: {zoneProxy: {zoneToken: {validator: {publicKeys: [" + key + "]}}}}}");
  };
  for (const char* key : {"{key: a}", "{kid: a}", "{kid: a, key: b, keyFile: c}", "{kid: a, key: b, other: c}", "a"}) {
    EXPECT_THAT(with(key), HasSubstr("want a list of objects with kid and one of key, keyFile")) << key;
  }
  EXPECT_THAT(with("{kid: a, keyFile: /nonexistent}"), HasSubstr("\"/nonexistent\" (kdsd.yaml:1)"));
  EXPECT_THAT(with("{kid: a, key: b}"), HasSubstr("want a key in PEM form for this kid"));
}

TEST(ConfigMetrics, OldNamesWinWhenTheyAreNotZero) {
  auto config = loaded("metrics: {mesh: {minResyncTimeout: 7s, minResyncInterval: 3s, fullResyncInterval: 9s}}");
  EXPECT_EQ(find_text(config.effective, {"metrics", "mesh", "minResyncInterval"}), "7s");
  EXPECT_EQ(find_text(config.effective, {"metrics", "mesh", "fullResyncInterval"}), "9s");
  EXPECT_THAT(config.warnings, ElementsAre("metrics.mesh.minResyncTimeout (kdsd.yaml:1) is the old name of "
                                           "metrics.mesh.minResyncInterval and wins over it"));
}

TEST(ConfigMetrics, UnlimitedSubscriptionsHaveABoundAndSaySo) {
  auto config = loaded("metrics: {zone: {subscriptionLimit: 0}}");
  EXPECT_EQ(config.config.metrics.zone_subscriptions_max, 100);
  EXPECT_THAT(config.warnings,
              ElementsAre("metrics.zone.subscriptionLimit: \"0\" (kdsd.yaml:1) keeps 100 subscriptions, "
                          "the most there are"));
  EXPECT_EQ(loaded("metrics: {zone: {subscriptionLimit: 101}}").config.metrics.zone_subscriptions_max, 100);
}

TEST(ConfigSync, OwnKeysArrive) {
  const auto folder = std::filesystem::temp_directory_path() / ("kdsd-gui-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "index.html") << "page";
  const auto gui = folder.string();
  auto config = loaded("mode: global\nmultizone: {global: {kds: {maxMsgSize: 5000}}}",
                       {{"KDSD_KDS_COMPRESSION", "gzip"},
                        {"KDSD_KDS_BIND_ADDRESS", "127.0.0.1"},
                        {"KDSD_DIAGNOSTICS_BIND_ADDRESS", "::1"},
                        {"KDSD_STORE_PATH", "/x.db"},
                        {"KDSD_GUI_DIRECTORY", gui},
                        {"KDSD_NAMESPACED_GATEWAY_ROUTES", "true"},
                        {"KDSD_COMPATIBLE_VERSION", "2.13.1"},
                        {"KDSD_MAX_BODY_BYTES", "1000"},
                        {"KDSD_HTTP_MAX_CONNECTIONS", "3"}})
                    .config;
  EXPECT_EQ(config.sync.compression, Compression::gzip);
  EXPECT_EQ(config.sync.foreign_message_bytes_max, 5000);
  EXPECT_EQ(config.kds_server.bind_address, "127.0.0.1");
  EXPECT_EQ(config.diagnostics.bind_address, "::1");
  EXPECT_EQ(config.store.path, "/x.db");
  EXPECT_EQ(config.api_server.gui_directory, gui);
  EXPECT_TRUE(config.namespaced_gateway_routes);
  EXPECT_EQ(config.api_server.compatible_version, "2.13.1");
  EXPECT_EQ(config.api_server.body_bytes_max, 1000);
  EXPECT_EQ(config.api_server.connections_max, 3);
  EXPECT_EQ(loaded("", {{"KDSD_FOREIGN_MAX_MESSAGE_BYTES", "77"}}).config.sync.foreign_message_bytes_max, 77);
  EXPECT_THAT(refused("kdsd: {kds: {compression: zstd}}"), HasSubstr("want one of none, gzip"));
  EXPECT_THAT(refused("kdsd: {guiDirectory: /none}"), HasSubstr("index.html"));
  std::filesystem::remove_all(folder);
}

TEST(ConfigGui, StandsBelowTheRoot) {
  for (const std::string path : {"''", "/", "//"}) {
    EXPECT_THAT(refused("apiServer: {gui: {basePath: " + path + "}}"),
                HasSubstr("is not accepted, want a path below the root, such as /gui"))
        << path;
  }
  loaded("apiServer: {gui: {basePath: '', enabled: false}}");
  EXPECT_EQ(loaded("apiServer: {gui: {basePath: /ui}}").config.api_server.gui_base_path, "/ui");
}

TEST(ConfigTypes, UnsetMeansAllAndEmptyMeansNone) {
  auto source =
      source_of("coreResources: {enabled: []}", {{"KUMA_PLUGIN_POLICIES_ENABLED", "meshtimeouts,meshtimeoutz"}});
  source.policy_types = {"meshtimeouts", "meshtraces"};
  source.core_resource_types = {"workloads", "meshservices"};
  auto result = load_config(source);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->config.types.core_resources, std::vector<std::string>());
  EXPECT_THAT(result->warnings, ElementsAre("policies.pluginPoliciesEnabled: \"meshtimeoutz\" "
                                            "(KUMA_PLUGIN_POLICIES_ENABLED) is no type that exists here; did you mean "
                                            "meshtimeouts?"));
  source.file_text = "";
  source.environment.erase("KUMA_PLUGIN_POLICIES_ENABLED");
  result = load_config(source);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->config.types.core_resources.has_value());
  EXPECT_EQ(json::serialize(result->effective.at("coreResources").at("enabled")), R"(["meshservices","workloads"])");
}

TEST(EffectiveConfig, HasKumasNamesNestingAndTypes) {
  const auto effective = loaded("", {{"KUMA_STORE_POSTGRES_PASSWORD", "hidden"}}).effective;
  const json::value root(effective);
  EXPECT_EQ(root.at_pointer("/apiServer/http/port"), 5681);
  EXPECT_EQ(root.at_pointer("/multizone/global/kds/maxMsgSize"), 10485760);
  EXPECT_EQ(root.at_pointer("/multizone/global/kds/msgSendTimeout"), "1m0s");
  EXPECT_EQ(root.at_pointer("/store/type"), "sqlite");
  EXPECT_EQ(root.at_pointer("/store/postgres/password"), "*****");
  EXPECT_EQ(root.at_pointer("/store/unsafeDelete"), false);
  EXPECT_EQ(root.at_pointer("/defaults/SkipHostnameGenerators"), false);
  EXPECT_EQ(root.at_pointer("/runtime/universal/dataplaneCleanupAge"), "72h0m0s");
  EXPECT_EQ(root.at_pointer("/general/workDir"), "/home/mesh/.kuma");
  EXPECT_EQ(root.at_pointer("/apiServer/corsAllowedDomains"), json::array());
  EXPECT_EQ(root.at_pointer("/kdsd/compatibleVersion"), "2.13.10");
  EXPECT_EQ(json::serialize(root).find("hidden"), std::string::npos);
}

TEST(EffectiveConfig, ListsEveryKeyWithItsSource) {
  const auto config = loaded("mode: global");
  EXPECT_EQ(config.values.size(), all_keys().size());
  EXPECT_EQ(config.values[1].key, "mode");
  EXPECT_EQ(config.values[1].value, "global");
  EXPECT_EQ(config.values[1].source, "kdsd.yaml:1");
  for (const auto& value : config.values) {
    if (value.key == "store.postgres.password") {
      EXPECT_EQ(value.value, "*****");
    }
  }
}

// A control plane's own effective configuration, given to it as a file, changes nothing and warns about nothing.
TEST(EffectiveConfig, LoadsAgainAsAFile) {
  const auto first = loaded("mode: global");
  auto text = first.effective;
  text.at("store").as_object().at("postgres").as_object().erase("password");
  // A list of types that is shown is "all"; read again it would be a choice of these.
  text.at("policies").as_object().clear();
  text.at("coreResources").as_object().erase("enabled");
  const auto second = loaded(json::serialize(text));
  EXPECT_THAT(second.warnings, IsEmpty());
  EXPECT_EQ(json::serialize(second.effective), json::serialize(first.effective));
}

// The configuration text that a kuma-cp of version 2.13 sent as part of its node.
std::string recorded_config() {
  std::ifstream file(test_data() / "wire/01-first-sync.json");
  std::ostringstream text;
  text << file.rdbuf();
  const json::value recording = json::parse(text.str());
  for (const auto& event : recording.at("events").as_array()) {
    const auto* message = event.as_object().if_contains("message");
    if (message == nullptr) continue;
    const auto* node = message->as_object().if_contains("node");
    if (node == nullptr || !node->is_object()) continue;
    const auto* metadata = node->as_object().if_contains("metadata");
    if (metadata == nullptr || !metadata->is_object()) continue;
    if (const auto* config = metadata->as_object().if_contains("config")) return std::string(config->as_string());
  }
  ADD_FAILURE() << "no node with a configuration";
  return "{}";
}

void expect_contained(const json::value& recorded, const json::value& ours, const std::string& path) {
  if (!recorded.is_object()) {
    EXPECT_EQ(json::serialize(recorded), json::serialize(ours)) << path;
    return;
  }
  for (const auto& [name, value] : recorded.as_object()) {
    if (path == ".runtime" && name == "kubernetes") continue;  // keys that are not known here
    const auto* own = ours.as_object().if_contains(name);
    ASSERT_NE(own, nullptr) << path << "." << name << " is not in the effective configuration";
    expect_contained(value, *own, path + "." + std::string(name));
  }
}

TEST(EffectiveConfig, OfARealControlPlaneLoadsAndLooksTheSame) {
  const std::string text = recorded_config();
  const auto config = loaded(text);
  expect_contained(json::parse(text), config.effective, "");
  EXPECT_EQ(config.config.zone_name, "east");
  // What kuma-cp fills in for itself differs from the default, so it is taken for a wish.
  EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("dpServer.authn.zoneProxy.type"),
                                           HasSubstr("dpServer.authn.dpProxy.type"), HasSubstr("store.type: memory")));
}

// The same comparison for the defaults alone: what that control plane was told, or found out, is left out.
TEST(EffectiveConfig, HasTheDefaultsOfARealControlPlane) {
  const auto recorded = loaded(recorded_config());
  const auto ours = loaded("");
  std::vector<std::string> different;
  for (std::size_t i = 0; i < ours.values.size(); ++i) {
    const bool is_own = ours.values[i].key.starts_with("kdsd.");
    const bool is_pair = ours.values[i].key.ends_with(".tlsCertFile") || ours.values[i].key.ends_with(".tlsKeyFile");
    if (is_own || is_pair || ours.values[i].value == recorded.values[i].value) continue;
    different.push_back(ours.values[i].key);
  }
  EXPECT_THAT(different,
              ElementsAre("multizone.zone.name", "multizone.zone.globalAddress", "store.type",
                          "apiServer.http.interface", "apiServer.http.port", "apiServer.https.interface",
                          "apiServer.https.port", "diagnostics.serverPort", "general.workDir",
                          "interCp.catalog.instanceAddress", "interCp.server.port", "dpServer.authn.zoneProxy.type",
                          "dpServer.authn.dpProxy.type", "policies.pluginPoliciesEnabled", "coreResources.enabled",
                          "bootstrapServer.params.xdsPort", "monitoringAssignmentServer.port", "dpServer.port"));
}

}  // namespace
}  // namespace kdsd::app
