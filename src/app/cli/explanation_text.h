// Explanations for people: the answer of `_explain`, and one document of a plan, as headed tables.
//
// Pure. Reads the JSON that the API gives, so what is printed is what programs get with `-o json`.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>

namespace kdsd::app::cli {

// `now_seconds`: for ages.
std::string explanation_text(const boost::json::value& explanation, std::int64_t now_seconds);

}  // namespace kdsd::app::cli
