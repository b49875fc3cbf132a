// Shape of a spec: checks it against the JSON Schema of its type, fills defaults in and drops what the schema does not
// know.
//
// Pure. Violations carry the texts of rest-api.md 4 and policy-target-refs.md 7 ("Schema stage").
#pragma once

#include <boost/json/value.hpp>

#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::policy {

struct SchemaOutcome {
  Violations violations;
  boost::json::value spec;  // pruned and with defaults; complete only when there are no violations
  bool ok() const { return violations.empty(); }
};

// `spec` null means that the document has none. Types without a schema pass unchanged.
SchemaOutcome check_schema(const ResourceType& type, const boost::json::value& spec);

// Values that fit the schema and still mean nothing: a duration `fast`, bad base64.
// Code::malformed with the place and the value in the message.
Status check_decodes(const ResourceType& type, const boost::json::value& spec);

}  // namespace kdsd::policy
