// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/condition.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/base/expression.h"

namespace vinci {
namespace {

bool holds(const std::string& text, double x, double y) {
  const Condition condition = Condition::parse(text);
  const std::vector<std::string> names = {"x", "y"};
  std::vector<double> sides;
  for (const std::string& side : condition.sides())
    sides.push_back(Expression::parse(side, names).value(std::vector{x, y}));
  return condition.holds(sides);
}

TEST(Condition, joins_comparisons_as_people_read_them) {
  EXPECT_TRUE(holds("x > 0.1", 0.2, 0.0));
  EXPECT_FALSE(holds("x > 0.1 and y > 0", 0.2, 0.0));
  EXPECT_TRUE(holds("x > 0.1 or y > 0", 0.2, 0.0));
  EXPECT_TRUE(holds("x < 0 and y < 0 or x > 0", 1.0, 0.0));
  EXPECT_FALSE(holds("x < 0 and (y < 0 or x > 0)", 1.0, 0.0));
  EXPECT_TRUE(holds("not (x < 0)", 1.0, 0.0));
  EXPECT_TRUE(holds("not x < 0 and not not y == 0", 1.0, 0.0));
  EXPECT_TRUE(holds("x != y", 1.0, 0.0));
}

TEST(Condition, takes_chains_and_parentheses_within_sides) {
  EXPECT_TRUE(holds("0 < x < 2", 1.0, 0.0));
  EXPECT_FALSE(holds("0 < x < 1", 1.0, 0.0));
  EXPECT_TRUE(holds("0 < x <= 1 >= y", 1.0, 0.0));
  EXPECT_TRUE(holds("(x + 1) * 2 > max(y, 3)", 1.0, 0.0));
  EXPECT_TRUE(holds("if(x < 2, 1, 0) > 0.5", 1.0, 0.0));
  EXPECT_TRUE(holds("((x + 1) > (y))", 1.0, 0.0));
  EXPECT_TRUE(holds("x < 1 s", 0.5, 0.0));
}

TEST(Condition, does_not_hold_with_what_is_no_number) {
  for (const char* text : {"x < 1", "x > 1", "x == 1", "x != 1", "x <= 1", "x >= 1"})
    EXPECT_FALSE(holds(text, std::nan(""), 0.0)) << text;
  EXPECT_TRUE(holds("not (x < 1)", std::nan(""), 0.0));
}

TEST(Condition, refuses_what_is_no_condition) {
  for (const char* text :
       {"", "x", "x >", "> x", "x > 1 and", "(x > 1", "x > 1)", "not", "and x > 1",
        "x > 1 or or y > 1", "x = 1", "(x > 1) + 1", "x > 1 y < not 2"})
    EXPECT_THROW(static_cast<void>(Condition::parse(text)), Error) << text;
  EXPECT_THROW(static_cast<void>(Condition::parse(std::string(3000, '(') + "x > 1")), Error);
  std::string deep = "x > 1";
  for (int i = 0; i < 100; ++i) deep = "(" + deep + ")";
  EXPECT_THROW(static_cast<void>(Condition::parse(deep)), Error);
}

}  // namespace
}  // namespace vinci
