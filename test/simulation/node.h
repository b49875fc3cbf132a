// A kdsd process in the simulated world: a kds::Core, carried out effect by effect, on a simulated disk.
//
// It may crash at any effect boundary: what came before was carried out, what comes after was not. A commit that was on
// its way then is on the disk or is not, as the seed decides.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "world.h"

namespace kdsd::sim {

// What the rules of the code under test are told about a place.
policy::ControlPlaneKind control_plane_of(const Place& place);
// What a zone tells of itself: the part of its configuration that others look at.
std::string config_of(const Place& place);

class Node : public ControlPlane {
 public:
  Node(World& world, Place place, std::string name);

  bool alive() const override { return core_ != nullptr; }
  bool stream_opened(const Handle& handle, const std::string& zone, const std::string& connection,
                     const std::vector<std::string>& features) override;
  void message(const Handle& handle, const std::string& bytes) override;
  void stream_closed(const Handle& handle, const std::string& why) override;

  const Resources& resources() const override { return store_.live(); }
  EntryPtr entry(const ResourceKey& key) const { return store_.entry(key); }
  bool is_kdsd() const override { return true; }
  void start() override;
  void tick() override;
  void crash() override;
  void submit(kds::Write write) override;
  bool is_busy() const override;
  std::size_t commits() const override { return store_.commits(); }

  // Faults.
  void crash_in(std::size_t effects) { effects_left_ = effects; }
  void slow_next_commit(std::int64_t delay) { slow_commit_ = delay; }
  void fail_next_commit() { fail_commit_ = true; }
  void spare() {  // nothing that was planned happens any more
    effects_left_.reset();
    slow_commit_ = 0;
    fail_commit_ = false;
  }
  void restore_backup(std::size_t commits_back);          // only while it is down
  void rename_system_namespace(const std::string& name);  // likewise
  bool can_restore() const { return store_.commits() > 0; }

  const kds::Core& core() const { return *core_; }

 private:
  void prepare();
  void boot();
  void carry_out();
  void carry_out(kds::Effect& effect);
  void begin_commit(kds::CommitBatch batch);
  void end_commit();
  void make_durable();
  std::string zone_of(const Handle& handle) const;

  SimStore store_;
  std::unique_ptr<kds::Core> core_;
  std::uint64_t life_ = 0;  // rises with each crash: what was planned for an earlier life does not happen
  std::map<kds::StreamId, Handle> handles_;
  std::map<Handle, kds::StreamId> ids_;
  std::map<Handle, std::string> zones_;
  std::optional<kds::CommitBatch> in_flight_;
  std::optional<std::size_t> effects_left_;
  std::int64_t slow_commit_ = 0;
  bool fail_commit_ = false;
  std::int64_t failed_at_ = 0;  // the last commit that failed
  bool from_backup_ = false;
};

}  // namespace kdsd::sim
