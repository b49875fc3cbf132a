#include "kds/epochs.h"

#include <charconv>

namespace kdsd::kds {
namespace {

bool read_number(std::string_view text, std::uint64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Epochs Epochs::parse(std::string_view text) {
  Epochs epochs;
  while (!text.empty()) {
    const auto item = text.substr(0, text.find(','));
    text.remove_prefix(item.size() == text.size() ? item.size() : item.size() + 1);
    const auto at = item.find('@');
    Start start;
    if (at == item.npos || !read_number(item.substr(0, at), start.epoch) ||
        !read_number(item.substr(at + 1), start.first.value)) {
      return {};
    }
    epochs.starts_.push_back(start);
  }
  return epochs;
}

std::string Epochs::text() const {
  std::string out;
  for (const auto& start : starts_) {
    if (!out.empty()) out += ',';
    out += std::to_string(start.epoch) + "@" + std::to_string(start.first.value);
  }
  return out;
}

void Epochs::begin(std::uint64_t epoch, Revision first) {
  if (starts_.size() >= limits::epochs_kept) starts_.erase(starts_.begin());
  starts_.push_back({epoch, first});
}

bool Epochs::knows(std::uint64_t epoch, Revision revision, Revision head) const {
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    if (starts_[i].epoch != epoch) continue;
    return revision <= (i + 1 < starts_.size() ? starts_[i + 1].first : head);
  }
  return false;
}

}  // namespace kdsd::kds
