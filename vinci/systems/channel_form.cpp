// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/channel_form.h"

#include <algorithm>
#include <optional>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "vinci/systems/response_check.h"
#include "vinci/systems/staircase.h"

namespace vinci {

namespace {

struct Candidate {
  double gain = 0.0;
  ComplexVector zeros;
};

// The point of some on the positive real axis where the most digits of the value are known.
double clearest_point(const LinearSystem& system) {
  double least = infinity;
  const PoleBounds known = pole_bounds(system);
  for (Eigen::Index i = 0; i < known.poles.size(); ++i)
    if (std::abs(known.poles[i]) > 10.0 * known.bounds[i])
      least = std::min(least, std::abs(known.poles[i]));
  if (!(least < infinity)) least = 1.0;
  double best = least, best_share = infinity;
  for (const double factor : {0.31, 0.11, 0.77, 1.7, 3.1, 11.0}) {
    const KnownValue there = known_value(system, factor * least);
    const double share = there.rounding(0, 0) / std::abs(there.value(0, 0));
    if (!(share < best_share)) continue;
    best_share = share;
    best = factor * least;
  }
  return best;
}

// By orthogonal turns, ranks decided against the tolerance. The gain is what the value at a clear
// point asks for.
Candidate by_staircase(const LinearSystem& system, const ComplexVector& poles, double point,
                       double tolerance) {
  const Zeros zeros = zeros_of(system, tolerance);
  Candidate found = {0.0, zeros.values};
  if (zeros.normal_rank == 0) return found;
  const Complex unit = product_form(1.0, found.zeros, poles, point);
  found.gain = (value_at(system, point)(0, 0) / unit).real();
  return found;
}

// A matrix and how far each entry of it may be off.
struct Tracked {
  MatrixX value, error;

  explicit Tracked(MatrixX given)
      : value(std::move(given)), error(machine_epsilon * value.cwiseAbs()) {}
  Tracked(MatrixX given, MatrixX off) : value(std::move(given)), error(std::move(off)) {}

  // What is not known to differ from zero is zero.
  void clean() { value = (value.cwiseAbs().array() <= 4.0 * error.array()).select(0.0, value); }
};

Tracked operator*(const Tracked& a, const Tracked& b) {
  const MatrixX sizes = a.value.cwiseAbs() * b.value.cwiseAbs();
  return {a.value * b.value, a.value.cwiseAbs() * b.error + a.error * b.value.cwiseAbs() +
                                 2.0 * machine_epsilon * sizes};
}

Tracked without(const Tracked& from, const std::vector<int>& rows,
                const std::vector<int>& columns) {
  return {from.value(rows, columns), from.error(rows, columns)};
}

// Without rotations, which mix large entries into small ones: the output holds one state, which is
// solved for and taken out; its derivative becomes the output, until the input shows in it. The
// error of every entry is followed, and what is within it counts as zero. A chain of masses keeps
// its bands this way, and with them how many more poles than zeros it has.
std::optional<Candidate> by_elimination(const LinearSystem& system) {
  Tracked a(system.a), b(system.b), c(system.c), d(system.d);
  while (true) {
    for (Tracked* part : {&a, &b, &c, &d}) part->clean();
    if (d.value(0, 0) != 0.0) break;
    const int n = static_cast<int>(a.value.rows());
    Eigen::Index pivot = 0;
    if (n == 0 || !(c.value.row(0).cwiseAbs().maxCoeff(&pivot) > 0.0)) return std::nullopt;
    std::vector<int> rest;
    for (int i = 0; i < n; ++i)
      if (i != pivot) rest.push_back(i);
    // x = solved · (the other states): the pivot's row is −c/c_pivot.
    Tracked solved(MatrixX::Zero(n, n - 1));
    for (int k = 0; k + 1 < n; ++k) {
      const int i = rest[static_cast<std::size_t>(k)];
      const double share = -c.value(0, i) / c.value(0, pivot);
      solved.value(i, k) = 1.0;
      solved.value(pivot, k) = share;
      solved.error(pivot, k) =
          (c.error(0, i) + std::abs(share) * c.error(0, pivot)) / std::abs(c.value(0, pivot)) +
          machine_epsilon * std::abs(share);
    }
    const Tracked moved = a * solved;
    d = c * b;
    c = c * moved;
    std::vector<int> all_columns(static_cast<std::size_t>(n - 1));
    for (int i = 0; i + 1 < n; ++i) all_columns[static_cast<std::size_t>(i)] = i;
    a = without(moved, rest, all_columns);
    b = without(b, rest, {0});
  }
  const LinearSystem left = {a.value - b.value * c.value / d.value(0, 0),
                             MatrixX(a.value.rows(), 0), MatrixX(0, a.value.rows()), MatrixX(0, 0)};
  return Candidate{d.value(0, 0), poles(left)};
}

// About a point r where the system has a value, w = 1/(s − r) makes a system with regular D of it,
// whose zeros are eigenvalues. Nothing is decided, and zeros at infinity come out as far ones: the
// response is kept where it is known.
Candidate about_point(const LinearSystem& system, const ComplexVector& poles, double point) {
  const Eigen::Index n = system.a.rows();
  const MatrixX inverse = (point * MatrixX::Identity(n, n) - system.a).inverse();
  const double value = (system.c * inverse * system.b + system.d)(0, 0);
  const LinearSystem regular = {-inverse + inverse * system.b * system.c * inverse / value,
                                MatrixX(n, 0), MatrixX(0, n), MatrixX(0, 0)};
  const ComplexVector places = vinci::poles(regular);
  Complex gain = value;
  std::vector<Complex> zeros;
  for (Eigen::Index i = 0; i < n; ++i) {
    gain *= point - poles[i];
    if (std::abs(places[i]) <= 1e-15 * inverse.norm()) continue;  // at infinity
    gain *= -places[i];
    zeros.push_back(point + 1.0 / places[i]);
  }
  Candidate found = {gain.real(),
                     ComplexVector::Map(zeros.data(), static_cast<Eigen::Index>(zeros.size()))};
  sort_values(found.zeros);
  return found;
}

}  // namespace

Complex product_form(double gain, const ComplexVector& zeros, const ComplexVector& poles,
                     Complex point) {
  Complex value = gain;
  for (Eigen::Index i = 0; i < std::max(zeros.size(), poles.size()); ++i) {
    if (i < zeros.size()) value *= point - zeros[i];
    if (i < poles.size()) value /= point - poles[i];
  }
  return value;
}

ChannelForm channel_form(const LinearSystem& channel, const LinearSystem& whole, double tolerance) {
  ChannelForm best;
  best.miss = infinity;
  const LinearSystem parlett = balanced(channel), even = evenly_balanced(channel);
  const ComplexVector all = poles(channel);
  const LinearSystem compared = evenly_balanced(whole);
  const ResponseCheck check(compared);
  if (check.is_silent()) {
    best.zeros = zeros_of(parlett, tolerance).values;
    best.miss = 0.0;
    return best;
  }
  const double enough = std::max(accepted_miss, 10.0 * tolerance);
  const double point = clearest_point(compared);
  // Whether it is good enough; the best one is kept.
  const auto take = [&](const Candidate& candidate) {
    const double miss = check.miss([&](Complex at) {
      return ComplexMatrix::Constant(1, 1, product_form(candidate.gain, candidate.zeros, all, at));
    });
    if (!(candidate.gain != 0.0) || !candidate.zeros.allFinite()) return false;
    if (!(miss < best.miss)) return false;
    best = {candidate.gain, candidate.zeros, miss};
    return miss <= enough;
  };
  const auto eliminated = [&](const LinearSystem& system) {
    const std::optional<Candidate> candidate = by_elimination(system);
    return candidate && take(*candidate);
  };
  if (!take(by_staircase(parlett, all, point, tolerance)) && !eliminated(even) &&
      !eliminated(transposed(even)) && !take(by_staircase(even, all, point, 1e-13)))
    take(about_point(even, all, point));
  best.known_up_to = check.known_up_to();
  return best;
}

}  // namespace vinci
