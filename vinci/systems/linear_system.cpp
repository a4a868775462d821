// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/linear_system.h"

#include <unsupported/Eigen/MatrixFunctions>

#include <Eigen/LU>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/systems/modes.h"

namespace vinci {

namespace {

void check_names(const std::vector<std::string>& names, int count, const char* what) {
  if (!names.empty() && static_cast<int>(names.size()) != count)
    throw Error(fmt::format("{} names of {} for {}", names.size(), what, count), "linear system");
}

void check_samples(const LinearSystem& first, const LinearSystem& second) {
  if (first.sample != second.sample)
    throw Error(fmt::format("sample times {} s and {} s differ; accepted: systems of one time",
                            first.sample, second.sample),
                "linear system");
}

void check_sizes(int given, int wanted, const char* what) {
  if (given != wanted)
    throw Error(fmt::format("{} for {} {}", given, wanted, what), "linear system");
}

}  // namespace

void check_system(const LinearSystem& system) {
  const Eigen::Index n = system.a.rows(), m = system.d.cols(), p = system.d.rows();
  const auto check = [](const MatrixX& matrix, const char* name, Eigen::Index rows,
                        Eigen::Index columns) {
    if (matrix.rows() != rows || matrix.cols() != columns)
      throw Error(fmt::format("{} has {} rows and {} columns; accepted: {} and {}", name,
                              matrix.rows(), matrix.cols(), rows, columns),
                  "linear system");
    if (!matrix.allFinite())
      throw Error(fmt::format("{} has numbers that are not finite", name), "linear system");
  };
  check(system.a, "A", n, n);
  check(system.b, "B", n, m);
  check(system.c, "C", p, n);
  check(system.d, "D", p, m);
  if (!(system.sample >= 0.0 && system.sample < infinity))
    throw Error(fmt::format("a sample time of {} s; accepted: 0 or more", system.sample),
                "linear system");
  check_names(system.states, static_cast<int>(n), "states");
  check_names(system.inputs, static_cast<int>(m), "inputs");
  check_names(system.outputs, static_cast<int>(p), "outputs");
}

LinearSystem constant_system(const MatrixX& gain, double sample) {
  return {MatrixX(0, 0), MatrixX(0, gain.cols()), MatrixX(gain.rows(), 0), gain, sample};
}

ComplexMatrix value_at(const LinearSystem& system, Complex point) {
  const int n = system.state_count();
  if (n == 0) return system.d.cast<Complex>();
  ComplexMatrix shifted = -system.a.cast<Complex>();
  shifted.diagonal().array() += point;
  const Eigen::PartialPivLU<ComplexMatrix> factors(shifted);
  ComplexMatrix value =
      system.c.cast<Complex>() * factors.solve(system.b.cast<Complex>()) + system.d.cast<Complex>();
  if (value.allFinite() || !std::isfinite(std::abs(point))) return value;
  // A pole: channels that it does not belong to have a value there.
  for (int i = 0; i < system.output_count(); ++i)
    for (int j = 0; j < system.input_count(); ++j) {
      const LinearSystem part = minimal_part(channel(system, {j}, {i})).system;
      value(i, j) = part.d(0, 0);
      if (part.state_count() == 0) continue;
      ComplexMatrix own = -part.a.cast<Complex>();
      own.diagonal().array() += point;
      value(i, j) +=
          (part.c.cast<Complex>() * own.partialPivLu().solve(part.b.cast<Complex>()))(0, 0);
      if (!std::isfinite(std::abs(value(i, j)))) value(i, j) = infinity;
    }
  return value;
}

LinearSystem channel(const LinearSystem& system, const std::vector<int>& inputs,
                     const std::vector<int>& outputs) {
  LinearSystem part = {system.a, system.b(Eigen::all, inputs), system.c(outputs, Eigen::all),
                       system.d(outputs, inputs), system.sample};
  part.states = system.states;
  for (const int input : inputs)
    if (!system.inputs.empty()) part.inputs.push_back(system.inputs[input]);
  for (const int output : outputs)
    if (!system.outputs.empty()) part.outputs.push_back(system.outputs[output]);
  return part;
}

LinearSystem in_series(const LinearSystem& first, const LinearSystem& second) {
  check_samples(first, second);
  check_sizes(first.output_count(), second.input_count(), "inputs of the second system");
  const int n1 = first.state_count(), n2 = second.state_count();
  LinearSystem joined;
  joined.sample = first.sample;
  joined.a = MatrixX::Zero(n1 + n2, n1 + n2);
  joined.a.topLeftCorner(n1, n1) = first.a;
  joined.a.bottomLeftCorner(n2, n1) = second.b * first.c;
  joined.a.bottomRightCorner(n2, n2) = second.a;
  joined.b.resize(n1 + n2, first.input_count());
  joined.b << first.b, second.b * first.d;
  joined.c.resize(second.output_count(), n1 + n2);
  joined.c << second.d * first.c, second.c;
  joined.d = second.d * first.d;
  joined.inputs = first.inputs;
  joined.outputs = second.outputs;
  return joined;
}

LinearSystem in_parallel(const LinearSystem& first, const LinearSystem& second) {
  check_samples(first, second);
  check_sizes(second.input_count(), first.input_count(), "inputs of the first system");
  check_sizes(second.output_count(), first.output_count(), "outputs of the first system");
  const int n1 = first.state_count(), n2 = second.state_count();
  LinearSystem joined;
  joined.sample = first.sample;
  joined.a = MatrixX::Zero(n1 + n2, n1 + n2);
  joined.a.topLeftCorner(n1, n1) = first.a;
  joined.a.bottomRightCorner(n2, n2) = second.a;
  joined.b.resize(n1 + n2, first.input_count());
  joined.b << first.b, second.b;
  joined.c.resize(first.output_count(), n1 + n2);
  joined.c << first.c, second.c;
  joined.d = first.d + second.d;
  joined.inputs = first.inputs;
  joined.outputs = first.outputs;
  return joined;
}

LinearSystem closed_loop(const LinearSystem& plant, const LinearSystem& feedback, double sign) {
  check_samples(plant, feedback);
  check_sizes(feedback.input_count(), plant.output_count(), "outputs of the plant");
  check_sizes(feedback.output_count(), plant.input_count(), "inputs of the plant");
  // y = C x + D u and u = w + s (C_k x_k + D_k y): E y = C x + D (w + s C_k x_k), E = I − s D D_k.
  const int n = plant.state_count(), k = feedback.state_count(), p = plant.output_count();
  const MatrixX around = MatrixX::Identity(p, p) - sign * plant.d * feedback.d;
  const Eigen::FullPivLU<MatrixX> factors(around);
  if (!factors.isInvertible())
    throw Error("the loop has no solution: I − D K is singular", "linear system");
  const MatrixX yx = factors.solve(plant.c), yk = factors.solve(sign * plant.d * feedback.c);
  const MatrixX yw = factors.solve(plant.d);
  const MatrixX ux = sign * feedback.d * yx, uk = sign * (feedback.c + feedback.d * yk);
  const MatrixX uw =
      MatrixX::Identity(plant.input_count(), plant.input_count()) + sign * feedback.d * yw;
  LinearSystem loop;
  loop.sample = plant.sample;
  loop.a.resize(n + k, n + k);
  loop.a << plant.a + plant.b * ux, plant.b * uk, feedback.b * yx, feedback.a + feedback.b * yk;
  loop.b.resize(n + k, plant.input_count());
  loop.b << plant.b * uw, feedback.b * yw;
  loop.c.resize(p, n + k);
  loop.c << yx, yk;
  loop.d = yw;
  loop.inputs = plant.inputs;
  loop.outputs = plant.outputs;
  return loop;
}

MatrixX exponential_of(const MatrixX& matrix) {
  LinearSystem system = {matrix, MatrixX(matrix.rows(), 0), MatrixX(0, matrix.cols()),
                         MatrixX(0, 0)};
  VectorX scales;
  const MatrixX even = balanced(system, &scales).a;
  const MatrixX power = even.exp();
  return scales.asDiagonal() * power * scales.cwiseInverse().asDiagonal();
}

LinearSystem sampled_with_hold(const LinearSystem& continuous, double sample) {
  if (continuous.is_sampled() || !(sample > 0.0 && sample < infinity))
    throw Error("takes a continuous system and a sample time above 0", "linear system");
  const int n = continuous.state_count(), m = continuous.input_count();
  MatrixX both = MatrixX::Zero(n + m, n + m);
  both.topLeftCorner(n, n) = sample * continuous.a;
  both.topRightCorner(n, m) = sample * continuous.b;
  const MatrixX power = exponential_of(both);
  LinearSystem held = continuous;
  held.a = power.topLeftCorner(n, n);
  held.b = power.topRightCorner(n, m);
  held.sample = sample;
  return held;
}

LinearSystem bilinear(const LinearSystem& sampled) {
  // With P = (A + I)⁻¹ and z = (1 + w)/(1 − w):
  // (z I − A)⁻¹ = (1 − w) (w I − P (A − I))⁻¹ P = −P + 2 P (w I − P (A − I))⁻¹ P.
  const int n = sampled.state_count();
  const MatrixX identity = MatrixX::Identity(n, n);
  const Eigen::FullPivLU<MatrixX> factors(sampled.a + identity);
  if (!factors.isInvertible())
    throw Error("has a pole at −1, which the bilinear map takes to infinity", "linear system");
  LinearSystem continuous = sampled;
  continuous.sample = 0.0;
  const MatrixX input = factors.solve(sampled.b);
  const MatrixX output =
      (sampled.a + identity).transpose().fullPivLu().solve(sampled.c.transpose());
  continuous.a = factors.solve(sampled.a - identity);
  continuous.b = std::sqrt(2.0) * input;
  continuous.c = std::sqrt(2.0) * output.transpose();
  continuous.d = sampled.d - sampled.c * input;
  return continuous;
}

}  // namespace vinci
