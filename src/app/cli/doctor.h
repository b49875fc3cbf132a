// The checks of `kdsd doctor`: each looks at one thing that stops a control plane and says what to do about it.
//
// They change nothing but the lock file beside a store. Each takes as long as its subject needs: the store check reads
// the whole file, the check of the global waits for at most two seconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/config/config.h"

namespace kdsd::app::cli {

enum class Health { ok, warn, fail };

struct Finding {
  Health health = Health::ok;
  std::string subject;
  std::string text;
  std::string advice;  // empty when there is nothing to do
};

using Diagnosis = std::vector<Finding>;

// Whether somebody has the store open; then ports in use are expected.
struct StoreDiagnosis {
  Diagnosis findings;
  bool is_in_use = false;
};

Finding check_clock(std::int64_t now_seconds);
Finding check_work_dir(const std::string& path);
StoreDiagnosis check_store(const Config& config);
Diagnosis check_certificates(const Config& config, std::int64_t now_seconds);
// A certificate's dates. `is_made_at_start`: a missing file is no fault.
Finding check_certificate(const std::string& subject, const std::string& file, bool is_made_at_start,
                          std::int64_t now_seconds);
Diagnosis check_ports(const Config& config, bool is_running);
Finding check_port(const std::string& subject, const std::string& address, std::uint16_t port, bool is_running);
Finding check_global(const GlobalAddress& global);

// All of them in this order.
Diagnosis examine(const Config& config, std::int64_t now_seconds);

}  // namespace kdsd::app::cli
