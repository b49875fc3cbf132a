#include "model/labels.h"

#include <algorithm>

namespace kdsd {
namespace {

template <typename Entries>
auto lower(Entries& entries, std::string_view key) {
  return std::lower_bound(entries.begin(), entries.end(), key,
                          [](const Labels::Entry& entry, std::string_view k) { return entry.first.compare(k) < 0; });
}

}  // namespace

Labels::Labels(std::initializer_list<Entry> entries) {
  for (const auto& [key, value] : entries) set(key, value);
}

const std::string& Labels::get(std::string_view key) const {
  static const std::string none;
  auto it = lower(entries_, key);
  return it != entries_.end() && it->first == key ? it->second : none;
}

bool Labels::has(std::string_view key) const {
  auto it = lower(entries_, key);
  return it != entries_.end() && it->first == key;
}

void Labels::set(std::string_view key, std::string_view value) {
  auto it = lower(entries_, key);
  if (it != entries_.end() && it->first == key) {
    it->second = value;
  } else {
    entries_.emplace(it, std::string(key), std::string(value));
  }
}

void Labels::set_default(std::string_view key, std::string_view value) {
  if (!has(key)) set(key, value);
}

void Labels::erase(std::string_view key) {
  auto it = lower(entries_, key);
  if (it != entries_.end() && it->first == key) entries_.erase(it);
}

void Labels::erase_prefix(std::string_view prefix) {
  std::erase_if(entries_, [&](const Entry& entry) { return std::string_view(entry.first).starts_with(prefix); });
}

}  // namespace kdsd
