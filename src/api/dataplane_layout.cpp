// `_layout`: where a proxy listens and what it can reach (policy-semantics.md 12.2).
#include <algorithm>
#include <map>
#include <optional>

#include "api/answers.h"
#include "api/errors.h"
#include "api/inspect_endpoints.h"
#include "api/inspect_json.h"
#include "api/inspecting.h"
#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "model/kri.h"
#include "policy/resolve.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"

namespace kdsd::api {
namespace json = boost::json;
namespace proto = kuma::mesh::v1alpha1;
namespace {

struct Port {
  std::int64_t number = 0;
  std::string section;
  std::string protocol;
};

Port port_from(const json::value& port, std::string_view protocol_member) {
  Port out;
  const auto* number = find(port, {"port"});
  if (number != nullptr && number->is_number()) out.number = number->to_number<std::int64_t>();
  out.section = find_text(port, {"name"});
  if (out.section.empty()) out.section = std::to_string(out.number);
  out.protocol = find_text(port, {protocol_member});
  if (out.protocol.empty()) out.protocol = "tcp";
  return out;
}

std::vector<Port> ports_of(const Resource& service) {
  const auto spec = spec_json(service);
  if (const auto* match = find(spec, {"match"})) return {port_from(*match, "protocol")};
  std::vector<Port> out;
  for (const auto& port : policy::array_at(spec, "ports")) out.push_back(port_from(port, "appProtocol"));
  return out;
}

// Services by the reference of a proxy: a kind with labels or a name, and perhaps a port.
struct BackendReference {
  std::string kind;
  std::string name;
  std::string namespace_;
  Labels labels;
  std::optional<std::uint32_t> port;
};

class Reachable {
 public:
  Reachable(const policy::Proxy& proxy, std::vector<ResourcePtr> services)
      : proxy_(proxy), services_(std::move(services)) {}

  void add(const BackendReference& reference) {
    for (const auto& service : named_by(reference)) {
      const auto ports = ports_of(*service);
      const auto number = reference.port ? std::to_string(*reference.port) : std::string();
      const auto one = std::find_if(ports.begin(), ports.end(), [&](const Port& port) {
        return port.section == number || std::to_string(port.number) == number;
      });
      if (one != ports.end()) {
        add_port(*service, *one);
      } else {
        for (const auto& port : ports) add_port(*service, port);  // as 2.13 does with a port that does not exist
      }
    }
  }

  void add_all() {
    for (const auto& service : services_) {
      for (const auto& port : ports_of(*service)) add_port(*service, port);
    }
  }

  bool empty() const { return outbounds_.empty(); }

  json::array json() const {
    json::array out;
    for (const auto& [kri, port] : outbounds_) {
      out.push_back(boost::json::object{
          {"kri", kri}, {"port", port.number}, {"protocol", port.protocol}, {"proxyResourceName", kri}});
    }
    return out;
  }

 private:
  std::vector<ResourcePtr> named_by(const BackendReference& reference) const {
    std::vector<ResourcePtr> found;
    const auto take = [&](const auto& matches) {
      for (const auto& service : services_) {
        if (service->type->name == reference.kind && matches(*service)) found.push_back(service);
      }
    };
    if (!reference.labels.empty()) {
      take([&](const Resource& service) { return policy::has_tags(service.labels, reference.labels); });
      if (!found.empty() || reference.name.empty()) return found;
    }
    const auto namespace_ = reference.namespace_.empty() ? proxy_.labels.get(label::namespace_) : reference.namespace_;
    take([&](const Resource& service) {
      return display_name(service.name, service.labels) == reference.name &&
             service.labels.get(label::zone) == proxy_.labels.get(label::zone) &&
             service.labels.get(label::namespace_) == namespace_;
    });
    if (!found.empty()) return found;
    take([&](const Resource& service) {
      return canonical_name(service.mesh, service.name, service.labels) == reference.name;
    });
    return found;
  }

  void add_port(const Resource& service, const Port& port) { outbounds_[kri_of(service) + port.section] = port; }

  const policy::Proxy& proxy_;
  const std::vector<ResourcePtr> services_;
  std::map<std::string, Port> outbounds_;  // by KRI
};

Labels labels_from(const google::protobuf::Map<std::string, std::string>& map) {
  Labels out;
  for (const auto& [key, value] : map) out.set(key, value);
  return out;
}

json::array outbounds_of(const proto::Dataplane& dataplane, const policy::Proxy& proxy,
                         std::vector<ResourcePtr> services) {
  Reachable reachable(proxy, std::move(services));
  const auto& networking = dataplane.networking();
  for (const auto& outbound : networking.outbound()) {
    if (!outbound.has_backendref()) continue;
    const auto& ref = outbound.backendref();
    reachable.add({ref.kind(), ref.name(), "", labels_from(ref.labels()), ref.port()});
  }
  if (!reachable.empty()) return reachable.json();
  if (!networking.transparent_proxying().has_reachable_backends()) {
    reachable.add_all();
    return reachable.json();
  }
  for (const auto& ref : networking.transparent_proxying().reachable_backends().refs()) {
    BackendReference reference{ref.kind(), ref.name(), ref.namespace_(), labels_from(ref.labels()), std::nullopt};
    if (ref.has_port()) reference.port = ref.port().value();
    reachable.add(reference);
  }
  return reachable.json();
}

json::array inbounds_of(const Resource& dataplane, const policy::Proxy& proxy) {
  json::array out;
  for (const auto& inbound : proxy.inbounds) {
    const auto section = inbound.section();
    out.push_back(json::object{{"kri", kri_of(dataplane) + section},
                               {"port", inbound.port},
                               {"protocol", inbound.tags.get("kuma.io/protocol")},
                               {"proxyResourceName", "self_inbound_" + dataplane.type->short_name + "_" + section}});
  }
  return out;
}

std::vector<ResourcePtr> services_of(const kds::Index& index, const std::string& mesh) {
  std::vector<ResourcePtr> out;
  for (const auto* type : index.catalogue().types()) {
    if (!type->is_destination) continue;
    index.each_in_mesh(*type, mesh, [&](const ResourcePtr& service) { out.push_back(service); });
  }
  return out;
}

}  // namespace

Answer get_layout(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  if (!is_exclusive(*inspected.mesh)) {
    co_return refusal(400, "Bad Request", "bad request: can't use _layout endpoint without meshService enabled");
  }
  auto look = [mesh = inspected.mesh->name](const kds::Core& core) { return services_of(core.index(), mesh); };
  auto services = co_await read_core(backend, std::move(look));
  proto::Dataplane dataplane;
  if (!dataplane.ParseFromString(inspected.resource->spec)) dataplane.Clear();
  json::object body;
  body["inbounds"] = inbounds_of(*inspected.resource, *inspected.proxy);
  body["kri"] = kri_of(*inspected.resource);
  body["labels"] = labels_json(inspected.resource->labels);
  body["outbounds"] = outbounds_of(dataplane, *inspected.proxy, std::move(services));
  co_return json_response(200, body);
}

}  // namespace kdsd::api
