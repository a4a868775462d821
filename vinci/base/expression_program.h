// SPDX-License-Identifier: Apache-2.0
// The operations of an expression's postfix program; private to base/.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
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

// The operations on plain numbers.
double unary_value(Expression::Op op, double x);
double binary_value(Expression::Op op, double a, double b);
// Of min and max: whether a is the one.
bool takes_first(Expression::Op op, double a, double b);

// Runs a program on numbers that have these rules: constant(), variable(), unary(), binary() and
// select() of a type Number.
template <class Rules, class Variables>
typename Rules::Number run_program(std::span<const Expression::Instruction> program,
                                   Variables variables) {
  using Op = Expression::Op;
  using Number = typename Rules::Number;
  if (program.empty()) return Rules::constant(0.0);
  // Raw memory: setting all entries to zero would take longer than a short program.
  static_assert(std::is_trivially_destructible_v<Number>);
  alignas(Number) std::array<std::byte, Expression::stack_size * sizeof(Number)> stack;
  Number* top = reinterpret_cast<Number*>(stack.data());  // one past the last value
  for (const Expression::Instruction& instruction : program) {
    const Op op = instruction.op;
    if (op == Op::constant) {
      std::construct_at(top++, Rules::constant(instruction.constant));
    } else if (op == Op::variable) {
      std::construct_at(top++, Rules::variable(variables, instruction.index));
    } else if (op < Op::add) {
      top[-1] = Rules::unary(op, top[-1]);
    } else if (op < Op::select) {
      --top;
      top[-1] = Rules::binary(op, top[-1], top[0]);
    } else {
      top -= 2;
      top[-1] = Rules::select(top[-1], top[0], top[1]);
    }
  }
  return top[-1];
}

}  // namespace vinci
