#include "app/run.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "app/config/config.h"
#include "app/daemon.h"
#include "app/logging.h"

namespace kdsd::app {
namespace {

ConfigSource config_source(const RunOptions& options) {
  ConfigSource source;
  if (!options.config_file.empty()) source.file_path = options.config_file;
  source.environment = process_environment();
  add_known_types(source, Catalogue::builtin());
  return source;
}

int refuse(const Status& status) {
  std::fprintf(stderr, "kdsd: %s\n", status.message().c_str());
  for (const auto& violation : status.violations()) {
    std::fprintf(stderr, "  %s: %s\n", violation.field.c_str(), violation.reason.c_str());
  }
  return 1;
}

Status make_directory(const std::string& path) {
  std::string part;
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0755) != 0 && errno != EEXIST) {
      return Status(Code::unavailable, "work directory " + part + ": " + std::strerror(errno));
    }
  }
  return {};
}

}  // namespace

const char* kdsd_version() { return KDSD_VERSION; }
const char* kdsd_commit() { return KDSD_COMMIT; }

int run_command(const RunOptions& options) {
  if (auto status = set_up_logging(options); !status.ok()) return refuse(status);
  auto config = load_config(config_source(options));
  if (!config.ok()) return refuse(config.status());
  for (const auto& warning : config->warnings) spdlog::warn("{}", warning);
  if (auto status = make_directory(config->config.general.work_dir); !status.ok()) return refuse(status);
  Daemon daemon(std::move(*config));
  if (auto status = daemon.start(); !status.ok()) return refuse(status);
  return daemon.run();
}

}  // namespace kdsd::app
