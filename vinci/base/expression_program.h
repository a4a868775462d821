// SPDX-License-Identifier: Apache-2.0
// The operations of an expression's postfix program; private to base/.
#pragma once

#include <vector>

#include "vinci/base/expression.h"

namespace vinci {

// In the order of the operands taken; the evaluation tells them apart by these groups.
enum class Expression::Op : unsigned char {
  // clang-format off
  // none
  constant, variable,
  // one
  negate, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, sqrt, exp, log,
  abs, sign, floor, step,
  // two
  add, subtract, multiply, divide, power, atan2, minimum, maximum,
  less, less_equal, greater, greater_equal,
  // three: condition, a, b
  select,
  // clang-format on
};

// Operands taken from the stack: 0 to 3. One value is always pushed.
int operand_count(Expression::Op op);

// Appends the instruction, or its value where all operands are constants.
void append_folded(std::vector<Expression::Instruction>& program,
                   const Expression::Instruction& instruction);

}  // namespace vinci
