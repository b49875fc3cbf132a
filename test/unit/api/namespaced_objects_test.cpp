// What control planes with namespaces make of documents, against what a real Kubernetes installation stored, sent and
// showed for some 200 writes (test/data/namespaced-objects.json).
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <sstream>

#include "kds/outbound.h"
#include "policy/core_name.h"

#include "../test_data.h"
#include "fake_backend.h"

namespace kdsd::api {
namespace {

namespace json = boost::json;

// Where kdsd does something else, and says so: the specification's own words for it, beside "2.13:".
const std::map<std::string, std::string> differences = {
    {"bare-svc", "kdsd computes labels and validates in every namespace (namespaces.md 4)"},
    {"bare-prod", "kdsd computes labels and validates in every namespace (namespaces.md 4)"},
    {"bare-prod-lbl", "kdsd computes labels and validates in every namespace (namespaces.md 4)"},
    {"bare-mix", "kdsd computes labels and validates in every namespace (namespaces.md 4)"},
    {"bare-bad", "kdsd computes labels and validates in every namespace (namespaces.md 4)"},
    {"bare-mes", "kdsd computes labels and validates in every namespace (namespaces.md 4)"},
    {"kg-bare", "kdsd computes labels and validates in every namespace (namespaces.md 4)"},
    {"prod-mss-tag",
     "the zone tag of every kind that can have one narrows the audience (policy-semantics.md 3.3, D-11)"},
    {"prod-dp-tag",
     "the zone tag of every kind that can have one narrows the audience (policy-semantics.md 3.3, D-11)"},
    {"gw-cb-cons", "only a producer policy can target MeshGateway in a custom namespace (V-GW-2)"},
    {"gw-cb-mesh", "only a producer policy can target MeshGateway in a custom namespace (V-GW-2)"},
    {"gw-cb-wo", "only a producer policy can target MeshGateway in a custom namespace (V-GW-2)"},
    {"x-lb-gw-cons", "only a producer policy can target MeshGateway in a custom namespace (V-GW-2)"},
    {"gw-al", "MeshAccessLog cannot target MeshGateway from a custom namespace (V-GW-1)"},
    {"x-al-gw-rules", "MeshAccessLog cannot target MeshGateway from a custom namespace (V-GW-1)"},
    {"l-origin-global", "a written origin has to be zone; 2.13 deletes such a policy later (V-LBL-3)"},
    {"l-origin-empty", "an empty origin is no origin (V-LBL-1)"},
    {"l-ns", "the namespace label always says the namespace of the name (namespaces.md 4)"},
    {"l-ns-svc", "the namespace label always says the namespace of the name (namespaces.md 4)"},
    {"l-dn-label", "a display name written as a label counts (namespaces.md 3)"},
    {"r-mtp-badaction", "both spellings of actions are accepted (D-28)"},
    {"x-fi", "rules count as from (V-ROLE-1, D-07)"},
    {"x-mmzs-none", "a MeshMultiZoneService needs a name or labels (V-REF-5)"},
    {"kg-zone", "users may not set the zone label on a global (V-LBL-5)"},
    {"hg-sys", "meta.mesh of a HostnameGenerator is empty, and so is the mesh in its name (kds-protocol.md 3.7)"},
    {"kg-hg", "meta.mesh of a HostnameGenerator is empty, and so is the mesh in its name (kds-protocol.md 3.7)"},
    {"kg-legacy", "every mesh-scoped type gets the mesh label (kds-protocol.md 8.2)"},
    {"mes-sys-nolabel", "only policies of the system namespace need a written origin (case validation-006)"},
    {"dp-cp", "the object existed already: a PUT replaces it"},
};

json::array objects() {
  std::ifstream in(test_data() / "namespaced-objects.json");
  std::stringstream text;
  text << in.rdbuf();
  auto value = parse_json(text.str());
  EXPECT_TRUE(value.ok()) << value.status().text();
  return value.ok() ? value->get_array() : json::array();
}

policy::ControlPlaneKind plane_of(const json::value& entry) {
  policy::ControlPlaneKind out;
  out.environment = policy::Environment::kubernetes;
  const auto where = find_text(entry, {"where"});
  const auto id = find_text(entry, {"id"});
  if (where.starts_with("Kubernetes zone east")) {
    out.mode = policy::Mode::zone;
    out.zone = "east";
    out.federated = true;
  } else if (where.find("zone north") != std::string_view::npos && id.starts_with("n-")) {
    out.mode = policy::Mode::zone;
    out.zone = "north";
    out.federated = true;
    out.system_namespace = "mesh-system";
  }
  return out;
}

Labels labels_of(const json::value* value) {
  Labels labels;
  if (value == nullptr || !value->is_object()) return labels;
  for (const auto& entry : value->get_object()) labels.set(std::string(entry.key()), entry.value().as_string());
  return labels;
}

// Labels as kdsd keeps them: three of them are annotations on Kubernetes, and others of those are kept nowhere.
Labels stored_labels(const json::value& stored) {
  auto labels = labels_of(find(stored, {"labels"}));
  for (const auto& [key, value] : labels_of(find(stored, {"annotations"}))) {
    if (key == label::display_name || key == label::service_account || key == label::workload) labels.set(key, value);
  }
  return labels;
}

std::string text(const Labels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) out += key + "=" + value + " ";
  return out;
}

// One object on its way through the control planes of the installation.
class Journey {
 public:
  explicit Journey(const json::value& entry) : entry_(entry), plane_(plane_of(entry)) {}

  // What is not as it was there; empty when all is.
  std::vector<std::string> problems() {
    if (find(entry_, {"applied"}) != nullptr) {
      auto resource = apply();
      if (resource) compare(*resource);
    } else {
      compare_update();
    }
    return problems_;
  }

 private:
  void expect(bool holds, const std::string& text) {
    if (!holds) problems_.push_back(text);
  }

  std::optional<Resource> apply() {
    FakeBackend backend(plane_);
    Api api(backend);
    Resource mesh;
    mesh.type = Catalogue::builtin().find("Mesh");
    mesh.name = "default";
    if (plane_.is_zone()) mesh.source = source_global;
    backend.store(mesh);

    json::value document = *find(entry_, {"applied"});
    const auto* type = Catalogue::builtin().find(find_text(entry_, {"applied", "kind"}));
    document.get_object()["apiVersion"] = type->kubernetes.api_version;
    std::string mesh_name(find_text(document, {"mesh"}));
    if (mesh_name.empty()) mesh_name = find_text(document, {"metadata", "labels", label::mesh});
    if (mesh_name.empty()) mesh_name = "default";
    policy::CoreName name{std::string(find_text(document, {"metadata", "name"})), ""};
    if (type->named_with_namespace()) name.namespace_ = find_text(document, {"metadata", "namespace"});
    const auto path = (type->mesh_scoped ? "/meshes/" + mesh_name + "/" : std::string("/")) + type->path + "/";
    const auto reply = api.put(path + name.text(), to_compact_json(document));

    const bool refused = reply.status >= 400;
    const auto* refusal = find(entry_, {"refusal"});
    if (refused && refusal == nullptr)
      expect(false, "is refused: " + (reply.violations().empty() ? reply.text : reply.violations()));
    if (!refused && refusal != nullptr) expect(false, "is accepted, and was refused: " + to_compact_json(*refusal));
    if (refused || refusal != nullptr) return std::nullopt;
    const auto stored = backend.core().index().find(*type, type->mesh_scoped ? mesh_name : "", name.text());
    expect(stored != nullptr, "is not stored");
    return stored ? std::optional<Resource>(*stored) : std::nullopt;
  }

  void compare(const Resource& resource) {
    const auto expected = stored_labels(*find(entry_, {"stored"}));
    expect(resource.labels == expected, "labels " + text(resource.labels) + "instead of " + text(expected));
    const kds::Sending sending{plane_, {}};
    const auto decision = kds::audience_of(resource, sending, [](std::string_view) { return true; });
    const bool is_sent = decision.audience.kind != Audience::Kind::nobody;
    compare_form("wire", resource, sending, is_sent);
    if (!is_sent || !plane_.is_zone()) return;

    const auto at_global = arrived(resource, sending);
    const kds::Sending global{policy::ControlPlaneKind{}, {}};
    if (find(entry_, {"global"}) != nullptr) {
      expect(find_text(entry_, {"global", "name"}) == at_global.name, "the global has it as " + at_global.name);
      const auto labels = labels_of(find(entry_, {"global", "labels"}));
      expect(at_global.labels == labels,
             "the global has labels " + text(at_global.labels) + "instead of " + text(labels));
    }
    const auto onward = kds::audience_of(at_global, global, [](std::string_view) { return true; });
    compare_form("west", at_global, global, onward.audience.includes("west"));
  }

  static Resource arrived(const Resource& resource, const kds::Sending& sending) {
    Resource out = resource;
    out.name = kds::wire_name(resource, sending);
    out.labels = kds::wire_labels(resource, sending);
    out.source = sending.control_plane.zone;
    return out;
  }

  void compare_form(const char* place, const Resource& resource, const kds::Sending& sending, bool is_sent) {
    const auto* form = find(entry_, {place});
    if (form == nullptr) return;
    expect(is_sent == form->is_object(), std::string(place) + (is_sent ? ": is sent" : ": is not sent"));
    if (!is_sent || !form->is_object()) return;
    const auto name = kds::wire_name(resource, sending);
    expect(name == find_text(*form, {"name"}),
           std::string(place) + ": name " + name + " instead of " + std::string(find_text(*form, {"name"})));
    const auto labels = kds::wire_labels(resource, sending);
    const auto expected = labels_of(find(*form, {"labels"}));
    expect(labels == expected, std::string(place) + ": labels " + text(labels) + "instead of " + text(expected));
  }

  // Changes are given by what was stored and what travelled; the spec is not.
  void compare_update() {
    const char* member = plane_.is_global()      ? "wireGlobalToSouth"
                         : plane_.zone == "east" ? "wireZoneToGlobal"
                                                 : "wireNorthToGlobal";
    const auto* responses = find(entry_, {member});
    const auto* stored = find(entry_, {"stored"});
    if (responses == nullptr || stored == nullptr) return;
    for (const auto& response : responses->as_array()) {
      const auto* sent = find(response, {"resources"});
      if (sent == nullptr) continue;
      Resource resource;
      resource.type = Catalogue::builtin().find(find_text(response, {"type"}));
      resource.labels = stored_labels(*stored);
      resource.mesh = resource.labels.get(label::mesh);
      resource.name = std::string(find_text(*stored, {"name"})) + "." + std::string(find_text(*stored, {"namespace"}));
      const kds::Sending sending{plane_, {}};
      const auto key = kds::wire_name(resource, sending) + "." + resource.mesh;
      const auto labels = kds::wire_labels(resource, sending);
      const auto& first = sent->as_array().at(0);
      expect(key == find_text(first, {"name"}),
             "travels as " + key + " instead of " + std::string(find_text(first, {"name"})));
      expect(labels == labels_of(find(first, {"labels"})), "travels with labels " + text(labels));
    }
  }

  const json::value& entry_;
  const policy::ControlPlaneKind plane_;
  std::vector<std::string> problems_;
};

TEST(NamespacedObjects, AreStoredSentAndCopiedAsOnKubernetesOrDifferForAReason) {
  const auto entries = objects();
  ASSERT_EQ(entries.size(), 224U);
  std::size_t compared = 0;
  for (const auto& entry : entries) {
    const std::string id(find_text(entry, {"id"}));
    const auto problems = Journey(entry).problems();
    ++compared;
    std::string all;
    for (const auto& problem : problems) all += "\n  " + problem;
    const auto known = differences.find(id);
    if (known == differences.end()) {
      EXPECT_TRUE(problems.empty()) << id << ": " << find_text(entry, {"title"}) << all;
    } else {
      EXPECT_FALSE(problems.empty()) << id << " does not differ any more: " << known->second;
    }
  }
  EXPECT_EQ(compared, entries.size());
}

}  // namespace
}  // namespace kdsd::api
