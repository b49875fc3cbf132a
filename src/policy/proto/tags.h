// Sets of tags: those that proxies carry, and selectors of them.
//
// Pure. Violations come in the order of the keys' bytes.
#pragma once

#include <string_view>

#include "policy/conf_checks.h"

namespace kdsd::policy {

inline constexpr std::string_view tag_service = "kuma.io/service";
inline constexpr std::string_view tag_protocol = "kuma.io/protocol";

struct TagRules {
  bool at_least_one = false;
  bool service = false;                             // has to be among them
  void (*of_map)(const ConfValue& tags) = nullptr;  // asked before the tags one by one
  void (*of_key)(const ConfValue& tags, std::string_view key) = nullptr;
};

inline constexpr TagRules any_tag{.at_least_one = true};
inline constexpr TagRules tag_and_service{.at_least_one = true, .service = true};

enum class SelectorCount { any, at_least_one, exactly_one };

// Whether the text has no characters but those of tag names; an empty one has none.
bool is_tag_name(std::string_view text);

bool has_tag(const ConfValue& tags, std::string_view key);

// What a proxy carries: a value cannot be `*`.
void check_tags(const ConfValue& tags, const TagRules& rules);

void check_selector(const ConfValue& tags, const TagRules& rules);
// A list of them, under `match` each.
void check_selectors(const ConfValue& list, const TagRules& rules, SelectorCount count = SelectorCount::at_least_one);
// The service alone: destinations of policies that act on outbounds.
void check_service_selectors(const ConfValue& list);

// A protocol that proxies know, where the tag is.
void check_known_protocol(const ConfValue& tags);

}  // namespace kdsd::policy
