// Tables, ages, YAML, names of types, and how files become documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/age.h"
#include "app/cli/document_input.h"
#include "app/cli/refusal.h"
#include "app/cli/resource_address.h"
#include "app/cli/table.h"
#include "app/cli/watch.h"
#include "app/cli/yaml_output.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

boost::json::value json_of(const std::string& text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.ok()) << value.status().message();
  return value.ok() ? *value : boost::json::value();
}

TEST(CliTable, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({"MESH", "NAME"});
  table.add({"default", "a"});
  table.add({"b", ""});
  EXPECT_EQ(table.take_text(), "MESH      NAME\ndefault   a\nb         -\n");
}

TEST(CliTable, LaterRowsStayBelowEarlierOnes) {
  Table table({"NAME", "AGE"});
  table.add({"long-name", "1s"});
  (void)table.take_text();
  table.add({"x", "2s"});
  EXPECT_EQ(table.take_text(), "x           2s\n");
}

TEST(CliTable, ControlCharactersOfAServerDoNotReachTheTerminal) {
  Table table({"NAME"});
  table.add({"a\x1b[2J\nb"});
  EXPECT_EQ(table.take_text(), "NAME\na [2J b\n");
}

TEST(CliTable, LettersOfSeveralBytesCountOnce) { EXPECT_EQ(display_width("zürich"), 6u); }

TEST(CliAge, ShowsTheLargestUnitThatSaysEnough) {
  EXPECT_EQ(format_age(0), "0s");
  EXPECT_EQ(format_age(119), "119s");
  EXPECT_EQ(format_age(120), "2m");
  EXPECT_EQ(format_age(2 * 3600 + 20 * 60), "2h20m");
  EXPECT_EQ(format_age(3 * 24 * 3600), "3d");
  EXPECT_EQ(format_age(-5), "0s");
}

TEST(CliAge, ReadsTimesWithFractionsAndOffsets) {
  EXPECT_EQ(parse_time("1970-01-01T00:01:00Z"), 60);
  EXPECT_EQ(parse_time("1970-01-01T00:01:00.123456789Z"), 60);
  EXPECT_EQ(parse_time("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(parse_time("0001-01-01T00:00:00Z"), std::nullopt);
  EXPECT_EQ(parse_time("yesterday"), std::nullopt);
  EXPECT_EQ(parse_time("1970-13-01T00:00:00Z"), std::nullopt);
  EXPECT_EQ(age_of("1970-01-01T00:00:00Z", 300), "5m");
  EXPECT_EQ(age_of("", 300), "");
}

TEST(CliYaml, ReadsBackAsWhatItWas) {
  const auto value =
      json_of(R"({"name":"slow","on":true,"texts":["true","12","1.5","0x1f","~","","2026-01-01T00:00:00Z",
    "10s","a: b","# no","- x","line\nline\n","  lead\n","y","no","null","10.0.0.1","{{ }}","a'b\"c","*x","&y","@z","%"],
    "number":12,"big":9007199254740993,"half":0.5,"huge":1e300,"negative":-12,"yes":true,"nope":false,"nothing":null,"empty":{},"list":[],"on ":{"12":{"a":[{"b":[[1]]}]}}})");
  const auto yaml = to_yaml(value);
  auto back = parse_yaml_documents(yaml);
  ASSERT_TRUE(back.ok()) << back.status().message() << "\n" << yaml;
  ASSERT_EQ(back->size(), 1u);
  EXPECT_TRUE(json_equal(back->front(), value)) << yaml << to_compact_json(back->front());
}

TEST(CliYaml, KeepsTheOrderOfMembersAndPlainTextsPlain) {
  EXPECT_EQ(to_yaml(json_of(R"({"type":"MeshTimeout","name":"slow","n":"12","spec":{"to":[{"a":"10s"}]}})")),
            "type: MeshTimeout\nname: slow\n\"n\": \"12\"\nspec:\n  to:\n    - a: 10s\n");
}

TEST(CliTypes, EverySpellingFindsTheType) {
  const auto& catalogue = Catalogue::builtin();
  for (const auto* text : {"MeshTimeout", "meshtimeout", "MESHTIMEOUTS", "meshtimeouts"}) {
    const auto type = find_type(catalogue, text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ((*type)->name, "MeshTimeout");
  }
  for (const auto* text : {"healthcheck", "healthchecks", "health-checks", "HealthCheck"}) {
    const auto type = find_type(catalogue, text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ((*type)->name, "HealthCheck");
  }
  for (const auto* text : {"zone-ingress", "zoneingresses", "zone-ingresses"}) {
    const auto type = find_type(catalogue, text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ((*type)->name, "ZoneIngress");
  }
}

TEST(CliTypes, EveryNamePathAndWordOfTheCatalogueIsUnderstood) {
  for (const auto* type : Catalogue::builtin().types()) {
    if (type->path.empty()) continue;
    for (const auto& word : {type->name, type->path, type->alt_path, type->kumactl_arg}) {
      if (word.empty()) continue;
      const auto found = find_type(Catalogue::builtin(), word);
      ASSERT_TRUE(found.ok()) << word;
      EXPECT_EQ((*found)->name, type->name) << word;
    }
  }
}

TEST(CliTypes, AMistypedTypeIsAnsweredWithTheNearestOne) {
  const auto type = find_type(Catalogue::builtin(), "MeshTimeuot");
  ASSERT_FALSE(type.ok());
  EXPECT_THAT(type.status().message(), HasSubstr("did you mean MeshTimeout?"));
}

TEST(CliTypes, NamesAreEncodedInAddresses) {
  const auto& type = **find_type(Catalogue::builtin(), "MeshTimeout");
  EXPECT_EQ(item_path(type, "default", "slow"), "/meshes/default/meshtimeouts/slow");
  EXPECT_EQ(item_path(type, "a/b", "c?d#e f"), "/meshes/a%2Fb/meshtimeouts/c%3Fd%23e%20f");
  EXPECT_EQ(collection_path(type, ""), "/meshtimeouts");
  EXPECT_EQ(item_path(**find_type(Catalogue::builtin(), "Mesh"), "ignored", "shop"), "/meshes/shop");
}

std::vector<std::string> names_of(const std::string& text) {
  const auto documents = split_documents({"in.yaml", text});
  EXPECT_TRUE(documents.ok()) << documents.status().message();
  std::vector<std::string> names;
  if (!documents.ok()) return names;
  for (const auto& document : *documents) names.emplace_back(find_text(document.value, {"name"}));
  return names;
}

TEST(CliDocuments, ManyInAFileKeepTheirOrderAndEmptyOnesAreLeftOut) {
  EXPECT_THAT(names_of("---\nname: a\n---\n---\n# nothing\n---\nname: b\n"), ElementsAre("a", "b"));
}

TEST(CliDocuments, JsonWithTabsAndListsOfBothKindsAreRead) {
  EXPECT_THAT(names_of("{\n\t\"name\": \"a\"\n}\n"), ElementsAre("a"));
  EXPECT_THAT(names_of(R"([{"name":"a"},{"name":"b"}])"), ElementsAre("a", "b"));
  EXPECT_THAT(names_of(R"({"total":2,"items":[{"name":"a"},{"name":"b"}],"next":null})"), ElementsAre("a", "b"));
  EXPECT_THAT(names_of("{\"name\":\"a\"}\n---\n{\"name\":\"b\"}\n"), ElementsAre("a", "b"));
}

TEST(CliDocuments, AResourceWithAMemberCalledItemsIsNoList) {
  EXPECT_THAT(names_of(R"({"type":"X","name":"a","items":[{"name":"b"}]})"), ElementsAre("a"));
}

TEST(CliDocuments, AFaultNamesFileAndPlace) {
  const auto documents = split_documents({"in.yaml", "name: a\nname: b\n"});
  ASSERT_FALSE(documents.ok());
  EXPECT_THAT(documents.status().message(), HasSubstr("in.yaml: "));
  EXPECT_THAT(documents.status().message(), HasSubstr("name"));
}

TEST(CliRefusal, AnErrorBodyIsKnownByItsTitle) {
  const auto status = refusal_of({400, R"({"title":"Could not process a resource","detail":"Resource is not valid",
    "invalid_parameters":[{"field":"spec.to[2].default.idleTimeout","reason":"must be positive"}]})"});
  EXPECT_EQ(status.message(), "Could not process a resource (Resource is not valid)");
  ASSERT_EQ(status.violations().size(), 1u);
  EXPECT_EQ(status.violations()[0], (Violation{"spec.to[2].default.idleTimeout", "must be positive"}));
}

TEST(CliRefusal, AnyOtherBodyIsShownAsItIs) {
  EXPECT_EQ(refusal_of({502, "bad gateway\n"}).message(), "(502): bad gateway");
  EXPECT_EQ(refusal_of({500, R"({"title":""})"}).message(), R"((500): {"title":""})");
  EXPECT_EQ(refusal_of({404, ""}).code(), Code::not_found);
}

TEST(CliWatch, ChangesAreFoundByMeshAndName) {
  const auto a = json_of(R"({"mesh":"m","name":"a","v":1})");
  const auto b = json_of(R"({"mesh":"m","name":"b","v":1})");
  const auto b2 = json_of(R"({"mesh":"m","name":"b","v":2})");
  ChangeFinder finder;
  EXPECT_EQ(finder.next({a, b}).size(), 2u);
  EXPECT_EQ(finder.next({b, a}).size(), 0u);
  const auto changes = finder.next({b2});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].event, Event::modified);
  EXPECT_EQ(changes[1].event, Event::deleted);
}

}  // namespace
}  // namespace kdsd::app::cli
