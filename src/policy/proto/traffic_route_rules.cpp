// TrafficRoute.
#include <algorithm>
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

void check_split(const ConfValue& split) {
  std::uint32_t total = 0;  // weights of the message have 32 bits, and so has their sum
  for_each(split, [&](const ConfValue& entry) {
    const auto weight = entry.at("weight");
    if (!weight.is_set()) weight.refuse("needs to be defined");
    total += static_cast<std::uint32_t>(natural(weight));
    check_selector(entry.at("destination"), tag_and_service);
  });
  if (total == 0) split.refuse("there must be at least one split entry with weight above 0");
}

void check_split_or_destination(const ConfValue& holder) {
  const auto split = holder.at("split");
  const auto destination = holder.at("destination");
  const bool splits = split.size() != 0;
  if (!splits && !destination.is_set()) holder.refuse("requires either \"destination\" or \"split\"");
  if (splits && destination.is_set()) {
    holder.refuse("\"split\" cannot be defined at the same time as \"destination\"");
  }
  if (splits) check_split(split);
  if (destination.is_set()) check_selector(destination, tag_and_service);
}

void check_matcher(const ConfValue& matcher) {
  if (!matcher.has_any({"exact", "prefix", "regex"})) {
    return matcher.refuse("cannot be empty. Available options: \"exact\", \"split\" or \"regex\"");
  }
  for (const auto* kind : {"prefix", "regex"}) {
    if (matcher.has(kind)) check_not_empty(matcher.at(kind));
  }
}

void check_headers(const ConfValue& headers) {
  if (!headers.is_set()) return;
  if (headers.size() == 0) headers.refuse("must contain at least one element");
  const auto* object = members(headers);
  if (object == nullptr) return;
  std::vector<std::string> names;
  for (const auto& entry : *object) names.emplace_back(entry.key().data(), entry.key().size());
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    const auto matcher = under_key(headers, name);
    if (name.empty()) matcher.refuse("cannot be empty");
    check_matcher(matcher);
  }
}

void check_match(const ConfValue& match) {
  if (!match.has_any({"path", "method", "headers"})) {
    return match.refuse(
        "must be present and contain at least one of the elements: \"method\", \"path\" or \"headers\"");
  }
  for (const auto* part : {"method", "path"}) {
    if (match.has(part)) check_matcher(match.at(part));
  }
  check_headers(match.at("headers"));
}

void check_replacement(const ConfValue& replacement) {
  check_not_empty(replacement.at("pattern"));
  check_not_empty(replacement.at("substitution"));
}

void check_path_change(const ConfValue& path, const ConfValue& match) {
  if (!path.is_set()) return;
  const auto prefix = path.at("rewritePrefix");
  if (path.has("regex")) return check_replacement(path.at("regex"));
  if (!prefix.is_set()) return path.refuse("either \"rewritePrefix\" or \"regex\" has to be set");
  check_not_empty(prefix);
  if (!prefix.text().empty() && match.at("path").at("prefix").text().empty()) {
    prefix.refuse("can only be set when .http.match.path.prefix is not empty");
  }
}

void check_host_change(const ConfValue& host) {
  if (!host.is_set()) return;
  if (host.has("fromPath")) return check_replacement(host.at("fromPath"));
  if (!host.has("value")) return host.refuse("either \"value\" or \"fromPath\" has to be set");
  check_not_empty(host.at("value"));
}

void check_header_name(const ConfValue& name) {
  const auto text = name.text();
  check_not_empty(name);
  if (text.starts_with(':') || text == "host" || text == "Host") {
    name.refuse("host header and HTTP/2 pseudo-headers are not allowed to be modified");
  }
}

void check_header_change(const ConfValue& change) {
  for_each(change.at("add"), [](const ConfValue& header) {
    check_header_name(header.at("name"));
    check_not_empty(header.at("value"));
  });
  for_each(change.at("remove"), [](const ConfValue& header) { check_header_name(header.at("name")); });
}

void check_http(const ConfValue& http) {
  const auto match = http.at("match");
  const auto change = http.at("modify");
  check_match(match);
  check_path_change(change.at("path"), match);
  check_host_change(change.at("host"));
  check_header_change(change.at("requestHeaders"));
  check_header_change(change.at("responseHeaders"));
  check_split_or_destination(http);
}

void check_load_balancer(const ConfValue& balancer) {
  const auto choices = balancer.at("leastRequest").at("choiceCount");
  if (natural(choices) == 1) choices.refuse("value must be greater than or equal to 2");
  if (!balancer.has("ringHash")) return;
  const auto hash = balancer.at("ringHash").at("hashFunction");
  if (hash.text() != "XX_HASH" && hash.text() != "MURMUR_HASH_2") hash.refuse("must have a valid hash function");
}

}  // namespace

void check_traffic_route(const ConfValue& spec) {
  check_selectors(spec.at("sources"), tag_and_service);
  check_service_selectors(spec.at("destinations"));
  const auto conf = spec.at("conf");
  if (!conf.is_set()) return conf.refuse("cannot be empty");
  check_split_or_destination(conf);
  for_each(conf.at("http"), check_http);
  check_load_balancer(conf.at("loadBalancer"));
}

}  // namespace kdsd::policy
