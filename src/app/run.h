// `kdsd run`: starts a control plane and returns when it has stopped.
#pragma once

#include <string>

namespace kdsd::app {

struct RunOptions {
  std::string config_file;
  std::string log_level = "info";  // off, info, debug
  std::string log_output_path;     // empty: standard error
  int log_max_size_mb = 100;
  int log_max_retained_files = 1000;
  int log_max_age_days = 30;
};

// The exit code: 0 after an orderly stop, 1 when the start was refused or something failed.
int run_command(const RunOptions& options);

// Version of this program, and the text that is shown as its build.
const char* kdsd_version();
const char* kdsd_commit();

}  // namespace kdsd::app
