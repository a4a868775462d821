// SPDX-License-Identifier: Apache-2.0
// The operations of an expression's postfix program; private to base/.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "vinci/base/expression.h"

namespace vinci {

enum class Expression::Op : unsigned char {
  constant,
  variable,  // push one value
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  sqrt,
  exp,  // replace the top
  log,
  abs,
  sign,
  floor,
  step,
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  minimum,
  maximum,  // replace the top two
  less,
  less_equal,
  greater,
  greater_equal,
  select,  // condition, a, b
};

// Operands taken from the stack: 0 to 3. One value is always pushed.
int operand_count(Expression::Op op);

struct ExpressionFunction {
  std::string_view name;
  Expression::Op op;
};
std::span<const ExpressionFunction> expression_functions();

// Appends the instruction, or its value where all operands are constants.
void append_folded(std::vector<Expression::Instruction>& program,
                   const Expression::Instruction& instruction);

}  // namespace vinci
