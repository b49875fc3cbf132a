// Whatever is posted for a merge is refused or evaluated; and rules for groups of clients stay disjoint and true to the
// items, evaluated one by one.
#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/catalogue.h"
#include "model/json.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/evaluation_input.h"
#include "policy/engine/from_rules.h"

namespace {

using namespace kdsd;

// A client that has all tags of one item, or of none.
void check_client(const policy::FromRules& rules, const std::vector<policy::FromItem>& items, const Labels& client) {
  const policy::FromRule* found = nullptr;
  for (const auto& rule : rules.rules) {
    bool holds = true;
    for (const auto& matcher : rule.matchers) {
      const bool has = client.has(matcher.key) && client.get(matcher.key) == matcher.value;
      holds = holds && has != matcher.negative;
    }
    if (!holds) continue;
    if (found != nullptr) std::abort();  // two rules for one client
    found = &rule;
  }
  const auto expected = policy::conf_for_client(items, client);
  if (found == nullptr ? !expected.is_null() : !json_equal(found->conf, expected)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = parse_json({reinterpret_cast<const char*>(data), size});
  if (!input.ok()) return 0;
  const auto& catalogue = Catalogue::builtin();
  (void)policy::evaluate_merge(*input, catalogue, {true, true, true});
  (void)policy::evaluate_attachment(*input, {true, true, true});

  policy::Outcome outcome;
  policy::InputReader reader(*input, "", outcome);
  const auto policies = policy::read_policies(reader, catalogue, true);
  if (!outcome.ok()) return 0;
  const auto items = policy::ordered_from_items(policies, policy::ItemPrecedence::last);
  const auto rules = policy::merge_from(policies);
  if (!rules.is_complete) return 0;
  check_client(rules, items, {});
  for (const auto& item : items) check_client(rules, items, item.clients.tags);
  return 0;
}
