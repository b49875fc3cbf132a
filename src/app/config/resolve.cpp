// What is left empty gets its value from the rest (declared in app/config/settings.h).
#include "app/config/config.h"
#include "app/config/settings.h"

namespace kdsd::app {
namespace {

std::string in_directory(const std::string& directory, std::string_view name) {
  return directory + (directory.ends_with('/') ? "" : "/") + std::string(name);
}

void resolve_mode(Settings& settings, Findings& findings) {
  Setting& mode = settings.at("mode");
  if (std::get<std::string>(mode.value) != "standalone") return;
  findings.warn("mode: standalone (" + mode.source + ") is an old name of zone and taken as zone");
  mode.value = "zone";
}

void resolve_work_dir(const std::map<std::string, std::string>& environment, Settings& settings, Findings& findings) {
  Setting& work_dir = settings.at("general.workDir");
  if (!std::get<std::string>(work_dir.value).empty()) return;
  auto home = environment.find("HOME");
  if (home == environment.end() || home->second.empty()) {
    findings.refuse("general.workDir", "is not set, and there is no home directory (variable HOME) to put it in");
    return;
  }
  work_dir.value = in_directory(home->second, ".kuma");
}

// The pair of one server: as configured, else the general one.
void resolve_pair(Settings& settings, std::string_view server, const std::string& cert, const std::string& key,
                  std::string_view source) {
  Setting& cert_file = settings.at(std::string(server) + ".tlsCertFile");
  Setting& key_file = settings.at(std::string(server) + ".tlsKeyFile");
  // An empty text that was set means the same as none; half a pair is left for validation to refuse.
  if (!std::get<std::string>(cert_file.value).empty() || !std::get<std::string>(key_file.value).empty()) return;
  cert_file.value = cert;
  key_file.value = key;
  cert_file.is_explicit = false;
  key_file.is_explicit = false;
  cert_file.source = source;
  key_file.source = source;
}

void resolve_certificates(Settings& settings) {
  const std::string& work_dir = settings.text("general.workDir");
  resolve_pair(settings, "general", in_directory(work_dir, "kuma-cp.crt"), in_directory(work_dir, "kuma-cp.key"),
               "default");
  const std::string cert = settings.text("general.tlsCertFile");
  const std::string key = settings.text("general.tlsKeyFile");
  const std::string source = settings.at("general.tlsCertFile").is_explicit ? "general.tlsCertFile" : "default";
  for (auto server :
       {"multizone.global.kds", "apiServer.https", "diagnostics", "monitoringAssignmentServer", "dpServer"}) {
    resolve_pair(settings, server, cert, key, source);
  }
}

bool is_empty(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty();
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  return list != nullptr && list->empty();
}

// Kuma lets a general value that is not empty win over the server's own. Here what somebody wrote for a server stays,
// and the difference is said: nobody shall believe a limit holds that does not.
void resolve_tls(Settings& settings, Findings& findings) {
  for (std::string_view field : {"tlsMinVersion", "tlsMaxVersion", "tlsCipherSuites"}) {
    const Setting& general = settings.at("general." + std::string(field));
    for (std::string_view server : {"multizone.global.kds", "apiServer.https", "diagnostics",
                                    "monitoringAssignmentServer", "dpServer", "interCp.server"}) {
      Setting& own = settings.at(std::string(server) + "." + std::string(field));
      if (!own.is_explicit) {
        if (!is_empty(general.value)) own.value = general.value;
        if (general.is_explicit) own.source = general.key->path;
        continue;
      }
      const bool differs = !is_empty(general.value) && own.value != general.value;
      if (!differs || own.key->decision != Decision::accept) continue;
      findings.warn(std::string(own.key->path) + ": \"" + show_text(*own.key, own.value) + "\" (" + own.source +
                    ") is used; kuma-cp would use \"" + show_text(*general.key, general.value) + "\" of " +
                    std::string(general.key->path));
    }
  }
}

void resolve_old_name(Settings& settings, std::string_view old_path, std::string_view path, Findings& findings) {
  const Setting& old = settings.at(old_path);
  if (std::get<std::int64_t>(old.value) == 0) return;
  findings.warn(std::string(old_path) + " (" + old.source + ") is the old name of " + std::string(path) +
                " and wins over it");
  Setting& current = settings.at(path);
  current.value = old.value;
  current.source = old.source;
  current.is_explicit = true;
}

void warn_about_subscriptions(const Settings& settings, std::string_view path, Findings& findings) {
  const std::int64_t limit = settings.number(path);
  if (limit > 0 && limit <= subscriptions_kept_max) return;
  findings.warn(std::string(path) + ": \"" + std::to_string(limit) + "\" (" + settings.at(path).source + ") keeps " +
                std::to_string(subscriptions_kept_max) + " subscriptions, the most there are");
}

void resolve_own(Settings& settings) {
  Setting& path = settings.at("kdsd.store.path");
  if (std::get<std::string>(path.value).empty()) path.value = in_directory(settings.text("general.workDir"), "kdsd.db");
  Setting& foreign = settings.at("kdsd.foreignMaxMessageBytes");
  if (std::get<std::int64_t>(foreign.value) == 0) {
    const bool is_global = settings.text("mode") == "global";
    foreign.value = settings.number(is_global ? "multizone.global.kds.maxMsgSize" : "multizone.zone.kds.maxMsgSize");
  }
}

}  // namespace

void resolve(const std::map<std::string, std::string>& environment, Settings& settings, Findings& findings) {
  resolve_mode(settings, findings);
  resolve_work_dir(environment, settings, findings);
  resolve_certificates(settings);
  resolve_tls(settings, findings);
  resolve_old_name(settings, "metrics.mesh.minResyncTimeout", "metrics.mesh.minResyncInterval", findings);
  resolve_old_name(settings, "metrics.mesh.maxResyncTimeout", "metrics.mesh.fullResyncInterval", findings);
  warn_about_subscriptions(settings, "metrics.zone.subscriptionLimit", findings);
  resolve_own(settings);
  if (settings.text("store.type") == "memory") {
    findings.warn("store.type: memory (" + settings.at("store.type").source + ") loses everything at a restart");
  }
}

}  // namespace kdsd::app
