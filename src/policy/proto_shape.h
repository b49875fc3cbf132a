// Kinds of JSON values in documents of proto types: a text where a flag stands is a mistake, not a flag.
//
// Pure. The protobuf library converts such values without a word; peers refuse them (rest-api.md 4, "Bad Request").
#pragma once

#include <boost/json/value.hpp>

#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::policy {

// Code::malformed with the path of the first flag that is no flag, or text that is no text.
Status check_proto_shape(const ResourceType& type, const boost::json::value& spec);

}  // namespace kdsd::policy
