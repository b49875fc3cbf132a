// Reading what is posted for an evaluation: every member is checked, and what is wrong is named with its place and
// rule.
//
// Pure; for evaluation.cpp and its neighbours (policy-semantics.md 12.6 and 14).
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"
#include "policy/engine/applied_policy.h"
#include "policy/outcome.h"

namespace kdsd::policy {

namespace limits {
inline constexpr std::size_t evaluated_documents = 5'000;  // policies or resources of one evaluation
inline constexpr std::size_t attached_policies = 1'000;    // compared in pairs
inline constexpr std::size_t violations_named = 50;        // of one input; the rest adds nothing
}  // namespace limits

// One object of the input. Violations go to the outcome that all readers of an input share.
class InputReader {
 public:
  InputReader(const boost::json::value& value, std::string path, Outcome& outcome);

  // Refuses members with other names.
  void allow_only(std::initializer_list<std::string_view> names);

  const boost::json::value* member(std::string_view name) const;  // null where it is missing or null
  std::string path_of(std::string_view name) const;
  void refuse(std::string_view name, std::string reason);

  std::string text(std::string_view name, std::string_view otherwise = {});
  std::string required_text(std::string_view name);
  bool flag(std::string_view name, bool otherwise);
  // One of the words, the first where the member is missing.
  std::string_view word(std::string_view name, std::initializer_list<std::string_view> words);
  const boost::json::array& list(std::string_view name, bool is_required, std::size_t items_max);
  InputReader object(std::string_view name, bool is_required);
  InputReader element(std::string_view name, std::size_t index);  // of a list
  Labels texts(std::string_view name);

 private:
  const boost::json::value& value_;
  std::string path_;
  Outcome& outcome_;
};

// A resource as it is stored: `type`, `mesh`, `name`, `labels`, `spec`, and `namespace` as a short form of its label.
ResourcePtr read_resource(InputReader reader, const Catalogue& catalogue);

// What an evaluation demands of a policy beyond its shape. `path` is that of its spec.
using PolicyCheck = std::function<void(const AppliedPolicy& policy, const std::string& path, Outcome& outcome)>;

// The policies of `policies`, all of one target-ref type. Shadow policies are left out unless asked for.
AppliedPolicies read_policies(InputReader& input, const Catalogue& catalogue, bool with_shadow,
                              const PolicyCheck& check = {});

// The refusal of the whole input; ok where nothing was wrong.
Status refusal_of_input(const Outcome& outcome);

}  // namespace kdsd::policy
