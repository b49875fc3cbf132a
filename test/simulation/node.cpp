#include "node.h"

#include <algorithm>

#include "kds/system_namespace.h"

namespace kdsd::sim {

policy::ControlPlaneKind control_plane_of(const Place& place) {
  policy::ControlPlaneKind out;
  out.mode = place.zone.empty() ? policy::Mode::global : policy::Mode::zone;
  out.federated = !place.zone.empty();
  out.zone = place.zone;
  if (place.is_kubernetes) out.environment = policy::Environment::kubernetes;
  out.system_namespace = place.system_namespace;
  return out;
}

std::string config_of(const Place& place) {
  return std::string(R"({"environment":")") + (place.is_kubernetes ? "kubernetes" : "universal") +
         R"(","store":{"kubernetes":{"systemNamespace":")" + place.system_namespace + R"("}}})";
}

Node::Node(World& world, Place place, std::string name)
    : ControlPlane(world, std::move(place), std::move(name)), store_("store-" + name_) {}

// The default of Kuma: a link that takes nothing for this long is given up.
constexpr std::int64_t send_timeout = 60'000'000'000;

void Node::start() {
  kds::CoreOptions options;
  options.control_plane = control_plane_of(place_);
  options.node.instance_id = name_ + "-" + std::to_string(life_);
  options.node.kuma_version = "2.13.0";
  options.node.config = config_of(place_);
  options.disabled_types = world_.options().disabled_types;
  options.insight_flush_nanos = world_.options().insight_flush;
  options.send_timeout_nanos = send_timeout;
  options.seed = world_.random().below(1u << 31);
  core_ = std::make_unique<kds::Core>(std::move(options), world_.catalogue());
  prepare();
  core_->load(store_.load());
  boot();
  for (auto* observer : world_.observers()) observer->on_start(*this, from_backup_);
  from_backup_ = false;
  carry_out();
}

// What has to be on the disk before anything else runs: a renamed system namespace. Observers see the disk before and
// after, not the writes.
void Node::boot() {
  if (!place_.is_kubernetes) return;
  for (auto* observer : world_.observers()) observer->before_restore(*this);
  kds::Write write;
  write.decide = [this](kds::Transaction& transaction) {
    return kds::rename_system_namespace(transaction, control_plane_of(place_));
  };
  write.done = [this](const Status& status) {
    if (!status.ok()) world_.violation("boot", name_ + " does not start: " + status.text());
  };
  (void)core_->submit(std::move(write));
  for (auto effects = core_->take_effects(); !effects.empty(); effects = core_->take_effects()) {
    for (auto& effect : effects) {
      auto* commit = std::get_if<kds::CommitEffect>(&effect);
      if (commit == nullptr) continue;
      store_.apply(commit->batch);
      core_->committed(Status());
    }
  }
  for (auto* observer : world_.observers()) observer->after_restore(*this);
}

void Node::rename_system_namespace(const std::string& name) {
  for (auto* observer : world_.observers()) observer->on_renaming(*this, place_.system_namespace, name);
  place_.system_namespace = name;
}

void Node::prepare() { core_->set_now(Timestamp{world_.schedule().now()}); }

void Node::crash() {
  ++life_;
  effects_left_.reset();
  if (in_flight_ && world_.random().one_in(2)) make_durable();
  in_flight_.reset();
  core_.reset();
  handles_.clear();
  ids_.clear();
  zones_.clear();
}

void Node::restore_backup(std::size_t commits_back) {
  for (auto* observer : world_.observers()) observer->before_restore(*this);
  store_.restore(store_.commits() - std::min(commits_back, store_.commits()));
  from_backup_ = true;
  for (auto* observer : world_.observers()) observer->after_restore(*this);
}

std::string Node::zone_of(const Handle& handle) const {
  if (!is_global()) return place_.zone;
  auto it = zones_.find(handle);
  return it == zones_.end() ? std::string() : it->second;
}

bool Node::stream_opened(const Handle& handle, const std::string& zone, const std::string& connection,
                         const std::vector<std::string>& features) {
  if (!core_) return false;
  prepare();
  kds::StreamOpened opened;
  opened.kind = handle.flow;
  opened.peer_zone = zone;
  opened.connection = connection;
  opened.features = features;
  auto id = core_->opened(opened);
  if (!id.ok()) return false;
  handles_[*id] = handle;
  ids_[handle] = *id;
  zones_[handle] = zone;
  carry_out();
  return true;
}

void Node::message(const Handle& handle, const std::string& bytes) {
  auto it = ids_.find(handle);
  if (!core_ || it == ids_.end()) return;
  prepare();
  core_->received(it->second, bytes);
  carry_out();
}

void Node::stream_closed(const Handle& handle, const std::string& why) {
  auto it = ids_.find(handle);
  if (!core_ || it == ids_.end()) return;
  const auto id = it->second;
  handles_.erase(id);
  ids_.erase(it);
  prepare();
  core_->closed(id, why);
  carry_out();
}

void Node::tick() {
  prepare();
  core_->tick();
  carry_out();
}

void Node::submit(kds::Write write) {
  if (!core_) return;
  prepare();
  if (!core_->submit(std::move(write)).ok()) world_.count("writes-turned-away");
  carry_out();
}

// What a failed commit left undone is tried again with the next tick.
bool Node::is_busy() const {
  const bool tries_again = failed_at_ != 0 && world_.schedule().now() - failed_at_ < 2 * second;
  return tries_again || (core_ && !core_->idle());
}

void Node::carry_out() {
  auto effects = core_->take_effects();
  for (auto& effect : effects) {
    if (effects_left_ && (*effects_left_)-- == 0) {
      world_.crash(*this, world_.random().one_in(4));
      return;
    }
    carry_out(effect);
  }
}

void Node::carry_out(kds::Effect& effect) {
  if (auto* send = std::get_if<kds::SendEffect>(&effect)) {
    auto it = handles_.find(send->stream);
    if (it == handles_.end()) return;
    world_.sent(*this, it->second, zone_of(it->second), send->message.joined());
    world_.schedule().after(world_.random().between(10 * microsecond, millisecond),
                            [this, life = life_, id = send->stream] {
                              if (life != life_ || !core_) return;
                              prepare();
                              core_->written(id);
                              carry_out();
                            });
  } else if (auto* read = std::get_if<kds::ReadEffect>(&effect)) {
    auto it = handles_.find(read->stream);
    if (it != handles_.end()) world_.network().allow_read(it->second, side());
  } else if (auto* close = std::get_if<kds::CloseEffect>(&effect)) {
    auto it = handles_.find(close->stream);
    if (it == handles_.end()) return;
    const auto handle = it->second;
    if (world_.tracing()) {
      world_.trace(name_ + " closes " + text(handle.flow) + "#" + std::to_string(handle.connection) + ": " +
                   close->text);
    }
    handles_.erase(it);
    ids_.erase(handle);
    world_.network().close(handle, side(), close->text);
  } else if (auto* commit = std::get_if<kds::CommitEffect>(&effect)) {
    begin_commit(std::move(commit->batch));
  } else if (auto* log = std::get_if<kds::LogEffect>(&effect)) {
    if (world_.tracing()) world_.trace(name_ + " log: " + log->text);
  }
}

void Node::begin_commit(kds::CommitBatch batch) {
  if (in_flight_) world_.violation("effects", name_ + " began a commit while another one is under way");
  in_flight_ = std::move(batch);
  auto delay = world_.random().between(world_.options().commit_min, world_.options().commit_max);
  delay += std::exchange(slow_commit_, 0);
  world_.schedule().after(delay, [this, life = life_] {
    if (life == life_ && core_) end_commit();
  });
}

void Node::end_commit() {
  prepare();
  if (std::exchange(fail_commit_, false)) {
    in_flight_.reset();
    failed_at_ = world_.schedule().now();
    world_.count("commits that failed");
    if (world_.tracing()) world_.trace(name_ + " commit fails");
    core_->committed(Status(Code::unavailable, "disk full"));
  } else {
    make_durable();
    in_flight_.reset();
    core_->committed(Status());
  }
  carry_out();
}

void Node::make_durable() {
  const auto batch = *in_flight_;
  if (world_.tracing()) {
    std::string line = name_ + " commit";
    for (const auto& entry : batch.upserts)
      line += (entry->resource ? " +" : " -") + entry->key.text() + "@" + std::to_string(entry->revision.value);
    for (const auto& key : batch.purges) line += " x" + key.text();
    for (const auto& [name, value] : batch.facts) line += " " + name + "=" + value;
    world_.trace(line);
  }
  for (auto* observer : world_.observers()) observer->before_commit(*this, batch);
  store_.apply(batch);
  world_.count("commits");
  for (auto* observer : world_.observers()) observer->after_commit(*this, batch);
}

}  // namespace kdsd::sim
