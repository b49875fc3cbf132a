// Explanations as the API and the command line show them (policy-semantics.md 12.5). Pure.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "kds/delivery.h"
#include "kds/explain.h"

namespace kdsd::kds {

// `deliveries` by zone; what is missing there has no member `delivery`.
boost::json::object explanation_json(const Explanation& explanation,
                                     const std::map<std::string, Delivery>& deliveries = {});

}  // namespace kdsd::kds
