#include "api/mesh_creation.h"

#include "model/document.h"
#include "model/proto_spec.h"
#include "policy/default_resources.h"

#include "kuma/system/v1alpha1/config.pb.h"

namespace kdsd::api {
namespace {

// What a control plane creates by itself carries no labels, as long as there are no namespaces (kds-protocol.md 8.1).
void put_if_missing(kds::Transaction& transaction, const ResourceType& type, const std::string& mesh,
                    const std::string& name, std::string spec) {
  if (transaction.find(type, mesh, name)) return;
  Resource resource;
  resource.type = &type;
  resource.mesh = mesh;
  resource.name = name;
  resource.spec = std::move(spec);
  transaction.put(std::move(resource));
}

}  // namespace

bool creates_mesh_defaults(const policy::ControlPlaneKind& control_plane) {
  return control_plane.is_global() || !control_plane.federated;
}

Status create_mesh_companions(kds::Transaction& transaction, std::string_view mesh, const boost::json::value& mesh_spec,
                              const std::string& signing_key_pem, bool routing) {
  const auto& catalogue = transaction.catalogue();
  const auto* secret_type = catalogue.find("Secret");
  if (secret_type == nullptr) return Status(Code::internal, "the catalogue has no type Secret");
  const std::string mesh_name(mesh);
  kuma::system::v1alpha1::Secret secret;
  secret.mutable_data()->set_value(signing_key_pem);
  put_if_missing(transaction, *secret_type, mesh_name, "dataplane-token-signing-key-" + mesh_name + "-1",
                 serialize_deterministic(secret));
  for (const auto& policy : policy::mesh_defaults(mesh, mesh_spec, routing)) {
    const auto* type = catalogue.find(policy.type);
    if (type == nullptr) return Status(Code::internal, "the catalogue has no type " + policy.type);
    auto spec = encode_spec(*type, policy.spec);
    if (!spec.ok()) return Status(Code::internal, "default policy " + policy.name + ": " + spec.status().text());
    put_if_missing(transaction, *type, policy.mesh, policy.name, std::move(*spec));
  }
  return {};
}

}  // namespace kdsd::api
