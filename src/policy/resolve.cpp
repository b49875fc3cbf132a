#include "policy/resolve.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "model/hash.h"
#include "model/json.h"
#include "model/kri.h"
#include "policy/role.h"
#include "policy/service_ports.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// `a_b_svc` or `a_b_svc_<port>`: a service of Kubernetes as its tag spells it.
struct LegacyName {
  std::string name;
  std::string namespace_;
  std::optional<std::int64_t> port;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<LegacyName> legacy_name(std::string_view text) {
  const auto parts = split(text, '_');
  if ((parts.size() != 3 && parts.size() != 4) || parts[0].empty() || parts[1].empty() || parts[2] != "svc") return {};
  LegacyName out{std::string(parts[0]), std::string(parts[1]), std::nullopt};
  if (parts.size() == 3) return out;
  std::int64_t port = 0;
  const auto digits = parts[3];
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return {};
  out.port = port;
  return out;
}

class Resolution {
 public:
  Resolution(const json::object& ref, const ReferenceOrigin& policy, const ObjectLookup& lookup, Resolver resolver)
      : ref_(ref), policy_(policy), lookup_(lookup), resolver_(resolver) {}

  std::vector<ResolvedObject> run() {
    const auto kind = find_text(ref_, {"kind"});
    if (kind == "Mesh") return {mesh()};
    if (!is_real_object_kind(kind)) return {};
    kind_ = policy_.catalogue->find(kind);
    if (kind_ == nullptr) return {};
    const auto* labels = find(ref_, {"labels"});
    if (labels != nullptr && labels->is_object() && !labels->get_object().empty()) {
      by_labels(labels->get_object());
    } else if (const std::string name(find_text(ref_, {"name"})); !name.empty()) {
      by_name(name);
    }
    std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.kri < b.kri; });
    return std::move(found_);
  }

 private:
  ResolvedObject mesh() const {
    const auto* type = policy_.catalogue->find("Mesh");
    return {type, "", policy_.mesh, "", Kri{type, "", "", "", policy_.mesh, ""}.text(), {}};
  }

  void by_labels(const json::object& wanted) {
    lookup_.each(*kind_, policy_.mesh, [&](const Resource& object) {
      const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
        const std::string_view key(entry.key().data(), entry.key().size());
        return entry.value().is_string() && object.labels.has(key) &&
               std::string_view(object.labels.get(key)) ==
                   std::string_view(entry.value().get_string().data(), entry.value().get_string().size());
      });
      if (all) add(object, written_section());
    });
  }

  void by_name(const std::string& name) {
    const auto section = written_section();
    if (kind_->name == "MeshService" && section.empty()) {
      if (const auto legacy = legacy_name(name)) return by_legacy_name(*legacy);
    }
    const auto& zone = policy_.labels->get(label::zone);
    std::string namespace_(find_text(ref_, {"namespace"}));
    if (namespace_.empty()) namespace_ = policy_.labels->get(label::namespace_);
    // Who has this zone, namespace and display name has this canonical name; others may have it too, by chance.
    std::vector<std::string_view> values;
    if (!zone.empty()) values.emplace_back(zone);
    if (!namespace_.empty()) values.emplace_back(namespace_);
    bool exists = false;
    lookup_.named(*kind_, policy_.mesh, hashed_name(policy_.mesh, name, values), [&](const Resource& object) {
      if (object.labels.get(label::zone) != zone || object.labels.get(label::namespace_) != namespace_) return;
      if (display_name(object.name, object.labels) != name) return;
      exists = true;
      add(object, section);
    });
    if (exists || resolver_ == Resolver::kuma) return;
    lookup_.named(*kind_, policy_.mesh, name, [&](const Resource& object) { add(object, section); });
  }

  void by_legacy_name(const LegacyName& legacy) {
    lookup_.each(*kind_, policy_.mesh, [&](const Resource& object) {
      if (display_name(object.name, object.labels) != legacy.name) return;
      if (object.labels.get(label::namespace_) != legacy.namespace_) return;
      if (!legacy.port) return add(object, "");
      for (const auto& port : service_ports(object)) {
        if (port.number == *legacy.port) return push(object, port.section);
      }
    });
  }

  std::string written_section() const { return std::string(find_text(ref_, {"sectionName"})); }

  // Without the port that a reference names, an object is none of its targets. A route has no ports.
  void add(const Resource& object, const std::string& section) {
    if (section.empty()) return push(object, "");
    for (const auto& port : service_ports(object)) {
      if (port.section == section) return push(object, port.section);
    }
  }

  void push(const Resource& object, const std::string& section) {
    Kri kri{object.type,
            object.mesh,
            object.labels.get(label::zone),
            object.labels.get(label::namespace_),
            display_name(object.name, object.labels),
            section};
    found_.push_back({object.type, object.mesh, object.name, section, kri.text(), object.labels});
  }

  const json::value ref_;
  const ReferenceOrigin& policy_;
  const ObjectLookup& lookup_;
  const Resolver resolver_;
  const ResourceType* kind_ = nullptr;
  std::vector<ResolvedObject> found_;
};

}  // namespace

std::vector<ResolvedObject> resolve(const json::object& ref, const ReferenceOrigin& policy, const ObjectLookup& lookup,
                                    Resolver resolver) {
  return Resolution(ref, policy, lookup, resolver).run();
}

}  // namespace kdsd::policy
