#include "policy/engine/conf.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "policy/outcome.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

using Path = std::vector<std::string_view>;

constexpr std::string_view append_prefix = "append";

bool is_append_name(std::string_view name) {
  return name.size() > append_prefix.size() && name.starts_with(append_prefix) && name[append_prefix.size()] >= 'A' &&
         name[append_prefix.size()] <= 'Z';
}

std::string_view name_of(const json::key_value_pair& member) { return {member.key().data(), member.key().size()}; }

json::value without_nulls(const json::value& value) {
  if (const auto* object = value.if_object()) {
    json::object out;
    for (const auto& member : *object) {
      if (!member.value().is_null()) out.emplace(member.key(), without_nulls(member.value()));
    }
    return out;
  }
  if (const auto* array = value.if_array()) {
    json::array out;
    out.reserve(array->size());
    for (const auto& element : *array) out.push_back(without_nulls(element));
    return out;
  }
  return value;
}

void merge_into(json::value& lower, const json::value& higher, AppendRule rule) {
  if (!lower.is_object() || !higher.is_object()) {
    lower = without_nulls(higher);
    return;
  }
  auto& object = lower.get_object();
  for (const auto& member : higher.get_object()) {
    if (member.value().is_null()) continue;
    auto* existing = object.if_contains(member.key());
    const bool appends = rule == AppendRule::concatenate && existing != nullptr && existing->is_array() &&
                         member.value().is_array() && is_append_name(name_of(member));
    if (existing == nullptr) {
      object.emplace(member.key(), without_nulls(member.value()));
    } else if (appends) {
      for (const auto& element : member.value().get_array()) existing->get_array().push_back(without_nulls(element));
    } else {
      merge_into(*existing, member.value(), rule);
    }
  }
}

// What a conf says at a path: the value, or that it is silent, or that it puts something else in the way.
struct Said {
  const json::value* value = nullptr;
  bool is_in_the_way = false;
};

Said said_at(const json::value& conf, const Path& path) {
  const auto* at = &conf;
  for (const auto name : path) {
    if (!at->is_object()) return {nullptr, true};
    at = at->get_object().if_contains({name.data(), name.size()});
    if (at == nullptr || at->is_null()) return {};
  }
  return {at, false};
}

std::string text_of(const Path& path) {
  std::string out;
  for (const auto name : path) out = field_path(out, name);
  return out;
}

std::vector<std::size_t> sources_of(const Path& path, const Confs& confs, AppendRule rule) {
  std::vector<std::size_t> out;
  const bool appends = rule == AppendRule::concatenate && !path.empty() && is_append_name(path.back());
  for (std::size_t i = confs.size(); i-- > 0;) {
    const auto said = said_at(*confs[i], path);
    if (said.is_in_the_way) break;
    if (said.value == nullptr) continue;
    if (!appends) return {i};
    if (!said.value->is_array()) {
      if (out.empty()) out.push_back(i);
      break;
    }
    out.push_back(i);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void collect_origins(const json::value& at, Path& path, const Confs& confs, AppendRule rule,
                     std::vector<FieldOrigin>& out) {
  const auto* object = at.if_object();
  if (object == nullptr || object->empty()) {
    out.push_back({text_of(path), sources_of(path, confs, rule)});
    return;
  }
  for (const auto& member : *object) {
    path.push_back(name_of(member));
    collect_origins(member.value(), path, confs, rule, out);
    path.pop_back();
  }
}

// `higher` has an object here, or is silent.
bool overrides_at(const json::value& higher, const json::value& lower) {
  const auto* object = lower.if_object();
  if (object == nullptr) return false;  // a value below an object: what stood there before is lost, or not
  for (const auto& member : *object) {
    if (member.value().is_null()) continue;
    const auto* other = higher.get_object().if_contains(member.key());
    if (other == nullptr || other->is_null()) return false;
    if (other->is_object()) {
      if (!overrides_at(*other, member.value())) return false;
    } else if (other->is_array() && member.value().is_array() && is_append_name(name_of(member))) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string field_path(std::string_view parent, std::string_view name) {
  const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!is_plain) return keyed(parent, name);
  return parent.empty() ? std::string(name) : member(parent, name);
}

json::value merge_confs(const Confs& low_to_high, AppendRule rule) {
  json::value out = json::object();
  for (const auto* conf : low_to_high) merge_into(out, *conf, rule);
  return out;
}

std::vector<FieldOrigin> field_origins(const json::value& merged, const Confs& low_to_high, AppendRule rule) {
  std::vector<FieldOrigin> out;
  Path path;
  collect_origins(merged, path, low_to_high, rule, out);
  return out;
}

bool overrides(const json::value& higher, const json::value& lower) {
  if (!higher.is_object()) return true;
  return overrides_at(higher, lower);
}

}  // namespace kdsd::policy
