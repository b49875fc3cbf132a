// Aligned columns of text, as `kubectl get` prints them.
//
// Pure. Rows that are printed later keep the widths of those before, so that the lines of --watch stay below each
// other.
#pragma once

#include <string>
#include <vector>

namespace kdsd::app::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // As many cells as the header has; an empty cell is shown as "-".
  void add(std::vector<std::string> cells);

  // The rows that were added since the last call; the first call begins with the header.
  std::string take_text();

 private:
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a terminal needs for the text: code points, not bytes.
std::size_t display_width(const std::string& text);

}  // namespace kdsd::app::cli
