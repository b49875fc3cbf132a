#include "kuma_zone.h"

#include <algorithm>

#include "model/proto_spec.h"

#include "envoy/service/discovery/v3/discovery.pb.h"
#include "kuma/mesh/v1alpha1/kds.pb.h"
#include "node.h"

namespace kdsd::sim {
namespace discovery = envoy::service::discovery::v3;
namespace {

std::string version_of(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3ULL;
  return std::to_string(hash);
}

std::string encode(const Wanted& wanted) {
  kuma::mesh::v1alpha1::KumaResource message;
  message.mutable_meta()->set_name(wanted.wire_name);
  if (wanted.key.type->mesh_scoped) message.mutable_meta()->set_mesh(wanted.key.mesh);
  for (const auto& [key, value] : wanted.labels) (*message.mutable_meta()->mutable_labels())[key] = value;
  message.mutable_spec()->set_type_url(wanted.key.type->any_type_url);
  message.mutable_spec()->set_value(wanted.spec);
  if (wanted.key.type->has_status) message.mutable_status()->set_value(wanted.status);
  message.ByteSizeLong();
  return serialize_deterministic(message);
}

}  // namespace

KumaZone::KumaZone(World& world, Place place, std::string name)
    : ControlPlane(world, std::move(place), std::move(name)), store_("kuma-" + name_) {
  sending_.control_plane.mode = policy::Mode::zone;
  sending_.control_plane.zone = place_.zone;
}

void KumaZone::start() {
  alive_ = true;
  database_ = std::make_unique<kds::Index>(world_.catalogue());
  committer_ = std::make_unique<kds::Committer>(*database_, sending_);
  auto state = store_.load();
  for (const auto& entry : state.entries) database_->apply(entry);
  database_->set_head(state.revision);
  for (auto* observer : world_.observers()) observer->on_start(*this, false);
}

void KumaZone::crash() {
  alive_ = false;
  committer_.reset();
  database_.reset();
  down_.reset();
  up_.reset();
  sending_types_.clear();
  done_.clear();
}

void KumaZone::submit(kds::Write write) {
  if (!alive_) return;
  (void)committer_->submit(std::move(write), true);
  kds::CommitBatch batch;
  while (committer_->start(Timestamp{world_.schedule().now()}, batch)) {
    for (auto* observer : world_.observers()) observer->before_commit(*this, batch);
    store_.apply(batch);
    for (auto* observer : world_.observers()) observer->after_commit(*this, batch);
    committer_->finish(Status());
    committer_->complete(Status());
  }
}

bool KumaZone::stream_opened(const Handle& handle, const std::string&, const std::string&,
                             const std::vector<std::string>&) {
  world_.network().allow_read(handle, Side::zone);
  if (handle.flow == Flow::global_to_zone) {
    down_ = handle;
    done_.clear();
    request_all();
  } else {
    up_ = handle;
    sending_types_.clear();
    nonce_ = 0;
  }
  return true;
}

void KumaZone::stream_closed(const Handle& handle, const std::string&) {
  if (down_ == handle) down_.reset();
  if (up_ == handle) up_.reset();
}

void KumaZone::message(const Handle& handle, const std::string& bytes) {
  world_.network().allow_read(handle, Side::zone);
  if (down_ == handle) on_response(bytes);
  if (up_ == handle) on_request(bytes);
}

void KumaZone::request_all() {
  for (const auto* type : world_.catalogue().types()) {
    if (!type->wanted_by_zone() || world_.options().disabled_types.contains(type->name)) continue;
    kds::Request request;
    request.type = type->name;
    request.node_id = place_.zone;
    request.subscribe = {"*"};
    request.node.instance_id = name_ + "-kuma";
    request.node.kuma_version = "2.13.0";
    request.node.config = config_of(place_);
    request.node.features = kds::Features({place_.features.begin(), place_.features.end()});
    world_.sent(*this, *down_, place_.zone, kds::encode_request(request));
  }
}

void KumaZone::on_request(const std::string& bytes) {
  auto request = kds::decode_request(bytes);
  if (!request.ok()) return;
  const bool is_new = !sending_types_.contains(request->type);
  auto& state = sending_types_[request->type];
  state.parked = false;
  if (!consider(request->type, state, is_new || request->nonce.empty())) state.parked = true;
}

void KumaZone::refresh() {
  if (!up_) return;
  for (auto& [type, state] : sending_types_) {
    if (state.parked && consider(type, state, false)) state.parked = false;
  }
}

KumaZone::Snapshot KumaZone::snapshot(const ResourceType& type) const {
  Snapshot out;
  for (const auto& [key, wanted] : wanted_by_global(store_.live(), place_, world_.global().place(), &type)) {
    auto bytes = encode(wanted);
    auto version = version_of(bytes);
    out[wanted.wire_name + "." + wanted.key.mesh] = {std::move(bytes), std::move(version)};
  }
  return out;
}

bool KumaZone::consider(const std::string& name, SenderType& state, bool forced) {
  if (!up_) return false;
  const auto* type = world_.catalogue().find(name);
  const auto now = type == nullptr ? Snapshot{} : snapshot(*type);
  discovery::DeltaDiscoveryResponse response;
  for (const auto& [key, item] : now) {
    auto sent = state.returned.find(key);
    if (sent != state.returned.end() && sent->second == item.version) continue;
    auto& added = *response.add_resources();
    added.set_name(key);
    added.set_version(item.version);
    added.mutable_resource()->set_type_url("type.googleapis.com/kuma.mesh.v1alpha1.KumaResource");
    added.mutable_resource()->set_value(item.bytes);
  }
  for (const auto& [key, version] : state.returned) {
    if (!now.contains(key)) response.add_removed_resources(key);
  }
  if (response.resources_size() == 0 && response.removed_resources_size() == 0 && !forced) return false;
  state.returned.clear();
  for (const auto& [key, item] : now) state.returned[key] = item.version;
  response.set_type_url(name);
  response.set_nonce(std::to_string(++nonce_));
  response.mutable_control_plane()->set_identifier(place_.zone);
  world_.sent(*this, *up_, place_.zone, response.SerializeAsString());
  return true;
}

void KumaZone::on_response(const std::string& bytes) {
  auto response = kds::decode_response(bytes, world_.catalogue());
  if (!response.ok()) return world_.violation("wire", "the global sent a Kuma zone what does not decode");
  const bool initial = !done_[response->type];
  done_[response->type] = true;
  std::string conflicts;
  store(*response, initial, conflicts);
  if (!down_) return;
  kds::Request request;
  request.type = response->type;
  request.node_id = place_.zone;
  request.nonce = response->nonce;
  if (!conflicts.empty()) {
    request.is_nack = true;
    request.subscribe = {"*"};
    request.error_text = "user error\n" + conflicts;
    world_.count("nacks of a Kuma zone");
  }
  world_.sent(*this, *down_, place_.zone, kds::encode_request(request));
}

// Steps of 6.2 and 6.4.
bool KumaZone::store(const kds::Response& response, bool initial, std::string& conflicts) {
  const auto& type = world_.type(response.type);
  kds::Write write;
  write.decide = [&](kds::Transaction& transaction) {
    const auto in_scope = [&](const Resource& resource) {
      return !type.provided_by_zone || is_foreign(resource, place_);
    };
    std::set<ResourceKey> added;
    std::vector<ResourcePtr> removed;
    for (const auto& item : response.resources) {
      if (in_scope(item.resource)) added.insert(item.resource.key());
    }
    if (initial) {
      removed = transaction.list(type);
    } else {
      for (const auto& text : response.removed) {
        auto key = kds::parse_removed(type, text);
        if (auto found = transaction.find(type, key.mesh, key.name)) removed.push_back(found);
      }
    }
    for (const auto& resource : removed) {
      if (in_scope(*resource) && !added.contains(resource->key())) kds::remove_with_dependents(transaction, *resource);
    }
    for (const auto& item : response.resources) {
      if (!in_scope(item.resource)) continue;
      auto existing = transaction.find(type, item.resource.mesh, item.resource.name);
      if (existing && !in_scope(*existing)) {
        conflicts += "resource already exists: type=\"" + type.name + "\" name=\"" + item.resource.name + "\"\n";
        continue;
      }
      if (existing && existing->spec == item.resource.spec && existing->labels == item.resource.labels) continue;
      Resource resource = item.resource;
      if (existing) resource.status = existing->status;
      resource.source = std::string(source_global);
      transaction.put(std::move(resource));
    }
    return Status();
  };
  submit(std::move(write));
  return conflicts.empty();
}

}  // namespace kdsd::sim
