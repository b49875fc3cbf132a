#include "policy/engine/attachment.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "model/json.h"
#include "policy/names.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

const std::string& target_namespace(const AttachedPolicy& policy) {
  return policy.target.namespace_.empty() ? policy.namespace_ : policy.target.namespace_;
}

bool targets(const AttachedPolicy& policy, const ChainElement& element) {
  const auto& target = policy.target;
  if (plain_group(target.group) != plain_group(element.group) || target.kind != element.kind) return false;
  if (target.name != element.name) return false;
  if (!element.namespace_.empty()) return target_namespace(policy) == element.namespace_;
  return element.is_virtual ||
         policy.namespace_.empty();  // only cluster-scoped policies attach to what is cluster-scoped
}

std::optional<std::size_t> level_of(const AttachedPolicy& policy, const std::vector<ChainElement>& chain,
                                    const std::string& request_namespace) {
  if (!request_namespace.empty() && policy.namespace_ != target_namespace(policy) &&
      policy.namespace_ != request_namespace) {
    return std::nullopt;
  }
  for (std::size_t level = 0; level < chain.size(); ++level) {
    if (targets(policy, chain[level])) return level;
  }
  return std::nullopt;
}

struct Section {
  std::size_t policy = 0;
  std::size_t level = 0;
  bool is_override = false;
  const json::value* value = nullptr;
};

// Highest first: overrides from above, then defaults from below; on one target the oldest, then the smallest name.
std::vector<Section> ordered_sections(const std::vector<ChainElement>& chain,
                                      const std::vector<AttachedPolicy>& policies,
                                      const std::string& request_namespace) {
  std::vector<Section> out;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto& policy = policies[i];
    const auto level = level_of(policy, chain, request_namespace);
    if (!level) continue;
    if (policy.has_override) out.push_back({i, *level, true, &policy.override_});
    if (policy.has_default) out.push_back({i, *level, false, &policy.default_});
  }
  const auto key = [&](const Section& section) {
    const auto& policy = policies[section.policy];
    const auto level = section.is_override ? section.level : chain.size() - section.level;
    return std::tuple(!section.is_override, level, policy.created, policy.text());
  };
  std::sort(out.begin(), out.end(), [&](const Section& a, const Section& b) { return key(a) < key(b); });
  return out;
}

// Paths at which two values do not agree.
void collect_differences(const json::value& a, const json::value& b, const std::string& path,
                         std::set<std::string>& out) {
  if (!a.is_object() || !b.is_object()) {
    if (!json_equal(a, b)) out.insert(path);
    return;
  }
  for (const auto& member : b.get_object()) {
    const auto* other = a.get_object().if_contains(member.key());
    if (other == nullptr || other->is_null() || member.value().is_null()) continue;
    collect_differences(*other, member.value(), field_path(path, {member.key().data(), member.key().size()}), out);
  }
}

// Fields on which two sections of one level and kind do not agree; each field of a section once, with the highest
// section that says otherwise.
void find_conflicts(const std::vector<Section>& sections, std::vector<AttachmentConflict>& out) {
  for (std::size_t low = 0; low < sections.size(); ++low) {
    std::set<std::string> known;
    for (std::size_t high = 0; high < low; ++high) {
      const auto& a = sections[high];
      const auto& b = sections[low];
      if (a.level != b.level || a.is_override != b.is_override) continue;
      std::set<std::string> differing;
      collect_differences(*a.value, *b.value, "", differing);
      for (const auto& path : differing) {
        if (known.insert(path).second) out.push_back({path, high, low});
      }
    }
  }
}

}  // namespace

AttachedResult attach(const std::vector<ChainElement>& chain, const std::vector<AttachedPolicy>& policies,
                      const std::string& request_namespace) {
  AttachedResult out;
  const auto sections = ordered_sections(chain, policies, request_namespace);
  Confs low_to_high;
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) low_to_high.push_back(section->value);
  for (const auto& section : sections) {
    const auto text = policies[section.policy].text() + (section.is_override ? " override" : " default");
    out.highest_to_lowest.push_back({section.policy, section.is_override, text});
  }
  out.effective = merge_confs(low_to_high, AppendRule::replace);
  out.fields = field_origins(out.effective, low_to_high, AppendRule::replace);
  for (auto& field : out.fields) {
    for (auto& source : field.sources) source = sections.size() - 1 - source;
  }
  find_conflicts(sections, out.conflicts);
  return out;
}

}  // namespace kdsd::policy
