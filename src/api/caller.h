// Who is calling, and what that caller may do (rest-api.md 2).
//
// Pure: decides from the request alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/backend.h"
#include "api/http.h"
#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::api {

struct Caller {
  std::string name;
  std::vector<std::string> groups;
  bool is_local = false;  // a program on this machine that speaks for itself, not a relay and not a foreign web page

  std::string text() const;  // name/group,group
};

// Nothing: the request carries authentication that is not valid. `index`: the route cannot be broken by a stale token.
std::optional<Caller> identify(const Request& request, const Facts& facts, bool index);

// Code::denied with the detail of the answer.
Status may_touch(const Caller& caller, const ResourceType& type, const Facts& facts);
// Writing needs a caller on this machine or an administrator, as long as nobody else can prove who it is.
Status may_write(const Caller& caller, const ResourceType& type, const Facts& facts);
Status may_see_metadata(const Caller& caller, const Facts& facts);

}  // namespace kdsd::api
