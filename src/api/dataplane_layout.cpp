// `_layout`: where a proxy listens and what it can reach (policy-semantics.md 12.2).
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/answers.h"
#include "api/errors.h"
#include "api/inspect_endpoints.h"
#include "api/inspect_json.h"
#include "api/inspecting.h"
#include "api/object_answers.h"
#include "model/kri.h"
#include "policy/resolve.h"
#include "policy/service_ports.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"

namespace kdsd::api {
namespace json = boost::json;
namespace proto = kuma::mesh::v1alpha1;
namespace {

// What a proxy says that it calls: a reference as policies have them, and perhaps a port.
struct BackendReference {
  json::object target;
  std::string port;  // its number; empty: none
};

// Both kinds of references have the same members, but the namespace.
template <typename Ref>
BackendReference reference_from(const Ref& ref) {
  BackendReference out{{{"kind", ref.kind()}, {"name", ref.name()}}, {}};
  json::object labels;
  for (const auto& [key, value] : ref.labels()) labels[key] = value;
  out.target["labels"] = std::move(labels);
  return out;
}

std::vector<BackendReference> references_of_outbounds(const proto::Dataplane& dataplane) {
  std::vector<BackendReference> out;
  for (const auto& outbound : dataplane.networking().outbound()) {
    if (!outbound.has_backendref()) continue;
    out.push_back(reference_from(outbound.backendref()));
    out.back().port = std::to_string(outbound.backendref().port());
  }
  return out;
}

std::vector<BackendReference> references_of_reachable(const proto::Dataplane& dataplane) {
  std::vector<BackendReference> out;
  for (const auto& ref : dataplane.networking().transparent_proxying().reachable_backends().refs()) {
    out.push_back(reference_from(ref));
    out.back().target["namespace"] = ref.namespace_();
    if (ref.has_port()) out.back().port = std::to_string(ref.port().value());
  }
  return out;
}

// The ports that are called, by KRI.
class Outbounds {
 public:
  bool empty() const { return ports_.empty(); }

  // `wanted`: the section or number of one port. One that does not exist stands for all, as in 2.13.
  void add(const Resource& service, const std::string& wanted) {
    const auto ports = policy::service_ports(service);
    const auto one = std::find_if(ports.begin(), ports.end(), [&](const policy::ServicePort& port) {
      return port.section == wanted || std::to_string(port.number) == wanted;
    });
    for (const auto& port : ports) {
      if (one == ports.end() || port.section == one->section) ports_[kri_of(service) + port.section] = port;
    }
  }

  json::array json() const {
    json::array out;
    for (const auto& [kri, port] : ports_) {
      out.push_back(boost::json::object{
          {"kri", kri}, {"port", port.number}, {"protocol", port.protocol}, {"proxyResourceName", kri}});
    }
    return out;
  }

 private:
  std::map<std::string, policy::ServicePort> ports_;
};

// The services that references stand for, seen from the proxy as policies of its zone and namespace would see them.
boost::asio::awaitable<Outbounds> find_referenced(Backend& backend, const policy::Proxy& proxy,
                                                  const std::vector<BackendReference>& references) {
  Outbounds out;
  if (references.empty()) co_return out;
  const policy::ReferenceOrigin origin{&Catalogue::builtin(), proxy.mesh, &proxy.labels};
  const auto resolve = [&](const BackendReference& reference, const policy::ObjectLookup& lookup) {
    return policy::resolve(reference.target, origin, lookup, policy::Resolver::kdsd);
  };
  auto questions = std::make_shared<policy::ObjectQuestions>();
  const auto noting = questions->noting();
  for (const auto& reference : references) resolve(reference, noting);
  auto look = [questions](const kds::Core& core) {
    return std::make_shared<const policy::ObjectAnswers>(answers_to(*questions, core.index()));
  };
  const auto answers = co_await read_core(backend, std::move(look));

  using Found = std::pair<ResourcePtr, std::string>;  // a service, and the port that is wanted of it
  std::vector<std::pair<ResourceKey, std::string>> wanted;
  const auto lookup = answers->lookup();
  for (const auto& reference : references) {
    for (const auto& object : resolve(reference, lookup)) {
      if (!object.type->is_destination) continue;
      wanted.emplace_back(ResourceKey{object.type, object.mesh, object.name},
                          object.section.empty() ? reference.port : object.section);
    }
  }
  auto find_all = [wanted](const kds::Core& core) {
    std::vector<Found> found;
    for (const auto& [key, port] : wanted) found.emplace_back(core.index().find(*key.type, key.mesh, key.name), port);
    return found;
  };
  for (const auto& [service, port] : co_await read_core(backend, std::move(find_all))) {
    if (service) out.add(*service, port);
  }
  co_return out;
}

std::vector<ResourcePtr> services_of(const kds::Index& index, const std::string& mesh) {
  std::vector<ResourcePtr> out;
  for (const auto* type : index.catalogue().types()) {
    if (!type->is_destination) continue;
    index.each_in_mesh(*type, mesh, [&](const ResourcePtr& service) { out.push_back(service); });
  }
  return out;
}

boost::asio::awaitable<Outbounds> find_outbounds(Backend& backend, const policy::Proxy& proxy,
                                                 const proto::Dataplane& dataplane) {
  const auto called_by_outbounds = references_of_outbounds(dataplane);
  auto called = co_await find_referenced(backend, proxy, called_by_outbounds);
  if (!called.empty()) co_return called;
  if (dataplane.networking().transparent_proxying().has_reachable_backends()) {
    const auto reachable = references_of_reachable(dataplane);
    co_return co_await find_referenced(backend, proxy, reachable);
  }
  auto look = [mesh = proxy.mesh](const kds::Core& core) { return services_of(core.index(), mesh); };
  for (const auto& service : co_await read_core(backend, std::move(look))) called.add(*service, "");
  co_return called;
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

}  // namespace

Answer get_layout(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  if (!is_exclusive(*inspected.mesh)) {
    co_return refusal(400, "Bad Request", "bad request: can't use _layout endpoint without meshService enabled");
  }
  const auto& resource = *inspected.proxy->resource;
  proto::Dataplane dataplane;
  if (!dataplane.ParseFromString(resource.spec)) dataplane.Clear();
  json::object body;
  body["inbounds"] = inbounds_of(resource, *inspected.proxy);
  body["kri"] = kri_of(resource);
  body["labels"] = labels_json(resource.labels);
  const auto outbounds = co_await find_outbounds(backend, *inspected.proxy, dataplane);
  body["outbounds"] = outbounds.json();
  co_return json_response(200, body);
}

}  // namespace kdsd::api
