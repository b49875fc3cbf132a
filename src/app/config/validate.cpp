// Rules between keys and about the world (declared in app/config/settings.h).
#include <fstream>
#include <limits>
#include <optional>

#include "app/config/bind.h"
#include "app/config/settings.h"

namespace kdsd::app {
namespace {

// RFC 1035 gives a label 63 octets; zone names and namespaces become labels.
constexpr std::size_t label_letters_max = 63;
// gRPC keeps message sizes in an int.
constexpr std::int64_t message_bytes_max = std::numeric_limits<std::int32_t>::max();
// A body is held in memory while it is read; this is far above any resource.
constexpr std::int64_t body_bytes_limit = std::int64_t{1} << 30;
// A certificate bundle of the public authorities has some 200 KiB.
constexpr std::streamsize pem_bytes_max = 4 << 20;

bool is_dns_label(std::string_view text) {
  if (text.empty() || text.size() > label_letters_max || text.front() == '-' || text.back() == '-') return false;
  for (char c : text) {
    const bool is_allowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (!is_allowed) return false;
  }
  return true;
}

std::optional<std::string> read_small_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string out(static_cast<std::size_t>(pem_bytes_max), '\0');
  file.read(out.data(), pem_bytes_max);
  if (file.bad() || (!file.eof() && file.fail())) return std::nullopt;
  out.resize(static_cast<std::size_t>(file.gcount()));
  return out;
}

class Validator {
 public:
  Validator(Settings& settings, Findings& findings) : settings_(settings), findings_(findings) {}

  void run() {
    if (settings_.text("mode") == "global") {
      global();
    } else {
      zone();
    }
    store();
    servers();
    own();
    for (auto path :
         {"apiServer.authn.tokens.validator.publicKeys", "dpServer.authn.zoneProxy.zoneToken.validator.publicKeys"}) {
      public_keys(path);
    }
  }

 private:
  void refuse(std::string_view path, std::string_view accepted) {
    findings_.refuse(path, refusal(settings_.at(path), accepted));
  }

  void global() {
    for (auto path : {"multizone.global.kds.refreshInterval", "multizone.global.kds.zoneInsightFlushInterval",
                      "multizone.global.kds.msgSendTimeout"}) {
      if (settings_.number(path) == 0) refuse(path, "a positive duration");
    }
    message_size("multizone.global.kds.maxMsgSize");
    const std::int64_t poll = settings_.number("multizone.global.kds.zoneHealthCheck.pollInterval");
    const std::int64_t timeout = settings_.number("multizone.global.kds.zoneHealthCheck.timeout");
    if ((poll == 0) != (timeout == 0)) {
      refuse("multizone.global.kds.zoneHealthCheck.pollInterval",
             "pollInterval and timeout both zero or both positive; timeout is " +
                 show_text(*find_key("multizone.global.kds.zoneHealthCheck.timeout"), Value(timeout)));
    }
  }

  void zone() {
    if (!is_dns_label(settings_.text("multizone.zone.name"))) {
      refuse("multizone.zone.name",
             "a DNS label: lower-case letters, digits and '-', no dots, at most 63, a letter or digit at both ends");
    }
    const std::string& address = settings_.text("multizone.zone.globalAddress");
    if (!address.empty() && !parse_global_address(address)) {
      refuse("multizone.zone.globalAddress", "grpcs://host:port or grpc://host:port");
    }
    for (auto path : {"multizone.zone.kds.refreshInterval", "multizone.zone.kds.msgSendTimeout"}) {
      if (settings_.number(path) == 0) refuse(path, "a positive duration");
    }
    message_size("multizone.zone.kds.maxMsgSize");
    const std::string& ca_file = settings_.text("multizone.zone.kds.rootCaFile");
    if (ca_file.empty()) return;
    const auto pem = read_small_file(ca_file);
    if (!pem) refuse("multizone.zone.kds.rootCaFile", "a file that can be read");
    if (pem && pem->find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
      refuse("multizone.zone.kds.rootCaFile", "a file with a PEM certificate in it");
    }
  }

  void message_size(std::string_view path) {
    const std::int64_t size = settings_.number(path);
    if (size < 1 || size > message_bytes_max) refuse(path, "1 to " + std::to_string(message_bytes_max) + " bytes");
  }

  void store() {
    const std::string& type = settings_.text("store.type");
    if (type == "postgres") {
      refuse("store.type", "sqlite or memory: this version has no PostgreSQL store; set store.type: sqlite");
    } else if (type == "kubernetes") {
      refuse(
          "store.type",
          "sqlite or memory: namespaced resources are kept in a store of our own as well; set store.type: sqlite and "
          "environment: kubernetes");
    } else if (type != "sqlite" && type != "memory") {
      refuse("store.type", "sqlite or memory");
    }
    if (!is_dns_label(settings_.text("store.kubernetes.systemNamespace"))) {
      refuse("store.kubernetes.systemNamespace", "a namespace: a DNS label of at most 63 characters");
    }
  }

  // What a server took over from the general section is judged there, once.
  bool is_inherited(const std::string& server, std::string_view one, std::string_view other) const {
    return server != "general" && !settings_.at(server + "." + std::string(one)).is_explicit &&
           !settings_.at(server + "." + std::string(other)).is_explicit;
  }

  void pair(const std::string& server) {
    if (is_inherited(server, "tlsCertFile", "tlsKeyFile")) return;
    const bool has_cert = !settings_.text(server + ".tlsCertFile").empty();
    const bool has_key = !settings_.text(server + ".tlsKeyFile").empty();
    if (has_cert && !has_key) refuse(server + ".tlsCertFile", "certificate and key together; tlsKeyFile is empty");
    if (has_key && !has_cert) refuse(server + ".tlsKeyFile", "certificate and key together; tlsCertFile is empty");
  }

  void tls_versions(const std::string& server) {
    if (is_inherited(server, "tlsMinVersion", "tlsMaxVersion")) return;
    const std::string& highest = settings_.text(server + ".tlsMaxVersion");
    if (!highest.empty() && settings_.text(server + ".tlsMinVersion") > highest) {
      refuse(server + ".tlsMaxVersion", "no less than tlsMinVersion, " + settings_.text(server + ".tlsMinVersion"));
    }
  }

  void servers() {
    for (auto server : {"general", "multizone.global.kds", "apiServer.https", "diagnostics"}) {
      pair(server);
      tls_versions(server);
    }
    for (auto path : {"apiServer.http.interface", "apiServer.https.interface"}) {
      if (settings_.text(path).empty()) refuse(path, "an address, such as 0.0.0.0 or 127.0.0.1");
    }
    if (settings_.number("interCp.server.port") == 0) refuse("interCp.server.port", "a port from 1 to 65535");
    if (settings_.number("general.resilientComponentBaseBackoff") >
        settings_.number("general.resilientComponentMaxBackoff")) {
      refuse("general.resilientComponentBaseBackoff", "no more than general.resilientComponentMaxBackoff");
    }
  }

  void zone_authentication() {
    const std::string& type = settings_.text("kdsd.zoneAuthentication.type");
    const std::string& ca_file = settings_.text("kdsd.zoneAuthentication.clientCaFile");
    const bool by_certificate = type == "clientCertificate";
    if (by_certificate && ca_file.empty())
      refuse("kdsd.zoneAuthentication.clientCaFile", "a file with the authorities of the zones' certificates");
    if (by_certificate && !settings_.flag("multizone.global.kds.tlsEnabled"))
      refuse("kdsd.zoneAuthentication.type", "clientCertificate only with multizone.global.kds.tlsEnabled: true");
    for (auto path :
         {"kdsd.zoneAuthentication.clientCaFile", "kdsd.zone.tokenFile", "kdsd.zone.certFile", "kdsd.zone.keyFile"}) {
      const std::string& file = settings_.text(path);
      if (!file.empty() && !read_small_file(file)) refuse(path, "a file that can be read");
    }
    if (settings_.text("kdsd.zone.certFile").empty() != settings_.text("kdsd.zone.keyFile").empty())
      refuse("kdsd.zone.certFile", "certificate and key together");
  }

  // At `/` the interface would stand in the way of the API's own addresses.
  void web_page() {
    constexpr std::string_view path = "apiServer.gui.basePath";
    const bool names_a_part = settings_.text(path).find_first_not_of('/') != std::string::npos;
    if (settings_.flag("apiServer.gui.enabled") && !names_a_part)
      refuse(path, "a path below the root, such as /gui; apiServer.gui.enabled: false switches the web page off");
  }

  void own() {
    zone_authentication();
    web_page();
    const std::string& gui = settings_.text("kdsd.guiDirectory");
    if (!gui.empty() && !read_small_file(gui + "/index.html"))
      refuse("kdsd.guiDirectory", "a directory with a file index.html in it");
    const std::int64_t body_bytes = settings_.number("kdsd.maxBodyBytes");
    if (body_bytes < 1 || body_bytes > body_bytes_limit) {
      refuse("kdsd.maxBodyBytes", "1 to " + std::to_string(body_bytes_limit) + " bytes");
    }
    if (settings_.number("kdsd.http.maxConnections") == 0) refuse("kdsd.http.maxConnections", "at least 1");
    const auto& foreign = settings_.at("kdsd.foreignMaxMessageBytes");
    if (foreign.is_explicit && std::get<std::int64_t>(foreign.value) > message_bytes_max) {
      refuse("kdsd.foreignMaxMessageBytes", "0 to " + std::to_string(message_bytes_max) + " bytes");
    }
    if (settings_.text("kdsd.compatibleVersion").empty()) {
      refuse("kdsd.compatibleVersion", "a version of Kuma, such as 2.13.10");
    }
  }

  // Keys in files are read now: a verifier that lacks a key would turn callers away without a reason to be found.
  void public_keys(std::string_view path) {
    auto& setting = settings_.at(path);
    for (auto& key : std::get<std::vector<PublicKey>>(setting.value)) {
      if (!key.key_file.empty()) {
        auto pem = read_small_file(key.key_file);
        if (!pem) {
          findings_.refuse(path, refusal(*setting.key, key.key_file, setting.source, "a keyFile that can be read"));
          continue;
        }
        key.key = std::move(*pem);
      }
      if (key.key.find("-----BEGIN ") == std::string::npos) {
        findings_.refuse(path, refusal(*setting.key, key.kid, setting.source, "a key in PEM form for this kid"));
      }
    }
  }

  Settings& settings_;
  Findings& findings_;
};

}  // namespace

void validate(Settings& settings, Findings& findings) { Validator(settings, findings).run(); }

}  // namespace kdsd::app
