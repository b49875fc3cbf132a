// Who sends a request, as far as it takes the keys and revocations of the store to know (rest-api.md 2, tokens.md 4).
//
// Coroutines of the API threads. What is collected from the store is kept until a secret changes, so a request with a
// token costs the check of one signature.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "api/backend.h"
#include "api/caller.h"
#include "api/http.h"

namespace kdsd::api {

class Authentication {
 public:
  // `backend` must outlive it and the coroutines.
  explicit Authentication(Backend& backend);

  // Nothing: the request carries a token that is not valid.
  boost::asio::awaitable<std::optional<Caller>> identify_caller(const Request& request, Tokens tokens) const;

 private:
  struct Cache;

  Backend& backend_;
  std::shared_ptr<Cache> cache_;  // used on the core executor only
};

}  // namespace kdsd::api
