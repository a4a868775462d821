// SPDX-License-Identifier: Apache-2.0
// Recursive-descent parser of expressions. Every recursion passes through a Level, so that the
// nesting limit bounds the stack of the parser whatever the text.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/expression_program.h"
#include "vinci/base/options.h"

namespace vinci {

namespace {

using Op = Expression::Op;
using Instruction = Expression::Instruction;

struct Function {
  std::string_view name;
  Op op;
};

constexpr std::array<Function, 20> function_table{{
    {"sin", Op::sin},   {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin},
    {"acos", Op::acos}, {"atan", Op::atan},   {"atan2", Op::atan2}, {"sinh", Op::sinh},
    {"cosh", Op::cosh}, {"tanh", Op::tanh},   {"sqrt", Op::sqrt},   {"exp", Op::exp},
    {"log", Op::log},   {"abs", Op::abs},     {"sign", Op::sign},   {"floor", Op::floor},
    {"step", Op::step}, {"min", Op::minimum}, {"max", Op::maximum}, {"if", Op::select},
}};

constexpr std::array<Unit, 23> unit_table{{
    {"rad", 1.0}, {"deg", M_PI / 180.0},  // angle
    {"m", 1.0},   {"cm", 1e-2},
    {"mm", 1e-3}, {"um", 1e-6},
    {"km", 1e3},  // length
    {"s", 1.0},   {"ms", 1e-3},
    {"us", 1e-6}, {"min", 60.0},  // time
    {"kg", 1.0},  {"g", 1e-3},
    {"mg", 1e-6},  // mass
    {"N", 1.0},   {"mN", 1e-3},
    {"kN", 1e3},  {"Nm", 1.0},  // force
    {"Pa", 1.0},  {"kPa", 1e3},
    {"MPa", 1e6},                              // stress
    {"Hz", 1.0},  {"rpm", 2.0 * M_PI / 60.0},  // rate
}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// As shown in a message: short, without control characters or broken encodings.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown;
  for (const char c : text.substr(0, longest))
    shown += c >= ' ' && c <= '~' ? std::string(1, c)
                                  : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return "'" + shown + (text.size() > longest ? "...'" : "'");
}

// 7 um is 7/10⁶, rounded once, not 7·10⁻⁶ with its rounded factor.
double scaled(double number, double factor) {
  const double divisor = std::round(1.0 / factor);
  return factor < 1.0 && 1.0 / divisor == factor ? number / divisor : number * factor;
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names)
      : text_(text),
        names_(names),
        dotted_(std::any_of(names.begin(), names.end(), [](const std::string& name) {
          return name.find('.') != std::string::npos;
        })) {}

  std::vector<Instruction> parse() {
    if (text_.size() > Expression::longest_text)
      throw Error(fmt::format("an expression of {} characters; accepted: at most {}", text_.size(),
                              Expression::longest_text));
    sum();
    if (!at_end()) fail_at_leftover();
    check_stack();
    return std::move(program_);
  }

 private:
  // One level of nesting for as long as it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.level_ > Expression::deepest_nesting)
        parser_.fail("nested too deeply",
                     fmt::format("at most {} levels of parentheses, calls, signs and exponents",
                                 Expression::deepest_nesting));
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void fail(const std::string& wrong, const std::string& accepted) const {
    fail_at(position_, wrong, accepted);
  }
  [[noreturn]] static void fail_at(std::size_t position, const std::string& wrong,
                                   const std::string& accepted, const std::string& hint = {}) {
    throw Error(
        fmt::format("{} at column {}{}; accepted: {}", wrong, position + 1, hint, accepted));
  }

  void skip_blanks() {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  }
  bool at_end() {
    skip_blanks();
    return position_ == text_.size();
  }
  char peek() { return at_end() ? '\0' : text_[position_]; }
  bool take(char c) {
    if (at_end() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  std::string_view take_name() {
    const std::size_t first = position_;
    const auto in_name = [&](std::size_t at) {
      return at < text_.size() && (starts_name(text_[at]) || is_digit(text_[at]));
    };
    while (in_name(position_) || (dotted_ && position_ > first && position_ < text_.size() &&
                                  text_[position_] == '.' && in_name(position_ + 1)))
      ++position_;
    return text_.substr(first, position_ - first);
  }
  std::string here() {
    if (at_end())
      return text_.empty() || program_.empty() ? "an empty text" : "the end of the text";
    return quoted(text_.substr(position_, 1));
  }

  void emit(Op op) { append_folded(program_, {op, 0, 0.0}); }
  void emit(double constant) { append_folded(program_, {Op::constant, 0, constant}); }

  void condition() {
    sum();
    const char first = peek();
    if (first != '<' && first != '>')
      fail("no comparison in the first argument of 'if'", "a < b, a <= b, a > b or a >= b");
    ++position_;
    const bool equal = position_ < text_.size() && text_[position_] == '=';
    if (equal) ++position_;
    sum();
    if (first == '<')
      emit(equal ? Op::less_equal : Op::less);
    else
      emit(equal ? Op::greater_equal : Op::greater);
  }

  void sum() {
    product();
    for (;;) {
      if (take('+')) {
        product();
        emit(Op::add);
      } else if (take('-')) {
        product();
        emit(Op::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    signed_factor();
    for (;;) {
      if (take('*')) {
        signed_factor();
        emit(Op::multiply);
      } else if (take('/')) {
        signed_factor();
        emit(Op::divide);
      } else {
        return;
      }
    }
  }

  void signed_factor() {
    const Level level(*this);
    if (take('-')) {
      signed_factor();
      emit(Op::negate);
    } else if (take('+')) {
      signed_factor();
    } else {
      primary();
      if (take('^')) {
        signed_factor();
        emit(Op::power);
      }
    }
  }

  void primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') {
      number();
    } else if (starts_name(c)) {
      named();
    } else if (take('(')) {
      sum();
      close("the parenthesis");
    } else {
      fail(here() + " where a value should be", "a number, a name, a function or a parenthesis");
    }
  }

  void close(const std::string& what) {
    if (take(')')) return;
    if (peek() == '<' || peek() == '>')
      fail("a comparison", "comparisons as the first argument of 'if' only");
    fail(here() + " where " + what + " should close", "')' or an operator");
  }

  void number() {
    const std::size_t first = position_;
    auto digits = [this] {
      const std::size_t start = position_;
      while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
      return position_ - start;
    };
    std::size_t count = digits();
    if (position_ < text_.size() && text_[position_] == '.') {
      ++position_;
      count += digits();
    }
    if (count == 0) fail_at(first, "a point without digits", "numbers such as 1, 0.5, .5 or 1e-3");
    take_exponent();
    double value = 0.0;
    const auto result = std::from_chars(text_.data() + first, text_.data() + position_, value);
    const std::string_view literal = text_.substr(first, position_ - first);
    if (result.ec != std::errc() || result.ptr != text_.data() + position_)
      fail_at(first, "the number " + quoted(literal) + " beyond the range of a double",
              "magnitudes from 1e-307 to 1e308, and 0");
    emit(unit_behind(value));
  }

  // e or E with digits; without digits it is left to be read as a unit, and refused there.
  void take_exponent() {
    std::size_t next = position_;
    if (next >= text_.size() || (text_[next] != 'e' && text_[next] != 'E')) return;
    ++next;
    if (next < text_.size() && (text_[next] == '+' || text_[next] == '-')) ++next;
    if (next >= text_.size() || !is_digit(text_[next])) return;
    while (next < text_.size() && is_digit(text_[next])) ++next;
    position_ = next;
  }

  double unit_behind(double value) {
    const char c = peek();
    if (is_digit(c) || c == '.') fail("two numbers without an operator between them", "one number");
    if (!starts_name(c)) return value;
    const std::size_t first = position_;
    const std::string name(take_name());
    const auto unit = std::find_if(unit_table.begin(), unit_table.end(),
                                   [&](const Unit& known) { return known.name == name; });
    const bool is_variable = std::find(names_.begin(), names_.end(), name) != names_.end();
    if (unit != unit_table.end() && !is_variable && peek() != '(')
      return scaled(value, unit->factor);
    if (unit != unit_table.end() && is_variable)
      fail_at(first, quoted(name) + ", which is a unit and a name here,",
              "'*" + name + "' for the product, or the number without unit, in SI");
    if (is_variable || name == "pi" || peek() == '(')
      fail_at(first, quoted(name) + " without an operator before it", "'*' between factors");
    std::vector<std::string> known;
    for (const Unit& each : unit_table) known.emplace_back(each.name);
    fail_at(first, "unknown unit " + quoted(name), listed(known), guess(name, known));
  }

  void named() {
    const std::size_t first = position_;
    const std::string name(take_name());
    if (peek() == '(') return call(name, first);
    const auto variable = std::find(names_.begin(), names_.end(), name);
    if (variable != names_.end())
      append_folded(program_,
                    {Op::variable, static_cast<unsigned>(variable - names_.begin()), 0.0});
    else if (name == "pi")
      emit(M_PI);
    else
      fail_at_unknown(name, first);
  }

  [[noreturn]] void fail_at_unknown(const std::string& name, std::size_t first) const {
    if (name == "inf" || name == "nan") fail_at(first, quoted(name), "finite numbers");
    for (const Function& function : function_table)
      if (function.name == name)
        fail_at(first, "the function " + quoted(name) + " without arguments",
                fmt::format("{} argument(s) in parentheses", operand_count(function.op)));
    for (const Unit& unit : unit_table)
      if (unit.name == name)
        fail_at(first, "the unit " + quoted(name) + " without a number before it",
                "a simple unit directly behind a number; compound ones are written in SI without");
    std::vector<std::string> known(names_.begin(), names_.end());
    std::erase(known, "");  // a place without a name
    known.emplace_back("pi");
    std::vector<std::string> near = known;
    for (const Function& function : function_table) near.emplace_back(function.name);
    fail_at(first, "unknown name " + quoted(name), listed(known) + ", numbers and functions",
            guess(name, near));
  }

  void call(const std::string& name, std::size_t first) {
    const auto function = std::find_if(function_table.begin(), function_table.end(),
                                       [&](const Function& known) { return known.name == name; });
    if (function == function_table.end()) {
      if (std::find(names_.begin(), names_.end(), name) != names_.end() || name == "pi")
        fail_at(first, quoted(name) + " is not a function but is followed by '('",
                "'*' between factors");
      std::vector<std::string> known;
      for (const Function& each : function_table) known.emplace_back(each.name);
      fail_at(first, "unknown function " + quoted(name), listed(known), guess(name, known));
    }
    take('(');
    const int count = operand_count(function->op);
    for (int i = 0; i < count; ++i) {
      if (i > 0 && !take(',')) {
        if (peek() == ')') fail_count(name, count);
        fail(here() + " where the next argument of " + quoted(name) + " should follow",
             "',' or an operator");
      }
      if (i == 0 && function->op == Op::select)
        condition();
      else
        sum();
    }
    if (peek() == ',') fail_count(name, count);
    close("the call of " + quoted(name));
    emit(function->op);
  }

  [[noreturn]] void fail_count(const std::string& name, int count) const {
    fail("wrong number of arguments of " + quoted(name), fmt::format("{}", count));
  }

  [[noreturn]] void fail_at_leftover() {
    const char c = peek();
    if (c == '<' || c == '>')
      fail("a comparison", "comparisons as the first argument of 'if' only");
    if (c == ')') fail("')' without its '('", "balanced parentheses");
    fail(here() + " behind a complete value", "an operator + - * / ^ or the end");
  }

  void check_stack() const {
    int depth = 0;
    for (const Instruction& instruction : program_) {
      depth += 1 - operand_count(instruction.op);
      if (depth > Expression::stack_size)
        throw Error(
            fmt::format("more than {0} intermediate values; accepted: at most {0}, as "
                        "operations waiting for their right operand",
                        Expression::stack_size));
    }
  }

  static std::string guess(const std::string& name, const std::vector<std::string>& known) {
    const std::string near = nearest(name, known);
    return near.empty() ? "" : " (did you mean '" + near + "'?)";
  }

  static std::string listed(const std::vector<std::string>& words) {
    constexpr std::size_t most = 32;
    std::string list;
    for (std::size_t i = 0; i < std::min(words.size(), most); ++i)
      list += (i == 0 ? "" : ", ") + words[i];
    return words.size() > most ? list + ", ..." : list;
  }

  std::string_view text_;
  std::span<const std::string> names_;
  bool dotted_;  // a name has dots
  std::size_t position_ = 0;
  int level_ = -1;  // the outermost factor stands on level 0
  std::vector<Instruction> program_;
};

}  // namespace

std::span<const Unit> units() {
  return unit_table;
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || !starts_name(name.front())) return false;
  if (name == "pi" || name == "inf" || name == "nan") return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return starts_name(c) || is_digit(c); }) &&
         std::none_of(function_table.begin(), function_table.end(),
                      [&](const Function& function) { return function.name == name; });
}

Expression Expression::parse(std::string_view text, std::span<const std::string> names) {
  Expression result;
  result.program_ = Parser(text, names).parse();
  result.text_ = text;
  return result;
}

}  // namespace vinci
