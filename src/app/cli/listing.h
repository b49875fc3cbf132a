// Whole lists from a paged collection: follows `next` until the last page (rest-api.md 6.1).
#pragma once

#include <boost/json/array.hpp>
#include <string>

#include "app/cli/rest_client.h"
#include "model/status.h"

namespace kdsd::app::cli {

// `filter` is a further part of the query, already encoded; may be empty. The error is the server's refusal, or that
// the answer is no list.
Result<boost::json::array> list_all(RestClient& client, const std::string& path, const std::string& filter);

}  // namespace kdsd::app::cli
