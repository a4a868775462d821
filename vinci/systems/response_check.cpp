// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/response_check.h"

#include <algorithm>

#include <Eigen/LU>

namespace vinci {

namespace {

constexpr double known_digits = 1e-3;   // what rounding may leave open of an entry that is compared
constexpr std::size_t most_poles = 12;  // about which there are points

bool is_known(const KnownValue& known, Eigen::Index i, Eigen::Index j) {
  return known.rounding(i, j) < known_digits * std::abs(known.value(i, j));
}

}  // namespace

KnownValue known_value(const LinearSystem& system, Complex point) {
  KnownValue known;
  known.value = system.d.cast<Complex>();
  known.rounding = system.d.cwiseAbs();
  if (system.state_count() > 0) {
    ComplexMatrix shifted = -system.a.cast<Complex>();
    shifted.diagonal().array() += point;
    const Eigen::PartialPivLU<ComplexMatrix> factors(shifted);
    const ComplexMatrix states = factors.solve(system.b.cast<Complex>());
    const ComplexMatrix backward = factors.transpose().solve(system.c.transpose().cast<Complex>());
    known.value += system.c.cast<Complex>() * states;
    // dG = dC X + Y dA X + Y dB with X = (s I − A)⁻¹ B and Y = C (s I − A)⁻¹.
    MatrixX sizes = system.a.cwiseAbs();
    sizes.diagonal().array() += std::abs(point);
    const MatrixX x = states.cwiseAbs(), y = backward.cwiseAbs().transpose();
    known.rounding += system.c.cwiseAbs() * x + y * (sizes * x + system.b.cwiseAbs());
  }
  known.rounding *= 4.0 * machine_epsilon;
  return known;
}

std::vector<Complex> check_points(const PoleBounds& poles) {
  std::vector<Complex> upper;
  for (Eigen::Index i = 0; i < poles.poles.size(); ++i)
    if (std::abs(poles.poles[i]) > 10.0 * poles.bounds[i] && poles.poles[i].imag() >= 0.0)
      upper.push_back(poles.poles[i]);
  if (upper.empty()) upper.push_back(-1.0);
  std::sort(upper.begin(), upper.end(),
            [](const Complex& a, const Complex& b) { return std::abs(a) < std::abs(b); });
  std::vector<Complex> points = {0.1 * std::abs(upper.front())};
  const std::size_t count = std::min(most_poles, upper.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t which = count > 1 ? i * (upper.size() - 1) / (count - 1) : 0;
    const Complex pole = upper[which];
    points.push_back(pole * std::polar(1.0, 0.05));
    points.push_back(pole * std::polar(1.0, -0.05));
    points.push_back(std::polar(std::abs(pole), M_PI / 3.0));
    points.push_back(std::polar(1.2 * std::abs(pole), M_PI_2));
  }
  points.push_back(std::polar(10.0 * std::abs(upper.back()), M_PI / 3.0));
  return points;
}

ResponseCheck::ResponseCheck(const LinearSystem& system)
    : points_(check_points(pole_bounds(system))) {
  for (const Complex& point : points_) values_.push_back(known_value(system, point));
}

double ResponseCheck::miss(const std::function<ComplexMatrix(Complex)>& form) const {
  double largest = 0.0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const KnownValue& known = values_[k];
    if (!known.value.allFinite()) continue;
    const ComplexMatrix other = form(points_[k]);
    for (Eigen::Index i = 0; i < other.rows(); ++i)
      for (Eigen::Index j = 0; j < other.cols(); ++j) {
        if (!is_known(known, i, j)) continue;
        const double size = std::abs(known.value(i, j));
        const double off = std::abs(other(i, j) - known.value(i, j)) - known.rounding(i, j);
        if (!(off <= largest * size)) largest = std::isfinite(off) ? off / size : infinity;
      }
  }
  return largest;
}

bool ResponseCheck::is_silent() const {
  for (const KnownValue& known : values_)
    if (known.value.allFinite() &&
        (known.value.cwiseAbs().array() > 10.0 * known.rounding.array()).any())
      return false;
  return true;
}

double ResponseCheck::known_up_to() const {
  double known = infinity;
  for (std::size_t k = 0; k < points_.size(); ++k)
    for (Eigen::Index i = 0; i < values_[k].value.rows(); ++i)
      for (Eigen::Index j = 0; j < values_[k].value.cols(); ++j)
        if (!is_known(values_[k], i, j)) known = std::min(known, std::abs(points_[k]));
  return known;
}

}  // namespace vinci
