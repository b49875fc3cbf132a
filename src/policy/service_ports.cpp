#include "policy/service_ports.h"

#include <boost/json/array.hpp>
#include <optional>

#include "model/document.h"
#include "model/json.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

std::optional<ServicePort> port_from(const json::value& written, std::string_view protocol_member) {
  const auto* port = find(written, {"port"});
  const auto number = port == nullptr ? std::nullopt : whole_number(*port);
  if (!number) return std::nullopt;
  const auto name = find_text(written, {"name"});
  const auto protocol = find_text(written, {protocol_member});
  return ServicePort{*number, name.empty() ? std::to_string(*number) : std::string(name),
                     protocol.empty() ? "tcp" : std::string(protocol)};
}

}  // namespace

std::vector<ServicePort> service_ports(const Resource& service) {
  std::vector<ServicePort> out;
  const auto spec = spec_json(service);
  const auto add = [&](const json::value& written, std::string_view protocol_member) {
    if (auto port = port_from(written, protocol_member)) out.push_back(std::move(*port));
  };
  if (const auto* match = find(spec, {"match"})) add(*match, "protocol");
  for (const auto& port : find_list(spec, {"ports"})) add(port, "appProtocol");
  return out;
}

}  // namespace kdsd::policy
