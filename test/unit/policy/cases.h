// Access to test/data/policy-cases.json: one array of cases, each with topic, input and expected result.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "model/json.h"
#include "model/labels.h"
#include "policy/control_plane.h"

#include "../test_data.h"

namespace kdsd::policy::testing {

inline boost::json::value read_data(const std::string& file) {
  std::ifstream in(test_data() / file);
  std::stringstream text;
  text << in.rdbuf();
  auto value = parse_json(text.str());
  EXPECT_TRUE(value.ok()) << file << ": " << value.status().text();
  return value.ok() ? *value : boost::json::value(boost::json::array());
}

inline std::vector<boost::json::value> cases_of(std::string_view topic) {
  std::vector<boost::json::value> out;
  const auto all = read_data("policy-cases.json");
  for (const auto& entry : all.get_array()) {
    if (find_text(entry, {"topic"}) == topic) out.push_back(entry);
  }
  return out;
}

inline Labels labels_of(const boost::json::value* value) {
  Labels labels;
  if (value == nullptr) return labels;
  for (const auto& entry : value->get_object()) {
    labels.set({entry.key().data(), entry.key().size()}, entry.value().get_string().c_str());
  }
  return labels;
}

inline ControlPlaneKind control_plane_of(const boost::json::value& node) {
  ControlPlaneKind out;
  out.mode = find_text(node, {"mode"}) == "zone" ? Mode::zone : Mode::global;
  out.zone = find_text(node, {"zone"});
  out.environment = find_text(node, {"environment"}) == "kubernetes" ? Environment::kubernetes : Environment::universal;
  if (auto name = find_text(node, {"systemNamespace"}); !name.empty()) out.system_namespace = name;
  const auto* federated = find(node, {"federated"});
  out.federated = federated != nullptr && federated->get_bool();
  return out;
}

inline boost::json::value json_of(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status().text();
  return value.ok() ? *value : boost::json::value();
}

}  // namespace kdsd::policy::testing
