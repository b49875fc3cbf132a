// Lists: which resources a query keeps, and which page of them (rest-api.md 6.1).
//
// Pure. `offset` is a decimal index, as Kuma's clients count, or the cursor of a `next` link, which names the last
// resource of the page before and so survives edits in between.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http.h"
#include "model/resource.h"
#include "model/status.h"

namespace kdsd::api {

namespace limits {
inline constexpr std::size_t page_items_default = 100;
inline constexpr std::size_t page_items_max = 1'000;
}  // namespace limits

struct PageQuery {
  std::size_t size = limits::page_items_default;  // 0: everything
  std::size_t index = 0;
  std::optional<std::pair<std::string, std::string>> after;  // mesh, name
};

enum class GatewayFilter { none, any, builtin, delegated, no };

struct ListQuery {
  std::string name;  // part of the name
  TextPairs labels;  // all must be there
  TextPairs tags;    // all must be in one tag set
  GatewayFilter gateway = GatewayFilter::none;
  PageQuery page;
};

// Violations are fit for an answer to `route`; `tag` and `gateway` count for the types that have them.
Result<ListQuery> parse_list_query(const Request& request, std::string_view route, const ResourceType& type);
Result<PageQuery> parse_page_query(const Request& request);

bool keeps(const ListQuery& query, const Resource& resource);

// The part of a sorted list of `total` elements that makes a page.
struct Slice {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string next;  // offset of the page behind it; empty: it is the last one
};
using KeyOf = std::function<std::pair<std::string_view, std::string_view>(std::size_t)>;
Slice take_page(const PageQuery& page, std::size_t total, const KeyOf& key_of);

// The answer to a list request; `items` are those of the page.
Response list_response(const Request& request, std::size_t total, boost::json::array items, const std::string& next);

}  // namespace kdsd::api
