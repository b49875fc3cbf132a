// Confs of backends: free-form JSON in the message of a Mesh, which the backend's type gives a form.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "policy/conf_checks.h"

namespace kdsd::policy {

// Why the conf does not decode as a message of that name, in the words of Go's decoder; empty where it does.
std::string decode_problem(std::string_view message_name, const ConfValue& conf);

}  // namespace kdsd::policy
