// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/transfer_function.h"

#include <algorithm>
#include <optional>

#include "vinci/base/error.h"
#include "vinci/systems/channel_form.h"
#include "vinci/systems/response_check.h"

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

// C Aʳ⁻¹ B, or D, of a channel with r more poles than zeros; none where its terms cancel.
std::optional<double> gain_of(const LinearSystem& own, Eigen::Index degree) {
  double gain = own.d(0, 0), terms = std::abs(gain);
  if (degree > 0) {
    VectorX ahead = own.b.col(0), sizes = ahead.cwiseAbs();
    const MatrixX sized = own.a.cwiseAbs();
    for (Eigen::Index i = 1; i < degree; ++i) {
      ahead = own.a * ahead;
      sizes = sized * sizes;
    }
    gain = own.c.row(0).dot(ahead);
    terms = own.c.row(0).cwiseAbs().dot(sizes);
  }
  if (!(std::abs(gain) >= cancelled * terms && gain != 0.0)) return std::nullopt;
  return gain;
}

}  // namespace

VectorX polynomial_of(const ComplexVector& roots) {
  ComplexVector product = ComplexVector::Zero(roots.size() + 1);
  product[0] = 1.0;
  for (Eigen::Index i = 0; i < roots.size(); ++i)
    for (Eigen::Index k = i + 1; k > 0; --k) product[k] -= roots[i] * product[k - 1];
  return product.real();
}

bool TransferFunction::is_trusted() const {
  return miss <= accepted_miss;
}

VectorX TransferFunction::numerator() const {
  return gain * polynomial_of(zeros);
}

VectorX TransferFunction::denominator() const {
  return polynomial_of(poles);
}

Complex TransferFunction::at(Complex point) const {
  return product_form(gain, zeros, poles, point);
}

TransferFunction transfer_function(const LinearSystem& system, int input, int output,
                                   double tolerance) {
  const LinearSystem own = channel(system, {input}, {output});
  const LinearSystem part = minimal_part(own, tolerance).system;
  const ChannelForm form = channel_form(part, own, tolerance);
  TransferFunction function;
  function.sample = system.sample;
  if (form.gain == 0.0) return function;
  function.gain = form.gain;
  function.zeros = form.zeros;
  function.poles = poles(part);
  function.miss = form.miss;
  function.known_up_to = form.known_up_to;
  // No reduction stands between the whole channel and this gain.
  const auto gain = gain_of(own, function.poles.size() - function.zeros.size());
  if (gain && std::abs(*gain / function.gain - 1.0) < 1e-5) function.gain = *gain;
  return function;
}

LinearSystem system_of(const VectorX& numerator, const VectorX& denominator, double sample) {
  if (numerator.size() == 0)
    throw Error("has no numerator; accepted: one coefficient or more", "transfer function");
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
