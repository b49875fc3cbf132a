// One seed from beginning to end: faults at will, healing, convergence, and quiet reconnects, with all checkers on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kdsd::sim {

struct RunOptions {
  std::uint64_t seed = 1;
  bool tracing = false;
  bool printing = false;
};

struct RunResult {
  bool ok = true;
  std::string failure;  // phase and the first violation
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t fingerprint = 0;
  std::vector<std::string> trace;  // the end of it, when tracing
};

RunResult run_seed(const RunOptions& options);

}  // namespace kdsd::sim
