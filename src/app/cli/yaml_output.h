// JSON values as YAML text, in block style and in the order of their members.
//
// Pure. Texts that a YAML reader would take for something else (true, 12, a date) are quoted, so that what `get -o
// yaml` prints can be applied again.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace kdsd::app::cli {

// One document with a newline at its end and without a separator.
std::string to_yaml(const boost::json::value& value);

}  // namespace kdsd::app::cli
