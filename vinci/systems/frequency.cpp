// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/frequency.h"

#include <algorithm>

#include <Eigen/SVD>

#include "vinci/base/error.h"
#include "vinci/systems/modes.h"

namespace vinci {

namespace {

Complex point_of(const LinearSystem& system, double frequency) {
  return system.is_sampled() ? std::polar(1.0, frequency * system.sample) : Complex(0.0, frequency);
}

// L(−s)ᵀ: poles mirrored at the imaginary axis.
LinearSystem mirrored(const LinearSystem& system) {
  return {-system.a.transpose(), system.c.transpose(), -system.b.transpose(), system.d.transpose(),
          0.0};
}

LinearSystem negative(LinearSystem system) {
  system.c = -system.c;
  system.d = -system.d;
  return system;
}

// The same loop with frequencies over `unit`, the mean size of its poles, and B and C of one size.
LinearSystem scaled_loop(LinearSystem loop, double& unit) {
  double logs = 0.0;
  int counted = 0;
  for (const Complex& pole : poles(loop))
    if (std::abs(pole) > 1e-12 * loop.a.norm()) {
      logs += std::log(std::abs(pole));
      ++counted;
    }
  unit = counted > 0 ? std::exp(logs / counted) : 1.0;
  loop.a /= unit;
  const double b = loop.b.norm() / unit, c = loop.c.norm();
  if (!(b > 0.0 && c > 0.0)) return loop;
  const double share = std::sqrt(c / b);
  loop.b *= share / unit;
  loop.c /= share;
  return loop;
}

// ω >= 0 with f(ω) = 0 near the zeros of a system that lie about the imaginary axis; f real there.
// Newton's method with differences brings what QZ left at a root of its accuracy to rounding.
template <class Function>
std::vector<double> real_frequencies(const LinearSystem& system, const Function& f) {
  std::vector<double> found;
  for (const Complex& zero : invariant_zeros(system).values) {
    if (!(zero.imag() >= 0.0) || !(std::abs(zero) < 1e12)) continue;
    if (std::abs(zero.real()) > 1e-5 * std::max(std::abs(zero), 1e-6)) continue;
    double w = zero.imag();
    for (int i = 0; i < 8; ++i) {
      const double step = 1e-6 * std::max(w, 1e-6);
      const double slope = (f(w + step) - f(w - step)) / (2.0 * step);
      const double change = slope != 0.0 ? f(w) / slope : 0.0;
      if (!(std::abs(change) < 1e-3 * std::max(w, 1e-6))) break;  // no simple root: as it was
      w -= change;
    }
    if (w < 0.0) continue;
    const auto equal = [&](double other) { return std::abs(other - w) <= 1e-8 * (w + other); };
    if (std::none_of(found.begin(), found.end(), equal)) found.push_back(w);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The least |1 + L(iω)|: over a fine grid, refined by golden sections about its least values.
double least_distance(const LinearSystem& loop) {
  const auto distance = [&](double log_w) {
    return std::abs(1.0 + value_at(loop, Complex(0.0, std::exp(log_w)))(0, 0));
  };
  const VectorX grid = frequencies_of_interest(loop, 2000).array().log();
  const auto at_zero = value_at(loop, Complex(0.0, 0.0))(0, 0);
  double least = std::abs(1.0 + loop.d(0, 0));  // at infinity
  if (std::isfinite(std::abs(at_zero))) least = std::min(least, std::abs(1.0 + at_zero));
  VectorX values(grid.size());
  for (Eigen::Index i = 0; i < grid.size(); ++i) values[i] = distance(grid[i]);
  for (Eigen::Index i = 1; i + 1 < grid.size(); ++i) {
    if (!(values[i] <= values[i - 1] && values[i] <= values[i + 1])) continue;
    double low = grid[i - 1], high = grid[i + 1];
    constexpr double golden = 0.6180339887498949;
    for (int k = 0; k < 60; ++k) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      (distance(left) < distance(right) ? high : low) =
          distance(left) < distance(right) ? right : left;
    }
    least = std::min(least, distance(0.5 * (low + high)));
  }
  return std::min(least, values.minCoeff());
}

}  // namespace

std::vector<ComplexMatrix> frequency_response(const LinearSystem& system,
                                              const VectorX& frequencies) {
  std::vector<ComplexMatrix> response;
  response.reserve(static_cast<std::size_t>(frequencies.size()));
  for (const double frequency : frequencies)
    response.push_back(value_at(system, point_of(system, frequency)));
  return response;
}

MatrixX singular_values(const std::vector<ComplexMatrix>& response) {
  if (response.empty()) return {};
  MatrixX values(response.size(), std::min(response[0].rows(), response[0].cols()));
  for (std::size_t i = 0; i < response.size(); ++i)
    values.row(static_cast<Eigen::Index>(i)) =
        Eigen::JacobiSVD<ComplexMatrix>(response[i]).singularValues().transpose();
  return values;
}

VectorX frequencies_of_interest(const LinearSystem& system, int count) {
  const double period = system.sample;
  std::vector<double> sizes;
  const auto add = [&](const ComplexVector& values) {
    for (const Complex& value : values) {
      const double size = system.is_sampled()
                              ? std::hypot(std::log(std::abs(value)), std::arg(value)) / period
                              : std::abs(value);
      if (size > 1e-8 && size < 1e12) sizes.push_back(size);
    }
  };
  add(poles(system));
  add(invariant_zeros(system).values);
  if (sizes.empty()) sizes.push_back(1.0);
  const double least = *std::min_element(sizes.begin(), sizes.end()) / 100.0;
  double most = *std::max_element(sizes.begin(), sizes.end()) * 100.0;
  if (system.is_sampled()) most = M_PI / period;
  VectorX frequencies(count);
  for (int i = 0; i < count; ++i)
    frequencies[i] = std::min(most, std::exp(std::log(least) + (std::log(most) - std::log(least)) *
                                                                   i / std::max(1, count - 1)));
  return frequencies;
}

Margins margins(const LinearSystem& given) {
  if (given.input_count() != 1 || given.output_count() != 1)
    throw Error("margins belong to one input and one output", "linear system");
  // On the unit circle a sampled loop has the values that its bilinear map has on the axis.
  const double period = given.sample;
  double unit = 1.0;  // rad/s, of frequencies below
  const LinearSystem loop =
      scaled_loop(minimal_part(given.is_sampled() ? bilinear(given) : given).system, unit);
  const auto value = [&](double w) { return value_at(loop, Complex(0.0, w))(0, 0); };
  const auto true_frequency = [&](double w) {
    return period > 0.0 ? 2.0 * std::atan(unit * w) / period : unit * w;
  };
  Margins answer;
  // |L| = 1: 1 − L(−s) L(s) = 0.
  const LinearSystem one = constant_system(MatrixX::Ones(1, 1));
  const LinearSystem size = in_parallel(one, negative(in_series(loop, mirrored(loop))));
  for (const double w :
       real_frequencies(size, [&](double x) { return std::norm(value(x)) - 1.0; })) {
    if (std::abs(std::abs(value(w)) - 1.0) > 1e-6) continue;
    const double angle = std::remainder(std::arg(value(w)) - M_PI, 2.0 * M_PI);
    answer.phase.push_back({true_frequency(w), angle});
    answer.phase_margin = std::min(answer.phase_margin, std::abs(angle));
    const double lag = angle >= 0.0 ? angle : angle + 2.0 * M_PI;
    if (w > 0.0) answer.delay_margin = std::min(answer.delay_margin, lag / true_frequency(w));
  }
  // L real: L(s) − L(−s) = 0.
  const LinearSystem imaginary = in_parallel(loop, negative(mirrored(loop)));
  double nearest = infinity;
  const auto add = [&](double frequency, double factor) {
    answer.gain.push_back({frequency, factor});
    if (!(std::abs(std::log(factor)) < nearest)) return;
    nearest = std::abs(std::log(factor));
    answer.gain_margin = factor;
  };
  for (const double w : real_frequencies(imaginary, [&](double x) { return value(x).imag(); })) {
    const Complex at = value(w);
    if (!(at.real() < 0.0) || !std::isfinite(at.real())) continue;
    if (std::abs(at.imag()) > 1e-6 * std::abs(at)) continue;
    add(true_frequency(w), -1.0 / at.real());
  }
  // Where w is infinite: half the sampling frequency, or the direct way through D.
  if (loop.d(0, 0) < 0.0) add(period > 0.0 ? M_PI / period : infinity, -1.0 / loop.d(0, 0));
  answer.modulus_margin = least_distance(loop);
  const LinearSystem direct = constant_system(MatrixX::Ones(1, 1), given.sample);
  if (std::abs(1.0 + given.d(0, 0)) > 0.0)
    answer.stable = is_stable(closed_loop(given, direct, -1.0));
  return answer;
}

}  // namespace vinci
