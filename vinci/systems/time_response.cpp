// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/time_response.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/systems/modes.h"

namespace vinci {

namespace {

// x' = A x + b with b constant, from a state: rows of C x + y0 at the times.
TimeResponse run(const LinearSystem& system, const VectorX& start, const VectorX& constant,
                 const VectorX& added, double duration, int count) {
  if (!(duration > 0.0 && duration < infinity) || count < 2)
    throw Error("accepted: a duration above 0 and two times or more", "time response");
  const int n = system.state_count();
  TimeResponse response;
  double step = duration / (count - 1);
  MatrixX advance = system.a;
  VectorX shift = constant;
  if (system.is_sampled()) {
    step = system.sample;
    count = static_cast<int>(std::floor(duration / step * (1.0 + 1e-12))) + 1;
  } else {
    MatrixX both = MatrixX::Zero(n + 1, n + 1);
    both.topLeftCorner(n, n) = step * system.a;
    both.topRightCorner(n, 1) = step * constant;
    const MatrixX power = exponential_of(both);
    advance = power.topLeftCorner(n, n);
    shift = power.topRightCorner(n, 1);
  }
  response.times.resize(count);
  response.outputs.resize(count, system.output_count());
  VectorX x = start;
  for (int i = 0; i < count; ++i) {
    response.times[i] = i * step;
    response.outputs.row(i) = (system.c * x + added).transpose();
    if (!response.outputs.row(i).allFinite() || !x.allFinite())
      throw Error(
          fmt::format("grows beyond all numbers within {:g} s; accepted: a shorter duration",
                      response.times[i]),
          "time response");
    x = advance * x + shift;
  }
  return response;
}

void check_input(const LinearSystem& system, int input) {
  if (input < 0 || input >= system.input_count()) throw Error("there is no such input", "input");
}

}  // namespace

TimeResponse step_response(const LinearSystem& system, int input, double duration, int count) {
  check_input(system, input);
  return run(system, VectorX::Zero(system.state_count()), system.b.col(input), system.d.col(input),
             duration, count);
}

TimeResponse impulse_response(const LinearSystem& system, int input, double duration, int count) {
  check_input(system, input);
  const VectorX nothing = VectorX::Zero(system.state_count());
  const VectorX none = VectorX::Zero(system.output_count());
  if (!system.is_sampled()) return run(system, system.b.col(input), nothing, none, duration, count);
  // y(0) = D, y(k) = C Aᵏ⁻¹ B.
  TimeResponse response = run(system, system.b.col(input), nothing, none, duration, count);
  for (Eigen::Index i = response.outputs.rows() - 1; i > 0; --i)
    response.outputs.row(i) = response.outputs.row(i - 1).eval();
  response.outputs.row(0) = system.d.col(input).transpose();
  return response;
}

TimeResponse free_response(const LinearSystem& system, const VectorX& start, double duration,
                           int count) {
  if (start.size() != system.state_count()) throw Error("accepted: one number per state", "start");
  return run(system, start, VectorX::Zero(system.state_count()),
             VectorX::Zero(system.output_count()), duration, count);
}

int count_of_interest(const LinearSystem& system, double duration, int least, int most) {
  double fastest = 0.0;
  for (const Complex& pole : poles(minimal_part(system).system))
    if (damping_ratio(pole, system.sample) < 0.3)
      fastest = std::max(fastest, natural_frequency(pole, system.sample));
  const double wanted = 12.0 * duration * fastest / (2.0 * M_PI);
  return static_cast<int>(std::clamp(wanted, 1.0 * least, 1.0 * most));
}

double duration_of_interest(const LinearSystem& system) {
  double slowest = 0.0, unstable = infinity;
  for (const Complex& pole : poles(system)) {
    const double rate =
        system.is_sampled() ? std::log(std::abs(pole)) / system.sample : pole.real();
    if (rate > 1e-9)
      unstable = std::min(unstable, 1.0 / rate);
    else if (rate < -1e-9)
      slowest = std::max(slowest, -1.0 / rate);
  }
  if (unstable < infinity) return 10.0 * unstable;
  return slowest > 0.0 ? 4.0 * slowest : 10.0 * std::max(1.0, system.sample);
}

}  // namespace vinci
