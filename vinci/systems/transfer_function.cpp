// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/transfer_function.h"

#include <algorithm>

#include "vinci/base/error.h"

namespace vinci {

namespace {

// A sum that is this small beside its terms is not known to ten digits.
constexpr double cancelled = 1e-5;

// Without zeros at its beginning.
VectorX trimmed(const VectorX& coefficients) {
  Eigen::Index first = 0;
  while (first < coefficients.size() && coefficients[first] == 0.0) ++first;
  return coefficients.tail(coefficients.size() - first);
}

// Of points spread about the sizes of poles and zeros, the one that is relatively farthest from
// all of them.
Complex clear_point(const TransferFunction& function) {
  double logs = 0.0;
  int counted = 0;
  for (const ComplexVector* values : {&function.poles, &function.zeros})
    for (const Complex& value : *values)
      if (std::abs(value) > 0.0) {
        logs += std::log(std::abs(value));
        ++counted;
      }
  const double size = counted > 0 ? std::exp(logs / counted) : 1.0;
  Complex best = size;
  double farthest = -1.0;
  for (int i = 0; i < 48; ++i) {
    const Complex point = std::polar(size * std::ldexp(1.0, i / 16), M_PI * (i % 16 + 0.5) / 16.0);
    double least = infinity;
    for (const ComplexVector* values : {&function.poles, &function.zeros})
      for (const Complex& value : *values)
        least = std::min(least, std::abs(point - value) / (std::abs(point) + std::abs(value)));
    if (least > farthest) {
      farthest = least;
      best = point;
    }
  }
  return best;
}

}  // namespace

VectorX polynomial_of(const ComplexVector& roots) {
  ComplexVector product = ComplexVector::Zero(roots.size() + 1);
  product[0] = 1.0;
  for (Eigen::Index i = 0; i < roots.size(); ++i)
    for (Eigen::Index k = i + 1; k > 0; --k) product[k] -= roots[i] * product[k - 1];
  return product.real();
}

VectorX TransferFunction::numerator() const {
  return gain * polynomial_of(zeros);
}

VectorX TransferFunction::denominator() const {
  return polynomial_of(poles);
}

Complex TransferFunction::at(Complex point) const {
  Complex value = gain;
  for (const Complex& zero : zeros) value *= point - zero;
  for (const Complex& pole : poles) value /= point - pole;
  return value;
}

TransferFunction transfer_function(const LinearSystem& system, int input, int output,
                                   double tolerance) {
  const LinearSystem own = channel(system, {input}, {output});
  const LinearSystem part = minimal_part(own, tolerance).system;
  TransferFunction function;
  function.sample = system.sample;
  const Zeros zeros = invariant_zeros(part, tolerance);
  if (zeros.normal_rank == 0) return function;
  function.zeros = zeros.values;
  function.poles = poles(part);
  // The gain is C Aʳ⁻¹ B, with r more poles than zeros, unless its terms cancel: then it is what
  // the value at a point far from all poles and zeros asks for, hidden ones too.
  const Eigen::Index degree = function.poles.size() - function.zeros.size();
  double terms = std::abs(own.d(0, 0));
  function.gain = own.d(0, 0);
  if (degree > 0) {
    VectorX ahead = own.b.col(0), sizes = ahead.cwiseAbs();
    const MatrixX sized = own.a.cwiseAbs();
    for (Eigen::Index i = 1; i < degree; ++i) {
      ahead = own.a * ahead;
      sizes = sized * sizes;
    }
    function.gain = own.c.row(0).dot(ahead);
    terms = own.c.row(0).cwiseAbs().dot(sizes);
  }
  if (std::abs(function.gain) >= cancelled * terms && function.gain != 0.0) return function;
  TransferFunction all = function;
  all.poles = poles(own);
  const Complex point = clear_point(all);
  function.gain = 1.0;
  function.gain = (value_at(own, point)(0, 0) / function.at(point)).real();
  return function;
}

LinearSystem system_of(const VectorX& numerator, const VectorX& denominator, double sample) {
  const VectorX top = trimmed(numerator), bottom = trimmed(denominator);
  if (!top.allFinite() || !bottom.allFinite())
    throw Error("has coefficients that are not finite", "transfer function");
  if (bottom.size() == 0) throw Error("has a denominator of zero", "transfer function");
  if (top.size() > bottom.size())
    throw Error("has a numerator of higher degree than its denominator", "transfer function");
  const Eigen::Index n = bottom.size() - 1;
  const VectorX lower = bottom.tail(n) / bottom[0];
  VectorX upper = VectorX::Zero(n + 1);
  upper.tail(top.size()) = top / bottom[0];
  LinearSystem system = {MatrixX::Zero(n, n), MatrixX::Zero(n, 1), MatrixX::Zero(1, n),
                         MatrixX::Constant(1, 1, upper[0]), sample};
  if (n == 0) return system;
  system.a.row(0) = -lower.transpose();
  system.a.bottomLeftCorner(n - 1, n - 1).diagonal().setOnes();
  system.b(0, 0) = 1.0;
  system.c.row(0) = (upper.tail(n) - upper[0] * lower).transpose();
  return system;
}

}  // namespace vinci
