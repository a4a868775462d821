// SPDX-License-Identifier: Apache-2.0
#include "vinci/base/expression_check.h"

#include <gtest/gtest.h>

namespace vinci {
namespace {

TEST(Expression, tells_what_has_no_value_whatever_its_variables_are) {
  const std::vector<std::string> names{"x", "y"};
  for (const char* text :
       {"1/0", "x/0", "x/(1 - 1)", "x + 0/0", "sqrt(-1)*x", "min(x, log(0))", "if(x < 0, 1/0, y)"})
    EXPECT_TRUE(has_no_value(Expression::parse(text, names))) << text;
  for (const char* text : {"0", "x", "0/x", "x/y", "1/(x - x)", "x/2 + 0", "log(x)"})
    EXPECT_FALSE(has_no_value(Expression::parse(text, names))) << text;
}

}  // namespace
}  // namespace vinci
