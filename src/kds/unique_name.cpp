#include "kds/unique_name.h"

#include <algorithm>

#include "model/hash.h"
#include "policy/labels.h"

namespace kdsd::kds {
namespace {

constexpr std::size_t suffix_bytes = 17;  // what hashing appends

// A hashed name begins with the display name. Where the beginnings differ the hash need not be computed; a commit may
// hold many resources of one type.
bool begins_alike(std::string_view hashed, const Resource& other) {
  const std::string_view shown = display_name(other.name, other.labels);
  const auto length = std::min(shown.size(), hashed.size() - std::min(hashed.size(), suffix_bytes));
  return hashed.substr(0, length) == shown.substr(0, length);
}

}  // namespace

Status check_unique_name(const Transaction& transaction, const Resource& resource, const Sending& sending) {
  const auto name = wire_name(resource, sending);
  ResourcePtr taken_by;
  const auto look = [&](const ResourcePtr& other) {
    // On a zone a copy goes nowhere, and its labels would give a name that it never has.
    if (!other || taken_by || (other->is_copy() && !sending.is_global()) || other->name == resource.name) return;
    if (other->type->hashed && !begins_alike(name, *other)) return;
    if (wire_name(*other, sending) == name) taken_by = other;
  };
  look(transaction.find_by_wire_name(*resource.type, resource.mesh, name));
  transaction.each_staged(*resource.type, resource.mesh, look);
  if (!taken_by) return {};
  return Status(Code::invalid, "Resource is not valid",
                {{policy::label_field(label::display_name), "is already used by " + taken_by->name}});
}

}  // namespace kdsd::kds
