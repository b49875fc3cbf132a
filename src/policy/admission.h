// The way of one written document from parsed JSON to what is stored: rest-api.md 6.4, checks 3 to 6, without the
// access rules.
//
// Pure. Knows nothing of HTTP: the caller turns Status and stage into an answer.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue.h"
#include "model/labels.h"
#include "model/resource.h"
#include "model/status.h"
#include "policy/control_plane.h"
#include "policy/own_door.h"

namespace kdsd::policy {

// Which step refused, and so which title the answer has.
enum class Stage : std::uint8_t {
  none,
  process,  // "Could not process a resource"
  labels,   // "Could not update a resource": an immutable label
  create,   // "Failed to create a resource"
  update,   // "Failed to update a resource"
};
std::string_view title(Stage stage);

struct Request {
  const Catalogue* catalogue = nullptr;
  const ResourceType* type = nullptr;
  std::string mesh;  // from the address; empty for global scope
  std::string name;  // from the address, a core name where there are namespaces
  const boost::json::value* body = nullptr;
  const Resource* existing = nullptr;  // null: create
  GrantCheck granted;                  // for namespaced gateway routes; may be empty
};

struct Admitted {
  std::string name;  // what is stored; `name` of the request with the system namespace added where it was missing
  Labels labels;
  std::string spec_bytes;
  std::vector<std::string> warnings;
  bool created = false;
};

struct Admission {
  // Code::malformed: 400 "Bad Request" with the message as detail. Code::invalid: 400 with `title(stage)`.
  Result<Admitted> result;
  Stage stage = Stage::none;
};

Admission admit(const ControlPlaneKind& control_plane, const Request& request);

// Whether a type may be written on this control plane at all (6.6). Code::not_writable with the detail of the answer.
Status writable(const ResourceType& type, const ControlPlaneKind& control_plane, bool read_only);

}  // namespace kdsd::policy
