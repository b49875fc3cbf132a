#include "app/config/key.h"

#include <array>
#include <map>
#include <set>

namespace kdsd::app {
namespace {

constexpr std::array<Section, 14> sections{{
    {"bootstrapServer", UnknownKeys::ignore},
    {"xdsServer", UnknownKeys::ignore},
    {"monitoringAssignmentServer", UnknownKeys::ignore},
    {"runtime.kubernetes", UnknownKeys::ignore},
    {"dpServer", UnknownKeys::ignore},
    {"dpServer.authn", UnknownKeys::refuse},
    {"experimental", UnknownKeys::ignore},
    {"experimental.kdsEventBasedWatchdog", UnknownKeys::refuse},
    {"proxy", UnknownKeys::ignore},
    {"reports", UnknownKeys::ignore},
    {"ipam", UnknownKeys::warn},
    {"meshService", UnknownKeys::warn},
    {"coreResources.status", UnknownKeys::warn},
    {"tracing", UnknownKeys::warn},
}};

// The sections above that are ignored, as variables, and three more: switches of policy evaluation that is right here
// in any case, settings of the sidecar injector, and what Kubernetes puts into pods for a service of that name.
constexpr std::array<std::string_view, 9> foreign_variables{
    "KUMA_BOOTSTRAP_SERVER_",        "KUMA_XDS_SERVER_", "KUMA_MONITORING_ASSIGNMENT_SERVER_",
    "KUMA_RUNTIME_KUBERNETES_",      "KUMA_PROXY_",      "KUMA_REPORTS_",
    "KUMA_MESH_TRAFFIC_PERMISSION_", "KUMA_INJECTOR_",   "KUMA_CONTROL_PLANE_"};

struct Exception {
  std::string_view start;
  std::string_view but_not;
};
constexpr std::array<Exception, 2> foreign_variables_except{
    {{"KUMA_DP_SERVER_", "KUMA_DP_SERVER_AUTHN_"}, {"KUMA_EXPERIMENTAL_", "KUMA_EXPERIMENTAL_KDS_"}}};

bool is_below(std::string_view path, std::string_view section) {
  return path.size() >= section.size() && lower(path.substr(0, section.size())) == lower(section) &&
         (path.size() == section.size() || path[section.size()] == '.');
}

const std::map<std::string, const Key*>& keys_by_path() {
  static const std::map<std::string, const Key*> index = [] {
    std::map<std::string, const Key*> out;
    for (const auto& key : all_keys()) out.emplace(lower(key.path), &key);
    return out;
  }();
  return index;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> out;
    for (auto part :
         {multizone_keys(), store_keys(), api_keys(), metrics_keys(), access_keys(), ignored_keys(), kdsd_keys()}) {
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }();
  return keys;
}

const Key* find_key(std::string_view path) {
  auto found = keys_by_path().find(lower(path));
  return found == keys_by_path().end() ? nullptr : found->second;
}

bool is_section(std::string_view path) {
  const std::string start = lower(path) + ".";
  auto next = keys_by_path().lower_bound(start);
  if (next != keys_by_path().end() && next->first.starts_with(start)) return true;
  for (const auto& section : sections) {
    if (is_below(section.path, path)) return true;
  }
  return false;
}

UnknownKeys unknown_keys_below(std::string_view path) {
  const Section* best = nullptr;
  for (const auto& section : sections) {
    if (is_below(path, section.path) && (best == nullptr || section.path.size() > best->path.size())) best = &section;
  }
  return best == nullptr ? UnknownKeys::refuse : best->unknown_keys;
}

bool is_foreign_variable(std::string_view name) {
  for (auto start : foreign_variables) {
    if (name.starts_with(start)) return true;
  }
  for (const auto& exception : foreign_variables_except) {
    if (name.starts_with(exception.start) && !name.starts_with(exception.but_not)) return true;
  }
  return false;
}

std::string_view type_name(KeyType type) {
  switch (type) {
    case KeyType::text:
      return "text";
    case KeyType::boolean:
      return "bool";
    case KeyType::integer:
      return "int";
    case KeyType::port:
      return "port";
    case KeyType::percent:
      return "percent";
    case KeyType::duration:
      return "duration";
    case KeyType::list:
      return "list";
    case KeyType::tls_version:
      return "TLS version";
    case KeyType::ciphers:
      return "list of cipher suites";
    case KeyType::public_keys:
      return "list of public keys";
  }
  return "";
}

std::string_view decision_name(Decision decision) {
  switch (decision) {
    case Decision::accept:
      return "accept";
    case Decision::no_effect:
      return "no effect";
    case Decision::warn:
      return "warn";
    case Decision::ignore:
      return "ignore";
  }
  return "";
}

std::string accepted_values(const Key& key) {
  if (!key.choices.empty()) {
    std::string out = "one of ";
    for (char c : key.choices) out += c == '|' ? std::string(", ") : std::string(1, c);
    return key.fallback.empty() ? out + ", or empty" : out;
  }
  switch (key.type) {
    case KeyType::text:
      return "a text";
    case KeyType::boolean:
      return "true or false";
    case KeyType::integer:
      return "a whole number, not negative";
    case KeyType::port:
      return "a port from 0 to 65535";
    case KeyType::percent:
      return "a percentage from 0 to 100";
    case KeyType::duration:
      return "a duration such as 1m30s or 250ms, not negative";
    case KeyType::list:
      return "a list of texts";
    case KeyType::tls_version:
      return "TLSv1_2, TLSv1_3, or empty";
    case KeyType::ciphers:
      return "a list of Go's names of cipher suites";
    case KeyType::public_keys:
      return "a list of objects with kid and one of key, keyFile";
  }
  return "";
}

}  // namespace kdsd::app
