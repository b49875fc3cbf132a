// Documents of proto types as a Kuma control plane reads them: which JSON value stands for which member.
//
// Pure. The protobuf library takes more than peers do (a list of one for its only element, any text for an enumeration)
// and less (it knows no minutes); so members are brought into its spelling here, and what peers refuse is refused
// (rest-api.md 4, "Bad Request").
#pragma once

#include <boost/json/value.hpp>

#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::policy {

// The spec with known members only, in the order of their declaration, under their JSON names: durations in seconds, of
// members that exclude each other the last, null in a list as an empty value. Code::malformed with the path of the
// first value that is none for its member.
Result<boost::json::value> read_proto_document(const ResourceType& type, const boost::json::value& spec);

}  // namespace kdsd::policy
