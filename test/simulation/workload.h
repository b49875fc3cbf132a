// Clients of all control planes: they create, change and delete resources as REST would, and remember what was
// acknowledged.
//
// The expectation of one resource is the last acknowledged state, or any later one that was tried.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "world.h"

namespace kdsd::sim {

// What a client wrote: absent, or these labels and this spec.
struct Content {
  bool exists = false;
  Labels labels;
  std::string spec;
  friend bool operator==(const Content&, const Content&) = default;
  std::string text() const;
};
Content content_of(const ResourcePtr& resource);

// What one control plane's own resources may be, by what its clients were told.
class Ledger {
 public:
  using Ticket = std::uint64_t;

  Ticket attempt(const ResourceKey& key, Content content);
  void acknowledged(const ResourceKey& key, Ticket ticket);
  void refused(const ResourceKey& key, Ticket ticket);
  // After a restart what is found is what counts: nobody waits for an answer any more.
  void settle(const ResourceKey& key, const Content& found);

  // What was written into the system namespace is found under its new name from the next start on.
  void rename_namespace(const std::string& before, const std::string& after);

  bool knows(const ResourceKey& key) const { return accounts_.contains(key); }
  bool allows(const ResourceKey& key, const Content& found) const;
  std::string expectation(const ResourceKey& key) const;
  std::vector<ResourceKey> keys() const;

 private:
  struct Attempt {
    Ticket ticket;
    Content content;
  };
  struct Account {
    Content acknowledged;
    std::deque<Attempt> attempts;
  };
  std::map<ResourceKey, Account> accounts_;
  Ticket last_ = 0;
};

class Workload {
 public:
  explicit Workload(World& world);

  // Meshes and other things every world begins with.
  void begin();
  // Something, somewhere.
  void act();

  // The writes behind `act`; also for scenarios.
  void put(ControlPlane& at, Resource resource);
  void remove(ControlPlane& at, const ResourceKey& key);

  Ledger& ledger(const std::string& party) { return ledgers_[party]; }

 private:
  struct Choice {
    int weight;
    std::function<void()> act;
  };
  void put_when(ControlPlane& at, Resource resource, const std::string& mesh);
  ControlPlane& some_zone();
  ControlPlane& some_party();
  std::string some_mesh();
  std::string some_name();
  void put_mesh();
  // A resource of some name in some mesh, with the labels of one written there.
  Resource draft_at(ControlPlane& at, std::string_view type);
  void put_policy(ControlPlane& at);
  void put_route(ControlPlane& at);
  std::string reference(bool is_producer);
  std::string written_in(const ControlPlane& at);
  void add_role(ControlPlane& at, Resource& resource, const std::string& namespace_, bool is_producer);
  void put_service();
  void put_dataplane();
  void put_ingress();
  void put_secret(ControlPlane& at);
  void put_global_secret();
  void put_generator(ControlPlane& at);
  void switch_zone();
  void delete_zone();
  void remove_some();
  void remove_mesh();
  void recreate_some();
  void flip_sync();
  std::optional<Resource> some_own(ControlPlane& at);

  World& world_;
  Random& random_;
  std::map<std::string, Ledger> ledgers_;
  std::vector<Choice> choices_;
  std::uint64_t counter_ = 0;
};

// Labels as REST gives them to a new resource, where there are no namespaces.
Labels own_labels(const ControlPlane& at, const std::string& mesh);

// Where there are, name and labels of a new resource say in which one it is; elsewhere nothing changes.
void settle_in_namespace(const ControlPlane& at, Resource& resource, const std::string& namespace_);

}  // namespace kdsd::sim
