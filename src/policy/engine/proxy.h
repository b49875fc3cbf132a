// A proxy as policies see it: what it is, where it is, and what it can be selected by.
//
// Pure values (policy-semantics.md 6).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/resource.h"

namespace kdsd::policy {

enum class ProxyKind : std::uint8_t { sidecar, delegated_gateway, builtin_gateway };

struct Inbound {
  std::string name;  // may be empty
  std::uint32_t port = 0;
  Labels tags;

  // How a reference addresses it: its name, or its port where it has none.
  std::string section() const { return name.empty() ? std::to_string(port) : name; }
};

// A listener of the MeshGateway that a built-in gateway serves.
struct Listener {
  std::uint32_t port = 0;
  Labels tags;  // of the proxy's gateway section, the MeshGateway and the listener together
};

struct Proxy {
  std::string mesh;
  std::string name;
  Labels labels;
  ProxyKind kind = ProxyKind::sidecar;
  std::vector<Inbound> inbounds;
  Labels gateway_tags;  // of the gateway section
  std::string gateway;  // display name of the MeshGateway that a built-in gateway serves; empty: none
  std::vector<Listener> listeners;
  ResourcePtr resource;  // where it comes from; null in cases that are posted

  bool is_gateway() const { return kind != ProxyKind::sidecar; }
};

using ProxyPtr = std::shared_ptr<const Proxy>;

// Values that a tag must have: `*` stands for any value. All of `wanted` must hold.
bool has_tags(const Labels& tags, const Labels& wanted);

// From a Dataplane and the MeshGateways of its mesh. A spec that does not decode gives a proxy without inbounds.
Proxy proxy_of(const ResourcePtr& dataplane, const std::vector<ResourcePtr>& mesh_gateways);

}  // namespace kdsd::policy
