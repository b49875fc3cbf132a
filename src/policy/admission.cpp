#include "policy/admission.h"

#include <boost/json/object.hpp>
#include <optional>

#include "model/document.h"
#include "model/json.h"
#include "model/proto_spec.h"
#include "policy/core_name.h"
#include "policy/labels.h"
#include "policy/names.h"
#include "policy/proto/mesh_change.h"
#include "policy/proto_rules.h"
#include "policy/proto_shape.h"
#include "policy/schema.h"
#include "policy/validate.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::string_view not_valid = "Resource is not valid";
constexpr std::string_view default_mesh = "default";

Admission refuse(Stage stage, Violations violations) {
  return {Status(Code::invalid, std::string(not_valid), std::move(violations)), stage};
}

Admission malformed(std::string detail) { return {Status(Code::malformed, std::move(detail)), Stage::none}; }

class Admitter {
 public:
  Admitter(const ControlPlaneKind& control_plane, const Request& request)
      : control_plane_(control_plane),
        request_(request),
        type_(*request.type),
        namespaced_(has_namespace(control_plane, *request.type)) {}

  Admission run() {
    auto document = parse_document(*request_.catalogue, *request_.body, request_.type);
    if (!document.ok()) return {document.status(), Stage::process};
    document_ = std::move(*document);
    name_ = split_core_name(control_plane_, type_, request_.name);
    if (auto stop = read_spec()) return std::move(*stop);
    if (auto stop = check_rules()) return std::move(*stop);
    if (auto stop = check_envelope()) return std::move(*stop);
    return finish();
  }

 private:
  CoreName written_name() const {
    if (!namespaced_) return {document_.name, ""};
    if (!document_.namespace_.empty()) return {document_.name, document_.namespace_};
    // In the Kubernetes format dots belong to the name.
    if (document_.format == Document::Format::kubernetes) return {document_.name, control_plane_.system_namespace};
    return split_core_name(control_plane_, type_, document_.name);
  }

  std::string written_mesh() const { return document_.has_mesh ? document_.mesh : std::string(default_mesh); }

  OwnDoor door() const { return {&control_plane_, name_.namespace_, request_.granted}; }

  // Check 3, first half: what the document carries fits its type.
  std::optional<Admission> read_spec() {
    if (type_.encoding == SpecEncoding::proto) return read_proto_spec();
    Violations violations;
    if (document_.type_text != type_.name)
      violations.push_back({"", "type in body should be one of [" + type_.name + "]"});
    auto schema = check_schema(type_, document_.has_spec ? document_.spec : json::value());
    violations.insert(violations.end(), schema.violations.begin(), schema.violations.end());
    if (!violations.empty()) return refuse(Stage::process, std::move(violations));
    if (auto status = check_decodes(type_, schema.spec); !status.ok()) return malformed(status.message());
    spec_ = std::move(schema.spec);
    clear_trust_origin();
    return std::nullopt;
  }

  // The way through the binary form gives every member its one spelling, and forgets what is there and empty.
  std::optional<Admission> read_proto_spec() {
    auto read = read_proto_document(type_, document_.spec);
    if (!read.ok()) return malformed(read.status().message());
    auto binary = encode_spec(type_, *read);
    if (!binary.ok()) return malformed(binary.status().message());
    auto members = proto_to_json(type_.proto_message, *binary);
    if (!members.ok()) return malformed("invalid " + type_.name + " object: " + members.status().message());
    spec_ = std::move(*members);
    written_ = std::move(*read);
    return std::nullopt;
  }

  void clear_trust_origin() {
    if (type_.name != "MeshTrust" || !spec_.is_object() || spec_.get_object().erase("origin") == 0) return;
    warnings_.emplace_back("setting spec.origin field is deprecated");
  }

  // Check 3, second half. Rules about namespace and labels that belong to the same table come with it.
  std::optional<Admission> check_rules() {
    const auto& judged = type_.encoding == SpecEncoding::proto ? written_ : spec_;
    auto own = check_spec_of_own(type_, judged, document_.labels, name_.name, door());
    warnings_.insert(warnings_.end(), own.warnings.begin(), own.warnings.end());
    if (own.ok()) return std::nullopt;
    Outcome all;
    check_namespaces(all);
    check_labels(control_plane_, type_, written_mesh(), name_.namespace_, document_.labels, all);
    all.violations.insert(all.violations.end(), own.violations.begin(), own.violations.end());
    return refuse(Stage::process, std::move(all.violations));
  }

  void check_namespaces(Outcome& outcome) {
    if (namespaced_) {
      check_namespace(type_, door(), outcome);
    } else if (document_.namespace_.empty() || document_.namespace_ == control_plane_.system_namespace) {
      return;
    } else if (!control_plane_.has_namespaces()) {
      outcome.refuse("metadata.namespace", "namespaces need environment: kubernetes");
    } else if (type_.kubernetes.native) {
      outcome.refuse("metadata.namespace",
                     "resource type " + type_.name +
                         " can be created only in the system namespace:" + control_plane_.system_namespace);
    }
  }

  // Check 4: the document against the address, labels and names.
  std::optional<Admission> check_envelope() {
    Outcome outcome;
    if (written_name().text() != name_.text())
      outcome.refuse("name", "name from the URL has to be the same as in body");
    if (is_too_long_with_zone()) outcome.refuse("name", "the length of the name must be shorter");
    if (document_.type_text != type_.name) outcome.refuse("type", "type from the URL has to be the same as in body");
    if (type_.mesh_scoped && written_mesh() != request_.mesh) {
      outcome.refuse("mesh", "mesh from the URL has to be the same as in body");
    }
    check_namespaces(outcome);
    check_labels(control_plane_, type_, written_mesh(), name_.namespace_, document_.labels, outcome);
    check_identifiers(outcome);
    if (outcome.ok()) return std::nullopt;
    return refuse(Stage::process, std::move(outcome.violations));
  }

  // Older globals put the zone in front of names. Kubernetes has no such bound.
  bool is_too_long_with_zone() const {
    if (!control_plane_.is_zone() || !control_plane_.federated || control_plane_.has_namespaces()) return false;
    return control_plane_.zone.size() + 1 + name_.name.size() >= limits::name_bytes;
  }

  void check_identifiers(Outcome& outcome) {
    if (auto problem = name_problem(name_.name)) outcome.refuse("name", std::move(*problem));
    if (namespaced_ && (name_.namespace_.size() > limits::dns_label_bytes || name_problem(name_.namespace_))) {
      outcome.refuse("metadata.namespace", "must be a DNS label of at most 63 characters");
    }
    if (!type_.mesh_scoped) return;
    if (auto problem = mesh_name_problem(request_.mesh)) outcome.refuse("mesh", std::move(*problem));
  }

  // Check 6: labels are computed, and then nothing may have changed that never changes.
  Admission finish() {
    if (auto detail = workload_problem(); !detail.empty()) return malformed(std::move(detail));
    const bool creates = request_.existing == nullptr;
    auto labels = complete_labels(control_plane_, type_, request_.mesh, name_, spec_, document_.labels);
    if (!creates) {
      auto violations = immutable_label_violations(request_.existing->labels, labels);
      if (!violations.empty()) return refuse(Stage::labels, std::move(violations));
    }
    if (auto violations = mesh_violations(); !violations.empty())
      return refuse(creates ? Stage::create : Stage::update, std::move(violations));
    if (type_.name == "Dataplane" && control_plane_.is_zone()) add_zone_tag(spec_, control_plane_.zone);
    auto bytes = encode_spec(type_, spec_);
    if (!bytes.ok()) return malformed(bytes.status().message());
    return {Admitted{name_.text(), std::move(labels), std::move(*bytes), all_warnings(), creates}, Stage::none};
  }

  Violations mesh_violations() const {
    if (type_.name != "Mesh") return {};
    if (request_.existing == nullptr) return mesh_change_violations(name_.name, nullptr, spec_);
    const auto before = spec_json(*request_.existing);
    return mesh_change_violations(name_.name, &before, spec_);
  }

  std::string workload_problem() const {
    if (type_.name != "Dataplane" || !document_.labels.has(label::workload)) return {};
    if (control_plane_.is_global())
      return "bad request: label kuma.io/workload cannot be set on a Global control plane";
    const auto problems = dns1035_problems(document_.labels.get(label::workload));
    return problems.empty() ? std::string() : "bad request: label kuma.io/workload: " + problems.front();
  }

  std::vector<std::string> all_warnings() {
    auto warnings = document_.warnings;
    warnings.insert(warnings.end(), warnings_.begin(), warnings_.end());
    if (auto warning = dns1035_warning(type_.name, name_.name)) warnings.push_back(std::move(*warning));
    if (auto warning = zone_name_warning(type_.name, name_.name)) warnings.push_back(std::move(*warning));
    return warnings;
  }

  const ControlPlaneKind& control_plane_;
  const Request& request_;
  const ResourceType& type_;
  const bool namespaced_;
  Document document_;
  CoreName name_;
  json::value spec_;
  json::value written_;  // of proto types: with what is empty
  std::vector<std::string> warnings_;
};

}  // namespace

std::string_view title(Stage stage) {
  switch (stage) {
    case Stage::none:
    case Stage::process:
      return "Could not process a resource";
    case Stage::labels:
      return "Could not update a resource";
    case Stage::create:
      return "Failed to create a resource";
    case Stage::update:
      return "Failed to update a resource";
  }
  return "Could not process a resource";
}

Admission admit(const ControlPlaneKind& control_plane, const Request& request) {
  return Admitter(control_plane, request).run();
}

Status writable(const ResourceType& type, const ControlPlaneKind& control_plane, bool read_only) {
  if (read_only)
    return Status(Code::not_writable, "This API is configured as read-only. Resources can still be read.\n");
  if (type.read_only) {
    return Status(Code::not_writable,
                  type.name + " is kept by control planes and cannot be written. It can still be read.\n");
  }
  if (control_plane.is_global()) {
    if (type.provided_by_global) return {};
    return Status(Code::not_writable, type.name +
                                          " belongs to data planes: it is changed on the control plane of its zone. "
                                          "On the global control plane it can only be read.\n");
  }
  if (!control_plane.federated || type.provided_by_zone) return {};
  return Status(Code::not_writable, type.name +
                                        " is no resource of a zone: it is changed on the global control plane. "
                                        "On the zone control plane it can only be read.\n");
}

}  // namespace kdsd::policy
