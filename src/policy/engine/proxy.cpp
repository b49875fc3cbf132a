#include "policy/engine/proxy.h"

#include <algorithm>
#include <tuple>

#include "model/hash.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/gateway.pb.h"

namespace kdsd::policy {
namespace proto = kuma::mesh::v1alpha1;
namespace {

using ProtoTags = google::protobuf::Map<std::string, std::string>;

void add_tags(const ProtoTags& from, Labels& to) {
  for (const auto& [key, value] : from) to.set(key, value);
}

Labels tags_of(const ProtoTags& from) {
  Labels out;
  add_tags(from, out);
  return out;
}

// How well a MeshGateway's selectors match: more tags first, then exact values. Nothing matched gives -1.
int match_rank(const proto::MeshGateway& gateway, const Labels& tags) {
  int best = -1;
  for (const auto& selector : gateway.selectors()) {
    const auto wanted = tags_of(selector.match());
    if (!has_tags(tags, wanted)) continue;
    const auto exact = std::count_if(wanted.begin(), wanted.end(), [](const auto& tag) { return tag.second != "*"; });
    best = std::max(best, static_cast<int>(wanted.size()) * 1'000 + static_cast<int>(exact));
  }
  return best;
}

void take_listeners(const std::vector<ResourcePtr>& mesh_gateways, Proxy& proxy) {
  proto::MeshGateway served;
  const Resource* found = nullptr;
  int found_rank = -1;
  for (const auto& resource : mesh_gateways) {
    proto::MeshGateway gateway;
    if (resource->mesh != proxy.mesh || !gateway.ParseFromString(resource->spec)) continue;
    const int rank = match_rank(gateway, proxy.gateway_tags);
    if (rank < 0) continue;
    // Equal matches: the older one, then the smaller name.
    const bool is_better = found == nullptr || std::tuple(-rank, resource->created, resource->name) <
                                                   std::tuple(-found_rank, found->created, found->name);
    if (!is_better) continue;
    found = resource.get();
    found_rank = rank;
    served = std::move(gateway);
  }
  if (found == nullptr) return;
  proxy.gateway = display_name(found->name, found->labels);
  for (const auto& listener : served.conf().listeners()) {
    Listener out{listener.port(), proxy.gateway_tags};
    add_tags(served.tags(), out.tags);
    add_tags(listener.tags(), out.tags);
    proxy.listeners.push_back(std::move(out));
  }
}

}  // namespace

bool has_tags(const Labels& tags, const Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& tag) {
    return tags.has(tag.first) && (tag.second == "*" || tags.get(tag.first) == tag.second);
  });
}

Proxy proxy_of(const ResourcePtr& dataplane, const std::vector<ResourcePtr>& mesh_gateways) {
  Proxy out{dataplane->mesh, dataplane->name, dataplane->labels, ProxyKind::sidecar, {}, {}, {}, {}, dataplane};
  proto::Dataplane spec;
  if (!spec.ParseFromString(dataplane->spec)) return out;
  const auto& networking = spec.networking();
  for (const auto& inbound : networking.inbound()) {
    out.inbounds.push_back({inbound.name(), inbound.port(), tags_of(inbound.tags())});
  }
  if (!networking.has_gateway()) return out;
  out.gateway_tags = tags_of(networking.gateway().tags());
  if (networking.gateway().type() == proto::Dataplane::Networking::Gateway::DELEGATED) {
    out.kind = ProxyKind::delegated_gateway;
    return out;
  }
  out.kind = ProxyKind::builtin_gateway;
  take_listeners(mesh_gateways, out);
  return out;
}

}  // namespace kdsd::policy
