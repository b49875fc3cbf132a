#include "app/api_options.h"

#include <algorithm>
#include <filesystem>
#include <spdlog/spdlog.h>

#include "app/certificates.h"
#include "app/credential_files.h"
#include "app/random.h"
#include "app/run.h"
#include "model/json.h"
#include "model/log_text.h"

namespace kdsd::app {
namespace fs = std::filesystem;
namespace {

// They are held in memory; Kuma's have 10 MiB.
constexpr std::uintmax_t gui_bytes_max = 64 << 20;

std::string tls_text(TlsVersion version) {
  if (version == TlsVersion::v1_2) return "TLSv1_2";
  if (version == TlsVersion::v1_3) return "TLSv1_3";
  return {};
}

std::string trimmed_slashes(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text.substr(std::min(text.find_first_not_of('/'), text.size()));
}

// The files of the GUI, collected from a folder. What cannot be read is left out and told.
class GuiReader {
 public:
  explicit GuiReader(const std::string& directory) : root_(directory) {}

  std::shared_ptr<const api::GuiFiles> read() {
    std::error_code error;
    // Step by step: a range-for would throw.
    auto at = fs::recursive_directory_iterator(root_, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (!take(*at)) break;
    }
    if (error) leave_out(root_, error.message());
    return files_;
  }

 private:
  static void leave_out(const fs::path& path, const std::string& why) {
    spdlog::warn("component=gui path={} result=left-out reason={}", log_quoted(path.string()), log_quoted(why));
  }

  // False: there is no room for more.
  bool take(const fs::directory_entry& entry) {
    std::error_code error;
    if (entry.is_directory(error)) {
      fs::directory_iterator(entry.path(), error);
      if (error) leave_out(entry.path(), error.message());
      return true;
    }
    if (!entry.is_regular_file(error)) return true;
    auto text = read_file(entry.path().string());
    if (!text.ok()) {
      leave_out(entry.path(), text.status().message());
      return true;
    }
    bytes_ += text->size();
    if (bytes_ > gui_bytes_max) {
      leave_out(entry.path(), "this and further files are beyond " + std::to_string(gui_bytes_max) + " bytes");
      return false;
    }
    (*files_)[entry.path().lexically_relative(root_).generic_string()] = std::move(*text);
    return true;
  }

  const fs::path root_;
  std::shared_ptr<api::GuiFiles> files_ = std::make_shared<api::GuiFiles>();
  std::uintmax_t bytes_ = 0;
};

api::AccessRule rule_of(const AccessList& list) { return {list.users, list.groups}; }

Result<api::TlsOptions> tls_options(const ServerTls& tls) {
  auto pair = read_pair(tls.cert_file, tls.key_file);
  if (!pair.ok()) return pair.status();
  api::TlsOptions options;
  options.certificate_pem = pair->certificate_pem;
  options.key_pem = pair->key_pem;
  options.min_version = tls_text(tls.min_version);
  options.max_version = tls_text(tls.max_version);
  options.cipher_suites = tls.cipher_suites;
  return options;
}

// Every certificate that a client's may be signed by, or be (rest-api.md 1).
Result<std::string> client_authorities(const ApiServerConfig& server) {
  std::string pem;
  if (!server.client_ca_file.empty()) {
    auto text = read_file(server.client_ca_file);
    if (!text.ok()) return text.status().prefixed("apiServer.https.tlsCaFile");
    pem += *text + "\n";
  }
  const auto files = client_certificate_files(server.client_certs_dir);
  if (!files.ok()) return files.status().prefixed("apiServer.auth.clientCertsDir");
  for (const auto& file : *files) {
    auto text = read_file(file);
    if (!text.ok()) return text.status().prefixed("apiServer.auth.clientCertsDir");
    pem += *text + "\n";
  }
  return pem;
}

}  // namespace

policy::ControlPlaneKind kind_of(const Config& config) {
  policy::ControlPlaneKind kind;
  kind.mode = config.is_global() ? policy::Mode::global : policy::Mode::zone;
  kind.federated = config.is_federated_zone();
  if (!config.is_global()) kind.zone = config.zone_name;
  kind.environment =
      config.environment == Environment::kubernetes ? policy::Environment::kubernetes : policy::Environment::universal;
  kind.system_namespace = config.store.system_namespace;
  kind.disable_origin_validation = config.disable_origin_label_validation;
  kind.namespaced_gateway_routes = config.namespaced_gateway_routes;
  return kind;
}

std::set<std::string> disabled_types(const Config& config) {
  std::set<std::string> out;
  const auto listed = [](const std::optional<std::vector<std::string>>& list, const std::string& path) {
    return !list || std::find(list->begin(), list->end(), path) != list->end();
  };
  for (const auto* type : Catalogue::builtin().types()) {
    if (!type->is_plugin) continue;
    const auto& list = type->is_policy ? config.types.policies : config.types.core_resources;
    if (!listed(list, type->path)) out.insert(type->name);
  }
  return out;
}

kds::TokenRules token_rules(const TokenVerification& verification) {
  kds::TokenRules rules;
  rules.use_secrets = verification.use_secrets;
  for (const auto& key : verification.public_keys) rules.static_keys.push_back({key.kid, key.key});
  return rules;
}

api::Facts api_facts(const Config& config, const boost::json::object& effective) {
  api::Facts facts;
  const auto& server = config.api_server;
  facts.control_plane = kind_of(config);
  facts.version = server.compatible_version;
  facts.kdsd_version = kdsd_version();
  facts.hostname = host_name();
  facts.instance_id = facts.hostname + "-" + random_text(4, "0123456789abcdef");
  facts.effective_config = to_compact_json(effective);
  facts.disabled_types = disabled_types(config);
  facts.skip_label_prefixes = config.kds_timing().label_skip_prefixes;
  facts.read_only = server.read_only;
  facts.unsafe_delete = config.store.unsafe_delete;
  facts.localhost_is_admin = server.localhost_is_admin;
  facts.client_certificate_is_admin = server.authn == AuthnType::admin_client_certs;
  facts.create_routing_resources = config.defaults.create_mesh_routing_resources;
  facts.base_path = server.base_path;
  const bool offers_gui = server.gui_enabled && !config.is_federated_zone();
  facts.gui_path = !offers_gui                   ? std::string()
                   : server.gui_root_url.empty() ? server.gui_base_path
                                                 : server.gui_root_url;
  if (offers_gui) {
    facts.gui_base_path = "/" + trimmed_slashes(server.gui_base_path);
    if (!server.gui_directory.empty()) facts.gui_files = GuiReader(server.gui_directory).read();
  } else {
    facts.gui_base_path.clear();
  }
  facts.api_url = server.root_url;
  facts.service_suffix = "." + config.dns_domain + ":" + std::to_string(config.dns_service_vip_port);
  facts.store_type = config.store.type == StoreType::memory ? "memory" : "sqlite";
  facts.root_url = server.root_url;
  facts.cors_domains = server.cors_allowed_domains;
  facts.admins = rule_of(config.access.admin_resources);
  facts.metadata = rule_of(config.access.control_plane_metadata);
  facts.config_dumps = rule_of(config.access.view_config_dump);
  facts.stats = rule_of(config.access.view_stats);
  facts.clusters = rule_of(config.access.view_clusters);
  facts.user_token_issuing = rule_of(config.access.generate_user_token);
  facts.zone_token_issuing = rule_of(config.access.generate_zone_token);
  facts.dataplane_token_issuing = rule_of(config.access.generate_dp_token);
  facts.issues_user_tokens = server.user_tokens.issuer_enabled;
  facts.issues_zone_tokens = config.zone_tokens.issuer_enabled;
  facts.issues_dataplane_tokens = config.dataplane_token_issuer_enabled;
  facts.user_token_rules = token_rules(server.user_tokens);
  facts.writes_need_authentication = server.writes_need_authentication;
  facts.body_bytes_max = static_cast<std::size_t>(server.body_bytes_max);
  return facts;
}

Result<std::optional<api::TlsOptions>> https_options(const Config& config) {
  const auto& server = config.api_server;
  if (!server.https.enabled) return std::optional<api::TlsOptions>();
  auto options = tls_options(server.tls);
  if (!options.ok()) return options.status().prefixed("apiServer.https");
  auto authorities = client_authorities(server);
  if (!authorities.ok()) return authorities.status();
  options->client_ca_pem = std::move(*authorities);
  if (server.require_client_cert) {
    options->client_certificates = api::ClientCertificates::demand;
  } else if (server.authn == AuthnType::admin_client_certs && !options->client_ca_pem.empty()) {
    options->client_certificates = api::ClientCertificates::verify_if_offered;
  }
  return std::optional(std::move(*options));
}

Result<std::optional<api::TlsOptions>> diagnostics_tls_options(const Config& config) {
  if (!config.diagnostics.tls_enabled) return std::optional<api::TlsOptions>();
  auto options = tls_options(config.diagnostics.tls);
  if (!options.ok()) return options.status().prefixed("diagnostics");
  return std::optional(std::move(*options));
}

}  // namespace kdsd::app
