// ProxyTemplate, without what the Envoy resources in it say.
#include <algorithm>
#include <array>
#include <string>

#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

void check_import(const ConfValue& import) {
  constexpr std::array<std::string_view, 4> profiles = {"default-proxy", "egress-proxy", "gateway-proxy",
                                                        "ingress-proxy"};
  if (import.text().empty()) return import.refuse("cannot be empty");
  if (std::find(profiles.begin(), profiles.end(), import.text()) != profiles.end()) return;
  import.refuse("profile not found. Available profiles: default-proxy,egress-proxy,gateway-proxy,ingress-proxy");
}

void check_resource(const ConfValue& resource) {
  for (const auto* name : {"name", "version", "resource"}) check_not_empty(resource.at(name));
}

bool check_operation(const ConfValue& change, std::initializer_list<std::string_view> operations) {
  const auto operation = change.at("operation");
  if (std::find(operations.begin(), operations.end(), operation.text()) != operations.end()) return true;
  std::string listed;
  for (auto each : operations) listed += (listed.empty() ? "" : ", ") + go_quoted(each);
  operation.refuse("invalid operation. Available operations: " + listed);
  return false;
}

bool check_plain_operation(const ConfValue& change) { return check_operation(change, {"add", "patch", "remove"}); }

void check_listener_or_cluster(const ConfValue& change) {
  if (!change.is_set() || !check_plain_operation(change)) return;
  if (change.at("operation").text() == "add" && change.has("match")) change.at("match").refuse("cannot be defined");
}

void check_virtual_host(const ConfValue& change) {
  if (!change.is_set() || !check_plain_operation(change)) return;
  const auto name = change.at("match").at("name");
  if (change.at("operation").text() == "add" && !name.text().empty()) name.refuse("cannot be defined");
}

void check_filter(const ConfValue& change) {
  if (!change.is_set()) return;
  if (!check_operation(change, {"addFirst", "addLast", "addBefore", "addAfter", "patch", "remove"})) return;
  const auto name = change.at("match").at("name");
  if (!name.text().empty()) return;
  const auto operation = change.at("operation").text();
  if (operation == "patch") name.refuse("cannot be empty");
  if (operation != "addBefore" && operation != "addAfter") return;
  const std::string place = operation == "addBefore" ? "before" : "after";
  name.refuse("cannot be empty. You need to pick a filter " + place + " which this one will be added");
}

}  // namespace

void check_proxy_template(const ConfValue& spec) {
  check_selectors(spec.at("selectors"), tag_and_service, SelectorCount::any);
  const auto conf = spec.at("conf");
  for_each(conf.at("imports"), check_import);
  for_each(conf.at("resources"), check_resource);
  for_each(conf.at("modifications"), [](const ConfValue& modification) {
    check_listener_or_cluster(modification.at("cluster"));
    check_listener_or_cluster(modification.at("listener"));
    check_filter(modification.at("networkFilter"));
    check_filter(modification.at("httpFilter"));
    check_virtual_host(modification.at("virtualHost"));
  });
}

}  // namespace kdsd::policy
