// SPDX-License-Identifier: Apache-2.0
// Numbers as a scene may write them: `0.5 + 0.4*sin(t)`, `20 deg`, `mu/2`. Parsed once into a flat
// program; evaluated as a value or together with exact first and second time derivatives by forward
// differentiation on truncated Taylor series.
//
// Grammar: + - * / ^ (right-associative), unary minus, parentheses; sin cos tan asin acos atan
// atan2 sinh cosh tanh sqrt exp log abs sign min max floor step(x) (0 for x<0, else 1),
// if(condition, a, b) with comparisons < <= > >=; constants pi, e is not one; a unit directly
// behind a number literal (`20 deg`, `1 ms`).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vinci {

// Value with first and second derivative with respect to time.
struct Jet {
  double value = 0.0, first = 0.0, second = 0.0;
};

class Expression {
 public:
  Expression() = default;  // the constant 0
  explicit Expression(double constant);

  // Throws Error (message only, where empty) on a syntax error, an unknown name (with the nearest
  // known one), or a text beyond the limits of length (4,096 characters) and nesting (64 levels).
  // `names` are the variables it may use; evaluation takes their values in the same order.
  static Expression parse(std::string_view text, std::span<const std::string> names);

  double value(std::span<const double> variables) const;
  // Derivatives along d/dt where variable i has the Taylor coefficients variables[i].
  Jet jet(std::span<const Jet> variables) const;

  // The same expression with the variables in `bound` replaced by numbers (NaN: kept) and folded.
  Expression bind(std::span<const double> bound) const;

  bool uses(std::size_t variable) const;
  bool is_constant() const;
  const std::string& text() const { return text_; }

  enum class Op : unsigned char;
  struct Instruction {
    Op op;
    unsigned index;  // variable number
    double constant;
  };

 private:
  std::vector<Instruction> program_;  // postfix
  int depth_ = 1;                     // stack slots needed, at most 128
  std::string text_;
};

// The units accepted behind a number, and the factor to SI: deg, rad, m, mm, um, cm, km, s, ms, us,
// min, kg, g, N, ...
struct Unit {
  std::string_view name;
  double factor;
};
std::span<const Unit> units();

}  // namespace vinci
