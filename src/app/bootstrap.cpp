#include "app/bootstrap.h"

#include "api/mesh_creation.h"
#include "kds/system_namespace.h"
#include "model/document.h"
#include "model/proto_spec.h"
#include "policy/core_name.h"
#include "policy/default_resources.h"

#include "kuma/system/v1alpha1/config.pb.h"
#include "kuma/system/v1alpha1/zone.pb.h"

namespace kdsd::app {
namespace system = kuma::system::v1alpha1;
namespace {

constexpr const char* admin_token_name = "admin-user-token";
constexpr const char* admin = "mesh-system:admin";

class Bootstrap {
 public:
  Bootstrap(kds::Transaction& transaction, const BootstrapOptions& options)
      : transaction_(transaction), options_(options) {}

  Status run() {
    const auto& plane = options_.control_plane;
    if (plane.is_zone()) keep_own_zone();
    if (!plane.federated) {
      create_config("kuma-cluster-id", options_.cluster_id);
      if (!options_.skip_mesh_creation) {
        if (auto status = create_default_mesh(); !status.ok()) return status;
      }
    }
    if (!options_.skip_tenant_resources) {
      if (auto status = create_token_secrets(); !status.ok()) return status;
      if (!options_.skip_hostname_generators) {
        for (const auto& item : policy::default_hostname_generators(plane)) {
          if (auto status = create(item); !status.ok()) return status;
        }
      }
    }
    return {};
  }

 private:
  const ResourceType& type(const std::string& name) const { return *transaction_.catalogue().find(name); }

  void put(const std::string& type_name, const std::string& mesh, const std::string& name, std::string spec) {
    api::put_default(transaction_, options_.control_plane, type(type_name), mesh, name, std::move(spec));
  }

  Status create(const policy::DefaultResource& item) {
    auto spec = encode_spec(type(item.type), item.spec);
    if (!spec.ok()) return spec.status().prefixed(item.type + "/" + item.name);
    put(item.type, item.mesh, item.name, *spec);
    return {};
  }

  void create_secret(const std::string& type_name, const std::string& mesh, const std::string& name,
                     const std::string& data) {
    system::Secret secret;
    secret.mutable_data()->set_value(data);
    put(type_name, mesh, name, serialize_deterministic(secret));
  }

  Status create_token_secrets() {
    const auto& plane = options_.control_plane;
    if (!plane.federated && !options_.zone_signing_key.empty())
      create_secret("GlobalSecret", "", "zone-token-signing-key-1", options_.zone_signing_key);
    const bool has_new_key = !options_.user_signing_key.empty();
    if (has_new_key) create_secret("GlobalSecret", "", "user-token-signing-key-1", options_.user_signing_key);
    const auto name = policy::core_name(plane, type("GlobalSecret"), admin_token_name);
    if (!options_.create_admin_token || transaction_.find(type("GlobalSecret"), "", name)) return {};
    const auto keys = kds::collect_token_keys(transaction_.index(), plane, kds::TokenKind::user, "");
    const kds::SigningKey key = has_new_key ? kds::SigningKey{1, options_.user_signing_key} : *keys.newest();
    auto token = kds::issue_token(kds::claims_of(kds::UserClaims{admin, {admin}}), options_.admin_token_life,
                                  std::to_string(key.serial), key.key);
    if (!token.ok()) return token.status().prefixed(admin_token_name);
    create_secret("GlobalSecret", "", admin_token_name, *token);
    return {};
  }

  void create_config(const std::string& name, const std::string& text) {
    system::Config config;
    config.set_config(text);
    put("Config", "", name, serialize_deterministic(config));
  }

  Status create_default_mesh() {
    put("Mesh", "", "default", "");
    return api::create_mesh_companions(transaction_, options_.control_plane, "default", boost::json::object(),
                                       options_.dataplane_signing_key, options_.routing_resources);
  }

  // A zone knows one Zone, itself.
  void keep_own_zone() {
    for (const auto& zone : transaction_.list(type("Zone"))) {
      if (zone->name != options_.control_plane.zone) transaction_.remove(zone->key());
    }
    system::Zone zone;
    zone.mutable_enabled()->set_value(true);
    put("Zone", "", options_.control_plane.zone, serialize_deterministic(zone));
  }

  kds::Transaction& transaction_;
  const BootstrapOptions& options_;
};

}  // namespace

kds::Write bootstrap(BootstrapOptions options, std::function<void(const Status&)> done) {
  kds::Write write;
  write.decide = [options = std::move(options)](kds::Transaction& transaction) {
    if (auto status = kds::rename_system_namespace(transaction, options.control_plane); !status.ok()) return status;
    transaction.set_fact(defaults_fact, "1");
    return Bootstrap(transaction, options).run();
  };
  write.done = std::move(done);
  return write;
}

}  // namespace kdsd::app
