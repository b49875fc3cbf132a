#include <memory>

#include "api/answers.h"
#include "api/await.h"
#include "api/copies.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "kds/zone_registry.h"
#include "model/document.h"
#include "model/json.h"
#include "policy/admission.h"
#include "policy/core_name.h"

#include "kuma/system/v1alpha1/zone.pb.h"

namespace kdsd::api {
namespace json = boost::json;

Status managed_elsewhere(const Resource& copy, const policy::ControlPlaneKind& control_plane) {
  const auto owner =
      control_plane.is_global() ? "zone \"" + copy.source + "\"" : std::string("the global control plane");
  return Status(Code::not_writable, "This " + copy.type->name + " is managed by " + owner +
                                        ": it can be read here and has to be changed there.\n");
}

namespace {

struct Delete {
  const Facts* facts = nullptr;
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string name;
  Operation operation = Operation::mesh;
};

Status refuse(std::string field, std::string reason) {
  return Status(Code::invalid, "Resource is not valid", {{std::move(field), std::move(reason)}});
}

Status check_zone(const kds::Transaction& transaction, const Resource& zone) {
  const auto* type = transaction.catalogue().find("ZoneInsight");
  const auto stored = type ? transaction.find(*type, "", zone.name) : nullptr;
  if (!stored) return {};
  kuma::system::v1alpha1::ZoneInsight insight;
  if (!insight.ParseFromString(stored->spec) || !kds::is_online(insight)) return {};
  return refuse("zone", "unable to delete Zone, Zone CP is still connected, please shut it down first");
}

Status check_mesh(const kds::Transaction& transaction, const Resource& mesh) {
  const auto* type = transaction.catalogue().find("Dataplane");
  if (type == nullptr || transaction.list_in_mesh(*type, mesh.name).empty()) return {};
  return refuse("mesh", "unable to delete mesh, there are still some dataplanes attached");
}

bool backend_uses(const json::value& backend, const std::string& mesh, const std::string& secret) {
  const std::string name(find_text(backend, {"name"}));
  if (find_text(backend, {"type"}) == "builtin") {
    return secret == mesh + ".ca-builtin-cert-" + name || secret == mesh + ".ca-builtin-key-" + name;
  }
  return find_text(backend, {"conf", "cert", "secret"}) == secret ||
         find_text(backend, {"conf", "key", "secret"}) == secret;
}

Status check_secret(const kds::Transaction& transaction, const Resource& secret) {
  const auto* type = transaction.catalogue().find("Mesh");
  const auto mesh = type ? transaction.find(*type, "", secret.mesh) : nullptr;
  if (!mesh) return {};
  const auto spec = spec_json(*mesh);
  const auto* backends = find(spec, {"mtls", "backends"});
  if (backends == nullptr || !backends->is_array()) return {};
  for (const auto& backend : backends->get_array()) {
    if (!backend_uses(backend, mesh->name, secret.name)) continue;
    return refuse("name", "secret \"" + secret.name + "\" is in use: mTLS backend \"" +
                              std::string(find_text(backend, {"name"})) + "\" of mesh \"" + mesh->name +
                              "\" refers to it");
  }
  return {};
}

Status check_use(const kds::Transaction& transaction, const Resource& resource) {
  if (resource.type->name == "Zone") return check_zone(transaction, resource);
  if (resource.type->name == "Mesh") return check_mesh(transaction, resource);
  if (resource.type->name == "Secret") return check_secret(transaction, resource);
  return {};
}

Status decide(Delete& request, kds::Transaction& transaction) {
  const auto* mesh_type = transaction.catalogue().find("Mesh");
  if (!request.mesh.empty() && !transaction.find(*mesh_type, "", request.mesh)) return Status(Code::not_found, "");
  request.operation = Operation::remove;
  const auto resource = transaction.find(*request.type, request.mesh, request.name);
  if (!resource) return Status(Code::not_found, "");
  if (resource->is_copy()) return managed_elsewhere(*resource, request.facts->control_plane);
  if (!request.facts->unsafe_delete) {
    if (auto status = check_use(transaction, *resource); !status.ok()) return status;
  }
  kds::remove_with_dependents(transaction, *resource);
  return {};
}

}  // namespace

Answer delete_resource(Backend& backend, const ResourceType& type, const Call& call) {
  const auto& facts = backend.facts();
  auto allowed = policy::writable(type, facts.control_plane, facts.read_only);
  if (allowed.ok()) allowed = may_write(call.caller, type, facts);
  if (!allowed.ok()) co_return error_response(allowed, Operation::remove);

  auto request = std::make_shared<Delete>();
  request->facts = &facts;
  request->type = &type;
  request->mesh = call.parameter("mesh");
  request->name = policy::core_name(facts.control_plane, type, call.parameter("name"));
  // Named: GCC 12 destroys a closure that is a temporary of a co_await expression twice.
  Decide write = [request](kds::Transaction& transaction) { return decide(*request, transaction); };
  const auto status = co_await write_core(backend, std::move(write));
  if (!status.ok()) co_return error_response(status, request->operation);
  co_return json_response(200, {});
}

}  // namespace kdsd::api
