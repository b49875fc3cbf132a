#include "app/cli/apply.h"

#include <algorithm>
#include <array>

#include "app/cli/refusal.h"
#include "app/cli/resource_address.h"
#include "model/json.h"
#include "model/proto_spec.h"
#include "policy/names.h"
#include "policy/proto_rules.h"
#include "policy/proto_shape.h"
#include "policy/schema.h"
#include "policy/validate.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

// Labels that appear without anybody writing them (rest-api.md 3.3).
constexpr std::array<std::string_view, 8> computed_labels = {label::mesh,       label::origin,       label::zone,
                                                             label::env,        label::display_name, label::policy_role,
                                                             label::proxy_type, label::namespace_};

bool is_computed(const std::string& key) {
  return std::find(computed_labels.begin(), computed_labels.end(), key) != computed_labels.end();
}

bool same_labels(const Labels& written, const Labels& existing) {
  for (const auto& [key, value] : written) {
    if (!existing.has(key) || existing.get(key) != value) return false;
  }
  return std::all_of(existing.begin(), existing.end(),
                     [&](const Labels::Entry& entry) { return written.has(entry.first) || is_computed(entry.first); });
}

// What the server would store for the spec: defaults filled in, unknown members dropped.
Result<std::string> stored_form(const ResourceType& type, json::value spec) {
  if (type.encoding == SpecEncoding::json) {
    auto schema = policy::check_schema(type, spec);
    if (!schema.ok()) return Status(Code::invalid, "Resource is not valid", std::move(schema.violations));
    spec = std::move(schema.spec);
  } else {
    auto read = policy::read_proto_document(type, spec);
    if (!read.ok()) return read.status();
    spec = std::move(*read);
  }
  return encode_spec(type, spec);
}

Violations spec_violations(const Document& document, const json::value& spec) {
  const auto& type = *document.type;
  return type.encoding == SpecEncoding::json
             ? policy::validate_spec(type, spec, document.labels, document.name).violations
             : policy::validate_proto_spec(type, spec).violations;
}

std::vector<std::string> warnings_of(const std::string& body) {
  std::vector<std::string> out;
  const auto value = parse_json(body);
  if (!value.ok()) return out;
  const auto* warnings = find(*value, {"warnings"});
  if (warnings == nullptr || !warnings->is_array()) return out;
  for (const auto& each : warnings->get_array()) {
    if (each.is_string()) out.emplace_back(each.get_string().c_str());
  }
  return out;
}

// A refusal must not look like a server that cannot be reached, even when it is a 503.
Status as_refusal(const RestAnswer& answer) {
  const auto status = refusal_of(answer);
  if (status.code() != Code::unavailable) return status;
  return Status(Code::exhausted, status.message(), status.violations());
}

}  // namespace

std::string Prepared::text(const std::string& name) const {
  return document.type->name + "/" + (mesh.empty() ? "" : mesh + "/") + name;
}

Result<Prepared> prepare(const Catalogue& catalogue, json::value value) {
  auto document = parse_document(catalogue, value, nullptr);
  if (!document.ok()) return document.status();
  Prepared prepared{std::move(*document), std::move(value), {}};
  const auto& type = *prepared.document.type;
  if (type.path.empty()) return Status(Code::not_writable, type.name + " has no address in the API");
  if (prepared.document.name.empty())
    return Status(Code::invalid, "Resource is not valid", {{"name", "must be given"}});
  if (type.mesh_scoped) prepared.mesh = prepared.document.has_mesh ? prepared.document.mesh : std::string(default_mesh);
  return prepared;
}

Status check_locally(const Prepared& prepared) {
  const auto& document = prepared.document;
  const auto& type = *document.type;
  const auto refuse = [](Violations violations) {
    return Status(Code::invalid, "Resource is not valid", std::move(violations));
  };
  json::value spec = document.has_spec ? document.spec : json::value();
  if (type.encoding == SpecEncoding::json) {
    auto schema = policy::check_schema(type, spec);
    if (!schema.ok()) return refuse(std::move(schema.violations));
    if (auto status = policy::check_decodes(type, schema.spec); !status.ok()) return status;
    spec = std::move(schema.spec);
  } else {
    auto read = policy::read_proto_document(type, spec);
    if (!read.ok()) return read.status();
    if (auto binary = encode_spec(type, *read); !binary.ok()) return binary.status();
    spec = std::move(*read);
  }
  auto violations = spec_violations(document, spec);
  if (auto problem = policy::name_problem(document.name, policy::limits::core_name_bytes)) {
    violations.push_back({"name", std::move(*problem)});
  }
  if (type.mesh_scoped) {
    if (auto problem = policy::mesh_name_problem(prepared.mesh)) violations.push_back({"mesh", std::move(*problem)});
  }
  return violations.empty() ? Status() : refuse(std::move(violations));
}

bool is_unchanged(const Prepared& prepared, const json::value& existing) {
  const auto& type = *prepared.document.type;
  const auto there = parse_document(Catalogue::builtin(), existing, &type);
  if (!there.ok() || !same_labels(prepared.document.labels, there->labels)) return false;
  auto spec = prepared.document.has_spec ? prepared.document.spec : json::value();
  // A zone adds this tag to every write, so that a file without it would never be up to date.
  const auto& zone = there->labels.get(label::zone);
  if (type.name == "Dataplane" && !zone.empty()) policy::add_zone_tag(spec, zone);
  const auto wanted = stored_form(type, std::move(spec));
  const auto stored = stored_form(type, there->spec);
  return wanted.ok() && stored.ok() && same_spec(type, *wanted, *stored);
}

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::created:
      return "created";
    case Verdict::updated:
      return "updated";
    case Verdict::unchanged:
      return "unchanged";
    case Verdict::deleted:
      return "deleted";
  }
  return {};
}

Status Applier::learn_control_plane() {
  auto answer = client_.get("/config");
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return as_refusal(*answer).prefixed("asking the server whether it has namespaces");
  const auto config = parse_json(answer->body);
  if (!config.ok()) return Status(Code::malformed, "/config: " + config.status().message());
  ControlPlane control_plane;
  control_plane.has_namespaces = find_text(*config, {"environment"}) == "kubernetes";
  control_plane.system_namespace = find_text(*config, {"store", "kubernetes", "systemNamespace"});
  control_plane_ = std::move(control_plane);
  return {};
}

Result<std::string> Applier::name_in_address(const Prepared& prepared) {
  const auto& document = prepared.document;
  if (!document.type->kubernetes.namespaced || document.type->kubernetes.native) return document.name;
  if (document.format == Document::Format::universal) return core_name(document.name, document.namespace_);
  if (!control_plane_) {
    if (auto status = learn_control_plane(); !status.ok()) return status;
  }
  if (!control_plane_->has_namespaces) return document.name;
  const auto& given = document.namespace_;
  return core_name(document.name, given.empty() ? control_plane_->system_namespace : given);
}

Result<Applied> Applier::apply(const Prepared& prepared, const std::string& name) {
  const auto target = item_path(*prepared.document.type, prepared.mesh, name);
  auto existing = client_.get(target);
  if (!existing.ok()) return existing.status();
  if (existing->status == 200) {
    const auto item = parse_json(existing->body);
    if (item.ok() && is_unchanged(prepared, *item)) return Applied{Verdict::unchanged, {}};
  } else if (existing->status != 404) {
    return as_refusal(*existing);
  }
  auto answer = client_.put(target, to_compact_json(prepared.body));
  if (!answer.ok()) return answer.status();
  if (answer->status != 200 && answer->status != 201) return as_refusal(*answer);
  return Applied{answer->status == 201 ? Verdict::created : Verdict::updated, warnings_of(answer->body)};
}

Status Applier::remove(const ResourceType& type, const std::string& mesh, const std::string& name) {
  auto answer = client_.remove(item_path(type, mesh, name));
  if (!answer.ok()) return answer.status();
  return answer->status == 200 ? Status() : as_refusal(*answer);
}

}  // namespace kdsd::app::cli
