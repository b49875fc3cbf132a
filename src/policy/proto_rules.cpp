#include "policy/proto_rules.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "model/json.h"
#include "model/labels.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::string_view service_tag = "kuma.io/service";
constexpr std::int64_t most_port = 65535;
constexpr std::size_t domain_name_bytes = 253;

bool is_ip_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  return inet_pton(AF_INET, text.c_str(), parsed.data()) == 1 || inet_pton(AF_INET6, text.c_str(), parsed.data()) == 1;
}

bool is_domain_name(std::string_view text) {
  if (text.empty() || text.size() > domain_name_bytes) return false;
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  while (true) {
    const auto dot = text.find('.');
    const auto part = text.substr(0, dot);
    if (part.empty() || part.front() == '-' || part.back() == '-') return false;
    if (!std::all_of(part.begin(), part.end(), legal)) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

void check_address(const json::value& networking, Outcome& outcome) {
  const std::string address(find_text(networking, {"address"}));
  if (is_ip_address(address) || is_domain_name(address)) return;
  outcome.refuse("networking.address", "address has to be valid IP address or domain name");
}

void check_inbound(const json::value& inbound, const std::string& path, Outcome& outcome) {
  const auto* port = find(inbound, {"port"});
  const auto number = port == nullptr ? 0 : whole_number(*port).value_or(0);
  if (number < 1 || number > most_port) outcome.refuse(path + ".port", "port must be in the range [1, 65535]");
  if (find(inbound, {"tags", service_tag}) == nullptr) {
    outcome.refuse(keyed(path + ".tags", service_tag), "tag has to exist");
  }
}

void check_dataplane(const json::value& spec, Outcome& outcome) {
  const auto* networking = find(spec, {"networking"});
  if (networking == nullptr) {
    outcome.refuse("networking", "must be defined");
    return;
  }
  const auto* inbounds = find(*networking, {"inbound"});
  const bool has_inbound = inbounds != nullptr && inbounds->is_array() && !inbounds->get_array().empty();
  if (!has_inbound && find(*networking, {"gateway"}) == nullptr) {
    outcome.refuse("networking", "has to contain at least one inbound interface or gateway");
  }
  check_address(*networking, outcome);
  if (!has_inbound) return;
  const auto& list = inbounds->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) check_inbound(list[i], element("networking.inbound", i), outcome);
}

void set_zone_tag(json::object& holder, const std::string& zone) {
  auto& tags = holder["tags"];
  if (!tags.is_object()) tags = json::object();
  tags.get_object()[label::zone] = zone;
}

}  // namespace

bool has_proto_rules(const ResourceType& type) { return type.name == "Dataplane"; }

Outcome validate_proto_spec(const ResourceType& type, const json::value& spec, std::string_view) {
  Outcome outcome;
  if (has_proto_rules(type)) check_dataplane(spec, outcome);
  return outcome;
}

void add_zone_tag(json::value& dataplane, const std::string& zone) {
  auto* object = dataplane.if_object();
  auto* networking = object ? object->if_contains("networking") : nullptr;
  if (networking == nullptr || !networking->is_object()) return;
  auto* inbounds = networking->get_object().if_contains("inbound");
  if (inbounds != nullptr && inbounds->is_array()) {
    for (auto& inbound : inbounds->get_array()) {
      if (inbound.is_object()) set_zone_tag(inbound.get_object(), zone);
    }
  }
  auto* gateway = networking->get_object().if_contains("gateway");
  if (gateway != nullptr && gateway->is_object()) set_zone_tag(gateway->get_object(), zone);
}

std::string_view proxy_type(const ResourceType& type, const json::value& spec) {
  if (type.name == "ZoneIngress") return "zoneingress";
  if (type.name == "ZoneEgress") return "zoneegress";
  if (type.name != "Dataplane") return {};
  return find_text(spec, {"networking", "gateway", "type"}) == "BUILTIN" ? "gateway" : "sidecar";
}

}  // namespace kdsd::policy
