#include "faults.h"

#include "node.h"

namespace kdsd::sim {
namespace {

constexpr std::int64_t down_max = 12 * second;
constexpr std::int64_t partition_max = 25 * second;
constexpr std::uint64_t commits_lost_max = 12;  // by a restored backup

}  // namespace

Faults::Faults(World& world) : world_(world), random_(world.random()) {
  kinds_ = {
      {"connection lost", 6, [this] { return world_.network().cut(some_zone()), true; }},
      {"partition", 3,
       [this] {
         const auto until = world_.schedule().now() + random_.between(second, partition_max);
         const auto direction = random_.below(4);  // mostly both
         world_.network().partition(some_zone(), until, direction != 0, direction != 1);
         return true;
       }},
      {"half-open, the zone knows", 4,
       [this] { return world_.network().half_open(some_zone(), Side::zone, random_.one_in(2)), true; }},
      {"half-open, the global knows", 3,
       [this] { return world_.network().half_open(some_zone(), Side::global, random_.one_in(2)), true; }},
      {"late old connection", 3, [this] { return second_connection(); }},
      {"crash", 4, [this] { return crash(); }},
      {"crash at an effect", 6, [this] { return crash_at_effect(); }},
      {"restored backup", 1, [this] { return restore_backup(); }},
      {"renamed system namespace", 3, [this] { return rename_system_namespace(); }},
      {"slow commit", 3,
       [this] {
         auto* node = dynamic_cast<Node*>(&some_party());
         if (node != nullptr) node->slow_next_commit(random_.between(100 * millisecond, 5 * second));
         return node != nullptr;
       }},
      {"failing commit", 2,
       [this] {
         auto* node = dynamic_cast<Node*>(&some_party());
         if (node != nullptr) node->fail_next_commit();
         return node != nullptr;
       }},
  };
}

std::vector<std::string> Faults::kinds() {
  return {"connection lost",
          "partition",
          "half-open, the zone knows",
          "half-open, the global knows",
          "late old connection",
          "crash",
          "crash at an effect",
          "restored backup",
          "renamed system namespace",
          "slow commit",
          "failing commit"};
}

void Faults::strike() {
  int total = 0;
  for (const auto& kind : kinds_) total += kind.weight;
  auto left = static_cast<int>(random_.below(static_cast<std::uint64_t>(total)));
  for (const auto& kind : kinds_) {
    left -= kind.weight;
    if (left >= 0) continue;
    if (world_.tracing()) world_.trace("fault: " + kind.name);
    if (kind.strike()) world_.count("fault: " + kind.name);
    return;
  }
}

ControlPlane& Faults::some_party() {
  // The global is as likely as all zones together: it has the most to lose.
  const auto& parties = world_.parties();
  return random_.one_in(2) ? *parties.front() : *parties[random_.below(parties.size())];
}

std::string Faults::some_zone() { return random_.pick(world_.zone_names()); }

void Faults::restart_later(ControlPlane& party) {
  world_.schedule().after(random_.between(100 * millisecond, down_max), [this, &party] {
    if (!healing_) world_.restart(party);
  });
}

bool Faults::crash() {
  auto& party = some_party();
  if (!party.alive()) return false;
  world_.crash(party, random_.one_in(3));
  restart_later(party);
  return true;
}

bool Faults::crash_at_effect() {
  auto& party = some_party();
  auto* node = dynamic_cast<Node*>(&party);
  if (node == nullptr || !party.alive()) return false;
  node->crash_in(random_.below(40));
  // When it strikes is not known; whoever lies dead at the end of the wait is started.
  world_.schedule().after(5 * second, [this, &party] { restart_later(party); });
  return true;
}

bool Faults::restore_backup() {
  auto& party = some_party();
  auto* node = dynamic_cast<Node*>(&party);
  if (node == nullptr || !node->can_restore()) return false;
  world_.crash(party, random_.one_in(3));
  node->restore_backup(1 + random_.below(commits_lost_max));
  restart_later(party);
  return true;
}

bool Faults::rename_system_namespace() {
  static const std::vector<std::string> names = {"kuma-system", "mesh-system", "ops-system"};
  auto& party = some_party();
  auto* node = dynamic_cast<Node*>(&party);
  if (node == nullptr || !party.alive() || !party.place().is_kubernetes) return false;
  world_.crash(party, random_.one_in(3));
  node->rename_system_namespace(random_.pick(names));
  restart_later(party);
  return true;
}

// What the zone sent last arrives seconds later, when it already has another connection.
bool Faults::second_connection() {
  const auto zone = some_zone();
  const auto now = world_.schedule().now();
  world_.network().partition(zone, now + random_.between(second, 6 * second), true, false);
  world_.schedule().after(random_.between(100 * millisecond, 900 * millisecond), [this, zone] {
    world_.network().half_open(zone, Side::zone, true);
    world_.network().reachable(zone);
  });
  return true;
}

void Faults::heal() {
  healing_ = true;
  for (const auto& party : world_.parties()) {
    if (auto* node = dynamic_cast<Node*>(party.get())) node->spare();
    if (!party->alive()) world_.restart(*party);
  }
  world_.network().heal();
}

}  // namespace kdsd::sim
