// Who is calling, and what that caller may do (rest-api.md 2).
//
// Pure: decides from the request alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/backend.h"
#include "api/http.h"
#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::api {

struct Caller {
  std::string name;
  std::vector<std::string> groups;

  std::string text() const;  // name/group,group
};

// What a route makes of bearer tokens. Index and web interface ignore them, so that a stale one cannot break them.
enum class Tokens { checked, ignored };

// The bearer token that decides who is calling; nothing where something else does.
std::optional<std::string_view> token_in_question(const Request& request, const Facts& facts, Tokens tokens);

// `user`: what that token says, after it was verified.
Caller identify(const Request& request, const Facts& facts, const std::optional<kds::UserClaims>& user);

bool is_listed(const Caller& caller, const AccessRule& rule);
Status denied(const Caller& caller, const std::string& what);

// Code::denied with the detail of the answer.
Status may_touch(const Caller& caller, const ResourceType& type, const Facts& facts);
// With `writes_need_authentication` also: only for a caller that has proved who it is.
Status may_write(const Caller& caller, const ResourceType& type, const Facts& facts);
Status may_see_metadata(const Caller& caller, const Facts& facts);

}  // namespace kdsd::api
