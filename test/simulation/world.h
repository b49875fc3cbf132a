// The simulated world: a global, its zones, their disks and the links between them, in one thread, from one seed.
//
// Parties and checkers meet here: the world counts, traces and collects violations.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kds/wire.h"

#include "network.h"
#include "reference.h"
#include "schedule.h"

namespace kdsd::sim {

class World;

// A control plane with a place and a disk.
class ControlPlane : public Party {
 public:
  ControlPlane(World& world, Place place, std::string name)
      : world_(world), place_(std::move(place)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const Place& place() const { return place_; }
  bool is_global() const { return place_.zone.empty(); }
  Side side() const { return is_global() ? Side::global : Side::zone; }

  virtual const Resources& resources() const = 0;  // what is durable
  virtual bool is_kdsd() const = 0;
  virtual void start() = 0;
  virtual void tick() = 0;
  // The process dies now; its streams with it.
  virtual void crash() = 0;
  // A user's write. `decide` changes through the transaction of the store; `done` gets the outcome.
  virtual void submit(kds::Write write) = 0;
  virtual bool is_busy() const { return false; }
  virtual std::size_t commits() const { return 0; }

 protected:
  World& world_;
  Place place_;
  std::string name_;
};

// Watches everything that happens. Called in the order of events.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_response(const ControlPlane&, const Handle&, const std::string& /*zone*/, const kds::Response&) {}
  virtual void on_request(const ControlPlane&, const Handle&, const std::string& /*zone*/, const kds::Request&) {}
  virtual void before_commit(const ControlPlane&, const kds::CommitBatch&) {}  // the disk still has what was before
  virtual void after_commit(const ControlPlane&, const kds::CommitBatch&) {}
  virtual void on_start(const ControlPlane&, bool /*from_backup*/) {}
  virtual void before_restore(const ControlPlane&) {}
  virtual void after_restore(const ControlPlane&) {}  // its disk goes back to a backup; it starts later
  // It is down, and will start with another system namespace.
  virtual void on_renaming(const ControlPlane&, const std::string& /*before*/, const std::string& /*after*/) {}
};

struct WorldOptions {
  std::uint64_t seed = 1;
  LinkOptions link;
  std::int64_t commit_min = 100 * microsecond;
  std::int64_t commit_max = 10 * millisecond;
  std::set<std::string> disabled_types;  // not provided and not asked for, to keep runs short
  std::int64_t insight_flush = 5 * second;
};

class World {
 public:
  explicit World(WorldOptions options);
  ~World();

  // Without a system namespace there are no namespaces at all.
  void add_global(const std::string& system_namespace = {});
  void add_zone(const std::string& name, const std::string& system_namespace = {});
  void add_kuma_zone(const std::string& name, std::vector<std::string> features);
  void start();

  void run_for(std::int64_t duration);

  ControlPlane& global() { return *parties_.front(); }
  ControlPlane& zone(const std::string& name) { return party(name); }
  ControlPlane& party(const std::string& name);
  const std::vector<std::unique_ptr<ControlPlane>>& parties() const { return parties_; }
  std::vector<std::string> zone_names() const;

  void crash(ControlPlane& party, bool silently);
  void restart(ControlPlane& party);

  Schedule& schedule() { return schedule_; }
  Random& random() { return random_; }
  Network& network() { return network_; }
  const WorldOptions& options() const { return options_; }
  const Catalogue& catalogue() const { return Catalogue::builtin(); }
  const ResourceType& type(std::string_view name) const { return *catalogue().find(name); }

  void observe(Observer* observer) { observers_.push_back(observer); }
  const std::vector<Observer*>& observers() const { return observers_; }
  // A message leaves a party.
  void sent(ControlPlane& from, const Handle& handle, const std::string& zone, std::string bytes);

  // Facts for the report; sorted by name.
  void count(const std::string& what, std::uint64_t by = 1) { counts_[what] += by; }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

  void violation(const std::string& checker, const std::string& text);
  const std::vector<std::string>& violations() const { return violations_; }

  void set_tracing(bool tracing, bool printing) {
    tracing_ = tracing;
    printing_ = printing;
  }
  bool tracing() const { return tracing_; }
  void trace(const std::string& line);
  const std::deque<std::string>& trace_lines() const { return trace_; }
  std::string time_text() const;

 private:
  void tick(std::size_t index);

  WorldOptions options_;
  Schedule schedule_;
  Random random_;
  Network network_;
  std::vector<std::unique_ptr<ControlPlane>> parties_;
  std::vector<Observer*> observers_;
  std::map<std::string, std::uint64_t> counts_;
  std::vector<std::string> violations_;
  bool tracing_ = false;
  bool printing_ = false;
  std::deque<std::string> trace_;
  std::int64_t started_ = 0;
};

}  // namespace kdsd::sim
