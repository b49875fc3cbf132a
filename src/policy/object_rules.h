// Rules of objects that are no policies: what their validators say about values that fit the schema.
//
// Pure. For documents and for what peers send, like validate_spec, which calls it. Fields and texts are those that
// users of Kuma know.
#pragma once

#include <boost/json/value.hpp>

#include "model/catalogue.h"
#include "policy/outcome.h"

namespace kdsd::policy {

// Says nothing about types without such rules.
void check_object(const ResourceType& type, const boost::json::value& spec, Outcome& outcome);

}  // namespace kdsd::policy
