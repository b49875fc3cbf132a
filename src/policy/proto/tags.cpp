#include "policy/proto/tags.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

constexpr std::array<std::string_view, 7> known_protocols = {"http", "http2", "tcp", "tls", "grpc", "kafka", "mysql"};

bool is_tag_text(std::string_view text, std::string_view marks) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  });
}

void check_value_of_selector(const ConfValue& value) {
  if (value.text() == "*" || is_tag_text(value.text(), ".-_:/")) return;
  value.refuse("tag value must consist of alphanumeric characters, dots, dashes, slashes and underscores or be \"*\"");
}

void check_value_of_tag(const ConfValue& value) {
  if (is_tag_text(value.text(), ".-_:")) return;
  value.refuse("tag value must consist of alphanumeric characters, dots, dashes and underscores");
}

std::vector<std::string_view> sorted_keys(const ConfValue& tags) {
  std::vector<std::string_view> keys;
  if (const auto* object = members(tags)) {
    for (const auto& entry : *object) keys.emplace_back(entry.key().data(), entry.key().size());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

using ValueCheck = void (*)(const ConfValue& value);

void check_all(const ConfValue& tags, const TagRules& rules, ValueCheck check_value) {
  const auto keys = sorted_keys(tags);
  if (rules.at_least_one && keys.empty()) tags.refuse("must have at least one tag");
  if (rules.of_map != nullptr) rules.of_map(tags);
  for (auto key : keys) {
    const auto value = under_key(tags, key);
    if (key.empty()) tags.refuse("tag name must be non-empty");
    if (!is_tag_name(key)) {
      value.refuse("tag name must consist of alphanumeric characters, dots, dashes, slashes and underscores");
    }
    if (rules.of_key != nullptr) rules.of_key(tags, key);
    if (value.text().empty()) value.refuse("tag value must be non-empty");
    check_value(value);
  }
  if (rules.service && !has_tag(tags, tag_service)) tags.refuse("mandatory tag \"kuma.io/service\" is missing");
}

void check_is_service_alone(const ConfValue& tags) {
  if (tags.size() != 1 || !has_tag(tags, tag_service)) {
    tags.refuse("must consist of exactly one tag \"kuma.io/service\"");
  }
}

void check_key_is_service(const ConfValue& tags, std::string_view key) {
  if (key != tag_service) under_key(tags, key).refuse("tag " + go_quoted(key) + " is not allowed");
}

}  // namespace

bool is_tag_name(std::string_view text) { return is_tag_text(text, ".-_:/"); }

// A tag without a value is one whose value is empty.
bool has_tag(const ConfValue& tags, std::string_view key) {
  const auto* object = members(tags);
  return object != nullptr && object->contains(key);
}

void check_tags(const ConfValue& tags, const TagRules& rules) { check_all(tags, rules, check_value_of_tag); }

void check_selector(const ConfValue& tags, const TagRules& rules) { check_all(tags, rules, check_value_of_selector); }

void check_selectors(const ConfValue& list, const TagRules& rules, SelectorCount count) {
  if (count != SelectorCount::any && list.size() == 0) list.refuse("must have at least one element");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto selector = list.at(i);
    check_selector(selector.at("match"), rules);
    if (i > 0 && count == SelectorCount::exactly_one) selector.refuse("there can be at most one selector");
  }
}

void check_service_selectors(const ConfValue& list) {
  constexpr TagRules rules{.service = true, .of_map = check_is_service_alone, .of_key = check_key_is_service};
  check_selectors(list, rules);
}

void check_known_protocol(const ConfValue& tags) {
  if (!has_tag(tags, tag_protocol)) return;
  const auto protocol = under_key(tags, tag_protocol);
  const auto name = lower_case(protocol.text());
  if (std::find(known_protocols.begin(), known_protocols.end(), name) != known_protocols.end()) return;
  protocol.refuse("tag \"kuma.io/protocol\" has an invalid value " + go_quoted(protocol.text()) +
                  ". Allowed values: grpc, http, http2, kafka, tcp");
}

}  // namespace kdsd::policy
