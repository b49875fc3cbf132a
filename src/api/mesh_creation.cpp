#include "api/mesh_creation.h"

#include "model/document.h"
#include "model/proto_spec.h"
#include "policy/core_name.h"
#include "policy/default_resources.h"
#include "policy/labels.h"

#include "kuma/system/v1alpha1/config.pb.h"

namespace kdsd::api {
void put_default(kds::Transaction& transaction, const policy::ControlPlaneKind& control_plane, const ResourceType& type,
                 const std::string& mesh, const std::string& name, std::string spec) {
  const auto core = policy::split_core_name(control_plane, type, name);
  if (transaction.find(type, mesh, core.text())) return;
  Resource resource;
  resource.type = &type;
  resource.mesh = mesh;
  resource.name = core.text();
  resource.spec = std::move(spec);
  if (control_plane.has_namespaces())
    resource.labels = policy::complete_labels(control_plane, type, mesh, core, spec_json(resource), {});
  transaction.put(std::move(resource));
}

bool creates_mesh_defaults(const policy::ControlPlaneKind& control_plane) {
  return control_plane.is_global() || !control_plane.federated;
}

Status create_mesh_companions(kds::Transaction& transaction, const policy::ControlPlaneKind& control_plane,
                              std::string_view mesh, const boost::json::value& mesh_spec,
                              const std::string& signing_key_pem, bool routing) {
  const auto& catalogue = transaction.catalogue();
  const auto* secret_type = catalogue.find("Secret");
  if (secret_type == nullptr) return Status(Code::internal, "the catalogue has no type Secret");
  const std::string mesh_name(mesh);
  kuma::system::v1alpha1::Secret secret;
  secret.mutable_data()->set_value(signing_key_pem);
  put_default(transaction, control_plane, *secret_type, mesh_name, "dataplane-token-signing-key-" + mesh_name + "-1",
              serialize_deterministic(secret));
  for (const auto& policy : policy::mesh_defaults(mesh, mesh_spec, routing)) {
    const auto* type = catalogue.find(policy.type);
    if (type == nullptr) return Status(Code::internal, "the catalogue has no type " + policy.type);
    auto spec = encode_spec(*type, policy.spec);
    if (!spec.ok()) return Status(Code::internal, "default policy " + policy.name + ": " + spec.status().text());
    put_default(transaction, control_plane, *type, policy.mesh, policy.name, std::move(*spec));
  }
  return {};
}

}  // namespace kdsd::api
