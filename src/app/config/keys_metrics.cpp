// Keys of insights, default resources and several instances (configuration 3.9 to 3.11).
#include <array>

#include "app/config/key.h"

namespace kdsd::app {
namespace {

using enum KeyType;
using enum Decision;

constexpr std::array<Key, 24> keys{{
    {"metrics.zone.subscriptionLimit", "KUMA_METRICS_ZONE_SUBSCRIPTION_LIMIT", integer, "10", accept,
     "subscriptions that a ZoneInsight keeps; 0 means as many as are ever kept, 100"},
    {"metrics.zone.idleTimeout", "KUMA_METRICS_ZONE_IDLE_TIMEOUT", duration, "5m", no_effect,
     "end of subscriptions of vanished instances; here each ends with its stream, or at the start"},
    {"metrics.zone.compactFinishedSubscriptions", "KUMA_METRICS_ZONE_COMPACT_FINISHED_SUBSCRIPTIONS", boolean, "false",
     accept, "drop configuration and details from closed subscriptions"},
    {"metrics.dataplane.subscriptionLimit", "KUMA_METRICS_DATAPLANE_SUBSCRIPTION_LIMIT", integer, "2", no_effect,
     "subscriptions that insights of dataplanes and zone proxies keep; a zone of Kuma writes them"},
    {"metrics.dataplane.idleTimeout", "KUMA_METRICS_DATAPLANE_IDLE_TIMEOUT", duration, "5m", no_effect, "as for zones"},
    {"metrics.mesh.minResyncInterval", "KUMA_METRICS_MESH_MIN_RESYNC_INTERVAL", duration, "1s", accept,
     "pause between two ServiceInsights that a global makes for zones; what the API says of insights follows every "
     "change"},
    {"metrics.mesh.fullResyncInterval", "KUMA_METRICS_MESH_FULL_RESYNC_INTERVAL", duration, "20s", no_effect,
     "pause between computations of all insights"},
    {"metrics.mesh.bufferSize", "KUMA_METRICS_MESH_BUFFER_SIZE", integer, "1000", ignore,
     "queue of events; there is none here"},
    {"metrics.mesh.eventProcessors", "KUMA_METRICS_MESH_EVENT_PROCESSORS", integer, "1", ignore,
     "workers on that queue"},
    {"metrics.mesh.minResyncTimeout", "KUMA_METRICS_MESH_MIN_RESYNC_TIMEOUT", duration, "0s", accept,
     "old name of minResyncInterval; wins when it is not zero"},
    {"metrics.mesh.maxResyncTimeout", "KUMA_METRICS_MESH_MAX_RESYNC_TIMEOUT", duration, "0s", no_effect,
     "old name of fullResyncInterval; wins when it is not zero"},
    {"metrics.controlPlane.reportResourcesCount", "KUMA_METRICS_CONTROL_PLANE_REPORT_RESOURCES_COUNT", boolean, "true",
     accept, "offer the metric resources_count"},
    {"defaults.skipMeshCreation", "KUMA_DEFAULTS_SKIP_MESH_CREATION", boolean, "false", accept,
     "do not create the mesh named default at the first start"},
    {"defaults.skipTenantResources", "KUMA_DEFAULTS_SKIP_TENANT_RESOURCES", boolean, "false", accept,
     "do not create signing keys and default resources"},
    {"defaults.createMeshRoutingResources", "KUMA_DEFAULTS_CREATE_MESH_ROUTING_RESOURCES", boolean, "false", accept,
     "create TrafficPermission and TrafficRoute for a new mesh"},
    {"defaults.SkipHostnameGenerators", "KUMA_DEFAULTS_SKIP_HOSTNAME_GENERATORS", boolean, "false", accept,
     "do not create the default HostnameGenerators"},
    {"interCp.catalog.instanceAddress", "KUMA_INTER_CP_CATALOG_INSTANCE_ADDRESS", text, "", no_effect,
     "address of this instance for others that share its store; one instance has a store for itself here"},
    {"interCp.catalog.heartbeatInterval", "KUMA_INTER_CP_CATALOG_HEARTBEAT_INTERVAL", duration, "5s", no_effect,
     "sign of life between instances"},
    {"interCp.catalog.writerInterval", "KUMA_INTER_CP_CATALOG_WRITER_INTERVAL", duration, "15s", no_effect,
     "how often the list of instances is written"},
    {"interCp.server.port", "KUMA_INTER_CP_SERVER_PORT", port, "5683", no_effect, "port between instances"},
    {"interCp.server.tlsMinVersion", "KUMA_INTER_CP_SERVER_TLS_MIN_VERSION", tls_version, "TLSv1_2", no_effect,
     "lowest TLS version between instances"},
    {"interCp.server.tlsMaxVersion", "KUMA_INTER_CP_SERVER_TLS_MAX_VERSION", tls_version, "", no_effect,
     "highest TLS version between instances"},
    {"interCp.server.tlsCipherSuites", "KUMA_INTER_CP_SERVER_TLS_CIPHER_SUITES", ciphers, "", no_effect,
     "cipher suites between instances"},
    {"eventBus.bufferSize", "KUMA_EVENT_BUS_BUFFER_SIZE", integer, "100", ignore,
     "events that wait for a subscriber; nothing is dropped here"},
}};

}  // namespace

std::span<const Key> metrics_keys() { return keys; }

}  // namespace kdsd::app
