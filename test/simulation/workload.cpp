#include "workload.h"

#include <algorithm>

#include "model/document.h"
#include "model/hash.h"
#include "model/proto_spec.h"
#include "policy/labels.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/mesh.pb.h"
#include "kuma/mesh/v1alpha1/zone_proxy.pb.h"
#include "kuma/system/v1alpha1/config.pb.h"
#include "kuma/system/v1alpha1/zone.pb.h"
#include "node.h"

namespace kdsd::sim {
namespace {

// Few names, so that clients of different control planes meet.
const std::vector<std::string> names = {"alpha", "beta", "gamma", "delta", "epsilon"};
const std::vector<std::string> meshes = {"default", "demo"};
const std::vector<std::string> namespaces = {"shop", "web"};

template <typename Message>
std::string bytes_of(const Message& message) {
  message.ByteSizeLong();
  return serialize_deterministic(message);
}

}  // namespace

Labels own_labels(const ControlPlane& at, const std::string& mesh) {
  Labels labels;
  if (!mesh.empty()) labels.set("kuma.io/mesh", mesh);
  labels.set("kuma.io/origin", at.is_global() ? "global" : "zone");
  if (!at.is_global()) labels.set("kuma.io/zone", at.place().zone);
  return labels;
}

void settle_in_namespace(const ControlPlane& at, Resource& resource, const std::string& namespace_) {
  if (!at.place().is_kubernetes) return;
  const auto plane = control_plane_of(at.place());
  if (at.is_global()) resource.labels.erase("kuma.io/origin");
  policy::CoreName name{resource.name, resource.type->named_with_namespace() ? namespace_ : std::string()};
  resource.labels =
      policy::complete_labels(plane, *resource.type, resource.mesh, name, spec_json(resource), resource.labels);
  resource.name = name.text();
}

Workload::Workload(World& world) : world_(world), random_(world.random()) {
  choices_ = {
      {2, [this] { put_mesh(); }},
      {8, [this] { put_policy(world_.global()); }},
      {12, [this] { put_policy(some_zone()); }},
      {4, [this] { put_route(some_zone()); }},
      {12, [this] { put_service(); }},
      {12, [this] { put_dataplane(); }},
      {4, [this] { put_ingress(); }},
      {5, [this] { put_secret(world_.global()); }},
      {3, [this] { put_secret(some_zone()); }},
      {2, [this] { put_global_secret(); }},
      {3, [this] { put_generator(some_party()); }},
      {4, [this] { switch_zone(); }},
      {1, [this] { delete_zone(); }},
      {16, [this] { remove_some(); }},
      {1, [this] { remove_mesh(); }},
      {4, [this] { recreate_some(); }},
      {5, [this] { flip_sync(); }},
  };
}

void Workload::begin() {
  for (const auto& mesh : meshes) {
    Resource resource;
    resource.type = &world_.type("Mesh");
    resource.name = mesh;
    resource.labels = own_labels(world_.global(), "");
    put(world_.global(), std::move(resource));
  }
}

void Workload::act() {
  int total = 0;
  for (const auto& choice : choices_) total += choice.weight;
  auto left = static_cast<int>(random_.below(static_cast<std::uint64_t>(total)));
  for (const auto& choice : choices_) {
    left -= choice.weight;
    if (left < 0) return choice.act();
  }
}

ControlPlane& Workload::some_zone() { return *world_.parties()[1 + random_.below(world_.parties().size() - 1)]; }
ControlPlane& Workload::some_party() { return *world_.parties()[random_.below(world_.parties().size())]; }
std::string Workload::some_mesh() { return random_.one_in(4) ? meshes[1] : meshes[0]; }
std::string Workload::some_name() { return random_.pick(names); }

void Workload::put(ControlPlane& at, Resource resource) { put_when(at, std::move(resource), ""); }

// The mesh, if one is named, has to be there; a copy of that name is not to be overwritten.
void Workload::put_when(ControlPlane& at, Resource resource, const std::string& mesh) {
  if (!at.alive()) return;
  const auto key = resource.key();
  auto ticket = std::make_shared<std::optional<Ledger::Ticket>>();
  const Content content{true, resource.labels, resource.spec};
  kds::Write write;
  write.decide = [this, &at, resource, mesh, key, content, ticket](kds::Transaction& transaction) {
    if (!mesh.empty() && !transaction.find(world_.type("Mesh"), "", mesh))
      return Status(Code::not_found, "no such mesh");
    auto existing = transaction.find(*key.type, key.mesh, key.name);
    if (existing && existing->is_copy()) return Status(Code::denied, "not made here");
    *ticket = ledger(at.name()).attempt(key, content);
    transaction.put(resource);
    return Status();
  };
  write.done = [this, &at, key, ticket](const Status& status) {
    if (!*ticket) return;
    if (status.ok()) {
      world_.count("writes-acknowledged");
      ledger(at.name()).acknowledged(key, **ticket);
    } else {
      ledger(at.name()).refused(key, **ticket);
    }
  };
  if (world_.tracing()) world_.trace("client of " + at.name() + " puts " + key.text() + " " + content.text());
  at.submit(std::move(write));
}

void Workload::remove(ControlPlane& at, const ResourceKey& key) {
  if (!at.alive()) return;
  using Tickets = std::vector<std::pair<ResourceKey, Ledger::Ticket>>;
  auto tickets = std::make_shared<Tickets>();
  kds::Write write;
  write.decide = [this, &at, key, tickets](kds::Transaction& transaction) {
    auto existing = transaction.find(*key.type, key.mesh, key.name);
    if (!existing || existing->is_copy()) return Status(Code::not_found, "not here");
    kds::remove_with_dependents(transaction, *existing);
    for (const auto& [removed, item] : transaction.staged().items) {
      if (item.resource == nullptr && ledger(at.name()).knows(removed)) {
        tickets->emplace_back(removed, ledger(at.name()).attempt(removed, Content{}));
      }
    }
    return Status();
  };
  write.done = [this, &at, tickets](const Status& status) {
    for (const auto& [removed, ticket] : *tickets) {
      if (status.ok()) {
        ledger(at.name()).acknowledged(removed, ticket);
      } else {
        ledger(at.name()).refused(removed, ticket);
      }
    }
  };
  if (world_.tracing()) world_.trace("client of " + at.name() + " deletes " + key.text());
  at.submit(std::move(write));
}

void Workload::put_mesh() {
  kuma::mesh::v1alpha1::Mesh spec;
  spec.add_skipcreatinginitialpolicies(std::to_string(++counter_));
  Resource resource;
  resource.type = &world_.type("Mesh");
  resource.name = some_mesh();
  resource.labels = own_labels(world_.global(), "");
  resource.spec = bytes_of(spec);
  put(world_.global(), std::move(resource));
}

// On a universal zone users may write the labels of namespaces by hand (kds-protocol.md 8.3).
std::string Workload::written_in(const ControlPlane& at) {
  if (at.is_global()) return at.place().is_kubernetes ? at.place().system_namespace : std::string();
  if (random_.one_in(4)) return at.place().is_kubernetes ? at.place().system_namespace : std::string();
  return random_.pick(namespaces);
}

// To services of the own namespace, or to others; some names only look as if they were hashed.
std::string Workload::reference(bool is_producer) {
  auto name = some_name();
  if (random_.one_in(8)) name += "-2456789bcdfvwxz2";
  if (random_.one_in(12)) name += "_shop_svc_80";
  if (random_.one_in(12)) name = hashed_name("default", name, {random_.pick(world_.zone_names()), "shop"});
  if (is_producer) return R"({"kind":"MeshService","name":")" + name + R"("})";
  switch (random_.below(3)) {
    case 0:
      return R"({"kind":"MeshService","labels":{"app":"x"}})";
    case 1:
      return R"({"kind":"MeshExternalService","name":")" + name + R"("})";
    default:
      return R"({"kind":"MeshService","name":")" + name + R"(","namespace":"elsewhere"})";
  }
}

void Workload::add_role(ControlPlane& at, Resource& resource, const std::string& namespace_, bool is_producer) {
  if (at.is_global() || namespace_.empty()) return;
  const bool is_system = at.place().is_kubernetes && namespace_ == at.place().system_namespace;
  std::string role = is_system ? "system" : is_producer ? "producer" : "consumer";
  if (!at.place().is_kubernetes) {
    resource.labels.set("k8s.kuma.io/namespace", namespace_);
    resource.labels.set("kuma.io/display-name", resource.name);
    resource.name += "." + namespace_;
  }
  // Labels of an older release, or of a user who writes them by hand.
  if (!is_system && random_.one_in(10)) role = random_.pick(std::vector<std::string>{"producer", "consumer", "system"});
  resource.labels.set("kuma.io/policy-role", role);
}

Resource Workload::draft_at(ControlPlane& at, std::string_view type) {
  Resource resource;
  resource.type = &world_.type(type);
  resource.mesh = some_mesh();
  resource.name = some_name();
  resource.labels = own_labels(at, resource.mesh);
  return resource;
}

void Workload::put_policy(ControlPlane& at) {
  auto resource = draft_at(at, "MeshTimeout");
  const auto timeout = std::to_string(++counter_) + "s";
  const auto namespace_ = written_in(at);
  const bool is_producer = !random_.one_in(3);
  std::string target;
  if (random_.one_in(3)) target = R"("targetRef":{"kind":"Mesh"},)";
  if (!namespace_.empty() && random_.one_in(4)) {
    const auto tagged = random_.pick(world_.zone_names());
    target = R"("targetRef":{"kind":"MeshSubset","tags":{"kuma.io/zone":")" + tagged + R"("}},)";
  }
  std::string ref = R"({"kind":"Mesh"})";
  if (at.is_global() && random_.one_in(2)) ref = R"({"kind":"MeshMultiZoneService","name":")" + some_name() + R"("})";
  if (!at.is_global() && !namespace_.empty()) ref = reference(is_producer);
  const auto item = [&](const std::string& to) {
    return R"({"targetRef":)" + to + R"(,"default":{"connectionTimeout":")" + timeout + R"("}})";
  };
  resource.spec = "{" + target + R"("to":[)" + item(ref);
  // Of two roles at once: stored before there was a rule against it.
  if (!at.is_global() && !namespace_.empty() && random_.one_in(10))
    resource.spec += "," + item(reference(!is_producer));
  resource.spec += "]}";
  settle_in_namespace(at, resource, namespace_);
  add_role(at, resource, namespace_, is_producer);
  const auto mesh = resource.mesh;
  put_when(at, std::move(resource), mesh);
}

void Workload::put_route(ControlPlane& at) {
  auto resource = draft_at(at, "MeshHTTPRoute");
  const auto namespace_ = written_in(at);
  const auto backend = [&] {
    const auto port = random_.one_in(2) ? std::string(R"(,"port":80)") : std::string();
    return R"({"kind":"MeshService","name":")" + some_name() + '"' + port + "}";
  };
  const auto filter = R"({"type":"RequestMirror","requestMirror":{"backendRef":)" + backend() + "}}";
  resource.spec = R"({"to":[{"targetRef":)" + reference(true) +
                  R"(,"rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/)" + std::to_string(++counter_) +
                  R"("}}],"default":{"backendRefs":[)" + backend() + R"(],"filters":[)" + filter + "]}}]}]}";
  settle_in_namespace(at, resource, namespace_);
  add_role(at, resource, namespace_, true);
  const auto mesh = resource.mesh;
  put_when(at, std::move(resource), mesh);
}

void Workload::put_service() {
  auto& at = some_zone();
  auto resource = draft_at(at, "MeshService");
  if (random_.one_in(2)) resource.labels.set("app", std::to_string(++counter_));
  resource.spec = R"({"ports":[{"port":)" + std::to_string(1 + random_.below(60000)) +
                  R"(,"appProtocol":"http"}],"selector":{"dataplaneTags":{"a":"b"}}})";
  if (random_.one_in(2)) resource.status = R"({"dataplaneProxies":{"connected":)" + std::to_string(++counter_) + "}}";
  settle_in_namespace(at, resource, at.place().is_kubernetes ? written_in(at) : std::string());
  const auto mesh = resource.mesh;
  put_when(at, std::move(resource), mesh);
}

void Workload::put_dataplane() {
  auto& at = some_zone();
  kuma::mesh::v1alpha1::Dataplane spec;
  auto& inbound = *spec.mutable_networking()->add_inbound();
  inbound.set_port(static_cast<std::uint32_t>(1 + random_.below(60000)));
  (*inbound.mutable_tags())["kuma.io/service"] = "web";
  (*inbound.mutable_tags())["kuma.io/zone"] = at.place().zone;
  spec.mutable_networking()->set_address("10.0.0.1");
  Resource resource;
  resource.type = &world_.type("Dataplane");
  resource.mesh = some_mesh();
  resource.name = some_name();
  // One that an old release stored has no labels yet.
  if (at.place().is_kubernetes || !random_.one_in(4)) resource.labels = own_labels(at, resource.mesh);
  resource.spec = bytes_of(spec);
  settle_in_namespace(at, resource, at.place().is_kubernetes ? written_in(at) : std::string());
  const auto mesh = resource.mesh;
  put_when(at, std::move(resource), mesh);
}

void Workload::put_ingress() {
  auto& at = some_zone();
  kuma::mesh::v1alpha1::ZoneIngress spec;
  spec.set_zone(at.place().zone);
  spec.mutable_networking()->set_address("10.0.0.2");
  spec.mutable_networking()->set_port(static_cast<std::uint32_t>(1 + random_.below(60000)));
  Resource resource;
  resource.type = &world_.type("ZoneIngress");
  resource.name = some_name();
  resource.labels = own_labels(at, "");
  resource.spec = bytes_of(spec);
  settle_in_namespace(at, resource, at.place().system_namespace);
  put(at, std::move(resource));
}

void Workload::put_secret(ControlPlane& at) {
  kuma::system::v1alpha1::Secret spec;
  spec.mutable_data()->set_value(std::to_string(++counter_));
  Resource resource;
  resource.type = &world_.type("Secret");
  resource.mesh = some_mesh();
  resource.name = names[random_.below(2)];
  resource.labels = own_labels(at, resource.mesh);
  resource.spec = bytes_of(spec);
  const auto mesh = resource.mesh;
  put_when(at, std::move(resource), mesh);
}

void Workload::put_global_secret() {
  kuma::system::v1alpha1::Secret spec;
  spec.mutable_data()->set_value(std::to_string(++counter_));
  Resource resource;
  resource.type = &world_.type("GlobalSecret");
  resource.name = random_.one_in(3) ? "admin-user-token" : some_name();
  resource.labels = own_labels(world_.global(), "");
  resource.spec = bytes_of(spec);
  put(world_.global(), std::move(resource));
}

void Workload::put_generator(ControlPlane& at) {
  Resource resource;
  resource.type = &world_.type("HostnameGenerator");
  resource.name = some_name();
  resource.labels = own_labels(at, "");
  const char* selector = random_.one_in(2) ? "meshService" : "meshExternalService";
  resource.spec = std::string(R"({"selector":{")") + selector + R"(":{"matchLabels":{"a":")" +
                  std::to_string(++counter_) + R"("}}},"template":"{{ .Name }}.mesh"})";
  settle_in_namespace(at, resource, at.place().system_namespace);
  put(at, std::move(resource));
}

void Workload::switch_zone() {
  kuma::system::v1alpha1::Zone spec;
  const bool enabled = !random_.one_in(2);
  spec.mutable_enabled()->set_value(enabled);
  Resource resource;
  resource.type = &world_.type("Zone");
  resource.name = some_zone().name();
  resource.labels = own_labels(world_.global(), "");
  resource.spec = bytes_of(spec);
  world_.count(enabled ? "operator: zone enabled" : "operator: zone disabled");
  put(world_.global(), std::move(resource));
}

void Workload::delete_zone() {
  world_.count("operator: zone deleted");
  remove(world_.global(), {&world_.type("Zone"), "", some_zone().name()});
}

std::optional<Resource> Workload::some_own(ControlPlane& at) {
  std::vector<ResourcePtr> own;
  for (const auto& [key, resource] : at.resources()) {
    const auto& type = key.type->name;
    if (!resource->is_copy() && type != "Mesh" && type != "Zone" && type != "ZoneInsight") own.push_back(resource);
  }
  if (own.empty()) return std::nullopt;
  return *random_.pick(own);
}

void Workload::remove_some() {
  auto& at = some_party();
  if (auto own = some_own(at)) remove(at, own->key());
}

void Workload::remove_mesh() {
  world_.count("operator: mesh deleted");
  remove(world_.global(), {&world_.type("Mesh"), "", some_mesh()});
}

void Workload::recreate_some() {
  auto& at = some_party();
  auto own = some_own(at);
  if (!own) return;
  world_.count("operator: deleted and made again");
  remove(at, own->key());
  if (random_.one_in(2)) own->labels.set("again", std::to_string(++counter_));
  const auto mesh = own->mesh;
  put_when(at, std::move(*own), mesh);
}

void Workload::flip_sync() {
  auto& at = some_party();
  auto own = some_own(at);
  if (!own) return;
  world_.count("operator: sync switched");
  const bool off = own->labels.get("kuma.io/kds-sync") != "disabled";
  own->labels.set("kuma.io/kds-sync", off ? "disabled" : "enabled");
  const auto mesh = own->mesh;
  put_when(at, std::move(*own), mesh);
}

}  // namespace kdsd::sim
