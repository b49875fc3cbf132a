// RateLimit.
#include <string>

#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

void check_http(const ConfValue& http) {
  if (!http.is_set()) return;
  if (natural(http.at("requests")) == 0) http.at("requests").refuse("requests must be set");
  if (!http.has("interval")) http.at("interval").refuse("interval must be set");
  const auto reply = http.at("onRateLimit");
  const auto headers = reply.at("headers");
  for (std::size_t i = 0; i < headers.size(); ++i) {
    // The path is a key in Kuma, not an index.
    const auto place = under_key(reply.at("header"), std::to_string(i));
    const auto header = headers.at(i);
    if (header.at("key").text().empty()) place.refuse("key must be set");
    if (header.at("value").text().empty()) place.refuse("value must be set");
  }
}

}  // namespace

void check_rate_limit(const ConfValue& spec) {
  check_selectors(spec.at("sources"), any_tag);
  check_selectors(spec.at("destinations"), any_tag);
  const auto conf = spec.at("conf");
  if (!conf.is_set()) conf.refuse("must have conf");
  check_http(conf.at("http"));
}

}  // namespace kdsd::policy
