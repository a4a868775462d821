// SPDX-License-Identifier: Apache-2.0
// Comparisons joined by `and`, `or` and `not`: "x_end > 0.1 and not (left < 1 s)". What is compared
// is text to this file; the caller says what its numbers are. A comparison with what is no number
// does not hold.
//
//   any    all {or all}            all    single {and single}
//   single not single | ( any ) | side compare side {compare side}
//   compare  < <= > >= == !=       a chain holds where each of its comparisons does
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vinci {

class Condition {
 public:
  static constexpr std::size_t longest_text = 4096;
  static constexpr int deepest_nesting = 64;

  // Throws Error (message only) where the text is no condition.
  static Condition parse(std::string_view text);

  const std::string& text() const { return text_; }
  // What is compared, in the order of the text; holds() takes their values in this order.
  const std::vector<std::string>& sides() const { return sides_; }
  bool holds(std::span<const double> sides) const;

 private:
  friend class ConditionParser;
  enum class Op : unsigned char {
    less,
    at_most,
    more,
    at_least,
    same,
    other,
    both,
    either,
    negate
  };
  struct Step {
    Op op;
    unsigned a = 0, b = 0;  // of comparisons: sides
  };
  std::string text_;
  std::vector<std::string> sides_;
  std::vector<Step> steps_;  // postfix
};

}  // namespace vinci
