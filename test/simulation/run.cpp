#include "run.h"

#include "checker_acknowledged.h"
#include "checker_convergence.h"
#include "checker_cost.h"
#include "checker_explain.h"
#include "checker_history.h"
#include "checker_leak.h"
#include "faults.h"
#include "workload.h"

namespace kdsd::sim {
namespace {

constexpr std::int64_t convergence_limit =
    120 * second;                                 // after the healing; keepalive and back-off take up to a third of it
constexpr std::int64_t hold_off = 60 * second;    // a superseded instance that comes back waits that long
constexpr std::int64_t settle_time = 8 * second;  // longer than an insight flush

// What the workload uses; other types are left out of most runs, where they would only be asked for.
const std::set<std::string> used_types = {"Mesh",   "MeshTimeout",  "MeshService",       "Dataplane",     "ZoneIngress",
                                          "Secret", "GlobalSecret", "HostnameGenerator", "MeshHTTPRoute", "Config"};

WorldOptions world_options(std::uint64_t seed) {
  WorldOptions options;
  options.seed = seed;
  if (seed % 8 != 5) {
    for (const auto* type : Catalogue::builtin().types()) {
      if (!used_types.contains(type->name)) options.disabled_types.insert(type->name);
    }
  }
  if (seed % 5 == 2) {
    options.link.delay_max = 400 * millisecond;
    options.commit_max = 200 * millisecond;
  }
  return options;
}

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options),
        world_(world_options(options.seed)),
        workload_(world_),
        acknowledged_(world_, workload_),
        convergence_(world_),
        explain_(world_),
        leak_(world_),
        history_(world_),
        cost_(world_),
        faults_(world_) {
    world_.set_tracing(options.tracing, options.printing);
    for (Observer* observer : std::initializer_list<Observer*>{&acknowledged_, &leak_, &history_, &cost_})
      world_.observe(observer);
    build();
  }

  RunResult run() {
    phase("faults", [this] { make_trouble(); });
    phase("convergence", [this] {
      faults_.heal();
      converge(true);
    });
    phase("convergence after a reconnect", [this] {
      reconnect_all();
      converge(false);
    });
    phase("quiet reconnect", [this] {
      world_.run_for(settle_time);
      cost_.begin(convergence_.conflicts());
      reconnect_all();
      converge(false);
      world_.run_for(settle_time);
      cost_.end();
    });
    phase("acknowledged writes", [this] {
      for (const auto& party : world_.parties()) acknowledged_.check_all(*party);
    });
    return finish();
  }

 private:
  void build() {
    const auto seed = options_.seed;
    // Every mix of control planes with and without namespaces; system namespaces agree or differ.
    world_.add_global(seed % 4 == 2 ? "kuma-system" : "");
    world_.add_zone("east", seed % 8 == 2 || seed % 8 == 4 ? "ops-system" : "");
    world_.add_zone("west", seed % 4 == 1 ? "kuma-system" : seed % 4 == 2 ? "mesh-system" : "");
    if (seed % 3 == 0) {
      std::vector<std::string> features = {"zone-token", "hash-suffix", "hg-mz-selector", "producer-policy-flow",
                                           "optional-top-level-target-ref"};
      if (seed % 2 == 0) features.resize(3);  // an older release
      world_.add_kuma_zone("north", std::move(features));
    } else {
      world_.add_zone("north");
    }
    world_.start();
    workload_.begin();
  }

  template <typename Body>
  void phase(const std::string& name, Body body) {
    if (!world_.violations().empty()) return;
    if (world_.tracing()) world_.trace("phase: " + name);
    phase_ = name;
    body();
  }

  void make_trouble() {
    auto& random = world_.random();
    const auto until = world_.schedule().now() + random.between(20, 90) * second;
    const auto pace = random.pick(std::vector<std::int64_t>{30 * millisecond, 150 * millisecond, 600 * millisecond});
    auto next_fault = world_.schedule().now() + random.between(0, 5 * second);
    while (world_.schedule().now() < until && world_.violations().empty()) {
      world_.run_for(random.between(0, 2 * pace));
      workload_.act();
      if (random.one_in(8)) {
        for (auto burst = random.below(8); burst > 0; --burst) workload_.act();
      }
      if (world_.schedule().now() < next_fault) continue;
      faults_.strike();
      next_fault = world_.schedule().now() + random.between(100 * millisecond, 6 * second);
    }
  }

  void reconnect_all() {
    for (const auto& zone : world_.zone_names()) world_.network().cut(zone);
    world_.run_for(second);
  }

  bool all_connected() const {
    for (const auto& zone : world_.zone_names()) {
      if (!const_cast<World&>(world_).network().connected(zone)) return false;
    }
    return true;
  }

  void converge(bool tolerant) {
    const auto limit = world_.schedule().now() + convergence_limit + hold_off;
    std::string difference = "never looked";
    while (world_.schedule().now() < limit && world_.violations().empty()) {
      world_.run_for(second);
      if (!all_connected()) {
        difference = "a zone is not connected";
        continue;
      }
      difference = convergence_.difference(tolerant);
      if (difference.empty() && !tolerant) difference = explain_.difference();
      if (difference.empty()) return;
    }
    if (world_.violations().empty()) world_.violation("convergence", difference);
  }

  RunResult finish() {
    RunResult result;
    result.ok = world_.violations().empty();
    if (!result.ok)
      result.failure = "in phase '" + phase_ + "' at " + world_.time_text() + " s: " + world_.violations().front();
    result.counts = world_.counts();
    result.steps = world_.schedule().executed();
    result.messages = world_.network().messages();
    result.bytes = world_.network().bytes();
    result.fingerprint = world_.network().fingerprint();
    result.trace.assign(world_.trace_lines().begin(), world_.trace_lines().end());
    return result;
  }

  RunOptions options_;
  World world_;
  Workload workload_;
  AcknowledgedChecker acknowledged_;
  ConvergenceChecker convergence_;
  ExplainChecker explain_;
  LeakChecker leak_;
  HistoryChecker history_;
  CostChecker cost_;
  Faults faults_;
  std::string phase_;
};

}  // namespace

RunResult run_seed(const RunOptions& options) { return Run(options).run(); }

}  // namespace kdsd::sim
