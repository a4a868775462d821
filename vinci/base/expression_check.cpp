// SPDX-License-Identifier: Apache-2.0
#include "vinci/base/expression_check.h"

#include <cmath>

#include "vinci/base/expression_program.h"

namespace vinci {

bool has_no_value(const Expression& expression) {
  using Op = Expression::Op;
  bool after_zero = false;
  for (const Expression::Instruction& instruction : expression.program()) {
    const bool is_constant = instruction.op == Op::constant;
    if (is_constant && !std::isfinite(instruction.constant)) return true;
    // A constant right before the operation is its second operand.
    if (after_zero && instruction.op == Op::divide) return true;
    after_zero = is_constant && instruction.constant == 0.0;
  }
  return false;
}

}  // namespace vinci
