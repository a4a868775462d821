// SPDX-License-Identifier: Apache-2.0
#include "apps/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/text.h"

namespace vinci {
namespace {

void print_line(const std::vector<Column>& table,
                const std::function<std::string(const Column&)>& of) {
  std::string line;
  for (const Column& column : table)
    line += (line.empty() ? "" : "  ") + column.aligned(of(column));
  while (line.ends_with(' ')) line.pop_back();
  say(stdout, "{}\n", line);
}

}  // namespace

void print_all_rows(const std::vector<Column>& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table) widths.push_back(column.width());
  for (std::size_t row = 0; !table.empty() && row < table.front().rows.size(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < table.size(); ++i)
      line += (i == 0 ? "" : "  ") + table[i].aligned(table[i].rows[row], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    say(stdout, "{}\n", line);
  }
}

std::size_t Column::width() const {
  std::size_t result = std::max(columns(head_1), columns(head_2));
  for (const std::string& row : rows) result = std::max(result, columns(row));
  return result;
}

std::string Column::aligned(const std::string& text, std::size_t width) const {
  return left ? padded(text, width) : std::string(width - columns(text), ' ') + text;
}

std::size_t table_width(const std::vector<Column>& table) {
  std::size_t width = table.empty() ? 0 : 2 * (table.size() - 1);
  for (const Column& column : table) width += column.width();
  return width;
}

void print_heads(const std::vector<Column>& table) {
  print_line(table, [](const Column& column) { return column.head_1; });
  print_line(table, [](const Column& column) { return column.head_2; });
}

void print_row(const std::vector<Column>& table, std::size_t row) {
  print_line(table, [row](const Column& column) { return column.rows[row]; });
}

}  // namespace vinci
