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

Status check_label_limits(std::size_t count, std::size_t bytes) {
  if (count > limits::labels_max) return {Code::malformed, "more than " + std::to_string(limits::labels_max)};
  if (bytes <= limits::label_bytes_max) return {};
  return {Code::malformed, "more than " + std::to_string(limits::label_bytes_max) + " bytes"};
}

Labels::Labels(std::initializer_list<Entry> entries) {
  for (const auto& [key, value] : entries) set(key, value);
}

Labels::Labels(std::vector<Entry> entries) : entries_(std::move(entries)) {
  const auto same_key = [](const Entry& a, const Entry& b) { return a.first == b.first; };
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  // `unique` keeps the first of equal ones.
  std::reverse(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end(), same_key), entries_.end());
  std::reverse(entries_.begin(), entries_.end());
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
