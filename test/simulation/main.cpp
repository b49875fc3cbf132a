// kdsd-sim: seeds of the simulated world, many at once or one with its trace.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "faults.h"
#include "run.h"

namespace {

using namespace kdsd::sim;

constexpr std::uint64_t seeds_per_round = 200;     // between two saves of the state file
constexpr std::uint64_t seeds_that_see_all = 200;  // enough for every kind of fault to occur

struct Totals {
  std::uint64_t next = 0;  // seed
  std::map<std::string, std::uint64_t> sums;
  std::vector<std::uint64_t> failed;
};

// One value a line; also what children hand to their parent.
void write(std::ostream& out, const Totals& totals) {
  out << "next " << totals.next << "\n";
  for (auto seed : totals.failed) out << "failed " << seed << "\n";
  for (const auto& [name, value] : totals.sums) out << "sum " << value << " " << name << "\n";
}

void read(std::istream& in, Totals& totals) {
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string kind;
    std::uint64_t value = 0;
    words >> kind >> value;
    if (kind == "next") totals.next = value;
    if (kind == "failed") totals.failed.push_back(value);
    if (kind != "sum") continue;
    std::string name;
    std::getline(words >> std::ws, name);
    totals.sums[name] += value;
  }
}

void print_failure(std::uint64_t seed, std::size_t lines) {
  auto result = run_seed({seed, true, false});
  std::string out = "seed " + std::to_string(seed) + " failed " + result.failure + "\n";
  const auto& trace = result.trace;
  for (std::size_t i = trace.size() > lines ? trace.size() - lines : 0; i < trace.size(); ++i)
    out += "  " + trace[i].substr(0, 400) + "\n";
  out += "replay: kdsd-sim --seed " + std::to_string(seed) + " -v\n";
  std::fputs(out.c_str(), stdout);
  std::fflush(stdout);
}

void add(Totals& totals, const RunResult& result) {
  totals.sums["seeds"] += 1;
  totals.sums["steps"] += result.steps;
  totals.sums["messages"] += result.messages;
  totals.sums["message bytes"] += result.bytes;
  for (const auto& [name, value] : result.counts) totals.sums[name] += value;
}

bool replays_alike(std::uint64_t seed, const RunResult& first) {
  return run_seed({seed, false, false}).fingerprint == first.fingerprint;
}

// Every `stride`-th seed from `from` on.
Totals run_some(std::uint64_t from, std::uint64_t until, std::uint64_t stride, bool twice, std::size_t trace_lines) {
  Totals totals;
  for (auto seed = from; seed <= until; seed += stride) {
    auto result = run_seed({seed, false, false});
    add(totals, result);
    if (result.ok && twice && !replays_alike(seed, result)) {
      std::printf("seed %llu does not replay alike\n", static_cast<unsigned long long>(seed));
      result.ok = false;
    }
    if (result.ok) continue;
    totals.failed.push_back(seed);
    print_failure(seed, trace_lines);
  }
  return totals;
}

// A child that dies has failed with its first seed.
bool run_forked(std::uint64_t from, std::uint64_t until, unsigned jobs, bool twice, std::size_t trace_lines,
                Totals& totals) {
  struct Child {
    pid_t pid;
    int output;
  };
  std::vector<Child> children;
  std::fflush(stdout);
  for (unsigned i = 0; i < jobs && from + i <= until; ++i) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const auto pid = fork();
    if (pid < 0) return false;
    if (pid == 0) {
      close(ends[0]);
      std::ostringstream out;
      write(out, run_some(from + i, until, jobs, twice, trace_lines));
      const auto text = out.str();
      const bool written = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
      std::fflush(stdout);
      _exit(written ? 0 : 1);
    }
    close(ends[1]);
    children.push_back({pid, ends[0]});
  }
  bool ok = true;
  for (const auto& child : children) {
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(child.output, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    close(child.output);
    int status = 0;
    waitpid(child.pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      std::printf("a process of seeds %llu to %llu died\n", static_cast<unsigned long long>(from),
                  static_cast<unsigned long long>(until));
      ok = false;
    }
    const auto next = totals.next;
    std::istringstream in(text);
    read(in, totals);
    totals.next = next;
  }
  return ok;
}

bool print_totals(const Totals& totals) {
  for (const auto& [name, value] : totals.sums)
    std::printf("%-36s %12llu\n", name.c_str(), static_cast<unsigned long long>(value));
  std::printf("%-36s %12zu\n", "failed seeds", totals.failed.size());
  for (auto seed : totals.failed) std::printf("  failed: %llu\n", static_cast<unsigned long long>(seed));
  bool complete = true;
  auto seeds = totals.sums.find("seeds");
  if (seeds == totals.sums.end() || seeds->second < seeds_that_see_all) return true;
  for (const auto& kind : Faults::kinds()) {
    if (totals.sums.contains("fault: " + kind)) continue;
    std::printf("no seed has seen the fault '%s'\n", kind.c_str());
    complete = false;
  }
  return complete;
}

int replay(std::uint64_t seed, bool verbose) {
  auto result = run_seed({seed, verbose, verbose});
  std::printf("seed %llu %s steps=%llu messages=%llu fingerprint=%016llx\n", static_cast<unsigned long long>(seed),
              result.ok ? "ok" : ("failed " + result.failure).c_str(), static_cast<unsigned long long>(result.steps),
              static_cast<unsigned long long>(result.messages), static_cast<unsigned long long>(result.fingerprint));
  if (verbose) {
    for (const auto& [name, value] : result.counts)
      std::printf("%-36s %12llu\n", name.c_str(), static_cast<unsigned long long>(value));
  }
  return result.ok ? 0 : 1;
}

bool parse_range(const std::string& text, std::uint64_t& from, std::uint64_t& until) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) return false;
  std::istringstream first(text.substr(0, dots));
  std::istringstream last(text.substr(dots + 2));
  return static_cast<bool>(first >> from) && static_cast<bool>(last >> until) && from <= until;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Deterministic simulation of kdsd");
  std::string seeds;
  std::uint64_t seed = 0;
  unsigned jobs = 1;
  bool verbose = false;
  bool twice = false;
  std::size_t trace_lines = 60;
  std::string state_path;
  app.add_option("--seeds", seeds, "A..B: run these seeds");
  auto* one = app.add_option("--seed", seed, "replay one seed");
  app.add_option("-j,--jobs", jobs, "processes at once")->check(CLI::Range(1u, 64u));
  app.add_flag("-v,--verbose", verbose, "with --seed: print the whole trace");
  app.add_flag("--twice", twice, "run each seed twice and compare");
  app.add_option("--trace-lines", trace_lines, "lines of the trace of a failing seed");
  app.add_option("--state", state_path, "keep totals and the next seed here, and go on from there");
  CLI11_PARSE(app, argc, argv);

  if (one->count() > 0) return replay(seed, verbose);
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  if (!parse_range(seeds, from, until)) {
    std::fprintf(stderr, "kdsd-sim: --seeds A..B or --seed N\n");
    return 2;
  }
  Totals totals;
  totals.next = from;
  if (std::ifstream in(state_path); !state_path.empty() && in) read(in, totals);
  bool ok = true;
  while (totals.next <= until) {
    const auto last = std::min(until, totals.next + seeds_per_round * jobs - 1);
    ok = run_forked(totals.next, last, jobs, twice, trace_lines, totals) && ok;
    totals.next = last + 1;
    if (state_path.empty()) continue;
    std::ofstream out(state_path, std::ios::trunc);
    write(out, totals);
  }
  return print_totals(totals) && ok && totals.failed.empty() ? 0 : 1;
}
