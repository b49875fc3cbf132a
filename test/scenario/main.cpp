// kdsd-scenario [--rewrite] FILE...: plays scenario files and compares, or rewrites what they expect.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runner.h"

namespace {

void print_difference(const std::string& path, const std::string& expected, const std::string& found) {
  std::istringstream old_lines(expected);
  std::istringstream new_lines(found);
  std::string old_line;
  std::string new_line;
  for (int number = 1;; ++number) {
    const bool more_old = static_cast<bool>(std::getline(old_lines, old_line));
    const bool more_new = static_cast<bool>(std::getline(new_lines, new_line));
    if (!more_old && !more_new) return;
    if (more_old && more_new && old_line == new_line) continue;
    std::printf("%s:%d\n  expected: %s\n  printed:  %s\n", path.c_str(), number,
                more_old ? old_line.c_str() : "(nothing)", more_new ? new_line.c_str() : "(nothing)");
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool rewrite = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--rewrite") {
      rewrite = true;
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  bool ok = !paths.empty();
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) {
      std::printf("%s: cannot be read\n", path.c_str());
      ok = false;
      continue;
    }
    const auto found = kdsd::scenario::played(text.str());
    if (found == text.str()) continue;
    if (rewrite) {
      std::ofstream(path, std::ios::trunc) << found;
      continue;
    }
    print_difference(path, text.str(), found);
    ok = false;
  }
  return ok ? 0 : 1;
}
