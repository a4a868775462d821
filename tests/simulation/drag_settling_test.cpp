// SPDX-License-Identifier: Apache-2.0
// Drags that are steep at rest, saturate or grow fast, alone and together: the velocity at the end
// of a step is that at which the drag acts.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

struct Law {
  const char* text;  // of c and v
  long double (*force)(long double c, long double v);
};

long double root(long double c, long double v) {
  return v < 0.0L ? c * std::sqrt(-v) : -c * std::sqrt(v);
}
long double saturating(long double c, long double v) {
  return -c * std::tanh(50.0L * v);
}
long double square(long double c, long double v) {
  return -c * v * std::abs(v);
}
long double cube(long double c, long double v) {
  return -c * v * v * v;
}
long double falling(long double c, long double v) {
  return -c * v / (1.0L + 10.0L * v * v);
}

constexpr Law laws[] = {{"-{}*sign(v)*sqrt(abs(v))", root},
                        {"-{}*tanh(50*v)", saturating},
                        {"-{}*v*abs(v)", square},
                        {"-{}*v^3", cube},
                        {"-{}*v/(1 + 10*v^2)", falling}};

// v with v − v₀ = h f(v), for a mass of 1 and a drag that does not fall with the speed, by halving.
long double by_halving(const Law& law, long double c, long double h, long double start) {
  long double low = std::min(0.0L, start), high = std::max(0.0L, start);
  for (int i = 0; i < 20000 && low < high; ++i) {
    const long double middle = low + (high - low) / 2.0L;
    if (middle == low || middle == high) break;
    (middle - start > h * law.force(c, middle) ? high : low) = middle;
  }
  return low;
}

TEST(Drag, every_law_meets_its_force_at_the_end_of_the_step_beside_every_other) {
  int steep = 0;
  for (const Law& along : laws)
    for (const Law& about : laws)
      for (const double c : {0.01, 1.0, 30.0, 1000.0})
        for (const double h : {0.001, 0.03, 0.3}) {
          SCOPED_TRACE(fmt::format("{} {} c {} h {}", along.text, about.text, c, h));
          Simulation simulation = simulate(fmt::format(
              "world: planar\ngravity: [0, 0]\nbodies:\n  part: {{mass: 1, inertia: 1, velocity: "
              "[3, 0], spin: -20, force: {{x: '{}', torque: '{}'}}}}\nrun: {{step: {}, duration: "
              "{}}}\n",
              fmt::format(fmt::runtime(along.text), c), fmt::format(fmt::runtime(about.text), c), h,
              10.0 * h));
          while (!simulation.finished()) {
            const VectorX before = simulation.state().velocities;
            const StepReport& report = simulation.step();
            ASSERT_TRUE(is_certified(report, simulation.options().real("accept")))
                << simulation.state().step << ", residual " << report.solve.residual.relative;
            for (const int i : {0, 2}) {
              const Law& law = i == 0 ? along : about;
              const long double start = before[i], v = simulation.state().velocities[i];
              EXPECT_LE(std::abs(v), std::abs(start));
              if (law.force == falling) {  // it may have more than one answer
                EXPECT_NEAR(static_cast<double>((v - start) - h * law.force(c, v)), 0.0,
                            1e-9 * std::abs(before[i]));
                continue;
              }
              // To ten digits; what is 13 digits slower than it was is at rest.
              const long double exact = by_halving(law, c, h, start);
              EXPECT_NEAR(static_cast<double>(v), static_cast<double>(exact),
                          static_cast<double>(1e-9L * std::abs(exact) + 2e-13L * std::abs(start)));
              steep += exact != 0.0L && std::abs(exact) < 1e-6L * std::abs(start);
            }
          }
        }
  EXPECT_GT(steep, 100);
}

void expect_certified(const std::string& scene) {
  Simulation simulation = simulate(scene);
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(is_certified(report, simulation.options().real("accept")))
        << simulation.state().step << ", " << report.solve.note;
  }
}

// A contact leaves velocities of rounding: a steep drag has no digits there, and is at rest.
TEST(Drag, what_lies_on_a_floor_settles_under_steep_drags) {
  for (const char* law : {"-{}*sign(v)*sqrt(abs(v))", "-{}*tanh(50*v)"})
    for (const double c : {0.02, 0.6, 30.0})
      for (const double h : {0.002, 0.05}) {
        SCOPED_TRACE(fmt::format("{} c {} h {}", law, c, h));
        const std::string force = fmt::format(fmt::runtime(law), c);
        const std::string torque = fmt::format(fmt::runtime(law), 1e-3 * c);
        const std::string run = fmt::format("run: {{step: {}, duration: {}}}\n", h, 30.0 * h);
        expect_certified(fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.6}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  part:
    shapes: [{{box: [0.15, 0.03], material: m}}]
    mass: 0.7
    position: [0, 0.0151]
    velocity: [2, -1]
    spin: -3
    force: {{x: '{0}', y: '{0}', torque: '{1}'}}
{2})",
                                     force, torque, run));
        expect_certified(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.6}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  part:
    shapes: [{{box: [0.12, 0.1, 0.03], material: m}}]
    mass: 0.7
    position: [0, 0, 0.0151]
    velocity: [2, 0.5, -1]
    spin: [0, 0, 5]
    force: {{y: '{0}', z: '{0}', torque-x: '{1}', torque-z: '{1}'}}
{2})",
                                     force, torque, run));
      }
}

// A drag that balances a weight: what is left of the two is rounding of them, and meets at once.
TEST(Drag, a_fall_at_its_final_speed_takes_few_rounds) {
  Simulation simulation = simulate(R"(
world: planar
bodies: {part: {mass: 8.85, inertia: 1, velocity: [0, -0.45], force: {y: '-933.7*v^3'}}}
run: {step: 0.06, duration: 3}
)");
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_EQ(report.solve.status, SolveStatus::solved) << simulation.state().step;
  }
  const double final_speed = std::cbrt(8.85 * 9.81 / 933.7);
  EXPECT_NEAR(twist(simulation, "part").linear.y(), -final_speed, 1e-9 * final_speed);
}

}  // namespace
}  // namespace vinci::test
