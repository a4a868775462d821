// SPDX-License-Identifier: Apache-2.0
// Numbers as a scene may write them: `0.5 + 0.4*sin(t)`, `20 deg`, `mu/2`. Parsed once into a flat
// postfix program; evaluated on a fixed stack, as a value or together with the exact first and
// second time derivative (forward propagation of truncated Taylor series [Griewank 2008, ch. 13]).
//
//   condition  sum < sum, also <= > >=; only as the first argument of if
//   sum        products joined by + and -          product   signed factors joined by * and /
//   signed     - or + before a signed, or a power  power     primary, or primary ^ signed
//   primary    number [unit] | name | pi | function(arguments) | ( sum )
//
// A name may have dots (`ball.x`) where one of those that it may use has them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vinci {

// Value with first and second derivative with respect to time.
struct Jet {
  double value = 0.0, first = 0.0, second = 0.0;
};

// -x^2 is -(x^2), 2^3^2 is 2^(3^2), there is no implied product. Functions, angles in rad:
//   sin cos tan asin acos atan atan2(y,x) sinh cosh tanh sqrt exp log (natural)
//   abs sign (0 at 0) floor step (0 for x<0, else 1) min(a,b) max(a,b) if(condition, a, b)
// The last row is not smooth: there the derivative is that of the active branch (abs at 0: that of
// the argument; a tie of min or max: that of a; sign, floor and step: 0). Outside a function's
// domain, or where a derivative does not exist (sqrt at 0), the number is infinite or NaN and NaN
// never turns into a number again (the branch that `if` does not take excepted): callers check
// finiteness.
class Expression {
 public:
  static constexpr std::size_t longest_text = 4096;  // characters
  static constexpr int deepest_nesting = 64;         // parentheses, calls, signs and exponents
  static constexpr int stack_size = 128;             // intermediate values pending at once

  Expression() = default;  // the constant 0
  explicit Expression(double constant);

  // Throws Error (message only, where empty) on a syntax error, an unknown name (with the nearest
  // known one), or a text beyond the limits above. `names` are the variables it may use; evaluation
  // takes their values in the same order. Parts without variables are folded.
  static Expression parse(std::string_view text, std::span<const std::string> names);

  // A variable beyond the end of `variables` reads as NaN.
  double value(std::span<const double> variables) const;
  // Derivatives along d/dt where variable i has the derivatives variables[i]; one with both zero is
  // held constant. The value has the same bits as value() gives.
  Jet jet(std::span<const Jet> variables) const;

  // The same expression with the variables in `bound` replaced by numbers (NaN, or beyond its end:
  // kept) and folded. Variables keep their numbers, the expression its text.
  Expression bind(std::span<const double> bound) const;

  bool uses(std::size_t variable) const;
  bool is_constant() const;  // uses no variable
  const std::string& text() const { return text_; }

  enum class Op : unsigned char;
  struct Instruction {
    Op op;
    unsigned index;   // variable number
    double constant;  // of the operation `constant`
  };
  std::span<const Instruction> program() const { return program_; }  // expression_program.h

 private:
  std::vector<Instruction> program_;  // postfix; empty: the constant 0
  std::string text_ = "0";
};

// Whether a variable may have this name: a letter or underscore, then letters, digits and
// underscores, and none of pi, inf, nan and the functions.
bool is_variable_name(std::string_view name);

// The units accepted directly behind a number literal and their factors to SI. A name that is a
// unit and also a variable is refused there as ambiguous (`2 t`: write `2*t`).
struct Unit {
  std::string_view name;
  double factor;
};
std::span<const Unit> units();

}  // namespace vinci
