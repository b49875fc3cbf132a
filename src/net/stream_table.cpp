#include "net/stream_table.h"

#include <utility>

namespace kdsd::net {

void StreamTable::detach() {
  events_ = nullptr;
  streams_.clear();
}

Result<std::uint64_t> StreamTable::open(const kds::StreamOpened& description, std::shared_ptr<Stream> stream) {
  if (events_ == nullptr) return {Code::unavailable, "stopped"};
  opening_ = stream;
  auto id = events_->opened(description);
  opening_.reset();
  if (id.ok() && events_ != nullptr) streams_[*id] = std::move(stream);
  return id;
}

void StreamTable::received(std::uint64_t id, std::string bytes) {
  if (events_ != nullptr) events_->received(id, std::move(bytes));
}

void StreamTable::written(std::uint64_t id) {
  if (events_ != nullptr) events_->written(id);
}

void StreamTable::closed(std::uint64_t id, const std::string& why) {
  if (streams_.erase(id) != 0 && events_ != nullptr) events_->closed(id, why);
}

Status StreamTable::pinged(const kds::ZoneCredentials& zone) {
  return events_ == nullptr ? Status(Code::unavailable, "stopped") : events_->pinged(zone);
}

std::shared_ptr<Stream> StreamTable::find(std::uint64_t id) {
  auto it = streams_.find(id);
  return it == streams_.end() ? opening_ : it->second;
}

}  // namespace kdsd::net
