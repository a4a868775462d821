// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/frequency.h"

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "vinci/base/error.h"
#include "vinci/systems/modes.h"

namespace vinci {

namespace {

// Share to which the values of a loop are known that was reduced from a larger system.
constexpr double known_response = 1e-11;

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

// Values by a Hessenberg form of A [Laub 1981]: many points cost little.
class FastValues {
 public:
  explicit FastValues(const LinearSystem& system) : d_(system.d(0, 0)) {
    if (system.state_count() == 0) return;
    const LinearSystem even = evenly_balanced(system);
    if (even.state_count() == 1) {
      form_ = -even.a.cast<Complex>();
      b_ = even.b.cast<Complex>();
      c_ = even.c.cast<Complex>();
      return;
    }
    const Eigen::HessenbergDecomposition<MatrixX> hessenberg(even.a);
    const MatrixX turn = hessenberg.matrixQ();
    form_ = -MatrixX(hessenberg.matrixH()).cast<Complex>();
    b_ = (turn.transpose() * even.b).cast<Complex>();
    c_ = (even.c * turn).cast<Complex>();
  }

  Complex at(Complex point) {
    const Eigen::Index n = form_.rows();
    if (n == 0) return d_;
    shifted_ = form_;
    shifted_.diagonal().array() += point;
    x_ = b_;
    for (Eigen::Index k = 0; k + 1 < n; ++k) {
      if (std::abs(shifted_(k + 1, k)) > std::abs(shifted_(k, k))) {
        shifted_.row(k).tail(n - k).swap(shifted_.row(k + 1).tail(n - k));
        x_.row(k).swap(x_.row(k + 1));
      }
      if (shifted_(k + 1, k) == 0.0) continue;
      const Complex share = shifted_(k + 1, k) / shifted_(k, k);
      shifted_.row(k + 1).tail(n - k - 1) -= share * shifted_.row(k).tail(n - k - 1);
      x_.row(k + 1) -= share * x_.row(k);
    }
    return (c_ * shifted_.triangularView<Eigen::Upper>().solve(x_))(0, 0) + d_;
  }

 private:
  Complex d_;
  ComplexMatrix form_, b_, c_, shifted_, x_;
};

// Where f changes its sign between points of a fine grid of [0, end], by halving.
template <class Function>
std::vector<double> sign_changes(double end, const Function& f) {
  constexpr int count = 20000;
  std::vector<double> found;
  // Not at the ends, where the poles are.
  for (int i = 0; i + 1 < count; ++i) {
    double low = end * (i + 0.5) / count, high = end * (i + 1.5) / count;
    const double before = f(low);
    if (!(before * f(high) < 0.0)) continue;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (before * f(middle) > 0.0 ? low : high) = middle;
    }
    found.push_back(0.5 * (low + high));
  }
  return found;
}

// Where a sampled loop that is continued to the axis has infinity: the one of z = −1 and z = 1 that
// is farther from its poles.
struct OnAxis {
  LinearSystem loop;
  bool turned = false;   // of G(−z)
  bool on_grid = false;  // there are poles at both
};

OnAxis on_axis(const LinearSystem& given) {
  OnAxis answer = {given};
  if (!given.is_sampled()) return answer;
  double at_one = infinity, at_minus_one = infinity;
  for (const Complex& pole : poles(given)) {
    at_one = std::min(at_one, std::abs(pole - 1.0));
    at_minus_one = std::min(at_minus_one, std::abs(pole + 1.0));
  }
  constexpr double near = 1e-6;
  answer.on_grid = std::max(at_one, at_minus_one) < near;
  if (answer.on_grid) return answer;
  answer.turned = at_minus_one < near;
  if (answer.turned) {
    answer.loop.a = -given.a;
    answer.loop.b = -given.b;
  }
  answer.loop = bilinear(answer.loop);
  return answer;
}

// The least |1 + L(iω)|: over a fine grid, refined by golden sections about its least values.
double least_distance(const LinearSystem& loop) {
  FastValues values_of(loop);
  const auto distance = [&](double log_w) {
    return std::abs(1.0 + values_of.at(point_of(loop, std::exp(log_w))));
  };
  const VectorX grid = frequencies_of_interest(loop, 2000).array().log();
  const Complex at_zero = value_at(loop, point_of(loop, 0.0))(0, 0);
  double least = loop.is_sampled() ? infinity : std::abs(1.0 + loop.d(0, 0));  // at infinity
  if (std::isfinite(std::abs(at_zero))) least = std::min(least, std::abs(1.0 + at_zero));
  VectorX values(grid.size());
  for (Eigen::Index i = 0; i < grid.size(); ++i) {
    values[i] = distance(grid[i]);
    if (values[i] < least) least = values[i];
  }
  for (Eigen::Index i = 1; i + 1 < grid.size(); ++i) {
    if (!(values[i] <= values[i - 1] && values[i] <= values[i + 1])) continue;
    double low = grid[i - 1], high = grid[i + 1];
    constexpr double golden = 0.6180339887498949;
    for (int k = 0; k < 60; ++k) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      const bool is_left = distance(left) < distance(right);
      (is_left ? high : low) = is_left ? right : left;
    }
    const double lowest = distance(0.5 * (low + high));
    if (lowest < least) least = lowest;
  }
  return least;
}

}  // namespace

std::vector<ComplexMatrix> frequency_response(const LinearSystem& system,
                                              const VectorX& frequencies) {
  std::vector<ComplexMatrix> response;
  if (!frequencies.allFinite()) throw Error("accepted: finite numbers, in rad/s", "frequencies");
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
  const auto size_of = [&](const Complex& value) {
    return system.is_sampled() ? std::hypot(std::log(std::abs(value)), std::arg(value)) / period
                               : std::abs(value);
  };
  // Poles that rounding keeps from s = 0, or z = 1, say no frequency.
  const PoleBounds known = pole_bounds(system);
  const double origin = system.is_sampled() ? 1.0 : 0.0;
  for (Eigen::Index i = 0; i < known.poles.size(); ++i)
    if (std::abs(known.poles[i] - origin) > known.bounds[i] &&
        std::isfinite(size_of(known.poles[i])))
      sizes.push_back(size_of(known.poles[i]));
  // Nor do zeros that are far from all poles.
  constexpr double far = 1e5;
  const double low = sizes.empty() ? 0.0 : *std::min_element(sizes.begin(), sizes.end()) / far;
  const double high =
      sizes.empty() ? infinity : *std::max_element(sizes.begin(), sizes.end()) * far;
  for (const Complex& zero : invariant_zeros(system).values)
    if (size_of(zero) > low && size_of(zero) < high) sizes.push_back(size_of(zero));
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
  const OnAxis axis = on_axis(given);
  double unit = 1.0;  // rad/s, of frequencies below
  const LinearSystem loop =
      axis.on_grid ? given : scaled_loop(minimal_part(axis.loop).system, unit);
  const auto value = [&](double w) {
    const Complex at = value_at(loop, point_of(loop, w))(0, 0);
    return axis.turned ? std::conj(at) : at;
  };
  const auto true_frequency = [&](double w) {
    if (axis.on_grid) return w;
    if (period == 0.0) return unit * w;
    const double angle = 2.0 * std::atan(unit * w);
    return (axis.turned ? M_PI - angle : angle) / period;
  };
  Margins answer;
  const auto add_phase = [&](double frequency, const Complex& at) {
    const double angle = std::remainder(std::arg(at) - M_PI, 2.0 * M_PI);
    answer.phase.push_back({frequency, angle});
    answer.phase_margin = std::min(answer.phase_margin, std::abs(angle));
    const double lag = angle >= 0.0 ? angle : angle + 2.0 * M_PI;
    if (frequency > 0.0) answer.delay_margin = std::min(answer.delay_margin, lag / frequency);
  };
  double nearest = infinity;
  const auto add_gain = [&](double frequency, double factor) {
    answer.gain.push_back({frequency, factor});
    if (!(std::abs(std::log(factor)) < nearest)) return;
    nearest = std::abs(std::log(factor));
    answer.gain_margin = factor;
  };
  // At ω = 0 (of turned loops half the sampling frequency) L is real. The zero there that says so
  // is lost where a zero of L at a meets a pole at −a.
  double slowest = infinity;
  if (!axis.on_grid)
    for (const Complex& pole : poles(loop)) slowest = std::min(slowest, std::abs(pole));
  const Complex at_zero = value(0.0);
  const bool has_start = slowest > 1e-12 && std::isfinite(std::abs(at_zero)) && !axis.on_grid;
  const double start = has_start ? 1e-6 * std::min(1.0, slowest) : 0.0;
  if (has_start && at_zero.real() < 0.0) add_gain(true_frequency(0.0), -1.0 / at_zero.real());
  if (has_start && std::abs(std::abs(at_zero) - 1.0) < 1e-12)
    add_phase(true_frequency(0.0), at_zero);
  const auto size_of = [&](double w) { return std::norm(value(w)) - 1.0; };
  const auto imaginary_of = [&](double w) { return value(w).imag(); };
  std::vector<double> sizes, reals;
  if (axis.on_grid) {
    sizes = sign_changes(M_PI / period, size_of);
    reals = sign_changes(M_PI / period, imaginary_of);
  } else {
    // |L| = 1: 1 − L(−s) L(s) = 0. L real: L(s) − L(−s) = 0.
    const LinearSystem one = constant_system(MatrixX::Ones(1, 1));
    sizes = real_frequencies(in_parallel(one, negative(in_series(loop, mirrored(loop)))), size_of);
    reals = real_frequencies(in_parallel(loop, negative(mirrored(loop))), imaginary_of);
  }
  for (const double w : sizes)
    if (w >= start && std::abs(std::abs(value(w)) - 1.0) <= 1e-6)
      add_phase(true_frequency(w), value(w));
  for (const double w : reals) {
    const Complex at = value(w);
    if (w < start || !(at.real() < 0.0) || !std::isfinite(at.real())) continue;
    if (std::abs(at.imag()) > 1e-6 * std::abs(at)) continue;
    add_gain(true_frequency(w), -1.0 / at.real());
  }
  // Where w is infinite: half the sampling frequency (0 of turned loops), or the way through D.
  if (!axis.on_grid && loop.d(0, 0) < 0.0)
    add_gain(period > 0.0 ? (axis.turned ? 0.0 : M_PI / period) : infinity, -1.0 / loop.d(0, 0));
  answer.modulus_margin = least_distance(axis.on_grid || axis.turned ? given : loop);
  const LinearSystem direct = constant_system(MatrixX::Ones(1, 1), given.sample);
  if (std::abs(1.0 + given.d(0, 0)) > 0.0)
    answer.stability = stability(closed_loop(given, direct, -1.0));
  // A loop that passes −1 this closely is on the border, whatever its poles round to.
  if (answer.modulus_margin <= known_response) answer.stability = Stability::marginal;
  return answer;
}

}  // namespace vinci
