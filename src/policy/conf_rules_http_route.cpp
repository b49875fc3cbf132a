// MeshHTTPRoute: matches and filters. References to backends: type_rules.cpp.
#include <algorithm>
#include <set>

#include "policy/conf_checks.h"
#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

void check_path(const ConfValue& path) {
  const auto type = path.at("type").text();
  const auto value = path.at("value");
  if (type != "PathPrefix" && type != "Exact") return;
  if (type == "PathPrefix" && value.text().size() > 1 && value.text().ends_with('/')) {
    value.refuse("does not need a trailing slash because only a `/`-separated prefix or an entire path is matched");
  }
  if (!value.text().starts_with('/')) value.refuse("must be an absolute path");
}

void check_header_match(const ConfValue& header) {
  const auto type = header.at("type").text();
  const auto value = header.at("value");
  if ((type == "Present" || type == "Absent") && !value.text().empty()) value.refuse("must not be defined");
}

void check_match(const ConfValue& match) {
  check_path(match.at("path"));
  std::set<std::string_view> names;
  for_each(match.at("queryParams"), [&](const ConfValue& parameter) {
    const auto name = parameter.at("name");
    if (!names.insert(name.text()).second) name.refuse("multiple entries for name " + std::string(name.text()));
  });
  for_each(match.at("headers"), check_header_match);
}

bool has_match_without_prefix(const ConfValue& matches) {
  bool found = false;
  for_each(matches, [&](const ConfValue& match) { found |= match.at("path").at("type").text() != "PathPrefix"; });
  return found;
}

void check_header_modifier(const ConfValue& modifier) {
  if (!check_defined(modifier)) return;
  if (!modifier.has_any({"set", "add", "remove"})) return modifier.refuse(at_least_one_text({"set", "add", "remove"}));
  std::set<std::string_view> names;
  const auto check_once = [&](const ConfValue& name, const ConfValue& change) {
    if (!names.insert(name.text()).second) change.at("name").refuse("duplicate header name");
  };
  for (std::string_view list : {"set", "add"}) {
    for_each(modifier.at(list), [&](const ConfValue& change) { check_once(change.at("name"), change); });
  }
  for_each(modifier.at("remove"), [&](const ConfValue& name) { check_once(name, name); });
}

// What a redirect and a rewrite have in common: a path and a host name.
void check_new_target(const ConfValue& filter, const ConfValue& matches) {
  const auto prefix = filter.at("path").at("replacePrefixMatch");
  if (prefix.is_set() && has_match_without_prefix(matches)) {
    prefix.refuse("can only appear if all matches match a path prefix");
  }
  // The characters are those of the schema.
  const auto host = filter.at("hostname");
  if (is_sloppy_ipv4(host.text())) host.refuse("cannot be an IP address");
}

void check_rewrite(const PolicyView& policy, const ConfValue& rewrite, const ConfValue& matches) {
  if (!check_defined(rewrite)) return;
  check_new_target(rewrite, matches);
  const auto host = rewrite.at("hostToBackendHostname");
  if (!host.is_true()) return;
  if (policy.top_kind() != "MeshGateway") host.refuse("can only be set with MeshGateway");
  if (rewrite.has("hostname")) host.refuse("cannot be set together with hostname");
}

void check_filter(const PolicyView& policy, const ConfValue& filter, const ConfValue& matches) {
  const auto type = filter.at("type").text();
  if (type == "RequestHeaderModifier") {
    check_header_modifier(filter.at("requestHeaderModifier"));
  } else if (type == "ResponseHeaderModifier") {
    check_header_modifier(filter.at("responseHeaderModifier"));
  } else if (type == "RequestRedirect") {
    if (const auto redirect = filter.at("requestRedirect"); check_defined(redirect))
      check_new_target(redirect, matches);
  } else if (type == "URLRewrite") {
    check_rewrite(policy, filter.at("urlRewrite"), matches);
  } else if (type == "RequestMirror") {
    check_defined(filter.at("requestMirror"));
  }
}

}  // namespace

void check_http_route_conf(const PolicyView& policy, const ConfValue& item) {
  for_each(item.at("rules"), [&](const ConfValue& rule) {
    const auto matches = rule.at("matches");
    for_each(matches, check_match);
    for_each(rule.at("default").at("filters"), [&](const ConfValue& filter) { check_filter(policy, filter, matches); });
  });
}

}  // namespace kdsd::policy
