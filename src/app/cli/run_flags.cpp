#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/command.h"
#include "app/run.h"

namespace kdsd::app::cli {

void add_run(Commands& commands) {
  auto options = std::make_shared<RunOptions>();
  auto& command = add_command(commands.root, "run", "run a control plane until SIGTERM or SIGINT",
                              "kdsd run -c config/global.yaml");
  command
      .add_option("-c,--config-file", options->config_file, "configuration; without it defaults and environment alone")
      ->type_name("FILE");
  command.add_option("--log-level", options->log_level, "off, info or debug")
      ->check(CLI::IsMember({"off", "info", "debug"}))
      ->type_name("LEVEL")
      ->capture_default_str();
  command.add_option("--log-output-path", options->log_output_path, "file for the log instead of standard error")
      ->type_name("FILE");
  command.add_option("--log-max-size", options->log_max_size_mb, "megabytes of a log file before it is rotated")
      ->check(CLI::PositiveNumber)
      ->type_name("MB")
      ->capture_default_str();
  command.add_option("--log-max-retained-files", options->log_max_retained_files, "rotated log files to keep")
      ->check(CLI::NonNegativeNumber)
      ->type_name("COUNT")
      ->capture_default_str();
  command.add_option("--log-max-age", options->log_max_age_days, "days to keep a rotated log file")
      ->check(CLI::NonNegativeNumber)
      ->type_name("DAYS")
      ->capture_default_str();
  on_chosen(command, commands, [options](Console&) { return run_command(*options); });
}

}  // namespace kdsd::app::cli
