// What a command sees of the terminal it was started in: streams, environment variables, and whether colours are
// wanted.
//
// Passed to every command, so that tests run commands in their own process. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include "model/status.h"

namespace kdsd::app::cli {

// Exit codes (command line, conventions).
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_wrong_use = 2;

enum class Colour { green, yellow, red };

struct Console {
  std::istream& in;
  std::ostream& out;  // data
  std::ostream& err;  // everything else
  std::map<std::string, std::string> environment;
  bool has_colours = false;

  // How --watch behaves; tests make it end.
  std::chrono::milliseconds watch_interval{1000};
  std::size_t watch_rounds_max = 0;  // 0: until the process is ended

  // The variable's value, or empty text.
  std::string variable(const std::string& name) const;
};

// The console of this process. Colours only on a terminal, and never where NO_COLOR is set to something.
Console process_console();

// The text, with the colour around it where colours are wanted.
std::string coloured(const Console& console, Colour colour, std::string_view text);

// Prints an error to `err` with one violation a line, and gives the exit code that belongs to it.
int fail(const Console& console, const Status& status);
int wrong_use(const Console& console, std::string_view text);

// "\n  field: reason" for each violation.
std::string violation_lines(const Violations& violations);

}  // namespace kdsd::app::cli
