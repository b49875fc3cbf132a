#include "api/http.h"

#include <algorithm>

namespace kdsd::api {
namespace {

const std::string* find(const TextPairs& pairs, std::string_view key) {
  auto it = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == key; });
  return it == pairs.end() ? nullptr : &it->second;
}

}  // namespace

std::string_view Request::header(std::string_view lower_case_name) const {
  const auto* value = find(headers, lower_case_name);
  return value ? std::string_view(*value) : std::string_view();
}

bool Request::has_header(std::string_view lower_case_name) const { return find(headers, lower_case_name) != nullptr; }

std::string_view Request::query_value(std::string_view key) const {
  const auto* value = find(query, key);
  return value ? std::string_view(*value) : std::string_view();
}

const std::string* Request::find_query(std::string_view key) const { return find(query, key); }

}  // namespace kdsd::api
