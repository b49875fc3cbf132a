#include "policy/proto_rules.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "model/catalogue.h"
#include "model/json.h"
#include "model/proto_spec.h"
#include "policy/proto/mesh_change.h"
#include "policy/proto_shape.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

namespace json = boost::json;

// Documents of proto-encoded types, each with what Kuma says about it.
const json::array& documents() {
  static const auto read = testing::read_data("proto-rules.json");
  return read.get_array();
}

using Lines = std::vector<std::string>;

Lines lines_of(const Violations& violations) {
  Lines out;
  for (const auto& violation : violations) out.push_back(violation.field + ": " + violation.reason);
  return out;
}

Lines lines_of(const json::array& violations) {
  Lines out;
  for (const auto& pair : violations) {
    const auto& item = pair.get_array();
    out.push_back(std::string(item[0].get_string()) + ": " + std::string(item[1].get_string()));
  }
  return out;
}

// Kuma goes through maps of its own there.
bool is_order_random(std::string_view type, const json::value& doc) {
  if (type == "MeshGateway") return true;
  if (type != "TrafficRoute") return false;
  for (const auto& http : find_list(doc, {"conf", "http"})) {
    if (http.is_object() && find(http, {"match", "headers"}) != nullptr) return true;
  }
  return false;
}

// What the own door reads in a document.
json::value read_document(const json::value& document) {
  const auto& doc = *find(document, {"doc"});
  auto read = read_proto_document(*Catalogue::builtin().find(find_text(document, {"type"})), doc);
  EXPECT_TRUE(read.ok()) << read.status().message() << ' ' << to_compact_json(doc);
  return read.ok() ? std::move(*read) : json::value(json::object());
}

const ResourceType& type_of(const json::value& document) {
  return *Catalogue::builtin().find(find_text(document, {"type"}));
}

TEST(ProtoRules, SayWhatKumaSays) {
  ASSERT_FALSE(documents().empty());
  for (const auto& document : documents()) {
    const auto& type = type_of(document);
    ASSERT_TRUE(has_proto_rules(type)) << type.name;
    const auto doc = read_document(document);
    auto wanted = lines_of(find_list(document, {"kuma"}));
    auto said = lines_of(validate_proto_spec(type, doc).violations);
    if (is_order_random(type.name, doc)) {
      std::sort(wanted.begin(), wanted.end());
      std::sort(said.begin(), said.end());
    }
    EXPECT_EQ(said, wanted) << type.name << ' ' << to_compact_json(doc);
  }
}

// Empty maps are lost on that way; documents where that matters are marked.
TEST(ProtoRules, SayTheSameOfWhatAPeerSends) {
  for (const auto& document : documents()) {
    const auto& type = type_of(document);
    const auto doc = read_document(document);
    const auto binary = proto_from_json(type.proto_message, doc.get_object());
    ASSERT_TRUE(binary.ok()) << type.name << ' ' << to_compact_json(doc);
    const auto received = proto_to_json(type.proto_message, *binary);
    ASSERT_TRUE(received.ok()) << type.name << ' ' << to_compact_json(doc);
    const auto said = lines_of(validate_proto_spec(type, *received).violations);
    const bool same = said == lines_of(validate_proto_spec(type, doc).violations);
    EXPECT_NE(same, find(document, {"asWritten"}) != nullptr) << type.name << ' ' << to_compact_json(doc);
  }
}

TEST(ProtoRules, EveryTypeHasDocumentsOfBothKinds) {
  std::map<std::string, std::pair<int, int>> counts;  // refused, accepted
  for (const auto& document : documents()) {
    auto& [refused, accepted] = counts[type_of(document).name];
    ++(validate_proto_spec(type_of(document), read_document(document)).ok() ? accepted : refused);
  }
  EXPECT_EQ(counts.size(), 19U);
  for (const auto& [type, count] : counts) {
    EXPECT_GE(count.first, 2) << type;
    EXPECT_GE(count.second, 1) << type;
  }
}

TEST(ProtoRules, AuthoritiesOfANewMeshAreLookedAt) {
  int changes = 0;
  for (const auto& document : documents()) {
    if (find(document, {"change"}) == nullptr) continue;
    ++changes;
    const auto doc = read_document(document);
    EXPECT_EQ(lines_of(mesh_change_violations("a", nullptr, doc)), lines_of(find_list(document, {"change"})))
        << to_compact_json(doc);
  }
  EXPECT_GE(changes, 10);
}

}  // namespace
}  // namespace kdsd::policy
