// The configuration of a control plane: one typed value made of defaults, one file and environment variables.
//
// load_config reads the files that the configuration names (certificate authorities, public keys), and nothing else.
// Errors: Code::malformed when the file is no YAML, else Code::invalid with every broken rule, each naming key, value,
// source and what is accepted. Spec: configuration; namespaces, section 1. For readers: docs/configuration.md.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/ciphers.h"
#include "app/config/duration.h"
#include "app/config/key.h"
#include "app/config/value.h"
#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::app {

enum class Mode { global, zone };
enum class Environment { universal, kubernetes };
enum class StoreType { memory, sqlite };
enum class TlsVersion { unset, v1_2, v1_3 };
enum class AuthnType { tokens, admin_client_certs };
enum class ZoneProofType { none, zone_token, client_certificate };
enum class Compression { none, gzip };

// What "unlimited" numbers of subscriptions are bounded by: an insight with more is too large for its readers.
constexpr std::int64_t subscriptions_kept_max = 100;

// Certificate, key and TLS settings of one server, after the general ones were taken into account.
struct ServerTls {
  std::string cert_file;
  std::string key_file;
  bool is_work_dir_pair = false;  // nobody named a certificate: the pair may have to be made first
  TlsVersion min_version = TlsVersion::v1_2;
  TlsVersion max_version = TlsVersion::unset;
  std::vector<std::string> cipher_suites;  // Go's names, all known to find_cipher; empty = the library's
};

struct KdsTiming {
  std::int64_t message_bytes_max = 0;
  std::int64_t send_timeout_ns = 0;
  std::vector<std::string> label_skip_prefixes;
};

// The global's side of synchronisation.
struct KdsServerConfig {
  std::string bind_address;  // empty = all
  std::uint16_t port = 0;
  bool tls_enabled = true;
  ServerTls tls;
  KdsTiming timing;
  std::int64_t zone_insight_flush_interval_ns = 0;
  std::int64_t health_poll_interval_ns = 0;  // 0 = off, then the timeout is 0 too
  std::int64_t health_timeout_ns = 0;
};

struct GlobalAddress {
  bool tls = true;
  std::string host;  // without the brackets of an IPv6 address
  std::uint16_t port = 0;
};

// The zone's side of synchronisation.
struct KdsClientConfig {
  std::optional<GlobalAddress> global;  // none = a zone on its own
  bool tls_skip_verify = false;
  std::string root_ca_file;  // empty = the system's; else readable and with a certificate in it
  KdsTiming timing;
};

// How zones prove their names to this global; and with what this zone proves its own.
struct ZoneAuthConfig {
  ZoneProofType type = ZoneProofType::none;
  std::vector<std::string> exempt_zones;
  std::string client_ca_file;
};
struct ZoneIdentityConfig {
  std::string token_file;
  std::string cert_file;
  std::string key_file;
};

// How changes are collected and how the audit runs, on both sides.
struct SyncConfig {
  Compression compression = Compression::none;
  std::int64_t foreign_message_bytes_max = 0;
  std::int64_t relay_hold_ns = 0;
};

struct StoreConfig {
  StoreType type = StoreType::sqlite;
  std::string path;  // of the SQLite file
  std::string system_namespace;
  bool unsafe_delete = false;
};

struct Listener {
  bool enabled = true;
  std::string bind_address;
  std::uint16_t port = 0;
};

struct TokenVerification {
  bool issuer_enabled = true;
  bool use_secrets = true;
  std::vector<PublicKey> public_keys;  // with the PEM text in `key`
};

struct ApiServerConfig {
  Listener http;
  Listener https;
  ServerTls tls;
  bool require_client_cert = false;
  std::string client_ca_file;
  std::string client_certs_dir;
  bool read_only = false;
  std::vector<std::string> cors_allowed_domains;
  std::string base_path;
  std::string root_url;
  AuthnType authn = AuthnType::tokens;
  bool localhost_is_admin = true;
  bool bootstrap_admin_token = true;
  TokenVerification user_tokens;
  bool gui_enabled = true;
  std::string gui_root_url;
  std::string gui_base_path;
  std::string gui_directory;  // empty = built in
  std::int64_t body_bytes_max = 0;
  std::int64_t connections_max = 0;
  std::string compatible_version;
  bool writes_need_authentication = false;
};

struct DiagnosticsConfig {
  std::string bind_address;  // empty = all
  std::uint16_t port = 0;
  bool tls_enabled = false;
  ServerTls tls;
};

struct GeneralConfig {
  std::string work_dir;
  std::int64_t restart_backoff_base_ns = 0;
  std::int64_t restart_backoff_max_ns = 0;
};

struct MetricsConfig {
  std::int64_t zone_subscriptions_max = 0;  // 1 to subscriptions_kept_max
  bool compact_finished_zone_subscriptions = false;
  bool report_resources_count = true;
  std::int64_t service_insight_pause_ns = 0;
};

struct DefaultsConfig {
  bool skip_mesh_creation = false;
  bool skip_tenant_resources = false;
  bool create_mesh_routing_resources = false;
  bool skip_hostname_generators = false;
};

// A caller passes when it is one of the users or in one of the groups.
struct AccessList {
  std::vector<std::string> users;
  std::vector<std::string> groups;
};

struct AccessConfig {
  AccessList admin_resources;
  AccessList generate_user_token;
  AccessList generate_zone_token;
  AccessList generate_dp_token;
  AccessList view_config_dump;
  AccessList view_stats;
  AccessList view_clusters;
  AccessList control_plane_metadata;
};

// Which types exist here, by path segment; none = all.
struct TypesConfig {
  std::optional<std::vector<std::string>> policies;
  std::optional<std::vector<std::string>> core_resources;
};

struct Config {
  Mode mode = Mode::zone;
  Environment environment = Environment::universal;
  std::string zone_name;
  KdsServerConfig kds_server;
  KdsClientConfig kds_client;
  ZoneAuthConfig zone_auth;
  ZoneIdentityConfig zone_identity;
  SyncConfig sync;
  StoreConfig store;
  ApiServerConfig api_server;
  DiagnosticsConfig diagnostics;
  GeneralConfig general;
  MetricsConfig metrics;
  DefaultsConfig defaults;
  AccessConfig access;
  TokenVerification zone_tokens;
  bool dataplane_token_issuer_enabled = true;
  TypesConfig types;
  bool disable_origin_label_validation = false;
  std::string dns_domain;
  std::uint16_t dns_service_vip_port = 0;
  bool namespaced_gateway_routes = false;

  bool is_global() const { return mode == Mode::global; }
  // Of the side that this control plane is.
  const KdsTiming& kds_timing() const { return is_global() ? kds_server.timing : kds_client.timing; }
  bool is_federated_zone() const { return mode == Mode::zone && kds_client.global.has_value(); }
};

// Where a configuration comes from. The text is read by the caller or, when only a path is given, by load_config.
struct ConfigSource {
  std::optional<std::string> file_path;
  std::optional<std::string> file_text;
  std::map<std::string, std::string> environment;
  // Path segments of the types that the catalogue has, to show as the meaning of "unset" and to find typing errors.
  // Empty = not known here.
  std::vector<std::string> policy_types;
  std::vector<std::string> core_resource_types;
};

// One key as it is in effect, for `kdsd config check`.
struct EffectiveValue {
  std::string key;
  std::string value;   // secrets as "*****"
  std::string source;  // "default", "kdsd.yaml:12", or the variable
  Decision decision = Decision::accept;
};

struct LoadedConfig {
  Config config;
  std::vector<std::string> warnings;   // a line each, to log at the start
  std::vector<EffectiveValue> values;  // every key, in the order of the table
  boost::json::object effective;       // for `GET /config` and the node metadata: Kuma's names and nesting
};

Result<LoadedConfig> load_config(const ConfigSource& source);

// Fills in the path segments of the types that the program has.
void add_known_types(ConfigSource& source, const Catalogue& catalogue);

// Variables of this process whose names start with KUMA_ or KDSD_, and HOME.
std::map<std::string, std::string> process_environment();

}  // namespace kdsd::app
