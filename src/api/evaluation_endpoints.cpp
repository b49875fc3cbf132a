// The rules of policies over what is posted; nothing is stored (policy-semantics.md 12.6).
#include <vector>

#include "api/answers.h"
#include "api/await.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/evaluation_query.h"
#include "model/document.h"
#include "model/json.h"
#include "policy/engine/evaluation.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

Response refuse(const Status& status) {
  if (status.code() != Code::invalid) return error_response(status, Operation::process);
  return error_response({400, "Could not evaluate the input", status.message(), status.violations()});
}

Result<json::value> body_of(const Call& call) {
  auto body = parse_json(call.request.body);
  if (!body.ok()) return Status(Code::malformed, "invalid input: " + body.status().message());
  return body;
}

// Grants are local to a control plane; where it has no such type there are none, and none means denial.
boost::asio::awaitable<std::vector<policy::Grant>> stored_grants(Backend& backend) {
  auto look = [](const kds::Core& core) {
    std::vector<ResourcePtr> found;
    const auto* type = core.index().catalogue().find("ReferenceGrant");
    if (type != nullptr) core.index().each(*type, [&](const ResourcePtr& grant) { found.push_back(grant); });
    return found;
  };
  std::vector<policy::Grant> out;
  for (const auto& grant : co_await read_core(backend, std::move(look)))
    out.push_back({grant->labels.get(label::namespace_), grant->name, spec_json(*grant)});
  co_return out;
}

Response answer(const Result<json::object>& result) {
  return result.ok() ? json_response(200, *result) : refuse(result.status());
}

using Evaluate = Result<json::object> (*)(const json::value&, const Catalogue&, const policy::EvaluationOptions&);

Response evaluate(const Call& call, Evaluate function) {
  const auto options = evaluation_options(call.request);
  if (!options.ok()) return refuse(options.status());
  const auto body = body_of(call);
  if (!body.ok()) return refuse(body.status());
  return answer(function(*body, Catalogue::builtin(), *options));
}

}  // namespace

Result<bool> flag_of_query(const Request& request, std::string_view name) {
  const auto text = request.query_value(name);
  if (text.empty() || text == "false") return false;
  if (text == "true") return true;
  return Status(Code::malformed, "bad request: unsupported value for query parameter '" + std::string(name) + "'");
}

Result<policy::EvaluationOptions> evaluation_options(const Request& request) {
  const auto origin = flag_of_query(request, "origin");
  const auto rules = flag_of_query(request, "rules");
  const auto shadow = flag_of_query(request, "shadow");
  for (const auto* flag : {&origin, &rules, &shadow}) {
    if (!flag->ok()) return flag->status();
  }
  return policy::EvaluationOptions{*origin, *rules, *shadow};
}

Answer evaluate_merge(Backend&, const Call& call) { co_return evaluate(call, policy::evaluate_merge); }

Answer evaluate_rbac(Backend&, const Call& call) { co_return evaluate(call, policy::evaluate_rbac); }

Answer evaluate_grant(Backend& backend, const Call& call) {
  const auto body = body_of(call);
  if (!body.ok()) co_return refuse(body.status());
  const auto* posted = find(*body, {"grants"});
  std::vector<policy::Grant> stored;
  if (posted == nullptr || posted->is_null()) stored = co_await stored_grants(backend);
  co_return answer(policy::evaluate_grant(*body, stored));
}

Answer evaluate_attachment(Backend&, const Call& call) {
  co_return evaluate(call, [](const json::value& input, const Catalogue&, const policy::EvaluationOptions& options) {
    return policy::evaluate_attachment(input, options);
  });
}

}  // namespace kdsd::api
