// SPDX-License-Identifier: Apache-2.0
// Options described once: the table of a plugin or of a run gives its scene keys, command-line
// flags, bounds checks, defaults and the text that `vinci list` and the manual print.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace vinci {

using OptionValue = std::variant<double, long, bool, std::string>;

struct OptionSpec {
  std::string name;      // kebab-case
  std::string text;      // one sentence: what it does; formula and reference where there is one
  OptionValue fallback;  // the default; its alternative is the option's type
  std::string unit = {};
  double lower = -std::numeric_limits<double>::infinity();  // inclusive, numbers only
  double upper = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // strings only; empty: any
};

class OptionTable {
 public:
  OptionTable() = default;
  OptionTable(std::initializer_list<OptionSpec> specs) : specs_(specs) {}
  explicit OptionTable(std::vector<OptionSpec> specs) : specs_(std::move(specs)) {}
  const std::vector<OptionSpec>& specs() const { return specs_; }
  const OptionSpec* find(const std::string& name) const;

 private:
  std::vector<OptionSpec> specs_;
};

// Values for every option of one table; unset ones read as their default.
class OptionValues {
 public:
  OptionValues() = default;
  explicit OptionValues(OptionTable table);

  // Both throw Error naming the option, what is wrong and what is accepted.
  void set(const std::string& name, const OptionValue& value);
  void set_text(const std::string& name, const std::string& text);  // as typed on a command line

  bool is_given(const std::string& name) const;  // somebody set it
  double real(const std::string& name) const;
  long integer(const std::string& name) const;
  bool flag(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  const OptionTable& table() const { return table_; }
  const OptionValue& value(const std::string& name) const;
  std::string to_json() const;  // one object, in table order

 private:
  std::size_t index(const std::string& name) const;
  OptionTable table_;
  std::vector<OptionValue> values_;
  std::vector<bool> given_;
};

// "one of 'a', 'b' or 'c'", "a number from 1 to 10": what an option accepts, for error messages.
std::string accepted(const OptionSpec& spec);
std::string to_string(const OptionValue& value);

// The candidate with the least edit distance to `word`, or "" when none is near enough to suggest.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace vinci
