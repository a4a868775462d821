// SPDX-License-Identifier: Apache-2.0
// Values of expressions against the standard library, grammar, units, folding and limits.
#include "vinci/base/expression.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

const std::vector<std::string> names{"t", "x", "y"};

double at(const std::string& text, double t = 0.0, double x = 0.0, double y = 0.0) {
  const double variables[] = {t, x, y};
  return Expression::parse(text, names).value(variables);
}

std::string refusal(std::string_view text, std::span<const std::string> known = names) {
  try {
    Expression::parse(text, known);
  } catch (const Error& error) {
    EXPECT_TRUE(error.where().empty());
    return error.message();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Expression, default_is_the_constant_zero) {
  const Expression zero;
  EXPECT_EQ(zero.value({}), 0.0);
  EXPECT_TRUE(zero.is_constant());
  EXPECT_EQ(zero.text(), "0");
  EXPECT_EQ(Expression(0.1).value({}), 0.1);
  EXPECT_EQ(Expression(0.1).text(), "0.1");
}

TEST(Expression, precedence_and_associativity_are_those_of_mathematics) {
  EXPECT_EQ(at("1 + 2*3 - 4/8"), 6.5);
  EXPECT_EQ(at("8 - 4 - 2"), 2.0);
  EXPECT_EQ(at("8/4/2"), 1.0);
  EXPECT_EQ(at("2^3^2"), 512.0);
  EXPECT_EQ(at("-2^2"), -4.0);
  EXPECT_EQ(at("(-2)^2"), 4.0);
  EXPECT_EQ(at("2^-1"), 0.5);
  EXPECT_EQ(at("2^-t^2", 2.0), 0.0625);
  EXPECT_EQ(at("2*-3"), -6.0);
  EXPECT_EQ(at("1--1"), 2.0);
  EXPECT_EQ(at("+1+ +1"), 2.0);
  EXPECT_EQ(at("\t(1 +\n2)\r* 3 "), 9.0);
}

TEST(Expression, number_literals_read_as_the_compiler_reads_them) {
  EXPECT_EQ(at("1e-3"), 1e-3);
  EXPECT_EQ(at(".5"), 0.5);
  EXPECT_EQ(at("5."), 5.0);
  EXPECT_EQ(at("1.25E+2"), 125.0);
  EXPECT_EQ(at("0.1"), 0.1);
  EXPECT_EQ(at("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(at("pi"), M_PI);
}

TEST(Expression, functions_equal_those_of_the_standard_library) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> inside(-0.99, 0.99), positive(1e-3, 5.0);
  for (int i = 0; i < 200; ++i) {
    const double x = inside(random), y = positive(random);
    EXPECT_EQ(at("sin(x)", 0, x), std::sin(x));
    EXPECT_EQ(at("cos(x)", 0, x), std::cos(x));
    EXPECT_EQ(at("tan(x)", 0, x), std::tan(x));
    EXPECT_EQ(at("asin(x)", 0, x), std::asin(x));
    EXPECT_EQ(at("acos(x)", 0, x), std::acos(x));
    EXPECT_EQ(at("atan(x)", 0, x), std::atan(x));
    EXPECT_EQ(at("atan2(x, y)", 0, x, y), std::atan2(x, y));
    EXPECT_EQ(at("sinh(x)", 0, x), std::sinh(x));
    EXPECT_EQ(at("cosh(x)", 0, x), std::cosh(x));
    EXPECT_EQ(at("tanh(x)", 0, x), std::tanh(x));
    EXPECT_EQ(at("sqrt(y)", 0, x, y), std::sqrt(y));
    EXPECT_EQ(at("exp(x)", 0, x), std::exp(x));
    EXPECT_EQ(at("log(y)", 0, x, y), std::log(y));
    EXPECT_EQ(at("abs(x)", 0, x), std::abs(x));
    EXPECT_EQ(at("floor(5*x)", 0, x), std::floor(5 * x));
    EXPECT_EQ(at("min(x, y)", 0, x, y), std::min(x, y));
    EXPECT_EQ(at("max(x, y)", 0, x, y), std::max(x, y));
    EXPECT_EQ(at("y^x", 0, x, y), std::pow(y, x));
    EXPECT_EQ(at("x^3", 0, x), std::pow(x, 3));
    EXPECT_EQ(at("if(x < y, 1, 2)", 0, x, y), x < y ? 1 : 2);
  }
}

TEST(Expression, jumps_take_their_documented_values) {
  EXPECT_EQ(at("sign(x)", 0, -3.0), -1.0);
  EXPECT_EQ(at("sign(x)", 0, 0.0), 0.0);
  EXPECT_EQ(at("sign(x)", 0, 3.0), 1.0);
  EXPECT_EQ(at("step(x)", 0, -1e-300), 0.0);
  EXPECT_EQ(at("step(x)", 0, 0.0), 1.0);
  EXPECT_EQ(at("step(x)", 0, -0.0), 1.0);
  EXPECT_EQ(at("if(x <= 0, 1, 2)"), 1.0);
  EXPECT_EQ(at("if(x < 0, 1, 2)"), 2.0);
  EXPECT_EQ(at("if(x >= 0, 1, 2)"), 1.0);
  EXPECT_EQ(at("if(x > 0, 1, 2)"), 2.0);
  EXPECT_EQ(at("if(x + 1 > 2*y, if(y < 1, 3, 4), 5)", 0, 1.0, 0.5), 3.0);
}

TEST(Expression, undefined_operations_give_infinities_and_nan) {
  EXPECT_EQ(at("1/x"), INFINITY);
  EXPECT_TRUE(std::isnan(at("x/x")));
  EXPECT_TRUE(std::isnan(at("sqrt(-1)")));
  EXPECT_TRUE(std::isnan(at("(-2)^0.5")));
  for (const char* text :
       {"min(x, 1)", "min(1, x)", "max(x, 1)", "max(1, x)", "sign(x)", "step(x)", "floor(x)",
        "abs(x)", "if(x < 1, 1, 2)", "if(1 >= x, 1, 2)", "x^0", "1^x", "atan2(x, 1)"})
    EXPECT_TRUE(std::isnan(at(text, 0, NAN))) << text;
  // The branch not taken does not count.
  EXPECT_EQ(at("if(x > 0, log(x), -1)", 0, -1.0), -1.0);
}

TEST(Expression, missing_variables_read_as_nan) {
  EXPECT_TRUE(std::isnan(Expression::parse("t + x", names).value(std::vector<double>{1.0})));
  EXPECT_TRUE(std::isnan(Expression::parse("x", names).jet({}).first));
}

TEST(Expression, units_scale_to_si_with_one_rounding) {
  const std::vector<std::string> none;
  auto si = [&](const char* text) { return Expression::parse(text, none).value({}); };
  EXPECT_EQ(si("180 deg"), M_PI);
  EXPECT_EQ(si("90deg"), M_PI / 2);
  EXPECT_EQ(si("1 ms"), 1e-3);
  EXPECT_EQ(si("7 um"), 7e-6);
  EXPECT_EQ(si("5mm + 1 cm"), 0.015);
  EXPECT_EQ(si("2 min"), 120.0);
  EXPECT_EQ(si("min(2 min, 1 km)"), 120.0);
  EXPECT_EQ(si("1e3 mg"), 1e-3);
  EXPECT_EQ(si("60 rpm"), 2 * M_PI);
  EXPECT_EQ(si("-2 kN"), -2000.0);
  EXPECT_EQ(si("1/2 s"), 0.5);
  for (const Unit& unit : units())
    EXPECT_EQ(si(("1 " + std::string(unit.name)).c_str()), unit.factor);
}

TEST(Expression, decimal_units_round_as_decimal_literals_do) {
  for (int i = 1; i < 3000; ++i) {
    const std::string digits = std::to_string(i);
    EXPECT_EQ(at(digits + " mm"), at(digits + "e-3"));
    EXPECT_EQ(at(digits + " us"), at(digits + "e-6"));
    EXPECT_EQ(at(digits + " cm"), at(digits + "e-2"));
  }
}

TEST(Expression, a_unit_that_is_also_a_name_is_refused) {
  const std::vector<std::string> clash{"m"};
  try {
    Expression::parse("2 m", clash);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.message(), "which is a unit and a name here"));
    EXPECT_TRUE(contains(error.message(), "'*m'"));
  }
  EXPECT_EQ(Expression::parse("2*m", clash).value(std::vector<double>{3.0}), 6.0);
}

TEST(Expression, bind_replaces_numbers_and_folds) {
  const Expression whole = Expression::parse("x*sin(pi/2) + t*(y + 1)^2", names);
  EXPECT_TRUE(whole.uses(0) && whole.uses(1) && whole.uses(2) && !whole.uses(3));
  const Expression part = whole.bind(std::vector<double>{NAN, 2.0, 3.0});
  EXPECT_TRUE(part.uses(0) && !part.uses(1) && !part.uses(2));
  EXPECT_EQ(part.value(std::vector<double>{0.5}), 10.0);
  EXPECT_EQ(part.text(), whole.text());
  const Expression all = part.bind(std::vector<double>{0.5});
  EXPECT_TRUE(all.is_constant());
  EXPECT_EQ(all.value({}), 10.0);
  EXPECT_TRUE(Expression::parse("if(1 < 2, sqrt(16), -3)*min(1, 2)", names).is_constant());
  EXPECT_FALSE(whole.is_constant());
  EXPECT_FALSE(whole.bind(std::vector<double>{1.0}).is_constant());
}

TEST(Expression, mistakes_are_named_with_column_and_remedy) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "an empty text where a value should be at column 1"},
      {"   ", "an empty text where a value should be"},
      {"1 +", "the end of the text where a value should be at column 4"},
      {"1 + * 2", "'*' where a value should be at column 5"},
      {"(1 + 2", "the end of the text where the parenthesis should close at column 7"},
      {"1)", "')' without its '(' at column 2"},
      {"sni(t)", "unknown function 'sni' at column 1 (did you mean 'sin'?)"},
      {"1 + sqr(t)", "unknown function 'sqr' at column 5 (did you mean 'sqrt'?)"},
      {"tt + 1", "unknown name 'tt'"},
      {"inf", "'inf' at column 1; accepted: finite numbers"},
      {"1 + nan", "'nan' at column 5; accepted: finite numbers"},
      {"e", "unknown name 'e'"},
      {"1 kgg", "unknown unit 'kgg' at column 3 (did you mean 'kg'?)"},
      {"2x", "'x' without an operator before it at column 2"},
      {"2 pi", "'pi' without an operator before it"},
      {"2 sin(x)", "'sin' without an operator before it"},
      {"5 min(1, 2)", "'min' without an operator before it"},
      {"2(x)", "'(' behind a complete value at column 2"},
      {"1 2", "two numbers without an operator"},
      {"1.2.3", "two numbers without an operator"},
      {".", "a point without digits at column 1"},
      {"1e999", "beyond the range of a double"},
      {"0x10", "unknown unit 'x10'"},
      {"5 m/s", "the unit 's' without a number before it at column 5"},
      {"sin", "the function 'sin' without arguments"},
      {"sin()", "')' where a value should be at column 5"},
      {"sin(1, 2)", "wrong number of arguments of 'sin' at column 6; accepted: 1"},
      {"atan2(1)", "wrong number of arguments of 'atan2' at column 8; accepted: 2"},
      {"if(1 < 2, 3)", "wrong number of arguments of 'if'"},
      {"if(1, 2, 3)", "no comparison in the first argument of 'if' at column 5"},
      {"1 < 2", "a comparison at column 3; accepted: comparisons as the first argument"},
      {"(1 < 2)", "a comparison at column 4"},
      {"t(1)", "'t' is not a function but is followed by '('"},
      {"1 # 2", "'#' behind a complete value at column 3"},
      {"t == 1", "'=' behind a complete value at column 3"},
      {"1\x01", "'\\x01' behind a complete value at column 2"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal(text);
    EXPECT_TRUE(contains(message, expected)) << text << " -> " << message;
    EXPECT_TRUE(contains(message, "; accepted: ")) << text << " -> " << message;
  }
}

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

TEST(Expression, nesting_is_accepted_to_64_levels_and_refused_beyond) {
  const auto nested = [](const std::string& open, const std::string& close, int count) {
    return repeated(open, count) + "1" + repeated(close, count);
  };
  EXPECT_EQ(at(nested("(", ")", 64)), 1.0);
  EXPECT_EQ(at(nested("-", "", 64)), 1.0);
  EXPECT_EQ(at(nested("1^", "", 64)), 1.0);
  EXPECT_EQ(at(nested("abs(", ")", 64)), 1.0);
  for (const std::string& text : {nested("(", ")", 65), nested("-", "", 65), nested("1^", "", 65),
                                  nested("abs(", ")", 65), nested("-(", ")", 33)})
    EXPECT_TRUE(contains(refusal(text), "nested too deeply")) << refusal(text);
  // Long is not deep.
  EXPECT_EQ(at("0" + repeated("+1", 2000)), 2000.0);
}

TEST(Expression, stack_limit_is_checked_while_parsing) {
  // Each level keeps three operands pending: t + t*t^( ... ).
  const std::string text = repeated("t+t*t^(", 30) + "t" + repeated(")", 30);
  EXPECT_EQ(at(text, 0.0), 0.0);
  const std::string deeper = repeated("t+t*t^(t+t*(", 16) + "t" + repeated("))", 16);
  EXPECT_EQ(refusal(deeper), "accepted");
  const std::string calls = repeated("max(t, t+t*t^max(t, ", 20) + "t" + repeated("))", 20);
  EXPECT_EQ(refusal(calls), "accepted");
  const std::string deepest = repeated("t+t*max(t, t+t*max(t, ", 31) + "t" + repeated("))", 31);
  EXPECT_TRUE(contains(refusal(deepest), "more than 128 intermediate values"));
}

TEST(Expression, hostile_text_ends_in_an_error) {
  for (const char* part : {"(", "-", "2^", "sin(", "1+", "if(", "((1)", "\xff", ",", "t "})
    EXPECT_NE(refusal(repeated(part, 1000000)), "accepted") << part;
  EXPECT_TRUE(contains(refusal(std::string(1000000, '1')), "1000000 characters"));
  EXPECT_TRUE(contains(refusal(std::string(4000, 'q')), "..."));
  EXPECT_LT(refusal(std::string(4000, 'q')).size(), 300u);
  EXPECT_NE(refusal(std::string_view("1\0+1", 4)), "accepted");
}

TEST(Expression, random_bytes_and_random_tokens_never_crash) {
  std::mt19937_64 random(7);
  const std::string tokens[] = {"(",      ")",   "+",    "-",    "*",  "/", "^", ",",
                                "<",      ">=",  "1",    ".5",   "1e", "t", "x", "sin(",
                                "atan2(", "if(", "max(", " deg", "mm", " ", "pi"};
  int accepted = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    const auto length = random() % 24;
    for (std::uint64_t k = 0; k < length; ++k)
      text += i % 2 == 0 ? tokens[random() % std::size(tokens)]
                         : std::string(1, static_cast<char>(random()));
    try {
      const Expression expression = Expression::parse(text, names);
      const double values[] = {0.3, 0.7, 0.2};
      const Jet jets[] = {{0.3, 1.0, 0.0}, {0.7, 0.0, 0.0}, {0.2, 0.0, 0.0}};
      EXPECT_EQ(std::bit_cast<std::uint64_t>(expression.value(values)) << 1,
                std::bit_cast<std::uint64_t>(expression.jet(jets).value) << 1);
      ++accepted;
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(Expression, names_may_have_dots_where_one_that_is_known_has) {
  const std::vector<std::string> dotted{"ball.x", "ball.y", "arm.link1.x", "r"};
  const auto value = [&](const std::string& text) {
    return Expression::parse(text, dotted).value(std::array{3.0, 4.0, 7.0, 2.0});
  };
  EXPECT_EQ(value("ball.x^2 + ball.y^2 - (r + 1)^2"), 16.0);
  EXPECT_EQ(value("-ball.x*2.5"), -7.5);
  EXPECT_EQ(value("r*.5 + arm.link1.x"), 8.0);
  EXPECT_EQ(value("if(ball.x<ball.y,r,0)"), 2.0);
  EXPECT_TRUE(
      contains(refusal("ball.z", dotted), "unknown name 'ball.z' at column 1 (did you mean "));
  EXPECT_TRUE(contains(refusal("ball", dotted), "unknown name 'ball' at column 1"));
  EXPECT_TRUE(contains(refusal("2 ball.x", dotted), "'ball.x' without an operator before it"));
  EXPECT_TRUE(contains(refusal("ball.x(2)", dotted), "'ball.x' is not a function"));
  EXPECT_TRUE(contains(refusal("r.", dotted), "'.' behind a complete value"));
  EXPECT_TRUE(contains(refusal("x.y"), "'.' behind a complete value"));
}

TEST(Expression, variable_names_are_identifiers_that_mean_nothing_else) {
  for (const char* good : {"t", "mu", "_a", "x_2", "Length", "e"})
    EXPECT_TRUE(is_variable_name(good)) << good;
  for (const char* bad : {"", "2x", "a-b", "a b", "pi", "inf", "nan", "sin", "if", "\xc3\xa9"})
    EXPECT_FALSE(is_variable_name(bad)) << bad;
}

}  // namespace
}  // namespace vinci
