// What one control plane holds of another, as far as the responses on a stream tell.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>

#include "kds/wire.h"

namespace kdsd::kds::replay {

struct Key {
  std::string type;
  std::string mesh;
  std::string name;  // on the wire
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Held {
  Labels labels;
  boost::json::value spec;
  boost::json::value status;

  // Place in tables of differences: a resource is the same one whatever its name on the wire is.
  std::string shown_name(const Key& key) const;
};

bool same(const Held* a, const Held* b);
std::string text(const Held* held);

class State {
 public:
  // `is_full`: of this type there is nothing else.
  void apply(const Response& response, bool is_full);

  const Held* find(const Key& key) const;
  void erase(const Key& key) { held_.erase(key); }
  void put(const Key& key, Held held) { held_[key] = std::move(held); }
  void clear(const std::string& type);
  const std::map<Key, Held>& held() const { return held_; }

 private:
  std::map<Key, Held> held_;
};

Key key_of(const Resource& resource);
Held held_of(const Resource& resource);

}  // namespace kdsd::kds::replay
