// What a proxy would decide by an RBAC filter, from its JSON alone: knows nothing of policies, so that what the engine
// generates is judged by something else (policy-semantics.md 9.2 "Evaluation, for tests"; Envoy's RBAC and matchers).
#pragma once

#include <boost/json/value.hpp>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>

namespace kdsd::policy::testing {

using Uris = std::set<std::string>;  // of one client certificate

inline bool satisfies(const boost::json::value& principal, const Uris& uris) {
  const auto& object = principal.as_object();
  EXPECT_EQ(object.size(), 1U);
  if (const auto* any = object.if_contains("any")) return any->as_bool();
  if (const auto* id = object.if_contains("authenticated")) {
    return uris.contains(id->at("principal_name").at("exact").as_string().c_str());
  }
  if (const auto* inner = object.if_contains("not_id")) return !satisfies(*inner, uris);
  const auto* all = object.if_contains("and_ids");
  const auto* some = object.if_contains("or_ids");
  if (all == nullptr && some == nullptr) {
    ADD_FAILURE() << "a principal of no known form";
    return false;
  }
  for (const auto& id : (all != nullptr ? all : some)->at("ids").as_array()) {
    if (satisfies(id, uris) != (all != nullptr)) return all == nullptr;
  }
  return all != nullptr;
}

inline bool some_policy_matches(const boost::json::value& rules, const Uris& uris) {
  for (const auto& policy : rules.at("policies").as_object()) {
    bool permits = false;
    for (const auto& permission : policy.value().at("permissions").as_array())
      permits |= permission.at("any").as_bool();
    for (const auto& principal : policy.value().at("principals").as_array()) {
      if (permits && satisfies(principal, uris)) return true;
    }
  }
  return false;
}

// Whether the rules let a request pass: ALLOW admits what matches, DENY what does not.
inline bool admits(const boost::json::value& rules, const Uris& uris) {
  return (rules.at("action").as_string() == "ALLOW") == some_policy_matches(rules, uris);
}

inline bool predicate_holds(const boost::json::value& predicate, const std::string& uri) {
  if (const auto* some = predicate.as_object().if_contains("or_matcher")) {
    for (const auto& each : some->at("predicate").as_array()) {
      if (predicate_holds(each, uri)) return true;
    }
    return false;
  }
  const auto& match = predicate.at("single_predicate").at("value_match").as_object();
  if (const auto* exact = match.if_contains("exact")) return uri == exact->as_string().c_str();
  return uri.starts_with(match.at("prefix").as_string().c_str());
}

// The action of the first matcher that holds, else that of `on_no_match`, else nothing.
inline std::optional<std::string> action_by_matchers(const boost::json::value& matcher, const std::string& uri) {
  const auto action_of = [](const boost::json::value& on_match) {
    return std::string(on_match.at("action").at("typed_config").at("action").as_string().c_str());
  };
  if (const auto* list = matcher.as_object().if_contains("matcher_list")) {
    for (const auto& each : list->at("matchers").as_array()) {
      if (predicate_holds(each.at("predicate"), uri)) return action_of(each.at("on_match"));
    }
  }
  const auto* otherwise = matcher.as_object().if_contains("on_no_match");
  return otherwise == nullptr ? std::nullopt : std::optional(action_of(*otherwise));
}

}  // namespace kdsd::policy::testing
