#include "app/cli/table.h"

#include <algorithm>

namespace kdsd::app::cli {
namespace {

constexpr std::size_t column_gap = 3;  // spaces; kubectl's distance

// A value from a server must not move the cursor or start a new line.
std::string printable(std::string text) {
  for (auto& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Table::Table(std::vector<std::string> header) : widths_(header.size(), 0) { add(std::move(header)); }

void Table::add(std::vector<std::string> cells) {
  cells.resize(widths_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = cells[i].empty() ? "-" : printable(std::move(cells[i]));
    widths_[i] = std::max(widths_[i], display_width(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::take_text() {
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths_[i] - display_width(row[i]) + column_gap, ' ');
    }
    out += '\n';
  }
  rows_.clear();
  return out;
}

}  // namespace kdsd::app::cli
