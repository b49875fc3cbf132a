#include "app/logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "model/log_text.h"

namespace kdsd::app {
namespace {

constexpr std::size_t line_bytes_max = 4096;

// The message itself, as printable() gives it.
class PrintablePayload : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const auto text = printable({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PrintablePayload>(); }
};

}  // namespace

std::string printable(std::string_view text) {
  const auto shown = text.substr(0, line_bytes_max);
  auto out = without_controls(shown);
  if (shown.size() < text.size()) out += " [" + std::to_string(text.size() - shown.size()) + " bytes more]";
  return out;
}

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
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PrintablePayload>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %*");
    logger->set_formatter(std::move(formatter));
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
