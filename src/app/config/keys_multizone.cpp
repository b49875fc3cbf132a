// Keys of mode, synchronisation and its timing (configuration 3.1 to 3.4).
#include <array>

#include "app/config/key.h"

namespace kdsd::app {
namespace {

using enum KeyType;
using enum Decision;

constexpr std::array<Key, 36> keys{{
    {"environment", "KUMA_ENVIRONMENT", text, "universal", accept,
     "whether resources live in namespaces (kubernetes) or not", "universal|kubernetes"},
    {"mode", "KUMA_MODE", text, "zone", accept, "the role of this control plane; standalone is an old name of zone",
     "global|zone|standalone"},
    {"multizone.global.kds.grpcPort", "KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT", port, "5685", accept,
     "port on which zones connect"},
    {"multizone.global.kds.refreshInterval", "KUMA_MULTIZONE_GLOBAL_KDS_REFRESH_INTERVAL", duration, "1s", no_effect,
     "polling of other control planes; changes are pushed here as they are committed"},
    {"multizone.global.kds.zoneInsightFlushInterval", "KUMA_MULTIZONE_GLOBAL_KDS_ZONE_INSIGHT_FLUSH_INTERVAL", duration,
     "10s", accept, "how often the statistics of all zones are written"},
    {"multizone.global.kds.tlsEnabled", "KUMA_MULTIZONE_GLOBAL_KDS_TLS_ENABLED", boolean, "true", accept,
     "serve zones over TLS"},
    {"multizone.global.kds.tlsCertFile", "KUMA_MULTIZONE_GLOBAL_KDS_TLS_CERT_FILE", text, "", accept,
     "certificate of this server; empty means general.tlsCertFile"},
    {"multizone.global.kds.tlsKeyFile", "KUMA_MULTIZONE_GLOBAL_KDS_TLS_KEY_FILE", text, "", accept,
     "its key; with the certificate or not at all"},
    {"multizone.global.kds.tlsMinVersion", "KUMA_MULTIZONE_GLOBAL_KDS_TLS_MIN_VERSION", tls_version, "TLSv1_2", accept,
     "lowest TLS version; unset means general.tlsMinVersion"},
    {"multizone.global.kds.tlsMaxVersion", "KUMA_MULTIZONE_GLOBAL_KDS_TLS_MAX_VERSION", tls_version, "", accept,
     "highest TLS version; unset means general.tlsMaxVersion; TLSv1_2 is refused at the start, since gRPC cannot keep "
     "to it"},
    {"multizone.global.kds.tlsCipherSuites", "KUMA_MULTIZONE_GLOBAL_KDS_TLS_CIPHER_SUITES", ciphers, "", accept,
     "cipher suites; unset means general.tlsCipherSuites"},
    {"multizone.global.kds.maxMsgSize", "KUMA_MULTIZONE_GLOBAL_KDS_MAX_MSG_SIZE", integer, "10485760", accept,
     "largest message in bytes, both ways; bounds the first state of one type with a peer that knows no chunks"},
    {"multizone.global.kds.msgSendTimeout", "KUMA_MULTIZONE_GLOBAL_KDS_MSG_SEND_TIMEOUT", duration, "60s", accept,
     "a message that cannot be sent for this long ends the stream"},
    {"multizone.global.kds.nackBackoff", "KUMA_MULTIZONE_GLOBAL_KDS_NACK_BACKOFF", duration, "5s", no_effect,
     "pause before a resend after a rejection; what was rejected is sent again when it has changed"},
    {"multizone.global.kds.responseBackoff", "KUMA_MULTIZONE_GLOBAL_KDS_RESPONSE_BACKOFF", duration, "0s", warn,
     "pause before a response is acknowledged; answers go out when the store has the change"},
    {"multizone.global.kds.zoneHealthCheck.pollInterval", "KUMA_MULTIZONE_GLOBAL_KDS_ZONE_HEALTH_CHECK_POLL_INTERVAL",
     duration, "0s", accept, "how often zones shall ping; zero together with the timeout switches the check off"},
    {"multizone.global.kds.zoneHealthCheck.timeout", "KUMA_MULTIZONE_GLOBAL_KDS_ZONE_HEALTH_CHECK_TIMEOUT", duration,
     "0s", accept, "a zone that did not ping for this long counts as offline"},
    {"multizone.global.kds.zoneHealthCheck.closeStaleConn",
     "KUMA_MULTIZONE_GLOBAL_KDS_ZONE_HEALTH_CHECK_CLOSE_STALE_CONN", boolean, "false", no_effect,
     "end older streams of a zone that connects again; always done here"},
    {"multizone.global.kds.tracing.enabled", "KUMA_MULTIZONE_GLOBAL_KDS_TRACING_ENABLED", boolean, "true", warn,
     "spans of synchronisation calls; there is no tracing here"},
    {"multizone.global.kds.labels.skipPrefixes", "KUMA_MULTIZONE_GLOBAL_KDS_LABELS_SKIP_PREFIXES", list, "", accept,
     "labels whose key starts with one of these are not sent to zones"},
    {"multizone.zone.name", "KUMA_MULTIZONE_ZONE_NAME", text, "default", accept,
     "name of this zone: lower-case letters, digits and '-', at most 63, no dots"},
    {"multizone.zone.globalAddress", "KUMA_MULTIZONE_ZONE_GLOBAL_ADDRESS", text, "", accept,
     "where the global is: grpcs://host:port or grpc://host:port; empty means a zone on its own"},
    {"multizone.zone.kds.refreshInterval", "KUMA_MULTIZONE_ZONE_KDS_REFRESH_INTERVAL", duration, "1s", no_effect,
     "polling of other control planes; changes are pushed here as they are committed"},
    {"multizone.zone.kds.tlsSkipVerify", "KUMA_MULTIZONE_ZONE_KDS_TLS_SKIP_VERIFY", boolean, "false", accept,
     "accept any certificate of the global"},
    {"multizone.zone.kds.rootCaFile", "KUMA_MULTIZONE_ZONE_KDS_ROOT_CA_FILE", text, "", accept,
     "PEM file with the authorities that may sign the global's certificate; empty means those of the system"},
    {"multizone.zone.kds.maxMsgSize", "KUMA_MULTIZONE_ZONE_KDS_MAX_MSG_SIZE", integer, "10485760", accept,
     "largest message in bytes, both ways"},
    {"multizone.zone.kds.msgSendTimeout", "KUMA_MULTIZONE_ZONE_KDS_MSG_SEND_TIMEOUT", duration, "60s", accept,
     "a message that cannot be sent for this long ends the stream"},
    {"multizone.zone.kds.nackBackoff", "KUMA_MULTIZONE_ZONE_KDS_NACK_BACKOFF", duration, "5s", no_effect,
     "pause before a resend after a rejection; what was rejected is sent again when it has changed"},
    {"multizone.zone.kds.responseBackoff", "KUMA_MULTIZONE_ZONE_KDS_RESPONSE_BACKOFF", duration, "0s", warn,
     "pause before a response is acknowledged; answers go out when the store has the change"},
    {"multizone.zone.kds.labels.skipPrefixes", "KUMA_MULTIZONE_ZONE_KDS_LABELS_SKIP_PREFIXES", list, "", accept,
     "labels whose key starts with one of these are not sent to the global"},
    {"multizone.zone.disableOriginLabelValidation", "KUMA_MULTIZONE_ZONE_DISABLE_ORIGIN_LABEL_VALIDATION", boolean,
     "false", accept, "switches off the rules for the origin label in the REST API, on a global as well"},
    {"multizone.zone.ingressUpdateInterval", "KUMA_MULTIZONE_ZONE_INGRESS_UPDATE_INTERVAL", duration, "1s", warn,
     "refresh of the services that a zone ingress offers; not computed here"},
    {"experimental.kdsEventBasedWatchdog.enabled", "KUMA_EXPERIMENTAL_KDS_EVENT_BASED_WATCHDOG_ENABLED", boolean,
     "false", ignore, "events instead of polling; always so here"},
    {"experimental.kdsEventBasedWatchdog.flushInterval", "KUMA_EXPERIMENTAL_KDS_EVENT_BASED_WATCHDOG_FLUSH_INTERVAL",
     duration, "5s", no_effect, "how long changes are collected; here those of one commit"},
    {"experimental.kdsEventBasedWatchdog.fullResyncInterval",
     "KUMA_EXPERIMENTAL_KDS_EVENT_BASED_WATCHDOG_FULL_RESYNC_INTERVAL", duration, "60s", no_effect,
     "repeated computation of everything; streams follow the change log here"},
    {"experimental.kdsEventBasedWatchdog.delayFullResync",
     "KUMA_EXPERIMENTAL_KDS_EVENT_BASED_WATCHDOG_DELAY_FULL_RESYNC", boolean, "false", no_effect, "the start of that"},
}};

}  // namespace

std::span<const Key> multizone_keys() { return keys; }

}  // namespace kdsd::app
