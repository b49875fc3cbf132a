// Whatever is posted as permissions is refused or becomes a filter; and a filter made of `from` items admits the client
// that has all tags of one item exactly when the items, evaluated one by one, allow it.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "model/catalogue.h"
#include "model/json.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/evaluation_input.h"
#include "policy/engine/rbac.h"

namespace {

using namespace kdsd;

bool satisfies(const boost::json::value& principal, const std::set<std::string>& uris) {
  if (find(principal, {"any"}) != nullptr) return true;
  if (const auto* inner = find(principal, {"not_id"})) return !satisfies(*inner, uris);
  const auto* exact = find(principal, {"authenticated", "principal_name", "exact"});
  if (exact != nullptr)
    return uris.contains(std::string(find_text(principal, {"authenticated", "principal_name", "exact"})));
  const auto* all = find(principal, {"and_ids", "ids"});
  const auto* some = find(principal, {"or_ids", "ids"});
  for (const auto& id : (all != nullptr ? all : some)->as_array()) {
    if (satisfies(id, uris) != (all != nullptr)) return all == nullptr;
  }
  return all != nullptr;
}

bool admits(const boost::json::value& config, const std::set<std::string>& uris) {
  for (const auto& policy : find(config, {"rules", "policies"})->as_object()) {
    for (const auto& principal : find(policy.value(), {"principals"})->as_array()) {
      if (satisfies(principal, uris)) return true;
    }
  }
  return false;
}

// Values in which two tags have one URI say nothing: a slash in a key, or in the name of a service.
bool is_plain(const Labels& tags) {
  for (const auto& [key, value] : tags) {
    if (value.find('/') != std::string::npos || (key != "kuma.io/service" && key.find('/') != std::string::npos))
      return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = parse_json({reinterpret_cast<const char*>(data), size});
  if (!input.ok()) return 0;
  const auto& catalogue = Catalogue::builtin();
  (void)policy::evaluate_rbac(*input, catalogue, {false, false, true});
  (void)policy::evaluate_grant(*input, {});

  policy::Outcome outcome;
  policy::InputReader reader(*input, "", outcome);
  const auto policies = policy::read_policies(reader, catalogue, true);
  if (!outcome.ok()) return 0;
  policy::RbacOptions options;
  options.mesh = "m";
  const auto rbac = policy::rbac_of(policies, options);
  if (!rbac.ok()) return 0;
  if (policy::has_rules_form(policies)) return 0;
  const auto items = policy::ordered_from_items(policies, policy::ItemPrecedence::last);
  for (const auto& item : items) {
    if (!is_plain(item.clients.tags)) return 0;
  }
  for (const auto& item : items) {
    std::set<std::string> uris;
    for (const auto& [key, value] : item.clients.tags) {
      uris.insert(key == "kuma.io/service" ? "spiffe://m/" + value : "kuma://" + key + "/" + value);
    }
    const auto conf = policy::conf_for_client(items, item.clients.tags);
    if (admits(rbac->config, uris) != policy::allows(policy::action_of(conf))) std::abort();
  }
  return 0;
}
