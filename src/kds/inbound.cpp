#include "kds/inbound.h"

#include <set>

#include "model/clipped.h"
#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "model/proto_spec.h"
#include "policy/names.h"
#include "policy/proto_rules.h"
#include "policy/references.h"
#include "policy/schema.h"
#include "policy/validate.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/zone_proxy.pb.h"

namespace kdsd::kds {
namespace mesh = kuma::mesh::v1alpha1;
namespace {

constexpr std::string_view zone_tag = "kuma.io/zone";
constexpr char joined_text[] = "made here before the zone joined; the global alone provides this type";

// Attributes what a zone sent to the zone that the connection belongs to, whatever the sender wrote (6.3, steps 3 and
// 4).
class Attribution {
 public:
  explicit Attribution(const std::string& zone) : zone_(zone) {}

  void pin(Resource& resource) {
    const auto& origin = resource.labels.get(label::origin);
    if (!origin.empty() && origin != "zone") ++corrected_;
    if (const auto& named = resource.labels.get(label::zone); !named.empty() && named != zone_) ++corrected_;
    resource.labels.set(label::zone, zone_);
    resource.labels.set(label::origin, "zone");
    resource.spec = pinned_spec(resource);
  }

  // Whether the sender had named another origin anywhere.
  bool has_corrected() const { return corrected_ != 0; }

 private:
  std::string pinned_spec(const Resource& resource) {
    const auto& type = resource.type->name;
    if (type == "ZoneIngress") {
      mesh::ZoneIngress spec;
      if (!spec.ParseFromString(resource.spec)) return resource.spec;
      pin(*spec.mutable_zone());
      for (auto& service : *spec.mutable_availableservices()) pin_tag(*service.mutable_tags());
      return serialize_deterministic(spec);
    }
    if (type == "ZoneEgress") {
      mesh::ZoneEgress spec;
      if (!spec.ParseFromString(resource.spec)) return resource.spec;
      pin(*spec.mutable_zone());
      return serialize_deterministic(spec);
    }
    if (type == "Dataplane") {
      mesh::Dataplane spec;
      if (!spec.ParseFromString(resource.spec)) return resource.spec;
      auto& networking = *spec.mutable_networking();
      for (auto& inbound : *networking.mutable_inbound()) pin_tag(*inbound.mutable_tags());
      if (networking.has_gateway()) pin_tag(*networking.mutable_gateway()->mutable_tags());
      return serialize_deterministic(spec);
    }
    return resource.spec;
  }

  template <typename Tags>
  void pin_tag(Tags& tags) {
    auto it = tags.find(std::string(zone_tag));
    if (it != tags.end()) pin(it->second);
  }

  void pin(std::string& named) {
    if (!named.empty() && named != zone_) ++corrected_;
    named = zone_;
  }

  const std::string& zone_;
  int corrected_ = 0;
};

// Semantic rules that Kuma applies on receipt, in its words (6.1, step 2).
std::string validation_text(const Resource& resource) {
  if (resource.type->encoding == SpecEncoding::proto && !policy::has_proto_rules(*resource.type)) return {};
  const auto spec = spec_json(resource);
  if (resource.type->schema.is_object()) {
    const auto schema = policy::check_schema(*resource.type, spec);
    // So many that not all of them are here.
    if (schema.violations.size() >= policy::limits::violations) return policy::joined({schema.violations.front()});
    for (const auto& violation : schema.violations) {
      // What a decoder into typed structures would stumble on; anything finer is for the rules below.
      if (violation.reason.find("must be of type") != std::string::npos) return policy::joined({violation});
    }
    // No Kuma can have admitted it, and a zone of Kuma that is sent it reconnects for ever.
    if (auto status = policy::check_decodes(*resource.type, spec); !status.ok()) return status.message();
  }
  return policy::joined(policy::validate_received(*resource.type, spec, resource.labels, resource.name).violations);
}

// Why no store holds such a resource; empty where one does.
std::string identity_problem(const Resource& received) {
  if (received.name.empty()) return "a resource without a name";
  if (received.name.size() > policy::limits::name_bytes)
    return "name: value length must less or equal " + std::to_string(policy::limits::name_bytes);
  if (!received.mesh.empty()) {
    if (auto problem = policy::mesh_name_problem(received.mesh)) return "mesh: " + *problem;
  }
  if (received.labels.get(label::display_name).size() > policy::limits::name_bytes)
    return "labels: " + std::string(label::display_name) + ": value length must less or equal " +
           std::to_string(policy::limits::name_bytes);
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (has_nul(received.name)) return "name: must not contain a NUL byte";
  for (const auto& [key, value] : received.labels) {
    if (has_nul(key) || has_nul(value)) return "labels: must not contain a NUL byte";
  }
  return {};
}

class Batch {
 public:
  Batch(Transaction& transaction, const Incoming& incoming, const Receiving& receiving)
      : transaction_(transaction),
        incoming_(incoming),
        receiving_(receiving),
        source_(receiving.is_global() ? receiving.zone : std::string(source_global)) {}

  Applied run() {
    for (const auto& received : incoming_.response.resources) take(received);
    for (const auto& text : incoming_.response.removed) {
      auto key = parse_removed(*incoming_.type, text);
      key.name = stored_name(key.name);
      if (added_.contains({key.mesh, key.name})) continue;  // named in both: an update (3.7)
      auto existing = transaction_.find(*incoming_.type, key.mesh, key.name);
      if (existing && in_scope(*existing)) drop(*existing);
    }
    if (incoming_.is_full) remove_unseen();
    keep_token();
    finish_text();
    return std::move(applied_);
  }

 private:
  // Types that only a global provides are the global's alone: what a zone made before it joined is replaced (6.2,
  // scope).
  bool owns_whole_type() const { return !receiving_.is_global() && !incoming_.type->provided_by_zone; }
  bool in_scope(const Resource& existing) const { return owns_whole_type() || existing.source == source_; }

  // A stored token says exactly what is held. What is applied without a token of its own (something was refused, or a
  // full state is not complete yet) takes the former one away, and the next stream brings the full state. An answer
  // that held nothing writes nothing.
  void keep_token() {
    const auto& response = incoming_.response;
    const bool held_something =
        incoming_.is_full || incoming_.more || !response.resources.empty() || !response.removed.empty();
    if (!held_something || receiving_.store_resume_as.empty()) return;
    const bool keep = applied_.rejected.empty();
    transaction_.set_fact(receiving_.store_resume_as + incoming_.type->name,
                          keep ? incoming_.resume_token : std::string());
  }

  // Namespaced control planes keep copies in their system namespace (namespaces.md 5).
  std::string stored_name(const std::string& wire) const {
    std::string name = wire;
    if (receiving_.is_global() && !receiving_.peer_hashes_names) name = receiving_.zone + "." + name;
    if (receiving_.control_plane.has_namespaces() && incoming_.type->named_with_namespace()) {
      name += "." + receiving_.control_plane.system_namespace;
    }
    return name;
  }

  void reject(const Resource& resource, std::string rule, std::string text) {
    applied_.rejected.push_back({resource.type->name, resource.mesh, resource.name, std::move(rule), std::move(text)});
  }

  void take(const ReceivedResource& received) {
    Resource resource = received.resource;
    const std::string wire = resource.name;
    resource.name = stored_name(wire);
    added_.emplace(resource.mesh, resource.name);
    if (!received.problem.ok()) return reject(resource, "decode", received.problem.message());
    if (auto text = validation_text(resource); !text.empty()) return reject(resource, "validation", text);
    if (receiving_.is_global()) {
      Attribution attribution(receiving_.zone);
      attribution.pin(resource);
      if (attribution.has_corrected()) applied_.corrected.push_back(wire);
    } else if (incoming_.type->provided_by_zone) {
      const auto& origin = resource.labels.get(label::origin);
      if (origin.empty() || origin == "zone") {
        ++applied_.dropped;
        return;
      }
    }
    if (auto text = identity_problem(received.resource); !text.empty()) return reject(resource, "name", text);
    resource.source = source_;
    resource.source_version = received.version;
    store(std::move(resource), received);
  }

  // A hashed name says whose it is: it has to be what its labels give, as they came or with the zone that sends. Other
  // names are taken as they are, as a Kuma global does.
  bool is_foreign_name(const ReceivedResource& received) const {
    const auto& name = received.resource.name;
    if (!receiving_.is_global() || !receiving_.peer_hashes_names || !looks_canonical(name)) return false;
    const auto& mesh_name = incoming_.type->mesh_scoped ? received.resource.mesh : received.extra_mesh;
    auto labels = received.resource.labels;
    const auto& named = labels.get(label::zone);
    const bool may_be_another = !receiving_.zones_prove_names || named.empty() || named == receiving_.zone;
    if (may_be_another && canonical_name(mesh_name, name, labels) == name) return false;
    labels.set(label::zone, receiving_.zone);
    return canonical_name(mesh_name, name, labels) != name;
  }

  // Somebody else's resource that stands under the name, or under the one that others would be sent: relayed under one
  // name, two resources would be one for the other zones. Null: nothing does.
  ResourcePtr find_holder(const Resource& resource, std::string& relayed_name) const {
    if (auto existing = transaction_.find(*resource.type, resource.mesh, resource.name);
        existing && !in_scope(*existing))
      return existing;
    if (receiving_.relays_as == nullptr) return nullptr;
    relayed_name = wire_name(resource, *receiving_.relays_as);
    const auto written = transaction_.written_under(*resource.type, resource.mesh, relayed_name);
    auto holder = written.empty() ? transaction_.find_by_wire_name(*resource.type, resource.mesh, relayed_name)
                                  : transaction_.find(*resource.type, resource.mesh, written);
    return holder && holder->name != resource.name ? holder : nullptr;
  }

  // Whose a resource of that source is, for people.
  std::string owner(const std::string& source) const {
    if (source == source_global) return "the global";
    if (!source.empty()) return "zone \"" + source + "\"";
    return receiving_.is_global() ? "the global itself" : "zone \"" + receiving_.control_plane.zone + "\" itself";
  }

  void reject_for(const Resource& holder, const Resource& resource, const std::string& wire, std::string relayed_name) {
    ++applied_.misnamed;
    applied_.conflicts.push_back({resource.mesh, wire, holder.key(), std::move(relayed_name)});
    reject(resource, "conflict",
           "resource already exists: type=\"" + resource.type->name + "\" name=\"" + resource.name + "\" mesh=\"" +
               resource.mesh + "\"; it is of " + owner(holder.source) + " and was sent by " + owner(source_));
  }

  void put(Resource resource) {
    if (receiving_.relays_as != nullptr) {
      transaction_.note_relayed(*resource.type, resource.mesh, wire_name(resource, *receiving_.relays_as),
                                resource.name);
    }
    transaction_.put(std::move(resource));
  }

  void store(Resource resource, const ReceivedResource& received) {
    std::string relayed_name;
    if (const auto holder = find_holder(resource, relayed_name))
      return reject_for(*holder, resource, received.resource.name, std::move(relayed_name));
    if (is_foreign_name(received)) {
      ++applied_.misnamed;
      return reject(resource, "conflict",
                    "name \"" + received.resource.name + "\" does not belong to zone \"" + receiving_.zone + "\"");
    }
    const auto existing = transaction_.find(*resource.type, resource.mesh, resource.name);
    if (!existing) {
      ++applied_.created;
      put(std::move(resource));
      return;
    }
    // A zone keeps the status it computed itself; the global has none of its own.
    if (!receiving_.is_global()) resource.status = existing->status;
    const bool same = existing->source == source_ && existing->labels == resource.labels &&
                      same_content(*existing, resource) && same_status(existing->status, resource.status);
    if (same) {
      ++applied_.unchanged;
      return;
    }
    ++applied_.updated;
    if (!existing->is_copy()) lose(existing->key(), joined_text);
    put(std::move(resource));
  }

  // A zone compares what references have become: a global that starts to rewrite changes nothing here. The global's
  // copy is also what others are sent, so there every change of the author counts.
  bool same_content(const Resource& existing, const Resource& resource) const {
    if (same_spec(*resource.type, existing.spec, resource.spec)) return true;
    if (receiving_.is_global() || !policy::has_derived_form(resource)) return false;
    const auto& plane = receiving_.control_plane;
    return same_spec(*resource.type, policy::derived_form(existing, plane).spec,
                     policy::derived_form(resource, plane).spec);
  }

  void lose(const ResourceKey& key, std::string reason) {
    applied_.own_lost.push_back({key.text(), std::move(reason)});
  }

  void drop(const Resource& existing) {
    ++applied_.removed;
    if (!existing.is_copy()) lose(existing.key(), joined_text);
    for (const auto& gone : remove_with_dependents(transaction_, existing))
      lose(gone, "mesh " + existing.name + " is gone");
  }

  void remove_unseen() {
    std::set<std::pair<std::string, std::string>> kept;
    for (const auto& [mesh_name, wire] : incoming_.seen) kept.emplace(mesh_name, stored_name(wire));
    const auto stored =
        owns_whole_type() ? transaction_.list(*incoming_.type) : transaction_.list_of_source(*incoming_.type, source_);
    for (const auto& existing : stored) {
      if (!kept.contains({existing->mesh, existing->name})) drop(*existing);
    }
  }

  // Kuma words a NACK as lines; a conflict makes the whole text begin with `user error` (3.6). What Kuma does not say,
  // and who looks for the cause needs, is which resource a line is about; conflicts say it themselves.
  void finish_text() {
    std::vector<std::string> lines;
    for (const auto& item : applied_.rejected) {
      if (item.rule != "conflict") lines.push_back(named(item) + ": " + item.text);
    }
    const auto conflicts = lines.size();
    for (const auto& item : applied_.rejected) {
      if (item.rule == "conflict") lines.push_back(item.text);
    }
    auto& text = applied_.nack_text;
    if (conflicts != lines.size()) text = "user error";
    for (auto& line : lines) line = clipped(line, limits::nack_line_bytes);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!text.empty()) text += '\n';
      if (text.size() + lines[i].size() > limits::nack_text_bytes) {
        text += "and " + std::to_string(lines.size() - i) + " more";
        return;
      }
      text += lines[i];
    }
  }

  static std::string named(const RejectedResource& item) {
    return item.type + " \"" + item.name + "\"" + (item.mesh.empty() ? "" : " mesh \"" + item.mesh + "\"");
  }

  Transaction& transaction_;
  const Incoming& incoming_;
  const Receiving& receiving_;
  std::string source_;
  std::set<std::pair<std::string, std::string>> added_;
  Applied applied_;
};

}  // namespace

Applied apply_incoming(Transaction& transaction, const Incoming& incoming, const Receiving& receiving) {
  return Batch(transaction, incoming, receiving).run();
}

}  // namespace kdsd::kds
