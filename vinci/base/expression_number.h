// SPDX-License-Identifier: Apache-2.0
// Expressions over numbers that carry derivatives (dual.h): along a direction, in time, or both.
#pragma once

#include <span>

#include "vinci/base/dual.h"
#include "vinci/base/expression.h"

namespace vinci {

// T: double, Dual<double>, Series<double> or Series<Dual<double>>. Derivatives are exact; branches
// and what has no derivative are as Expression::jet() has them. The value has the bits of
// Expression::value(). A variable without any derivative is held constant.
template <class T>
T evaluate(const Expression& expression, std::span<const T> variables);

template <>
double evaluate(const Expression& expression, std::span<const double> variables);
extern template Dual<double> evaluate(const Expression&, std::span<const Dual<double>>);
extern template Series<double> evaluate(const Expression&, std::span<const Series<double>>);
extern template Series<Dual<double>> evaluate(const Expression&,
                                              std::span<const Series<Dual<double>>>);

}  // namespace vinci
