#include "app/config/bind.h"

#include <algorithm>
#include <charconv>

namespace kdsd::app {
namespace {

// Reads settings below one section and notes which ones were wanted.
class Reader {
 public:
  Reader(const Settings& settings, std::set<std::string>* read, std::string section = "")
      : settings_(settings), read_(read), section_(std::move(section)) {}

  Reader below(std::string_view name) const { return Reader(settings_, read_, section_ + std::string(name) + "."); }

  const std::string& text(std::string_view name) const { return settings_.text(path(name)); }
  bool flag(std::string_view name) const { return settings_.flag(path(name)); }
  std::int64_t number(std::string_view name) const { return settings_.number(path(name)); }
  std::uint16_t port(std::string_view name) const { return static_cast<std::uint16_t>(number(name)); }
  std::vector<std::string> list(std::string_view name) const { return settings_.list(path(name)); }
  std::vector<PublicKey> public_keys(std::string_view name) const { return settings_.public_keys(path(name)); }
  bool is_explicit(std::string_view name) const { return settings_.at(path(name)).is_explicit; }

  TlsVersion tls_version(std::string_view name) const {
    const std::string& version = text(name);
    if (version == "TLSv1_2") return TlsVersion::v1_2;
    return version == "TLSv1_3" ? TlsVersion::v1_3 : TlsVersion::unset;
  }

  std::optional<std::vector<std::string>> list_when_set(std::string_view name) const {
    auto value = list(name);
    if (!is_explicit(name)) return std::nullopt;
    return value;
  }

 private:
  std::string path(std::string_view name) const {
    std::string out = section_ + std::string(name);
    if (read_ != nullptr) read_->insert(out);
    return out;
  }

  const Settings& settings_;
  std::set<std::string>* read_;
  std::string section_;
};

// A pair of files that nobody named is the one of the work directory, whichever server it is for.
ServerTls bind_tls(const Reader& server, const Reader& root) {
  ServerTls out;
  out.cert_file = server.text("tlsCertFile");
  out.key_file = server.text("tlsKeyFile");
  out.is_work_dir_pair = !server.is_explicit("tlsCertFile") && !root.is_explicit("general.tlsCertFile");
  out.min_version = server.tls_version("tlsMinVersion");
  if (out.min_version == TlsVersion::unset) out.min_version = TlsVersion::v1_2;
  out.max_version = server.tls_version("tlsMaxVersion");
  out.cipher_suites = server.list("tlsCipherSuites");
  return out;
}

KdsTiming bind_timing(const Reader& kds) {
  KdsTiming out;
  out.message_bytes_max = kds.number("maxMsgSize");
  out.send_timeout_ns = kds.number("msgSendTimeout");
  out.label_skip_prefixes = kds.list("labels.skipPrefixes");
  return out;
}

KdsServerConfig bind_kds_server(const Reader& root) {
  const Reader kds = root.below("multizone.global.kds");
  KdsServerConfig out;
  out.bind_address = root.text("kdsd.kds.bindAddress");
  out.port = kds.port("grpcPort");
  out.tls_enabled = kds.flag("tlsEnabled");
  out.tls = bind_tls(kds, root);
  out.timing = bind_timing(kds);
  out.zone_insight_flush_interval_ns = kds.number("zoneInsightFlushInterval");
  out.health_poll_interval_ns = kds.number("zoneHealthCheck.pollInterval");
  out.health_timeout_ns = kds.number("zoneHealthCheck.timeout");
  return out;
}

KdsClientConfig bind_kds_client(const Reader& root) {
  const Reader zone = root.below("multizone.zone");
  KdsClientConfig out;
  out.global = parse_global_address(zone.text("globalAddress"));
  out.tls_skip_verify = zone.flag("kds.tlsSkipVerify");
  out.root_ca_file = zone.text("kds.rootCaFile");
  out.timing = bind_timing(zone.below("kds"));
  return out;
}

ZoneAuthConfig bind_zone_auth(const Reader& auth) {
  ZoneAuthConfig out;
  const auto& type = auth.text("type");
  if (type == "zoneToken") out.type = ZoneProofType::zone_token;
  if (type == "clientCertificate") out.type = ZoneProofType::client_certificate;
  out.exempt_zones = auth.list("exemptZones");
  out.client_ca_file = auth.text("clientCaFile");
  return out;
}

ZoneIdentityConfig bind_zone_identity(const Reader& zone) {
  return {zone.text("tokenFile"), zone.text("certFile"), zone.text("keyFile")};
}

SyncConfig bind_sync(const Reader& root) {
  SyncConfig out;
  out.compression = root.text("kdsd.kds.compression") == "gzip" ? Compression::gzip : Compression::none;
  out.foreign_message_bytes_max = root.number("kdsd.foreignMaxMessageBytes");
  out.relay_hold_ns = root.number("kdsd.relayHold");
  return out;
}

StoreConfig bind_store(const Reader& root) {
  const Reader store = root.below("store");
  StoreConfig out;
  out.type = store.text("type") == "memory" ? StoreType::memory : StoreType::sqlite;
  out.path = root.text("kdsd.store.path");
  out.system_namespace = store.text("kubernetes.systemNamespace");
  out.unsafe_delete = store.flag("unsafeDelete");
  return out;
}

Listener bind_listener(const Reader& section) {
  return {section.flag("enabled"), section.text("interface"), section.port("port")};
}

TokenVerification bind_verification(const Reader& section) {
  return {section.flag("enableIssuer"), section.flag("validator.useSecrets"),
          section.public_keys("validator.publicKeys")};
}

ApiServerConfig bind_api_server(const Reader& root) {
  const Reader api = root.below("apiServer");
  ApiServerConfig out;
  out.http = bind_listener(api.below("http"));
  out.https = bind_listener(api.below("https"));
  out.tls = bind_tls(api.below("https"), root);
  out.require_client_cert = api.flag("https.requireClientCert");
  out.client_ca_file = api.text("https.tlsCaFile");
  out.client_certs_dir = api.text("auth.clientCertsDir");
  out.read_only = api.flag("readOnly");
  out.cors_allowed_domains = api.list("corsAllowedDomains");
  out.base_path = api.text("basePath");
  out.root_url = api.text("rootUrl");
  out.authn = api.text("authn.type") == "adminClientCerts" ? AuthnType::admin_client_certs : AuthnType::tokens;
  out.localhost_is_admin = api.flag("authn.localhostIsAdmin");
  out.bootstrap_admin_token = api.flag("authn.tokens.bootstrapAdminToken");
  out.user_tokens = bind_verification(api.below("authn.tokens"));
  out.gui_enabled = api.flag("gui.enabled");
  out.gui_root_url = api.text("gui.rootUrl");
  out.gui_base_path = api.text("gui.basePath");
  out.gui_directory = root.text("kdsd.guiDirectory");
  out.body_bytes_max = root.number("kdsd.maxBodyBytes");
  out.connections_max = root.number("kdsd.http.maxConnections");
  out.compatible_version = root.text("kdsd.compatibleVersion");
  out.writes_need_authentication = root.flag("kdsd.writesNeedAuthentication");
  return out;
}

DiagnosticsConfig bind_diagnostics(const Reader& root) {
  const Reader diagnostics = root.below("diagnostics");
  DiagnosticsConfig out;
  out.bind_address = root.text("kdsd.diagnostics.bindAddress");
  out.port = diagnostics.port("serverPort");
  out.tls_enabled = diagnostics.flag("tlsEnabled");
  out.tls = bind_tls(diagnostics, root);
  return out;
}

MetricsConfig bind_metrics(const Reader& root) {
  const Reader metrics = root.below("metrics");
  MetricsConfig out;
  const auto limit = metrics.number("zone.subscriptionLimit");
  out.zone_subscriptions_max = limit > 0 ? std::min(limit, subscriptions_kept_max) : subscriptions_kept_max;
  out.compact_finished_zone_subscriptions = metrics.flag("zone.compactFinishedSubscriptions");
  out.report_resources_count = metrics.flag("controlPlane.reportResourcesCount");
  const auto by_its_old_name = metrics.number("mesh.minResyncTimeout");
  out.service_insight_pause_ns = by_its_old_name != 0 ? by_its_old_name : metrics.number("mesh.minResyncInterval");
  return out;
}

DefaultsConfig bind_defaults(const Reader& root) {
  const Reader defaults = root.below("defaults");
  return {defaults.flag("skipMeshCreation"), defaults.flag("skipTenantResources"),
          defaults.flag("createMeshRoutingResources"), defaults.flag("SkipHostnameGenerators")};
}

AccessConfig bind_access(const Reader& root) {
  const Reader access = root.below("access.static");
  const auto both = [&](std::string_view name) {
    const Reader rule = access.below(name);
    return AccessList{rule.list("users"), rule.list("groups")};
  };
  AccessConfig out;
  out.admin_resources = both("adminResources");
  out.generate_user_token = both("generateUserToken");
  out.generate_zone_token = both("generateZoneToken");
  out.generate_dp_token = both("generateDpToken");
  out.view_config_dump = both("viewConfigDump");
  out.view_stats = both("viewStats");
  out.view_clusters = both("viewClusters");
  out.control_plane_metadata = both("controlPlaneMetadata");
  return out;
}

}  // namespace

std::optional<GlobalAddress> parse_global_address(std::string_view text) {
  GlobalAddress out;
  if (text.starts_with("grpcs://")) {
    text.remove_prefix(8);
  } else if (text.starts_with("grpc://")) {
    out.tls = false;
    text.remove_prefix(7);
  } else {
    return std::nullopt;
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of("/@?#[] ") != std::string_view::npos) return std::nullopt;
  if (!is_bracketed && host.find(':') != std::string_view::npos) return std::nullopt;
  auto read = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (read.ec != std::errc() || read.ptr != port.data() + port.size() || out.port == 0) return std::nullopt;
  out.host = std::string(host);
  return out;
}

Config bind_config(const Settings& settings, std::set<std::string>* read) {
  const Reader root(settings, read);
  const Reader authn = root.below("dpServer.authn");
  Config out;
  out.mode = root.text("mode") == "global" ? Mode::global : Mode::zone;
  out.environment = root.text("environment") == "kubernetes" ? Environment::kubernetes : Environment::universal;
  out.zone_name = root.text("multizone.zone.name");
  out.kds_server = bind_kds_server(root);
  out.kds_client = bind_kds_client(root);
  out.zone_auth = bind_zone_auth(root.below("kdsd.zoneAuthentication"));
  out.zone_identity = bind_zone_identity(root.below("kdsd.zone"));
  out.sync = bind_sync(root);
  out.store = bind_store(root);
  out.api_server = bind_api_server(root);
  out.diagnostics = bind_diagnostics(root);
  out.general.work_dir = root.text("general.workDir");
  out.general.restart_backoff_base_ns = root.number("general.resilientComponentBaseBackoff");
  out.general.restart_backoff_max_ns = root.number("general.resilientComponentMaxBackoff");
  out.metrics = bind_metrics(root);
  out.defaults = bind_defaults(root);
  out.access = bind_access(root);
  out.zone_tokens = bind_verification(authn.below("zoneProxy.zoneToken"));
  out.dataplane_token_issuer_enabled = authn.flag("dpProxy.dpToken.enableIssuer");
  out.types.policies = root.list_when_set("policies.pluginPoliciesEnabled");
  out.types.core_resources = root.list_when_set("coreResources.enabled");
  out.disable_origin_label_validation = root.flag("multizone.zone.disableOriginLabelValidation");
  out.dns_domain = root.text("dnsServer.domain");
  out.dns_service_vip_port = root.port("dnsServer.serviceVipPort");
  out.namespaced_gateway_routes = root.flag("kdsd.namespacedGatewayRoutes");
  return out;
}

}  // namespace kdsd::app
