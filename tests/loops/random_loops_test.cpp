// SPDX-License-Identifier: Apache-2.0
// Random mechanisms with loops: two ways to their accelerations, balances, limits, and what sticks.
#include "tests/loops/random_loops.h"

#include <gtest/gtest.h>

#include "tests/loops/loop_accelerations.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

struct LoopSweep {
  LoopFamily family;
  int count;
};

std::string name_of_sweep(const testing::TestParamInfo<LoopSweep>& tested) {
  return to_string(tested.param.family);
}

unsigned seed_of(const LoopSweep& sweep, int i) {
  return 1000003u * static_cast<unsigned>(sweep.family) + static_cast<unsigned>(i);
}

// Steps that are what they claim to be.
void step_certified(Simulation& simulation) {
  const StepReport& report = simulation.step();
  ASSERT_LE(report.solve.residual.relative, 1e-10) << simulation.state().step;
  ASSERT_LE(report.joint_opening, 1e-12) << simulation.state().step;
}

// Where it falls for some steps, so that velocities count.
void expect_equal_accelerations(const LoopSweep& sweep, int i, int& redundant) {
  const LoopChoices choices{.floats = i % 4 == 3, .couples = i % 3 == 2};
  const LoopScene scene(seed_of(sweep, i), sweep.family, choices);
  Simulation simulation = simulate(scene.yaml("reduced"));
  for (int k = 0; k < 20; ++k) ASSERT_NO_FATAL_FAILURE(step_certified(simulation)) << i;
  LoopAccelerations both(simulation.model(), simulation.state());
  ASSERT_LE(both.largest_error(), 1e-12);
  redundant += both.rank() < both.loop_rows() ? 1 : 0;
  Dice dice(seed_of(sweep, i) + 7u);
  const VectorX efforts = dice.vector(simulation.model().joint_rate_count, 2.0);
  const VectorX reduced = both.reduced(efforts), maximal = both.maximal(efforts);
  ASSERT_LE((reduced - maximal).lpNorm<Eigen::Infinity>(),
            1e-10 * (1.0 + maximal.lpNorm<Eigen::Infinity>()))
      << i << "\n"
      << scene.yaml("reduced");
}

// The steps of both formulations from rest: nothing is due to velocities but rounding. Steps are
// solved to 1e-10, and mechanisms near singular places lose up to three digits more.
void expect_equal_steps(const LoopSweep& sweep, int i) {
  const double h = 1e-6;
  const LoopChoices choices{
      .floats = i % 4 == 1, .couples = i % 3 == 0, .torque = 5.0, .step = h, .duration = h};
  const LoopScene scene(seed_of(sweep, i) + 500u, sweep.family, choices);
  Simulation reduced = simulate(scene.yaml("reduced"));
  Simulation maximal = simulate(scene.yaml("maximal"));
  ASSERT_NO_FATAL_FAILURE(step_certified(reduced)) << i << "\n" << scene.yaml("reduced");
  ASSERT_NO_FATAL_FAILURE(step_certified(maximal)) << i << "\n" << scene.yaml("maximal");
  const VectorX a = reduced.state().velocities / h, b = maximal.state().velocities / h;
  ASSERT_LE((a - b).lpNorm<Eigen::Infinity>(), 1e-7 * (1.0 + b.lpNorm<Eigen::Infinity>()))
      << i << "\n"
      << scene.yaml("reduced");
}

// Velocities are those of half a step before positions: energy is off by what flows in a step.
void expect_energy(const LoopSweep& sweep, int i, const char* coordinates) {
  const LoopScene scene(seed_of(sweep, i) + 2000u, sweep.family, {.couples = i % 3 == 1});
  Simulation simulation = simulate(scene.yaml(coordinates));
  const Energy start = energy(simulation.model(), simulation.state());
  double flow = 0.0, off = 0.0, before = start.kinetic;
  while (!simulation.finished()) {
    ASSERT_NO_FATAL_FAILURE(step_certified(simulation)) << i << "\n" << scene.yaml(coordinates);
    const Energy now = energy(simulation.model(), simulation.state());
    flow = std::max(flow, std::abs(now.kinetic - before));
    off = std::max(off, std::abs(now.total() - start.total()));
    before = now.kinetic;
  }
  ASSERT_LE(off, 2.0 * flow + 1e-12) << i << " " << coordinates << "\n" << scene.yaml(coordinates);
}

Vector3 linear_momentum(const Simulation& simulation) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t b = 0; b < simulation.model().bodies.size(); ++b)
    sum +=
        simulation.model().bodies[b].mass.mass *
        body_twist(simulation.model(), simulation.state().velocities, static_cast<int>(b)).linear;
  return sum;
}
Vector3 angular_momentum(const Simulation& simulation) {
  Vector3 sum = Vector3::Zero();
  const Model& model = simulation.model();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Twist twist = body_twist(model, simulation.state().velocities, static_cast<int>(b));
    const Matrix3 r = simulation.state().poses[b].rotation.toRotationMatrix();
    sum += r * model.bodies[b].mass.inertia * r.transpose() * twist.angular +
           center_of_mass(model, simulation.state().poses, static_cast<int>(b))
               .cross(model.bodies[b].mass.mass * twist.linear);
  }
  return sum;
}

// Motors inside of a mechanism that floats without weight give it no momentum: linear momentum is
// kept to rounding, angular momentum to the order of the step.
void expect_momentum(const LoopSweep& sweep, int i, const char* coordinates) {
  std::array<double, 2> turned{}, scales{};
  for (int half = 0; half < 2; ++half) {
    const LoopChoices choices{.floats = true,
                              .weight = false,
                              .torque = 5.0,
                              .step = half == 0 ? 1e-3 : 5e-4,
                              .duration = 0.1};
    const LoopScene scene(seed_of(sweep, i) + 3000u, sweep.family, choices);
    Simulation simulation = simulate(scene.yaml(coordinates));
    double mass = 0.0;
    for (const Body& body : simulation.model().bodies) mass += body.mass.mass;
    while (!simulation.finished())
      ASSERT_NO_FATAL_FAILURE(step_certified(simulation)) << i << "\n" << scene.yaml(coordinates);
    const double speed = 1.0 + simulation.state().velocities.lpNorm<Eigen::Infinity>();
    scales[static_cast<std::size_t>(half)] = mass * speed;
    turned[static_cast<std::size_t>(half)] = angular_momentum(simulation).norm();
    if (std::string(coordinates) == "maximal") {
      ASSERT_LE(linear_momentum(simulation).norm(), 1e-9 * mass * speed) << i;
    }
  }
  ASSERT_LE(turned[0], 0.05 * scales[0]) << i << " " << coordinates;
  ASSERT_LE(turned[1], 0.75 * turned[0] + 1e-9 * scales[1]) << i << " " << coordinates;
}

void expect_limits(const LoopSweep& sweep, int i, const char* coordinates) {
  const LoopChoices choices{.range = 0.05, .duration = 0.2};
  const LoopScene scene(seed_of(sweep, i) + 4000u, sweep.family, choices);
  Simulation simulation = simulate(scene.yaml(coordinates));
  while (!simulation.finished()) {
    simulation.step();
    for (const Joint& joint : simulation.model().joints)
      for (std::size_t k = 0; k < joint.freedoms.size(); ++k) {
        if (!joint.freedoms[k].is_limited()) continue;
        const double q =
            simulation.state()
                .joint_positions[joint.first_coordinate + static_cast<Eigen::Index>(k)];
        ASSERT_GE(q, joint.freedoms[k].lower - 1e-9) << i << "\n" << scene.yaml(coordinates);
        ASSERT_LE(q, joint.freedoms[k].upper + 1e-9) << i << "\n" << scene.yaml(coordinates);
      }
  }
}

// Friction far above the weight holds everything, for 10 s.
void expect_no_creep(const LoopSweep& sweep, int i, const char* coordinates) {
  const LoopChoices choices{.friction = 200.0, .step = 0.05, .duration = 10.0};
  const LoopScene scene(seed_of(sweep, i) + 5000u, sweep.family, choices);
  Simulation simulation = simulate(scene.yaml(coordinates));
  const VectorX start = simulation.state().joint_positions;
  while (!simulation.finished()) simulation.step();
  ASSERT_LE((simulation.state().joint_positions - start).lpNorm<Eigen::Infinity>(), 1e-10)
      << i << " " << coordinates << "\n"
      << scene.yaml(coordinates);
}

class RandomLoops : public testing::TestWithParam<LoopSweep> {};

TEST_P(RandomLoops, accelerations_agree_by_recursion_and_at_once) {
  int redundant = 0;
  for (int i = 0; i < GetParam().count; ++i)
    ASSERT_NO_FATAL_FAILURE(expect_equal_accelerations(GetParam(), i, redundant));
  RecordProperty("tried", GetParam().count);
  RecordProperty("redundant", redundant);
  const LoopFamily family = GetParam().family;
  if (family == LoopFamily::flat || family == LoopFamily::spherical ||
      family == LoopFamily::hinges || family == LoopFamily::bennett) {
    EXPECT_EQ(redundant, GetParam().count);
  }
}

TEST_P(RandomLoops, first_steps_of_both_formulations_are_one) {
  for (int i = 0; i < GetParam().count; ++i)
    ASSERT_NO_FATAL_FAILURE(expect_equal_steps(GetParam(), i));
}

TEST_P(RandomLoops, energy_balances) {
  for (int i = 0; i < GetParam().count; ++i)
    for (const char* coordinates : {"reduced", "maximal"})
      ASSERT_NO_FATAL_FAILURE(expect_energy(GetParam(), i, coordinates));
}

TEST_P(RandomLoops, momentum_balances) {
  for (int i = 0; i < (GetParam().count + 1) / 2; ++i)
    for (const char* coordinates : {"reduced", "maximal"})
      ASSERT_NO_FATAL_FAILURE(expect_momentum(GetParam(), i, coordinates));
}

// Of a few: where several limits of loops are reached at once, some are overrun by up to 2e-6
// (docs/theory/joints.md).
TEST_P(RandomLoops, limits_are_not_overrun) {
  for (int i = 0; i < std::min(GetParam().count, 3); ++i)
    for (const char* coordinates : {"reduced", "maximal"})
      ASSERT_NO_FATAL_FAILURE(expect_limits(GetParam(), i, coordinates));
}

TEST_P(RandomLoops, what_sticks_does_not_creep) {
  for (int i = 0; i < (GetParam().count + 1) / 2; ++i)
    for (const char* coordinates : {"reduced", "maximal"})
      ASSERT_NO_FATAL_FAILURE(expect_no_creep(GetParam(), i, coordinates));
}

std::vector<LoopSweep> sweeps(int count) {
  std::vector<LoopSweep> all;
  for (int f = 0; f < loop_family_count; ++f) all.push_back({static_cast<LoopFamily>(f), count});
  return all;
}

INSTANTIATE_TEST_SUITE_P(few, RandomLoops, testing::ValuesIn(sweeps(3)), name_of_sweep);
// 1,000 in all; in tests/slow.txt.
INSTANTIATE_TEST_SUITE_P(many, RandomLoops, testing::ValuesIn(sweeps(125)), name_of_sweep);

}  // namespace
}  // namespace vinci::test
