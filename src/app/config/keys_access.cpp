// Keys of rights, tokens and the types that exist (configuration 3.12 to 3.14).
#include <array>

#include "app/config/key.h"

namespace kdsd::app {
namespace {

using enum KeyType;
using enum Decision;

constexpr std::array<Key, 27> keys{{
    {"access.type", "KUMA_ACCESS_TYPE", text, "static", accept, "how rights are granted", "static"},
    {"access.static.adminResources.users", "KUMA_ACCESS_STATIC_ADMIN_RESOURCES_USERS", list, "mesh-system:admin",
     accept, "users that may read and write Secret and GlobalSecret"},
    {"access.static.adminResources.groups", "KUMA_ACCESS_STATIC_ADMIN_RESOURCES_GROUPS", list, "mesh-system:admin",
     accept, "groups with that right"},
    {"access.static.generateUserToken.users", "KUMA_ACCESS_STATIC_GENERATE_USER_TOKEN_USERS", list, "mesh-system:admin",
     accept, "users that may issue user tokens"},
    {"access.static.generateUserToken.groups", "KUMA_ACCESS_STATIC_GENERATE_USER_TOKEN_GROUPS", list,
     "mesh-system:admin", accept, "groups with that right"},
    {"access.static.generateZoneToken.users", "KUMA_ACCESS_STATIC_GENERATE_ZONE_TOKEN_USERS", list, "mesh-system:admin",
     accept, "users that may issue zone tokens"},
    {"access.static.generateZoneToken.groups", "KUMA_ACCESS_STATIC_GENERATE_ZONE_TOKEN_GROUPS", list,
     "mesh-system:admin", accept, "groups with that right"},
    {"access.static.generateDpToken.users", "KUMA_ACCESS_STATIC_GENERATE_DP_TOKEN_USERS", list, "mesh-system:admin",
     accept, "users that may issue dataplane tokens"},
    {"access.static.generateDpToken.groups", "KUMA_ACCESS_STATIC_GENERATE_DP_TOKEN_GROUPS", list, "mesh-system:admin",
     accept, "groups with that right"},
    {"access.static.viewConfigDump.users", "KUMA_ACCESS_STATIC_GET_CONFIG_DUMP_USERS", list, "", accept,
     "users that may see a proxy's configuration"},
    {"access.static.viewConfigDump.groups", "KUMA_ACCESS_STATIC_GET_CONFIG_DUMP_GROUPS", list,
     "mesh-system:unauthenticated,mesh-system:authenticated", accept, "groups with that right"},
    {"access.static.viewStats.users", "KUMA_ACCESS_STATIC_VIEW_STATS_USERS", list, "", accept,
     "users that may see a proxy's statistics"},
    {"access.static.viewStats.groups", "KUMA_ACCESS_STATIC_VIEW_STATS_GROUPS", list,
     "mesh-system:unauthenticated,mesh-system:authenticated", accept, "groups with that right"},
    {"access.static.viewClusters.users", "KUMA_ACCESS_STATIC_VIEW_CLUSTERS_USERS", list, "", accept,
     "users that may see a proxy's clusters"},
    {"access.static.viewClusters.groups", "KUMA_ACCESS_STATIC_VIEW_CLUSTERS_GROUPS", list,
     "mesh-system:unauthenticated,mesh-system:authenticated", accept, "groups with that right"},
    {"access.static.controlPlaneMetadata.users", "KUMA_ACCESS_STATIC_CONTROL_PLANE_METADATA_USERS", list, "", accept,
     "users that may read this configuration over the API"},
    {"access.static.controlPlaneMetadata.groups", "KUMA_ACCESS_STATIC_CONTROL_PLANE_METADATA_GROUPS", list,
     "mesh-system:unauthenticated,mesh-system:authenticated", accept, "groups with that right"},
    {"dpServer.authn.zoneProxy.zoneToken.enableIssuer", "KUMA_DP_SERVER_AUTHN_ZONE_PROXY_ZONE_TOKEN_ENABLE_ISSUER",
     boolean, "true", accept, "issue zone tokens"},
    {"dpServer.authn.zoneProxy.zoneToken.validator.useSecrets",
     "KUMA_DP_SERVER_AUTHN_ZONE_PROXY_ZONE_TOKEN_VALIDATOR_USE_SECRETS", boolean, "true", accept,
     "verify zone tokens with the signing keys in the store"},
    {"dpServer.authn.zoneProxy.zoneToken.validator.publicKeys", "", public_keys, "", accept,
     "keys that verify zone tokens, tried first"},
    {"dpServer.authn.zoneProxy.type", "KUMA_DP_SERVER_AUTHN_ZONE_PROXY_TYPE", text, "", warn,
     "how zone proxies prove who they are; no proxy connects here", "zoneToken|serviceAccountToken|none"},
    {"dpServer.authn.dpProxy.type", "KUMA_DP_SERVER_AUTHN_DP_PROXY_TYPE", text, "", warn,
     "how dataplanes prove who they are; no proxy connects here", "dpToken|serviceAccountToken|none"},
    {"dpServer.authn.dpProxy.dpToken.enableIssuer", "KUMA_DP_SERVER_AUTHN_DP_PROXY_DP_TOKEN_ENABLE_ISSUER", boolean,
     "true", accept, "issue dataplane tokens"},
    {"dpServer.authn.dpProxy.dpToken.validator.useSecrets",
     "KUMA_DP_SERVER_AUTHN_DP_PROXY_DP_TOKEN_VALIDATOR_USE_SECRETS", boolean, "true", warn,
     "verify dataplane tokens with the store; no proxy connects here"},
    {"dpServer.authn.dpProxy.dpToken.validator.publicKeys", "", public_keys, "", warn,
     "keys that verify dataplane tokens; no proxy connects here"},
    {"policies.pluginPoliciesEnabled", "KUMA_PLUGIN_POLICIES_ENABLED", list, "", accept,
     "policy types that exist here, by path segment; unset means all"},
    {"coreResources.enabled", "KUMA_CORE_RESOURCES_ENABLED", list, "", accept,
     "core types that exist here, by path segment; unset means all"},
}};

}  // namespace

std::span<const Key> access_keys() { return keys; }

}  // namespace kdsd::app
