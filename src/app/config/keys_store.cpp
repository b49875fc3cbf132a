// Keys of the store (configuration 3.5).
#include <array>

#include "app/config/key.h"

namespace kdsd::app {
namespace {

using enum KeyType;
using enum Decision;

constexpr std::array<Key, 31> keys{{
    {"store.type", "KUMA_STORE_TYPE", text, "sqlite", accept,
     "where resources are kept: sqlite, or memory, which loses them at a restart"},
    {"store.postgres.host", "KUMA_STORE_POSTGRES_HOST", text, "127.0.0.1", no_effect, "server of the PostgreSQL store"},
    {"store.postgres.port", "KUMA_STORE_POSTGRES_PORT", port, "15432", no_effect, "its port"},
    {"store.postgres.user", "KUMA_STORE_POSTGRES_USER", text, "kuma", no_effect, "its user"},
    {"store.postgres.password",
     "KUMA_STORE_POSTGRES_PASSWORD",
     text,
     "kuma",
     no_effect,
     "its password; never shown",
     {},
     {},
     true},
    {"store.postgres.dbName", "KUMA_STORE_POSTGRES_DB_NAME", text, "kuma", no_effect, "its database"},
    {"store.postgres.driverName", "KUMA_STORE_POSTGRES_DRIVER_NAME", text, "pgx", no_effect, "the only driver there is",
     "pgx"},
    {"store.postgres.connectionTimeout", "KUMA_STORE_POSTGRES_CONNECTION_TIMEOUT", integer, "5", no_effect,
     "seconds to wait for a connection"},
    {"store.postgres.maxConnectionIdleTime", "KUMA_STORE_POSTGRES_MAX_CONNECTION_IDLE_TIME", duration, "30m", no_effect,
     "idle connections older than this are closed"},
    {"store.postgres.maxConnectionLifetime", "KUMA_STORE_POSTGRES_MAX_CONNECTION_LIFETIME", duration, "1h", no_effect,
     "connections older than this are closed"},
    {"store.postgres.maxConnectionLifetimeJitter", "KUMA_STORE_POSTGRES_MAX_CONNECTION_LIFETIME_JITTER", duration, "1m",
     no_effect, "random addition to the lifetime"},
    {"store.postgres.healthCheckInterval", "KUMA_STORE_POSTGRES_HEALTH_CHECK_INTERVAL", duration, "30s", no_effect,
     "how often idle connections are checked"},
    {"store.postgres.minOpenConnections", "KUMA_STORE_POSTGRES_MIN_OPEN_CONNECTIONS", integer, "0", no_effect,
     "connections that are kept open"},
    {"store.postgres.maxOpenConnections", "KUMA_STORE_POSTGRES_MAX_OPEN_CONNECTIONS", integer, "50", no_effect,
     "most connections at once; 0 means no limit"},
    {"store.postgres.maxIdleConnections", "KUMA_STORE_POSTGRES_MAX_IDLE_CONNECTIONS", integer, "50", ignore,
     "most idle connections during a migration"},
    {"store.postgres.tls.mode", "KUMA_STORE_POSTGRES_TLS_MODE", text, "disable", no_effect,
     "whether and how the database server is verified", "disable|verifyNone|verifyCa|verifyFull"},
    {"store.postgres.tls.certPath", "KUMA_STORE_POSTGRES_TLS_CERT_PATH", text, "", no_effect, "client certificate"},
    {"store.postgres.tls.keyPath", "KUMA_STORE_POSTGRES_TLS_KEY_PATH", text, "", no_effect, "client key"},
    {"store.postgres.tls.caPath",
     "KUMA_STORE_POSTGRES_TLS_CA_PATH",
     text,
     "",
     no_effect,
     "authorities that may sign the database server's certificate",
     {},
     "KUMA_STORE_POSTGRES_TLS_ROOT_CERT_PATH"},
    {"store.postgres.tls.disableSSLSNI", "KUMA_STORE_POSTGRES_TLS_DISABLE_SSLSNI", boolean, "false", no_effect,
     "do not name the server in the TLS handshake"},
    {"store.postgres.maxListQueryElements", "KUMA_STORE_POSTGRES_MAX_LIST_QUERY_ELEMENTS", integer, "0", ignore,
     "size from which a list is read whole"},
    {"store.postgres.readReplica.host", "KUMA_STORE_POSTGRES_READ_REPLICA_HOST", text, "", no_effect,
     "a replica for reads; empty means none"},
    {"store.postgres.readReplica.port", "KUMA_STORE_POSTGRES_READ_REPLICA_PORT", port, "5432", no_effect, "its port"},
    {"store.postgres.readReplica.ratio", "KUMA_STORE_POSTGRES_READ_REPLICA_RATIO", percent, "100", no_effect,
     "percentage of reads that go to the replica"},
    {"store.kubernetes.systemNamespace", "KUMA_STORE_KUBERNETES_SYSTEM_NAMESPACE", text, "kuma-system", accept,
     "namespace of mesh-wide resources and of all copies where resources live in namespaces"},
    {"store.cache.enabled", "KUMA_STORE_CACHE_ENABLED", boolean, "true", ignore,
     "a cache in front of the store; reads are answered from the index here"},
    {"store.cache.expirationTime", "KUMA_STORE_CACHE_EXPIRATION_TIME", duration, "1s", ignore,
     "age up to which that cache answers"},
    {"store.upsert.conflictRetryBaseBackoff", "KUMA_STORE_UPSERT_CONFLICT_RETRY_BASE_BACKOFF", duration, "200ms",
     no_effect, "pause when an update was overtaken by another; updates are decided one after the other here"},
    {"store.upsert.conflictRetryMaxTimes", "KUMA_STORE_UPSERT_CONFLICT_RETRY_MAX_TIMES", integer, "10", no_effect,
     "repetitions of such an update"},
    {"store.upsert.conflictRetryJitterPercent", "KUMA_STORE_UPSERT_CONFLICT_RETRY_JITTER_PERCENT", percent, "30",
     no_effect, "random part of the pause"},
    {"store.unsafeDelete", "KUMA_STORE_UNSAFE_DELETE", boolean, "false", accept,
     "delete without looking whether a resource is still in use"},
}};

}  // namespace

std::span<const Key> store_keys() { return keys; }

}  // namespace kdsd::app
