#include "model/document.h"

#include <algorithm>
#include <array>

#include "model/json.h"
#include "model/kri.h"
#include "model/proto_spec.h"
#include "model/timestamp.h"

namespace kdsd {
namespace json = boost::json;
namespace {

// Label values end at 63 characters on Kubernetes; these may be longer and are annotations there (namespaces.md 3).
bool is_annotation(std::string_view key) {
  return key == label::display_name || key == label::service_account || key == label::workload;
}

constexpr std::array<std::string_view, 9> envelope = {"type",   "mesh", "name",      "creationTime", "modificationTime",
                                                      "labels", "kri",  "namespace", "status"};

std::string kind_name(const json::value& value) {
  if (value.is_string()) return "text";
  if (value.is_number()) return "number";
  if (value.is_bool()) return "bool";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "null";
}

Status wrong_kind(const std::string& type, std::string_view field, const json::value& value, std::string_view wanted) {
  return Status(Code::malformed, "invalid " + type + " object: field " + std::string(field) + " must be " +
                                     std::string(wanted) + ", not " + kind_name(value));
}

// Reads an optional text member; null counts as missing.
Status read_text(const std::string& type, const json::object& object, std::string_view key, std::string& out) {
  const auto* member = object.if_contains({key.data(), key.size()});
  if (member == nullptr || member->is_null()) return {};
  if (!member->is_string()) return wrong_kind(type, key, *member, "a text");
  out = member->get_string().c_str();
  return {};
}

std::size_t text_bytes(const json::value& value) { return value.is_string() ? value.get_string().size() : 0; }

Status read_labels(const std::string& type, const json::object& object, std::string_view key, Labels& out) {
  const auto* member = object.if_contains({key.data(), key.size()});
  if (member == nullptr || member->is_null()) return {};
  if (!member->is_object()) return wrong_kind(type, key, *member, "a map of texts");
  std::size_t bytes = 0;
  for (const auto& entry : member->get_object()) bytes += entry.key().size() + text_bytes(entry.value());
  if (auto status = check_label_limits(member->get_object().size(), bytes); !status.ok())
    return status.prefixed(type + ": " + std::string(key));
  for (const auto& entry : member->get_object()) {
    if (!entry.value().is_string()) {
      return wrong_kind(type, std::string(key) + "." + std::string(entry.key()), entry.value(), "a text");
    }
    out.set({entry.key().data(), entry.key().size()}, entry.value().get_string().c_str());
  }
  return {};
}

const ResourceType* kind_to_type(const Catalogue& catalogue, const std::string& kind, const std::string& api_version,
                                 const std::string& secret_type) {
  for (const auto* type : catalogue.types()) {
    const auto& form = type->kubernetes;
    if (!form.exists || form.kind != kind || form.api_version != api_version) continue;
    if (form.secret_type.empty() || form.secret_type == secret_type) return type;
  }
  return nullptr;
}

Status take_annotations(const std::string& type, const json::object& metadata, Document& document) {
  Labels annotations;
  if (auto status = read_labels(type, metadata, "annotations", annotations); !status.ok()) return status;
  for (const auto& [key, value] : annotations) {
    if (is_annotation(key)) {
      document.labels.set(key, value);
    } else {
      document.warnings.push_back("annotation '" + key + "' is not kept");
    }
  }
  return {};
}

Status take_mesh(const json::object& object, const std::string& type, Document& document) {
  std::string field;
  if (auto status = read_text(type, object, "mesh", field); !status.ok()) return status;
  const auto& from_label = document.labels.get(label::mesh);
  if (!field.empty() && !from_label.empty() && field != from_label) {
    return Status(Code::invalid, "Resource is not valid",
                  {{"mesh", "differs from label kuma.io/mesh: '" + field + "' and '" + from_label + "'"}});
  }
  document.mesh = field.empty() ? from_label : field;
  document.has_mesh = !document.mesh.empty();
  return {};
}

Result<Document> parse_kubernetes(const Catalogue& catalogue, const json::object& object,
                                  const ResourceType* expected) {
  Document document;
  document.format = Document::Format::kubernetes;
  std::string api_version;
  std::string secret_type;
  if (auto status = read_text("Kubernetes", object, "apiVersion", api_version); !status.ok()) return status;
  if (auto status = read_text("Kubernetes", object, "kind", document.type_text); !status.ok()) return status;
  if (auto status = read_text("Kubernetes", object, "type", secret_type); !status.ok()) return status;
  document.type = kind_to_type(catalogue, document.type_text, api_version, secret_type);
  if (document.type == nullptr) {
    return Status(Code::invalid, "unknown kind \"" + document.type_text + "\" of apiVersion \"" + api_version + "\"");
  }
  if (expected != nullptr && document.type != expected) {
    document.type_text = document.type->name;
    document.type = expected;
  } else {
    document.type_text = document.type->name;
  }
  const auto& type = document.type->name;
  if (const auto* member = object.if_contains("metadata")) {
    if (!member->is_object()) return wrong_kind(type, "metadata", *member, "an object");
    const auto& metadata = member->get_object();
    if (auto status = read_text(type, metadata, "name", document.name); !status.ok()) return status;
    if (auto status = read_text(type, metadata, "namespace", document.namespace_); !status.ok()) return status;
    if (auto status = read_labels(type, metadata, "labels", document.labels); !status.ok()) return status;
    if (auto status = take_annotations(type, metadata, document); !status.ok()) return status;
  }
  if (auto status = take_mesh(object, type, document); !status.ok()) return status;
  if (document.type->mesh_scoped && !document.has_mesh) {
    document.mesh = "default";
    document.has_mesh = true;
  }
  const json::value whole(object);
  const bool is_secret = document.type->kubernetes.native;
  const auto* payload =
      is_secret ? find(whole, {"data", "value"}) : find(whole, {document.type->kubernetes.payload_field});
  if (payload != nullptr) {
    document.has_spec = true;
    document.spec = is_secret ? json::value(json::object{{"data", *payload}}) : *payload;
  } else if (document.type->encoding == SpecEncoding::proto) {
    document.spec = json::object();
    document.has_spec = true;
  }
  return document;
}

}  // namespace

Result<Document> parse_document(const Catalogue& catalogue, const json::value& value, const ResourceType* expected) {
  const std::string expected_name = expected ? expected->name : "resource";
  if (!value.is_object())
    return Status(Code::malformed, "invalid " + expected_name + " object: not an object but " + kind_name(value));
  const auto& object = value.get_object();
  if (object.contains("apiVersion")) return parse_kubernetes(catalogue, object, expected);

  Document document;
  if (auto status = read_text(expected_name, object, "type", document.type_text); !status.ok()) return status;
  document.type = expected ? expected : catalogue.find(document.type_text);
  if (document.type == nullptr) {
    return Status(Code::invalid, document.type_text.empty() ? "a document needs a `type`"
                                                            : "unknown type \"" + document.type_text + "\"");
  }
  const auto& type = document.type->name;
  if (auto status = read_text(type, object, "mesh", document.mesh); !status.ok()) return status;
  document.has_mesh = !document.mesh.empty();
  if (auto status = read_text(type, object, "name", document.name); !status.ok()) return status;
  if (auto status = read_labels(type, object, "labels", document.labels); !status.ok()) return status;
  if (document.type->encoding == SpecEncoding::json) {
    if (auto status = read_text(type, object, "namespace", document.namespace_); !status.ok()) return status;
    if (const auto* spec = object.if_contains("spec"); spec != nullptr && !spec->is_null()) {
      document.spec = *spec;
      document.has_spec = true;
    }
    return document;
  }
  json::object spec;
  for (const auto& member : object) {
    const std::string_view key(member.key().data(), member.key().size());
    if (std::find(envelope.begin(), envelope.end(), key) == envelope.end()) spec.emplace(member.key(), member.value());
  }
  document.spec = std::move(spec);
  document.has_spec = true;
  return document;
}

json::object render_meta(const Resource& resource, std::string_view type_name, bool with_kri) {
  json::object out;
  out["type"] = json::string(type_name.data(), type_name.size());
  if (resource.type->mesh_scoped) out["mesh"] = resource.mesh;
  out["name"] = resource.name;
  out["creationTime"] = format_time(resource.created);
  out["modificationTime"] = format_time(resource.modified);
  if (!resource.labels.empty()) {
    json::object labels;
    for (const auto& [key, value] : resource.labels) labels.emplace(key, value);
    out["labels"] = std::move(labels);
  }
  if (with_kri) {
    auto kri = kri_of(resource);
    if (!kri.empty()) out["kri"] = kri;
  }
  return out;
}

json::value spec_json(const Resource& resource) {
  if (resource.type->encoding == SpecEncoding::proto) {
    auto spec = proto_to_json(resource.type->proto_message, resource.spec);
    return spec.ok() ? json::value(std::move(*spec)) : json::value(json::object());
  }
  auto spec = parse_json(resource.spec);
  return spec.ok() ? std::move(*spec) : json::value(json::object());
}

json::object render(const Resource& resource) {
  auto out = render_meta(resource, resource.type->name, true);
  auto spec = spec_json(resource);
  if (resource.type->encoding == SpecEncoding::proto) {
    for (auto& member : spec.get_object()) out.emplace(member.key(), std::move(member.value()));
    return out;
  }
  out["spec"] = std::move(spec);
  if (resource.type->has_status) {
    auto status = parse_json(resource.status);
    out["status"] = status.ok() ? std::move(*status) : json::value(json::object());
  }
  return out;
}

namespace {

void add_labels(const Resource& resource, json::object& metadata) {
  json::object labels;
  json::object annotations;
  for (const auto& [key, value] : resource.labels) (is_annotation(key) ? annotations : labels).emplace(key, value);
  if (resource.type->mesh_scoped && resource.type->kubernetes.mesh_in_label) labels[label::mesh] = resource.mesh;
  if (!labels.empty()) metadata["labels"] = std::move(labels);
  if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
}

}  // namespace

json::object render_kubernetes(const Resource& resource, const KubernetesPlace& place) {
  const auto& form = resource.type->kubernetes;
  json::object metadata;
  metadata["name"] = place.name;
  if (form.namespaced) metadata["namespace"] = place.namespace_;
  metadata["creationTimestamp"] = format_time(resource.created);
  if (place.is_native) add_labels(resource, metadata);

  json::object out;
  out["apiVersion"] = form.native ? form.api_version : "kuma.io/v1alpha1";
  out["kind"] = form.native ? form.kind : resource.type->name;
  const bool mesh_on_top = !form.native && !(place.is_native && form.mesh_in_label);
  if (resource.type->mesh_scoped && mesh_on_top) out["mesh"] = resource.mesh;
  if (form.native) {
    if (resource.type->mesh_scoped && !place.is_native) metadata["labels"] = json::object{{label::mesh, resource.mesh}};
    out["metadata"] = std::move(metadata);
    auto spec = spec_json(resource);
    const auto* data = find(spec, {"data"});
    out["data"] = json::object{{"value", data ? *data : json::value("")}};
    if (!form.secret_type.empty()) out["type"] = form.secret_type;
    return out;
  }
  out["metadata"] = std::move(metadata);
  out["spec"] = spec_json(resource);
  if (resource.type->has_status) {
    auto status = parse_json(resource.status);
    out["status"] = status.ok() ? std::move(*status) : json::value(json::object());
  }
  return out;
}

Result<std::string> encode_spec(const ResourceType& type, const json::value& spec) {
  if (type.encoding == SpecEncoding::json) return to_wire_json(spec);
  if (!spec.is_object()) return Status(Code::malformed, "invalid " + type.name + " object: not an object");
  auto binary = proto_from_json(type.proto_message, spec.get_object());
  if (!binary.ok()) return Status(Code::malformed, "invalid " + type.name + " object: " + binary.status().message());
  return binary;
}

bool same_spec(const ResourceType& type, const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (type.encoding == SpecEncoding::proto) return proto_equal(type.proto_message, a, b);
  auto left = parse_json(a);
  auto right = parse_json(b);
  return left.ok() && right.ok() && json_equal(*left, *right);
}

bool same_status(const std::string& a, const std::string& b) {
  const std::string& left = a.empty() ? "{}" : a;
  const std::string& right = b.empty() ? "{}" : b;
  if (left == right) return true;
  auto x = parse_json(left);
  auto y = parse_json(right);
  return x.ok() && y.ok() && json_equal(*x, *y);
}

}  // namespace kdsd
