// The rules of policies over what somebody posts or has in a file: merging, permissions, grants, attachment. Nothing is
// stored and nothing stored is looked at.
//
// Pure. Inputs have the form of the cases of policy-semantics.md 14, answers that of 12.6. Code::invalid names every
// place that is wrong, with the rule.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <vector>

#include "model/catalogue.h"
#include "model/status.h"
#include "policy/reference_grant.h"

namespace kdsd::policy {

struct EvaluationOptions {
  bool with_origin = false;  // adds `fields`: which policy gave which field
  bool with_rules = false;   // of `to` items: adds `rules`, the confs of all destinations that are named, with origins
  bool with_shadow = false;  // shadow policies take part
};

// `mergeKind` says what is merged: `to`, `from`, `single-item` or `routes`. Without it an input with `outbounds`,
// `resources` or `options` is about `to`, any other about `from`.
Result<boost::json::object> evaluate_merge(const boost::json::value& input, const Catalogue& catalogue,
                                           const EvaluationOptions& options);

Result<boost::json::object> evaluate_rbac(const boost::json::value& input, const Catalogue& catalogue,
                                          const EvaluationOptions& options);

// `stored`: used where the input has no `grants`.
Result<boost::json::object> evaluate_grant(const boost::json::value& input, const std::vector<Grant>& stored);

Result<boost::json::object> evaluate_attachment(const boost::json::value& input, const EvaluationOptions& options);

}  // namespace kdsd::policy
