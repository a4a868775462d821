// SPDX-License-Identifier: Apache-2.0
// Tables in the terminal: two lines of heads, columns as wide as what they hold.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vinci {

struct Column {
  std::string head_1, head_2;
  std::vector<std::string> rows = {};
  bool left = false;  // aligned; numbers are to the right

  std::size_t width() const;
  std::string aligned(const std::string& text) const { return aligned(text, width()); }
  std::string aligned(const std::string& text, std::size_t width) const;
};

std::size_t table_width(const std::vector<Column>& columns);
void print_heads(const std::vector<Column>& columns);
void print_row(const std::vector<Column>& columns, std::size_t row);
void print_all_rows(const std::vector<Column>& columns);

}  // namespace vinci
