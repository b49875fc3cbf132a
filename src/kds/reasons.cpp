#include "kds/reasons.h"

#include <array>

namespace kdsd::kds {
namespace {

struct Reason {
  std::string_view word;
  std::string_view sentence;  // `%` stands for the value behind the word
};

constexpr std::array<Reason, 22> reasons = {{
    {"global-originated", "the global control plane wrote it, and what it writes goes to every zone"},
    {"shared-across-zones", "the type is shared: what one zone has, all other zones get"},
    {"producer", "the owner of a service says how everybody should call it, so all other zones get it"},
    {"producer-zone-tag", "a producer policy that names one zone in its top-level targetRef goes to that zone only"},
    {"zone-originated", "the zone wrote it, and what zones write goes to the global control plane"},
    {"kds-sync-disabled", "the label kuma.io/kds-sync is `disabled`, so it stays where it was written"},
    {"not-originated-here", "it is a copy, and copies are sent by nobody but their author"},
    {"type-not-synced", "resources of this type stay where they were written"},
    {"type-not-synced-across-zones",
     "resources of this type go from a zone to the global control plane and no further"},
    {"internal", "the control plane keeps it for itself"},
    {"not-a-signing-key", "it holds no RSA key, so there is no public half that zones could be given"},
    {"role-invalid", "its items are of different roles, so it has none and goes to no other zone"},
    {"role-consumer", "a consumer policy is about clients of its own namespace in its own zone"},
    {"role-workload-owner", "a workload-owner policy is about proxies of its own namespace in its own zone"},
    {"role-system", "a system policy of a zone is about that zone only"},
    {"role-declared-", "its items make it a producer policy, but its author's control plane declared it `%`"},
    {"origin-zone-disabled", "the zone that wrote it is disabled"},
    {"origin-zone", "it was written there"},
    {"zone-tag:", "its top-level targetRef names zone %"},
    {"feature-missing:", "the zone's control plane does not announce the feature %"},
    {"api-server-refuses:",
     "the zone keeps resources in Kubernetes, whose API server would refuse this one (%), and it would reconnect for "
     "ever"},
    {"no-global", "this zone is connected to no global control plane, so nothing leaves it"},
}};

}  // namespace

std::string sentence_of(std::string_view reason) {
  for (const auto& [word, sentence] : reasons) {
    const bool takes_value = word.ends_with('-') || word.ends_with(':');
    if (takes_value ? !reason.starts_with(word) : reason != word) continue;
    std::string out(sentence);
    const auto mark = takes_value ? out.find('%') : std::string::npos;
    if (mark != std::string::npos) out.replace(mark, 1, reason.substr(word.size()));
    return out;
  }
  return std::string(reason);
}

std::vector<std::string_view> reason_words() {
  std::vector<std::string_view> words;
  for (const auto& reason : reasons) words.push_back(reason.word);
  return words;
}

}  // namespace kdsd::kds
