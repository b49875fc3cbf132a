#include "app/logging.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace kdsd::app {

Status set_up_logging(const RunOptions& options) {
  if (options.log_level != "off" && options.log_level != "info" && options.log_level != "debug") {
    return Status(Code::invalid, "--log-level " + options.log_level + ": must be off, info or debug");
  }
  try {
    std::shared_ptr<spdlog::logger> logger;
    if (options.log_output_path.empty()) {
      logger = std::make_shared<spdlog::logger>("kdsd", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    } else {
      constexpr std::size_t mebibyte = 1 << 20;
      logger = std::make_shared<spdlog::logger>(
          "kdsd", std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                      options.log_output_path, static_cast<std::size_t>(options.log_max_size_mb) * mebibyte,
                      static_cast<std::size_t>(options.log_max_retained_files)));
    }
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %v");
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
  } catch (const spdlog::spdlog_ex& error) {
    return Status(Code::unavailable, std::string("log: ") + error.what());
  }
  spdlog::set_level(options.log_level == "off"     ? spdlog::level::off
                    : options.log_level == "debug" ? spdlog::level::debug
                                                   : spdlog::level::info);
  return {};
}

}  // namespace kdsd::app
