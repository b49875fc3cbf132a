// Specs of proto-encoded types: between their binary form and the JSON that documents show (rest-api.md 3.2).
//
// Pure. Works for every message of proto/ by name; unknown fields of a binary survive, unknown JSON members are
// dropped.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "model/status.h"

namespace google::protobuf {
class Message;
}

namespace kdsd {

// Deterministic binary (map entries sorted by key) from the JSON of a message. The error names the member.
Result<std::string> proto_from_json(std::string_view message_name, const boost::json::object& json);

// Members in declaration order, zero values left out.
Result<boost::json::object> proto_to_json(std::string_view message_name, std::string_view binary);

// Whether `binary` is a message of that name.
bool proto_is_valid(std::string_view message_name, std::string_view binary);

// Equal as messages, whatever the order of fields and map entries.
bool proto_equal(std::string_view message_name, std::string_view a, std::string_view b);

std::string serialize_deterministic(const google::protobuf::Message& message);

}  // namespace kdsd
