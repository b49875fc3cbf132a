// Labels of a resource, and the keys that carry meaning (kds-protocol.md 8, rest-api.md 3.3).
//
// Pure values. A Labels object is small and sorted by key, so walking it gives the order of the wire and of documents.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/status.h"

namespace kdsd {

namespace limits {
// Of what documents and peers may bring. Kubernetes allows as many bytes of annotations; in number nobody needs more,
// and every resource is sent with all of them.
inline constexpr std::size_t labels_max = 1000;
inline constexpr std::size_t label_bytes_max = 256 << 10;  // keys and values together
}  // namespace limits

// Code::malformed beyond them: asked before labels are built.
Status check_label_limits(std::size_t count, std::size_t bytes);

namespace label {
inline constexpr std::string_view mesh = "kuma.io/mesh";
inline constexpr std::string_view origin = "kuma.io/origin";
inline constexpr std::string_view zone = "kuma.io/zone";
inline constexpr std::string_view env = "kuma.io/env";
inline constexpr std::string_view display_name = "kuma.io/display-name";
inline constexpr std::string_view policy_role = "kuma.io/policy-role";
inline constexpr std::string_view kds_sync = "kuma.io/kds-sync";
inline constexpr std::string_view effect = "kuma.io/effect";
inline constexpr std::string_view proxy_type = "kuma.io/proxy-type";
inline constexpr std::string_view workload = "kuma.io/workload";
inline constexpr std::string_view managed_by = "kuma.io/managed-by";
inline constexpr std::string_view deletion_grace_period = "kuma.io/deletion-grace-period-started-at";
inline constexpr std::string_view namespace_ = "k8s.kuma.io/namespace";
inline constexpr std::string_view service_account = "k8s.kuma.io/service-account";
}  // namespace label

class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;
  using const_iterator = std::vector<Entry>::const_iterator;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries);
  // In any order; of two with one key the later counts.
  explicit Labels(std::vector<Entry> entries);

  // The value, or empty text where the key is missing. `has` tells the two apart.
  const std::string& get(std::string_view key) const;
  bool has(std::string_view key) const;
  void set(std::string_view key, std::string_view value);
  void set_default(std::string_view key, std::string_view value);  // only where the key is missing
  void erase(std::string_view key);
  void erase_prefix(std::string_view prefix);

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  friend bool operator==(const Labels&, const Labels&) = default;

 private:
  std::vector<Entry> entries_;  // sorted by key, keys unique
};

}  // namespace kdsd
