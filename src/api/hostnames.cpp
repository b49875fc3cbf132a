// `_hostnames`: the names that HostnameGenerators give a service in each zone (rest-api.md 9).
#include <map>
#include <optional>
#include <set>

#include "api/answers.h"
#include "api/errors.h"
#include "api/inspect_endpoints.h"
#include "api/inspecting.h"
#include "api/reading.h"
#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "policy/core_name.h"
#include "policy/engine/applied_policy.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

struct Found {
  bool mesh_found = false;
  ResourcePtr service;
  std::vector<ResourcePtr> generators;
  std::vector<std::string> zones;  // of the mesh
};

// `MeshService` → `meshService`, as the selectors of generators name kinds.
std::string selector_name(const ResourceType& type) {
  std::string out = type.name;
  out.front() = static_cast<char>(out.front() - 'A' + 'a');
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

// What stands between the braces of a template: a field of the service, or a label of it. Nothing for anything else.
std::optional<std::string> evaluate(std::string_view expression, const Resource& service, const std::string& zone) {
  const auto& shown = display_name(service.name, service.labels);
  if (expression == ".DisplayName") return shown;
  if (expression == ".Name") return service.name;
  if (expression == ".Namespace") return service.labels.get(label::namespace_);
  if (expression == ".Mesh") return service.mesh;
  if (expression == ".Zone") return zone;
  if (!expression.starts_with("label ")) return std::nullopt;
  const auto quoted = trimmed(expression.substr(6));
  const bool is_quoted =
      quoted.size() >= 2 && quoted.front() == quoted.back() && (quoted.front() == '"' || quoted.front() == '`');
  if (!is_quoted) return std::nullopt;
  const auto key = quoted.substr(1, quoted.size() - 2);
  if (!service.labels.has(key)) return std::nullopt;
  return service.labels.get(key);
}

std::optional<std::string> fill_in(std::string_view text, const Resource& service, const std::string& zone) {
  std::string out;
  while (true) {
    const auto begin = text.find("{{");
    out += text.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const auto end = text.find("}}", begin);
    if (end == std::string_view::npos) return std::nullopt;
    const auto value = evaluate(trimmed(text.substr(begin + 2, end - begin - 2)), service, zone);
    if (!value) return std::nullopt;
    out += *value;
    text.remove_prefix(end + 2);
  }
}

// Whether a generator is about the service, as seen in the service's own zone.
bool is_about(const Resource& generator, const json::value& spec, const Resource& service) {
  const auto* selector = find(spec, {"selector", selector_name(*service.type)});
  if (selector == nullptr || !selector->is_object()) return false;
  auto labels = service.labels;
  const bool is_own_zone = generator.labels.get(label::origin) == "zone" &&
                           generator.labels.get(label::zone) == service.labels.get(label::zone);
  labels.set(label::origin, is_own_zone ? "zone" : "global");
  for (const auto& [key, value] : policy::texts_at(*selector, "matchLabels")) {
    if (!labels.has(key) || labels.get(key) != value) return false;
  }
  return true;
}

}  // namespace

Answer list_hostnames(Backend& backend, PolicyViews&, const ResourceType& type, const Call& call) {
  const auto& plane = backend.facts().control_plane;
  auto look = [&type, mesh = call.parameter("mesh"),
               name = policy::core_name(plane, type, call.parameter("name"))](const kds::Core& core) {
    const auto& index = core.index();
    Found out{has_mesh(index, mesh), index.find(type, mesh, name), {}, {}};
    index.each(*index.catalogue().find("HostnameGenerator"),
               [&](const ResourcePtr& each) { out.generators.push_back(each); });
    index.each(*index.catalogue().find("Zone"), [&](const ResourcePtr& zone) { out.zones.push_back(zone->name); });
    return out;
  };
  auto found = co_await read_core(backend, std::move(look));
  if (!found.mesh_found) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  if (!found.service) co_return refusal(404, "could not retrieve service", "Not found");
  // A service of a zone has its names there; one of the global has them in every zone.
  if (const auto& own = found.service->labels.get(label::zone); !own.empty()) {
    found.zones = {own};
  } else if (plane.is_zone()) {
    found.zones = {plane.zone};
  }
  std::map<std::string, std::set<std::string>> zones_of;
  for (const auto& generator : found.generators) {
    const auto spec = spec_json(*generator);
    if (!is_about(*generator, spec, *found.service)) continue;
    for (const auto& zone : found.zones) {
      const auto hostname = fill_in(find_text(spec, {"template"}), *found.service, zone);
      if (!hostname) {
        co_return refusal(400, "could not generate hostname",
                          "bad request: the template of HostnameGenerator " + generator->name + " cannot be filled in");
      }
      if (!hostname->empty()) zones_of[*hostname].insert(zone);
    }
  }
  json::array items;
  for (const auto& [hostname, names] : zones_of) {
    json::array zones;
    for (const auto& name : names) zones.push_back(json::object{{"name", name}});
    items.push_back(json::object{{"hostname", hostname}, {"zones", std::move(zones)}});
  }
  const auto total = items.size();
  json::object body;
  body["items"] = std::move(items);
  body["total"] = total;
  co_return json_response(200, body);
}

}  // namespace kdsd::api
