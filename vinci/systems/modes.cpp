// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/modes.h"

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/systems/channel_form.h"
#include "vinci/systems/response_check.h"
#include "vinci/systems/stability.h"
#include "vinci/systems/staircase.h"

namespace vinci {

LinearSystem balanced(const LinearSystem& system, VectorX* scales) {
  LinearSystem answer = system;
  const int n = system.state_count();
  VectorX scale = VectorX::Ones(n);
  const auto off_diagonal = [&](const auto& line, int i) {
    return line.cwiseAbs().sum() - std::abs(answer.a(i, i));
  };
  // At most 100 rounds: every one that changes something takes 5 % off a row and its column.
  for (int round = 0; round < 100; ++round) {
    bool changed = false;
    for (int i = 0; i < n; ++i) {
      const double row = off_diagonal(answer.a.row(i), i),
                   column = off_diagonal(answer.a.col(i), i);
      if (!(row > 0.0 && column > 0.0)) continue;
      int power = 0;
      std::frexp(row / column, &power);
      const double factor = std::ldexp(1.0, power / 2);
      if (!(column * factor + row / factor < 0.95 * (column + row))) continue;
      answer.a.col(i) *= factor;
      answer.a.row(i) /= factor;
      scale[i] *= factor;
      changed = true;
    }
    if (!changed) break;
  }
  answer.b = scale.cwiseInverse().asDiagonal() * system.b;
  answer.c = system.c * scale.asDiagonal();
  if (scales) *scales = scale;
  return answer;
}

LinearSystem evenly_balanced(const LinearSystem& system) {
  LinearSystem even = balanced(system);
  const int n = even.state_count();
  const double size = n > 0 && even.a.norm() > 0.0 ? even.a.norm() : 1.0;
  MatrixX b = even.b, c = even.c;
  // Inputs and outputs at the size of A. What is rounding beside the rest of its input or output
  // then pulls at no scale.
  const auto scale_lines = [&] {
    for (Eigen::Index j = 0; j < b.cols(); ++j)
      if (b.col(j).norm() > 0.0) b.col(j) *= size / b.col(j).norm();
    for (Eigen::Index j = 0; j < c.rows(); ++j)
      if (c.row(j).norm() > 0.0) c.row(j) *= size / c.row(j).norm();
  };
  scale_lines();
  const double least = 64.0 * machine_epsilon * size;
  b = (b.cwiseAbs().array() < least).select(0.0, b);
  c = (c.cwiseAbs().array() < least).select(0.0, c);
  for (int round = 0; round < 100; ++round) {
    bool changed = false;
    for (int i = 0; i < n; ++i) {
      const double own = std::abs(even.a(i, i));
      const double row = even.a.row(i).cwiseAbs().sum() - own + b.row(i).cwiseAbs().sum();
      const double column = even.a.col(i).cwiseAbs().sum() - own + c.col(i).cwiseAbs().sum();
      if (!(row > 0.0 && column > 0.0)) continue;
      int power = 0;
      std::frexp(row / column, &power);
      const double factor = std::ldexp(1.0, power / 2);
      if (!(column * factor + row / factor < 0.95 * (column + row))) continue;
      for (MatrixX* columns : {&even.a, &even.c, &c}) columns->col(i) *= factor;
      for (MatrixX* rows : {&even.a, &even.b, &b}) rows->row(i) /= factor;
      changed = true;
    }
    if (!changed) break;
    scale_lines();
  }
  return even;
}

void sort_values(ComplexVector& values) {
  std::sort(values.begin(), values.end(), [](const Complex& a, const Complex& b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
}

ComplexVector poles(const LinearSystem& system) {
  if (system.state_count() == 0) return {};
  ComplexVector values = Eigen::EigenSolver<MatrixX>(balanced(system).a, false).eigenvalues();
  sort_values(values);
  return values;
}

namespace {

// The pole of continuous time of a sampled one.
Complex continuous_pole(Complex pole, double sample) {
  if (!(sample > 0.0)) return pole;
  return Complex(std::log(std::abs(pole)), std::arg(pole)) / sample;
}

}  // namespace

double natural_frequency(Complex pole, double sample) {
  return std::abs(continuous_pole(pole, sample));
}

double damping_ratio(Complex pole, double sample) {
  if (sample > 0.0 && pole == 0.0) return 1.0;
  const Complex s = continuous_pole(pole, sample);
  return s == 0.0 ? 1.0 : -s.real() / std::abs(s);
}

bool is_stable(const LinearSystem& system) {
  return stability(system) == Stability::stable;
}

void check_tolerance(double tolerance) {
  if (!(tolerance >= 0.0 && tolerance < 1.0))
    throw Error(fmt::format("{}; accepted: 0 or more, below 1", tolerance), "tolerance");
}

Zeros zeros_of(const LinearSystem& system, double tolerance) {
  const PlainPart plain = plain_part(system, tolerance);
  Zeros zeros;
  zeros.normal_rank = plain.normal_rank;
  const int n = static_cast<int>(plain.a.rows()), m = static_cast<int>(plain.d.rows());
  if (n == 0) return zeros;
  // [C D] W = [0 D_w] with W orthogonal leaves the pencil of the first n columns of [A B] W and
  // [I 0] W.
  MatrixX values = plain.a, weights = MatrixX::Identity(n, n);
  if (m > 0) {
    MatrixX outputs(m, n + m);
    outputs << plain.c, plain.d;
    const Eigen::HouseholderQR<MatrixX> factors(outputs.transpose());
    const MatrixX turn = MatrixX(factors.householderQ()).rightCols(n);
    MatrixX states(n, n + m);
    states << plain.a, plain.b;
    values = states * turn;
    weights = turn.topRows(n);
  }
  const Eigen::GeneralizedEigenSolver<MatrixX> solver(values, weights, false);
  zeros.values = solver.eigenvalues();
  sort_values(zeros.values);
  return zeros;
}

Zeros invariant_zeros(const LinearSystem& system, double tolerance) {
  check_tolerance(tolerance);
  if (system.input_count() != 1 || system.output_count() != 1)
    return zeros_of(evenly_balanced(system), tolerance);
  const ChannelForm form = channel_form(system, system, tolerance);
  return {form.zeros, form.gain != 0.0 ? 1 : 0};
}

namespace {

MinimalPart reduced(const LinearSystem& system, double tolerance) {
  const auto left_over = [](const MatrixX& a, int kept) -> ComplexVector {
    const Eigen::Index rest = a.rows() - kept;
    if (rest == 0) return {};
    const MatrixX block = a.bottomRightCorner(rest, rest);
    ComplexVector values = Eigen::EigenSolver<MatrixX>(block, false).eigenvalues();
    sort_values(values);
    return values;
  };
  MinimalPart part;
  LinearSystem reached = system;
  const int reach = to_staircase(reached, tolerance);
  part.unreached = left_over(reached.a, reach);
  LinearSystem seen = transposed(leading(reached, reach));
  const int sight = to_staircase(seen, tolerance);
  part.unseen = left_over(seen.a, sight);
  part.system = transposed(leading(seen, sight));
  return part;
}

}  // namespace

MinimalPart minimal_part(const LinearSystem& system, double tolerance) {
  check_tolerance(tolerance);
  const LinearSystem even = evenly_balanced(system);
  const ResponseCheck check(even);
  const auto answers_alike = [&](const MinimalPart& part) {
    const auto form = [&](Complex point) { return value_at(part.system, point); };
    return check.miss(form) <= std::max(accepted_miss, 10.0 * tolerance);
  };
  MinimalPart part = reduced(balanced(system), tolerance);
  if (!answers_alike(part)) part = reduced(even, tolerance);
  if (!answers_alike(part)) part = reduced(even, 1e-13);
  if (!answers_alike(part)) part = {even, {}, {}};
  part.system.states.clear();
  part.system.inputs = system.inputs;
  part.system.outputs = system.outputs;
  return part;
}

ModeDistances mode_distances(const LinearSystem& system) {
  const LinearSystem even = evenly_balanced(system);
  const int n = even.state_count(), m = even.input_count(), p = even.output_count();
  ModeDistances distances;
  distances.poles = poles(system);
  distances.reached.resize(n);
  distances.seen.resize(n);
  const auto distance = [](const ComplexMatrix& matrix) {
    const VectorX values = Eigen::BDCSVD<ComplexMatrix>(matrix).singularValues();
    return values[0] > 0.0 ? values[values.size() - 1] / values[0] : 0.0;
  };
  ComplexMatrix wide(n, n + m), tall(n + p, n);
  wide.rightCols(m) = even.b.cast<Complex>();
  tall.bottomRows(p) = even.c.cast<Complex>();
  for (int i = 0; i < n; ++i) {
    ComplexMatrix shifted = even.a.cast<Complex>();
    shifted.diagonal().array() -= distances.poles[i];
    wide.leftCols(n) = shifted;
    tall.topRows(n) = shifted;
    distances.reached[i] = distance(wide);
    distances.seen[i] = distance(tall);
  }
  return distances;
}

}  // namespace vinci
