#include "app/cli/console.h"

#include <iostream>
#include <unistd.h>

extern "C" char** environ;

namespace kdsd::app::cli {
namespace {

std::map<std::string, std::string> whole_environment() {
  std::map<std::string, std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::green:
      return "\x1b[32m";
    case Colour::yellow:
      return "\x1b[33m";
    case Colour::red:
      return "\x1b[31m";
  }
  return {};
}

}  // namespace

std::string Console::variable(const std::string& name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

Console process_console() {
  Console console{std::cin, std::cout, std::cerr, whole_environment()};
  console.has_colours =
      ::isatty(STDOUT_FILENO) != 0 && console.variable("NO_COLOR").empty() && console.variable("TERM") != "dumb";
  return console;
}

std::string coloured(const Console& console, Colour colour, std::string_view text) {
  if (!console.has_colours) return std::string(text);
  return std::string(code_of(colour)) + std::string(text) + "\x1b[0m";
}

std::string violation_lines(const Violations& violations) {
  std::string out;
  for (const auto& violation : violations) {
    out += "\n  " + (violation.field.empty() ? std::string() : violation.field + ": ") + violation.reason;
  }
  return out;
}

int fail(const Console& console, const Status& status) {
  console.err << "kdsd: " << status.message() << violation_lines(status.violations()) << '\n';
  return exit_failed;
}

int wrong_use(const Console& console, std::string_view text) {
  console.err << "kdsd: " << text << '\n';
  return exit_wrong_use;
}

}  // namespace kdsd::app::cli
