#include "app/cli/listing.h"

#include <boost/json/parse.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <iterator>

#include "app/cli/refusal.h"
#include "app/cli/resource_address.h"
#include "model/json.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

constexpr const char* page_size = "1000";  // the most that the API allows
constexpr std::size_t pages_max = 10'000;  // ten million resources: a server that never ends its list is wrong

// Only the offset of `next` counts, as for kumactl: behind a proxy the rest of the URL may lead elsewhere.
std::string offset_of(std::string_view next) {
  const auto url = boost::urls::parse_uri_reference({next.data(), next.size()});
  if (url.has_error()) return {};
  for (const auto& parameter : url->params()) {
    if (parameter.key == "offset") return parameter.value;
  }
  return {};
}

// parse_json allows the depth of one document; a page has two levels around it.
Result<json::value> parse_page(const std::string& body) {
  json::parse_options options;
  options.max_depth = limits::document_depth + 2;
  boost::system::error_code error;
  auto value = json::parse({body.data(), body.size()}, error, {}, options);
  if (error) return Status(Code::malformed, "the answer is no JSON: " + error.message());
  return value;
}

}  // namespace

Result<json::array> list_all(RestClient& client, const std::string& path, const std::string& filter) {
  json::array items;
  std::string offset;
  for (std::size_t page = 0; page < pages_max; ++page) {
    auto target = path + "?size=" + page_size;
    if (!filter.empty()) target += "&" + filter;
    if (!offset.empty()) target += "&offset=" + encode_query_value(offset);
    auto answer = client.get(target);
    if (!answer.ok()) return answer.status();
    if (answer->status != 200) return refusal_of(*answer);
    auto body = parse_page(answer->body);
    if (!body.ok()) return body.status();
    const auto* found = find(*body, {"items"});
    if (found == nullptr || !found->is_array()) return Status(Code::malformed, path + ": the answer is no list");
    std::copy(found->get_array().begin(), found->get_array().end(), std::back_inserter(items));
    const auto next = offset_of(find_text(*body, {"next"}));
    if (next.empty() || next == offset) return items;
    offset = next;
  }
  return Status(Code::exhausted, path + ": the list does not end");
}

}  // namespace kdsd::app::cli
