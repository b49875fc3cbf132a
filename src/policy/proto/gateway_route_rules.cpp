// MeshGatewayRoute. Some paths are in the spelling of the messages.
#include <string>
#include <vector>

#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

constexpr std::int64_t least_redirect = 300;
constexpr std::int64_t most_redirect = 308;

std::string_view path_kind(const ConfValue& match) {
  return match.has("path") ? enum_name(match.at("path").at("match"), "EXACT") : std::string_view();
}

void check_path(const ConfValue& match) {
  if (!match.has("path")) return;
  const auto value = match.at("path").at("value").reported_at(member(match.path(), "value"));
  if (path_kind(match) == "REGEX") return check_not_empty(value);
  if (!value.text().starts_with('/')) value.refuse("must be an absolute path");
}

void check_header(const ConfValue& header) {
  check_not_empty(header.at("name"));
  const auto kind = enum_name(header.at("match"), "EXACT");
  const auto value = header.at("value");
  if (kind != "ABSENT" && kind != "PRESENT") return check_not_empty(value);
  if (!value.text().empty()) value.refuse("cannot be set");
}

void check_match(const ConfValue& match) {
  const auto headers = match.at("headers");
  const auto written = match.at("queryParameters");
  const auto parameters = written.reported_at(member(match.path(), "query_parameters"));
  const bool any_method = enum_name(match.at("method"), "NONE") == "NONE";
  if (!match.has("path") && any_method && headers.size() == 0 && parameters.size() == 0) {
    match.refuse("cannot be empty");
  }
  check_path(match);
  for_each(headers, check_header);
  for_each(parameters, [](const ConfValue& parameter) {
    check_not_empty(parameter.at("name"));
    check_not_empty(parameter.at("value"));
  });
}

void check_new_header(const ConfValue& header, bool host_is_rewritten) {
  const auto name = header.at("name");
  const bool is_host = name.text() == ":authority" || name.text() == "Host" || name.text() == "host";
  if (is_host && host_is_rewritten) {
    header.refuse("cannot modify '" + std::string(name.text()) +
                  "' header, when route has set 'rewrite.host_to_backend_hostname' option");
  }
  check_not_empty(name);
  check_not_empty(header.at("value"));
}

void check_request_header(const ConfValue& change, bool host_is_rewritten) {
  if (!change.is_set()) return;
  const auto removed = change.at("remove");
  if (change.at("set").size() == 0 && change.at("add").size() == 0 && removed.size() == 0) {
    change.refuse("cannot be empty");
  }
  const auto check = [&](const ConfValue& header) { check_new_header(header, host_is_rewritten); };
  for_each(change.at("set"), check);
  for_each(change.at("add"), check);
  for_each(removed, check_not_empty);
}

void check_redirect(const ConfValue& redirect) {
  if (!redirect.is_set()) return;
  if (natural(redirect.at("port")) > 0) check_port_in_range(redirect.at("port"));
  const auto status = redirect.at("statusCode");
  if (natural(status) < least_redirect || natural(status) > most_redirect) {
    status.reported_at(member(redirect.path(), "status_code")).refuse("must be in the range [300, 308]");
  }
}

void check_backend(const ConfValue& backend) {
  check_selector(backend.at("destination").reported_at(backend.path()), tag_and_service);
}

void check_mirror(const ConfValue& mirror) {
  if (!mirror.is_set()) return;
  check_percentage_of(mirror);
  const auto backend = mirror.at("backend");
  if (!backend.is_set()) return backend.refuse("cannot be empty");
  check_backend(backend);
}

// What stands around a filter and decides what it may do.
struct Surroundings {
  bool matches_prefix = false;
  bool host_is_rewritten = false;
};

void check_filter(const ConfValue& filter, const Surroundings& around) {
  const auto request_header = filter.at("requestHeader");
  check_request_header(request_header.reported_at(member(filter.path(), "request_header")), around.host_is_rewritten);
  check_redirect(filter.at("redirect"));
  check_mirror(filter.at("mirror"));
  const auto prefix = filter.at("rewrite").at("replacePrefixMatch");
  if (prefix.is_set() && !around.matches_prefix) prefix.refuse("cannot be used without a match on path prefix");
}

// Indices of those that do not rewrite the host, and they are what paths count by.
std::vector<std::size_t> counted_filters(const ConfValue& filters) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!filters.at(i).at("rewrite").at("hostToBackendHostname").is_true()) out.push_back(i);
  }
  return out;
}

void check_backends(const ConfValue& backends, bool redirects) {
  if (backends.size() == 0 && !redirects) backends.refuse("cannot be empty");
  if (backends.size() != 0 && redirects) backends.refuse("must be empty when using redirect filters");
  for_each(backends, check_backend);
}

void check_rule(const ConfValue& rule) {
  const auto matches = rule.at("matches");
  if (matches.size() == 0) return matches.refuse("cannot be empty");
  Surroundings around;
  for_each(matches, [&](const ConfValue& match) {
    check_match(match);
    around.matches_prefix = around.matches_prefix || path_kind(match) == "PREFIX";
  });
  const auto filters = rule.at("filters");
  const auto counted = counted_filters(filters);
  around.host_is_rewritten = counted.size() != filters.size();
  bool redirects = false;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const auto filter = filters.at(counted[i]).reported_at(element(filters.path(), i));
    redirects = redirects || filter.has("redirect");
    check_filter(filter, around);
  }
  if (redirects && filters.size() != 1) return filters.refuse("redirects cannot be used with other filters");
  check_backends(rule.at("backends"), redirects);
}

}  // namespace

void check_gateway_route(const ConfValue& spec) {
  check_selectors(spec.at("selectors"), tag_and_service);
  const auto conf = spec.at("conf");
  if (!conf.has_any({"tcp", "http"})) return conf.refuse("cannot be empty");
  const auto http = conf.at("http");
  if (!http.is_set()) return;
  const auto rules = http.at("rules");
  if (rules.size() == 0) rules.refuse("cannot be empty");
  for_each(rules, check_rule);
}

}  // namespace kdsd::policy
