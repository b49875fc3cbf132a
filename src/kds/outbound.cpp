#include "kds/outbound.h"

#include <array>
#include <openssl/sha.h>

#include "kds/api_server_rules.h"
#include "kds/signing_key.h"
#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "model/proto_spec.h"
#include "policy/references.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/kds.pb.h"
#include "kuma/mesh/v1alpha1/zone_proxy.pb.h"
#include "kuma/system/v1alpha1/config.pb.h"

namespace kdsd::kds {
namespace {

constexpr std::string_view resource_url = "type.googleapis.com/kuma.mesh.v1alpha1.KumaResource";

Decision nobody(std::string_view reason) { return {{Audience::Kind::nobody, {}}, std::string(reason), 0}; }

bool is_internal_secret(std::string_view name) {
  constexpr std::array<std::string_view, 4> kept = {"envoy-admin-ca", "admin-user-token", "inter-cp-ca",
                                                    "user-token-revocations"};
  for (auto other : kept) {
    if (name == other) return true;
  }
  return name.starts_with("user-token-signing-key");
}

bool is_zone_signing_key(const Resource& resource) {
  return resource.type->name == "GlobalSecret" && std::string_view(resource.name).starts_with(zone_signing_key_prefix);
}

std::string secret_data(const Resource& resource) {
  kuma::system::v1alpha1::Secret secret;
  if (!secret.ParseFromString(resource.spec)) return {};
  return secret.data().value();
}

std::uint8_t needed_features(const Resource& resource, const boost::json::value& spec) {
  std::uint8_t needs = 0;
  if (resource.type->is_plugin_policy()) {
    if (resource.is_copy()) needs |= feature_bit::producer_policy_flow;
    if (find(spec, {"targetRef"}) == nullptr) needs |= feature_bit::optional_target_ref;
  }
  if (resource.type->name == "HostnameGenerator" && find(spec, {"selector", "meshMultiZoneService"}) != nullptr) {
    needs |= feature_bit::multizone_generator;
  }
  return needs;
}

Decision own_of_global(const Resource& resource) {
  if (!resource.type->global_to_zone()) return nobody("type-not-synced");
  if (resource.type->name == "Config" && resource.name != "kuma-cluster-id") return nobody("internal");
  if (resource.type->name == "GlobalSecret" && is_internal_secret(resource.name)) return nobody("internal");
  if (is_zone_signing_key(resource) && !public_half(secret_data(resource)).ok()) return nobody("not-a-signing-key");
  Decision decision{{Audience::Kind::everybody, {}}, "global-originated", 0};
  if (resource.type->encoding == SpecEncoding::json) decision.needs = needed_features(resource, spec_json(resource));
  return decision;
}

// Policies of a zone: only what a producer wrote reaches other zones (gates G4 to G7).
Decision policy_of_zone(const Resource& resource, const boost::json::value& spec) {
  const auto& declared = resource.labels.get(label::policy_role);
  auto role = role_of_relayed(resource, spec);
  if (!role.ok()) return nobody("role-invalid");
  if (*role != policy::Role::producer) return nobody("role-" + std::string(policy::text(*role)));
  if (declared != "producer") return nobody("role-declared-" + (declared.empty() ? std::string("system") : declared));
  Decision decision;
  decision.needs = needed_features(resource, spec);
  auto tag = policy::zone_tag(spec);
  if (tag.empty()) {
    decision.audience = {Audience::Kind::everybody_but, resource.source};
    decision.reason = "producer";
  } else {
    decision.reason = "producer-zone-tag";
    if (tag != resource.source) decision.audience = {Audience::Kind::only, tag};
  }
  return decision;
}

Decision relayed(const Resource& resource, const ZoneEnabled& zone_enabled) {
  if (!resource.type->across_zones) return nobody("type-not-synced-across-zones");
  Decision decision{{Audience::Kind::everybody_but, resource.source}, "shared-across-zones", 0};
  if (resource.type->is_plugin_policy()) {
    decision = policy_of_zone(resource, spec_json(resource));
    if (decision.audience.kind == Audience::Kind::nobody) return decision;
  }
  if (!zone_enabled(resource.source)) return nobody("origin-zone-disabled");
  return decision;
}

}  // namespace

Result<policy::Role> role_of_relayed(const Resource& resource, const boost::json::value& spec) {
  // Only the zone knows which of its namespaces is the system namespace, where all kinds of items may be mixed.
  if (resource.labels.get(label::policy_role) == policy::text(policy::Role::system)) return policy::Role::system;
  return policy::compute_role(spec, resource.labels.get(label::namespace_), policy::Environment::kubernetes, "");
}

std::string held_back_because(const Resource& resource, const Sending& sending) {
  return refused_by_api_server(resource, wire_name(resource, sending), wire_labels(resource, sending));
}

Decision audience_of(const Resource& resource, const Sending& sending, const ZoneEnabled& zone_enabled) {
  if (resource.labels.get(label::kds_sync) == "disabled") return nobody("kds-sync-disabled");
  if (sending.is_global()) {
    auto decision = resource.is_copy() ? relayed(resource, zone_enabled) : own_of_global(resource);
    if (decision.audience.kind != Audience::Kind::nobody && !held_back_because(resource, sending).empty())
      decision.needs |= feature_bit::own_store;
    return decision;
  }
  if (resource.is_copy()) return nobody("not-originated-here");
  const auto& origin = resource.labels.get(label::origin);
  if (!origin.empty() && origin != "zone") return nobody("not-originated-here");
  if (!resource.type->zone_to_global()) return nobody("type-not-synced");
  return {{Audience::Kind::everybody, {}}, "zone-originated", 0};
}

namespace {

// The stored name without the namespace that only this control plane's store gave it.
std::string bare_name(const Resource& resource, const Sending& sending) {
  const auto suffix = "." + sending.control_plane.system_namespace;
  if (sending.control_plane.has_namespaces() && resource.type->named_with_namespace() &&
      resource.name.ends_with(suffix)) {
    return resource.name.substr(0, resource.name.size() - suffix.size());
  }
  return resource.name;
}

Labels labels_before_naming(const Resource& resource, const Sending& sending) {
  Labels labels = resource.labels;
  if (sending.is_global()) {
    labels.set(label::origin, "global");
  } else {
    labels.set(label::origin, "zone");
    labels.set(label::zone, sending.control_plane.zone);
    labels.erase(label::deletion_grace_period);
  }
  for (const auto& prefix : sending.skip_label_prefixes) labels.erase_prefix(prefix);
  return labels;
}

bool is_renamed(const Resource& resource, const Sending& sending, bool hashed) {
  if (!sending.is_global()) return !resource.is_copy();
  return resource.type->hashed && hashed;
}

// A sender from a zone zeroes the generation of subscriptions: it rises all the time and would be a change each time.
template <typename Insight>
std::string without_generation(const std::string& spec) {
  Insight insight;
  if (!insight.ParseFromString(spec)) return spec;
  for (auto& subscription : *insight.mutable_subscriptions()) subscription.set_generation(0);
  return serialize_deterministic(insight);
}

std::string wire_spec(const Resource& resource, const Sending& sending) {
  const auto& type = resource.type->name;
  if (sending.is_global()) {
    if (!is_zone_signing_key(resource)) return resource.spec;
    auto pem = public_half(secret_data(resource));
    kuma::system::v1alpha1::Secret secret;
    if (pem.ok()) secret.mutable_data()->set_value(*pem);
    return serialize_deterministic(secret);
  }
  if (type == "DataplaneInsight") return without_generation<kuma::mesh::v1alpha1::DataplaneInsight>(resource.spec);
  if (type == "ZoneIngressInsight") return without_generation<kuma::mesh::v1alpha1::ZoneIngressInsight>(resource.spec);
  if (type == "ZoneEgressInsight") return without_generation<kuma::mesh::v1alpha1::ZoneEgressInsight>(resource.spec);
  return resource.spec;
}

std::string hex_sha256(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash);
  std::string out;
  for (unsigned char byte : hash) {
    out += digits[byte >> 4];
    out += digits[byte & 0xf];
  }
  return out;
}

void append_varint(std::string& out, std::size_t value) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void append_field(std::string& out, unsigned number, std::string_view bytes) {
  append_varint(out, (number << 3) | 2);
  append_varint(out, bytes.size());
  out += bytes;
}

}  // namespace

std::string wire_name(const Resource& resource, const Sending& sending, bool hashed) {
  if (sending.is_global() && is_zone_signing_key(resource)) return public_key_name(resource.name);
  auto bare = bare_name(resource, sending);
  if (!is_renamed(resource, sending, hashed)) return bare;
  const auto& mesh = resource.type->mesh_scoped ? resource.mesh : std::string();
  return canonical_name(mesh, bare, labels_before_naming(resource, sending));
}

Labels wire_labels(const Resource& resource, const Sending& sending, bool hashed) {
  auto labels = labels_before_naming(resource, sending);
  const bool renamed = is_renamed(resource, sending, hashed) || (sending.is_global() && is_zone_signing_key(resource));
  if (renamed && labels.get(label::display_name).empty()) labels.set(label::display_name, bare_name(resource, sending));
  return labels;
}

std::optional<std::string> rewritten_spec(const Resource& resource, const Sending& sending) {
  if (!sending.is_global()) return std::nullopt;
  const auto spec = policy::derived_spec(resource, sending.control_plane);
  if (!spec) return std::nullopt;
  return to_wire_json(*spec);
}

EncodedPtr encode(const Resource& resource, const Sending& sending, bool hashed, const std::string* spec) {
  kuma::mesh::v1alpha1::KumaResource message;
  auto& meta = *message.mutable_meta();
  meta.set_name(wire_name(resource, sending, hashed));
  if (resource.type->mesh_scoped) meta.set_mesh(resource.mesh);
  for (const auto& [key, value] : wire_labels(resource, sending, hashed)) (*meta.mutable_labels())[key] = value;
  message.mutable_spec()->set_type_url(resource.type->any_type_url);
  message.mutable_spec()->set_value(spec != nullptr ? *spec : wire_spec(resource, sending));
  if (resource.type->has_status) {
    const bool emptied = sending.is_global() || resource.status.empty();
    message.mutable_status()->set_value(emptied ? resource.type->empty_status : resource.status);
  }
  const auto binary = serialize_deterministic(message);

  auto out = std::make_shared<EncodedResource>();
  out->version = hex_sha256(binary);
  out->key = meta.name() + "." + meta.mesh();
  std::string any;
  append_field(any, 1, resource_url);
  append_field(any, 2, binary);
  std::string item;
  append_field(item, 1, out->version);
  append_field(item, 2, any);
  append_field(item, 3, out->key);
  append_field(out->bytes, 2, item);  // DeltaDiscoveryResponse.resources
  return out;
}

}  // namespace kdsd::kds
