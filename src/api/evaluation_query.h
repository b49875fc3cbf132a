// Switches in the query of requests that evaluate policies.
//
// Pure.
#pragma once

#include <string_view>

#include "api/http.h"
#include "model/status.h"
#include "policy/engine/evaluation.h"

namespace kdsd::api {

// `true` or `false`, which is also what a missing one means. Code::malformed for other texts.
Result<bool> flag_of_query(const Request& request, std::string_view name);

// `origin`, `rules`, `shadow`.
Result<policy::EvaluationOptions> evaluation_options(const Request& request);

}  // namespace kdsd::api
