// The table of keys is sound, and the document for readers says the same.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

#include "app/config/bind.h"
#include "app/config/config.h"
#include "app/config/settings.h"

#include "../test_data.h"

namespace kdsd::app {
namespace {

const std::filesystem::path repository = test_data().parent_path().parent_path();

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

TEST(KeyTable, PathsAreUniqueAndNoKeyIsASection) {
  std::set<std::string> paths;
  for (const auto& key : all_keys()) {
    EXPECT_TRUE(paths.insert(lower(key.path)).second) << key.path;
    EXPECT_FALSE(is_section(key.path)) << key.path;
    EXPECT_EQ(find_key(lower(key.path)), &key);
  }
  EXPECT_GT(paths.size(), 200u);
}

TEST(KeyTable, NoVariableBelongsToTwoKeys) {
  std::set<std::string_view> variables;
  for (const auto& key : all_keys()) {
    for (auto name : {key.variable, key.other_variable}) {
      if (!name.empty()) {
        EXPECT_TRUE(variables.insert(name).second) << name;
      }
    }
  }
}

TEST(KeyTable, OwnKeysHaveOwnVariablesAndOthersKumas) {
  for (const auto& key : all_keys()) {
    const bool is_own = key.path.starts_with("kdsd.");
    if (key.variable.empty()) {
      EXPECT_EQ(key.type, KeyType::public_keys) << key.path;
      continue;
    }
    EXPECT_TRUE(key.variable.starts_with(is_own ? "KDSD_" : "KUMA_")) << key.path;
  }
}

TEST(KeyTable, DefaultsCanBeRead) {
  for (const auto& key : all_keys()) {
    EXPECT_FALSE(key.meaning.empty()) << key.path;
    if (key.type == KeyType::public_keys) continue;
    EXPECT_TRUE(parse_value(key, key.fallback).ok()) << key.path;
  }
}

TEST(KeyTable, SectionsWithoutUseLetUnknownKeysPassAndOthersRefuseThem) {
  EXPECT_EQ(unknown_keys_below("multizone.global.kds"), UnknownKeys::refuse);
  EXPECT_EQ(unknown_keys_below("kdsd"), UnknownKeys::refuse);
  EXPECT_EQ(unknown_keys_below("bootstrapServer.params"), UnknownKeys::ignore);
  EXPECT_EQ(unknown_keys_below("Runtime.Kubernetes.injector.x"), UnknownKeys::ignore);
  EXPECT_EQ(unknown_keys_below("runtime.universal"), UnknownKeys::refuse);
  EXPECT_EQ(unknown_keys_below("dpServer.hds"), UnknownKeys::ignore);
  EXPECT_EQ(unknown_keys_below("dpServer.authn.zoneProxy"), UnknownKeys::refuse);
  EXPECT_EQ(unknown_keys_below("experimental.kdsEventBasedWatchdog"), UnknownKeys::refuse);
  EXPECT_EQ(unknown_keys_below("ipam.meshService"), UnknownKeys::warn);
}

// A key that is accepted and read by nobody would be a promise that is not kept.
TEST(KeyTable, EveryAcceptedKeyIsUsedAndNoOther) {
  std::set<std::string> read;
  bind_config(Settings(), &read);
  // access.type has one value. The others are used while values are resolved, into the values of other keys.
  read.insert({"access.type", "general.tlsKeyFile", "general.tlsMinVersion", "general.tlsMaxVersion",
               "general.tlsCipherSuites", "multizone.zone.globalAddress"});
  for (const auto& key : all_keys()) {
    EXPECT_EQ(read.count(std::string(key.path)) == 1, key.decision == Decision::accept) << key.path;
  }
}

// path → the row's cells.
std::map<std::string, std::vector<std::string>> documented_keys() {
  std::map<std::string, std::vector<std::string>> out;
  std::istringstream text(read_text(repository / "docs" / "configuration.md"));
  bool is_table_of_keys = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("| key | variable |")) is_table_of_keys = true;
    if (!line.starts_with("|")) is_table_of_keys = false;
    if (!is_table_of_keys || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const auto end = line.find(" |", at);
      cells.push_back(end > at ? line.substr(at, end - at) : "");
      at = end + 3;
    }
    const std::string path = cells.at(0).substr(1, cells.at(0).size() - 2);
    EXPECT_TRUE(out.emplace(path, cells).second) << path << " is documented twice";
  }
  return out;
}

TEST(KeyTable, IsTheSameInTheDocument) {
  auto documented = documented_keys();
  for (const auto& key : all_keys()) {
    auto found = documented.find(std::string(key.path));
    ASSERT_NE(found, documented.end()) << key.path << " is missing in docs/configuration.md";
    const auto& cells = found->second;
    ASSERT_EQ(cells.size(), 6u) << key.path;
    for (auto name : {key.variable, key.other_variable}) {
      EXPECT_NE(cells[1].find(name), std::string::npos) << key.path << " lacks " << name;
    }
    EXPECT_EQ(cells[3], key.fallback.empty() ? "" : "`" + std::string(key.fallback) + "`") << key.path;
    EXPECT_EQ(cells[4], key.meaning) << key.path;
    EXPECT_EQ(cells[5], decision_name(key.decision)) << key.path;
    documented.erase(found);
  }
  for (const auto& [path, cells] : documented) ADD_FAILURE() << path << " is documented and does not exist";
}

LoadedConfig load_ready(const std::string& name) {
  ConfigSource source;
  source.file_path = (repository / "config" / name).string();
  source.environment["HOME"] = "/home/mesh";
  auto loaded = load_config(source);
  EXPECT_TRUE(loaded.ok()) << loaded.status().text();
  return loaded.ok() ? *loaded : LoadedConfig();
}

TEST(ReadyConfigurations, AGlobalLoadsWithoutWarnings) {
  auto loaded = load_ready("global.yaml");
  EXPECT_THAT(loaded.warnings, testing::IsEmpty());
  EXPECT_TRUE(loaded.config.is_global());
  EXPECT_TRUE(loaded.config.kds_server.tls_enabled);
  EXPECT_EQ(loaded.config.api_server.http.bind_address, "127.0.0.1");
}

TEST(ReadyConfigurations, AZoneLoadsWithoutWarnings) {
  auto loaded = load_ready("zone.yaml");
  EXPECT_THAT(loaded.warnings, testing::IsEmpty());
  EXPECT_TRUE(loaded.config.is_federated_zone());
  EXPECT_EQ(loaded.config.zone_name, "zone-1");
  EXPECT_EQ(loaded.config.kds_client.global->port, 5685);
}

}  // namespace
}  // namespace kdsd::app
