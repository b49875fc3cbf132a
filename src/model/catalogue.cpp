#include "model/catalogue.h"

#include <algorithm>

#include "model/json.h"

extern "C" {
extern const char kdsd_types_begin[];
extern const char kdsd_types_end[];
}

namespace kdsd {
namespace json = boost::json;
namespace {

bool flag(const json::value& file, std::string_view key) {
  const auto* value = find(file, {key});
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string text(const json::value& file, std::initializer_list<std::string_view> path) {
  return std::string(find_text(file, path));
}

bool has_kds_flag(const json::value& file, std::string_view name) {
  const auto* flags = find(file, {"kdsFlags"});
  if (flags == nullptr || !flags->is_array()) return false;
  const auto& list = flags->get_array();
  return std::any_of(list.begin(), list.end(),
                     [&](const json::value& item) { return item.is_string() && item.get_string() == name; });
}

void read_kubernetes(const json::value& file, KubernetesForm& form) {
  const auto* source = find(file, {"kubernetes"});
  if (source == nullptr || !source->is_object()) return;
  form.exists = true;
  form.kind = text(*source, {"kind"});
  form.api_version = text(*source, {"apiVersion"});
  form.namespaced = find_text(*source, {"crdScope"}) == "Namespaced";
  form.native = flag(*source, "nativeObject");
  form.secret_type = text(*source, {"secretType"});
  form.payload_field = text(*source, {"payloadField"});
  form.mesh_in_label = find_text(*source, {"meshField"}).starts_with("label");
}

Result<ToConf> read_to_conf(const json::value& file) {
  const auto written = find_text(file, {"toConf"});
  if (written.empty()) return ToConf::ordinary;
  if (written == "routes") return ToConf::routes;
  if (written == "rule") return ToConf::rule;
  return Status(Code::invalid, "toConf '" + std::string(written) + "' is none of 'routes', 'rule'");
}

void read_schema(const json::value& file, ResourceType& type) {
  if (const auto* schema = find(file, {"schema"})) {
    type.schema = *schema;
    if (const auto* status = find(*schema, {"definitions", "status"})) type.status_schema = *status;
    if (auto* object = type.schema.if_object()) object->erase("definitions");
  }
  if (const auto* empty = find(file, {"emptyStatus"})) type.empty_status = to_wire_json(*empty);
  if (const auto* refs = find(file, {"targetRefs"})) type.target_refs = *refs;
}

Result<std::unique_ptr<ResourceType>> read_type(const json::value& file) {
  auto type = std::make_unique<ResourceType>();
  type->name = text(file, {"name"});
  if (type->name.empty()) return Status(Code::invalid, "a resource type needs a name");
  type->mesh_scoped = find_text(file, {"scope"}) == "Mesh";
  type->consumed_by_zone = has_kds_flag(file, "ConsumedByZone");
  type->consumed_by_global = has_kds_flag(file, "ConsumedByGlobal");
  type->provided_by_zone = has_kds_flag(file, "ProvidedByZone");
  type->provided_by_global = has_kds_flag(file, "ProvidedByGlobal");
  type->across_zones = has_kds_flag(file, "SyncedAcrossZones");
  type->hashed = !flag(file, "skipKDSHash");
  type->has_status = flag(file, "hasStatus");
  type->is_policy = flag(file, "isPolicy");
  type->is_target_ref_policy = flag(file, "isTargetRefBased");
  type->is_plugin = flag(file, "isPluginOriginated");
  type->has_to = flag(file, "hasTo");
  type->has_from = flag(file, "hasFrom");
  type->has_rules = flag(file, "hasRules");
  type->from_as_rules = flag(file, "isFromAsRules");
  type->read_only = flag(file, "readOnly");
  type->admin_only = flag(file, "adminOnly");
  type->is_proxy = flag(file, "isProxy");
  type->is_destination = flag(file, "isDestination");
  type->experimental = flag(file, "isExperimental");
  type->allow_inspect = flag(file, "allowToInspect");
  type->system_namespace_only = flag(file, "allowedOnSystemNamespaceOnly");
  type->include_in_federation = flag(file, "includeInFederation");
  type->path = text(file, {"restPath"});
  type->alt_path = text(file, {"alternativeRestPath"});
  type->short_name = text(file, {"shortName"});
  type->singular = text(file, {"singularDisplayName"});
  type->plural = text(file, {"pluralDisplayName"});
  type->kumactl_arg = text(file, {"kumactlArg"});
  type->insight_type = text(file, {"insightType"});
  type->overview_type = text(file, {"overviewType"});
  type->encoding = find_text(file, {"specEncoding"}) == "proto" ? SpecEncoding::proto : SpecEncoding::json;
  type->proto_message = text(file, {"protoMessage"});
  type->any_type_url = text(file, {"anyTypeUrl"});
  const auto to_conf = read_to_conf(file);
  if (!to_conf.ok()) return to_conf.status().prefixed(type->name);
  type->to_conf = *to_conf;
  read_kubernetes(file, type->kubernetes);
  read_schema(file, *type);
  return type;
}

// Whole files, one after the other, each preceded by a line with its length.
std::vector<std::string> unpack(std::string_view bundle) {
  std::vector<std::string> files;
  while (!bundle.empty()) {
    auto end = bundle.find('\n');
    auto length = static_cast<std::size_t>(std::stoul(std::string(bundle.substr(0, end))));
    files.emplace_back(bundle.substr(end + 1, length));
    bundle.remove_prefix(end + 1 + length);
  }
  return files;
}

}  // namespace

Result<std::unique_ptr<Catalogue>> Catalogue::parse(const std::vector<std::string>& files) {
  auto catalogue = std::make_unique<Catalogue>();
  for (const auto& file : files) {
    auto value = parse_json(file);
    if (!value.ok()) return value.status();
    auto type = read_type(*value);
    if (!type.ok()) return type.status();
    const ResourceType* added = type->get();
    if (catalogue->find(added->name) != nullptr)
      return Status(Code::invalid, "resource type " + added->name + " is there twice");
    if (!added->path.empty()) catalogue->by_path_[added->path] = added;
    if (!added->alt_path.empty()) catalogue->by_path_[added->alt_path] = added;
    if (!added->short_name.empty()) catalogue->by_short_[added->short_name] = added;
    catalogue->types_[added->name] = std::move(*type);
  }
  for (const auto& [name, type] : catalogue->types_) catalogue->sorted_.push_back(type.get());
  return catalogue;
}

const Catalogue& Catalogue::builtin() {
  static const std::unique_ptr<Catalogue> catalogue = [] {
    auto parsed = parse(unpack({kdsd_types_begin, static_cast<std::size_t>(kdsd_types_end - kdsd_types_begin)}));
    // The files are part of the program and a unit test reads them all, so this cannot fail at run time.
    return parsed.ok() ? std::move(*parsed) : std::make_unique<Catalogue>();
  }();
  return *catalogue;
}

const ResourceType* Catalogue::find(std::string_view name) const {
  auto it = types_.find(name);
  return it == types_.end() ? nullptr : it->second.get();
}

const ResourceType* Catalogue::by_path(std::string_view segment) const {
  auto it = by_path_.find(segment);
  return it == by_path_.end() ? nullptr : it->second;
}

const ResourceType* Catalogue::by_short_name(std::string_view name) const {
  auto it = by_short_.find(name);
  return it == by_short_.end() ? nullptr : it->second;
}

}  // namespace kdsd
