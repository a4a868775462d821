// SPDX-License-Identifier: Apache-2.0
// A thousand random planar scenes: every step certified, no energy from nowhere, and agreement of
// methods where theory asks for it. VINCI_SWEEP=20 runs twenty times as many.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "tests/sweeps/random_scenes.h"
#include "vinci/complementarity/residual.h"

namespace vinci::test {
namespace {

constexpr unsigned planar_shards = 10, scenes_a_shard = 100;

unsigned times() {
  const char* const text = std::getenv("VINCI_SWEEP");
  return text ? static_cast<unsigned>(std::max(1, std::atoi(text))) : 1u;
}

void expect_certified(const Simulation& simulation) {
  ASSERT_FALSE(simulation.diverged());
  const SolveReport& solve = simulation.report().solve;
  // Or what the judge says that double precision cannot resolve, which is at most ten times that:
  // velocities that cancel to six digits.
  ASSERT_LE(solve.residual.relative, std::max(1e-10, std::min(solve.residual.rounding, 1e-9)))
      << "step " << simulation.state().step << ", " << to_string(solve.status) << " by "
      << solve.solver << ": " << solve.note << ", rounding " << solve.residual.rounding;
}

double kinetic(const Model& model, const VectorX& velocities) {
  double sum = 0.0;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Twist twist = body_twist(model, velocities, b);
    const MassProperties& mass = model.bodies[b].mass;
    if (model.bodies[b].velocity_size > 0)
      sum += 0.5 * (mass.mass * twist.linear.squaredNorm() +
                    mass.inertia(2, 2) * twist.angular.squaredNorm());
  }
  return sum;
}

// With M constant and constant gravity the step M Δv = h f + Jᵀλ, q⁺ = q + h v⁺ obeys
//   E⁺ − E = λᵀ J v⁺ − ½ ΔvᵀM Δv        exactly,
// where friction takes λ_t w_t <= 0 and a normal row gives λ_n J_n v⁺ <= 0. Bodies that are then
// lifted out of an overlap pay for it from their motion, or the step says by how much they did not.
// Rounding and the judge's 1e-10 make the tolerance.
class EnergyBalance {
 public:
  explicit EnergyBalance(const Simulation& simulation)
      : before_(energy(simulation.model(), simulation.state()).total()),
        velocities_(simulation.state().velocities) {}

  void expect(const Simulation& simulation) const {
    const Model& model = simulation.model();
    const double h = simulation.step_size();
    double size = kinetic(model, velocities_) + kinetic(model, simulation.state().velocities) +
                  std::abs(before_);
    for (const SolvedContact& c : simulation.contacts())
      size += std::abs(c.impulse[0] * c.contact.gap / h) + std::abs(c.impulse[1] * c.velocity[1]) +
              std::abs(c.impulse[2] * c.velocity[2]);
    const double tolerance = 1e-9 * size;
    const double change = energy(model, simulation.state()).total() - before_;
    const StepReport& report = simulation.report();
    EXPECT_LE(change, report.added_energy + tolerance);
    if (report.substeps > 1) return;  // impulses are sums over parts
    double work = 0.0;
    for (const SolvedContact& c : simulation.contacts()) {
      EXPECT_LE(c.impulse[0] * c.velocity[0], tolerance);
      EXPECT_LE(c.impulse.tail<2>().dot(c.velocity.tail<2>()), tolerance);
      work += c.impulse.dot(c.velocity);
    }
    if (report.removed_overlap > 0.0) return;  // poses and velocities are not those of the rows
    EXPECT_NEAR(change, work - kinetic(model, simulation.state().velocities - velocities_),
                tolerance);
  }

 private:
  double before_;
  VectorX velocities_;
};

class PlanarSweep : public testing::TestWithParam<unsigned> {
 protected:
  template <class Check>
  void for_every_scene(const Check& check) const {
    const unsigned count = scenes_a_shard * times(), first = GetParam() * count;
    for (unsigned seed = first; seed < first + count; ++seed) {
      const RandomScene scene = random_scene(seed);
      SCOPED_TRACE(fmt::format("seed {}", seed));
      check(scene, seed);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(PlanarSweep, dynamic_steps_are_certified_and_energy_never_grows) {
  int steps = 0;
  for_every_scene([&](const RandomScene& scene, unsigned) {
    for (const char* stepper : {"stewart-trinkle", "anitescu-potra"}) {
      Simulation simulation = simulate(scene.yaml, chosen({{"stepper", stepper}}));
      while (!simulation.finished()) {
        const EnergyBalance balance(simulation);
        simulation.step();
        ++steps;
        ASSERT_NO_FATAL_FAILURE(expect_certified(simulation)) << stepper;
        if (scene.passive()) balance.expect(simulation);
        if (HasFailure()) GTEST_FAIL() << stepper << " step " << simulation.state().step;
      }
    }
  });
  EXPECT_EQ(steps, static_cast<int>(2 * 80 * scenes_a_shard * times()));
}

// The impulses of the pyramid's answer in the rows of the quadratic cone's problem.
Solution as_quadratic(const Simulation& pyramid, const ComplementarityProblem& problem) {
  Solution solution;
  solution.u.setZero(problem.unknowns());
  solution.lambda.setZero(problem.rows());
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const Block& block = problem.blocks[i];
    for (int k = 0; k < block.size; ++k)
      solution.lambda[block.offset + k] = pyramid.contacts()[i].impulse[k];
  }
  return solution;
}

// A planar contact has two directions, and both forms say the same: an answer to one answers the
// other. So equal velocities follow where the answer is unique; where they differ, both answers are
// certified on one problem, which is the proof that it is not.
TEST_P(PlanarSweep, answers_with_the_pyramid_are_answers_with_the_quadratic_cone) {
  int compared = 0, different = 0;
  for_every_scene([&](const RandomScene& scene, unsigned) {
    if (scene.on_table()) return;
    Simulation quadratic = simulate(scene.yaml),
               pyramid = simulate(scene.yaml, chosen({{"cone", "pyramid"}}));
    while (!quadratic.finished()) {
      pyramid.set_state(quadratic.state());
      quadratic.step();
      pyramid.step();
      ASSERT_NO_FATAL_FAILURE(expect_certified(pyramid));
      const double apart = (quadratic.state().velocities - pyramid.state().velocities).norm();
      const bool equal = apart <= 1e-7 * (1.0 + quadratic.state().velocities.norm());
      // Only steps that were made at once have one problem.
      if (quadratic.report().substeps > 1 || pyramid.report().substeps > 1) continue;
      // Another motion may reach other bodies: another problem.
      if (!equal && quadratic.contacts().size() != pyramid.contacts().size()) continue;
      ASSERT_EQ(quadratic.contacts().size(), pyramid.contacts().size());
      if (quadratic.contacts().empty()) continue;
      ++compared;
      different += equal ? 0 : 1;
      // Ten times what each form is certified to in its own norm.
      const Solution mapped = as_quadratic(pyramid, quadratic.problem());
      ASSERT_LE(residual(quadratic.problem(), mapped).relative, 1e-9)
          << "step " << quadratic.state().step;
    }
  });
  EXPECT_GT(compared, static_cast<int>(1000 * times()));
  EXPECT_LE(different, compared / 100);
}

// Without inertia: certified, or an end that the model explains.
TEST_P(PlanarSweep, steps_without_inertia_are_certified_or_say_that_forces_do_not_balance) {
  for_every_scene([&](const RandomScene& scene, unsigned seed) {
    for (const char* motion : {"first-order", "quasi-static"}) {
      const char* const stepper = seed % 3 == 0 ? "anitescu-potra" : "stewart-trinkle";
      const char* const cone = seed % 2 == 0 ? "quadratic" : "pyramid";
      Simulation simulation = simulate(
          scene.yaml,
          chosen({{"motion", motion}, {"stepper", stepper}, {"cone", cone}, {"duration", "0.05"}}));
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        if (report.ending != Ending::none) break;
        ASSERT_NO_FATAL_FAILURE(expect_certified(simulation)) << motion << stepper << cone;
      }
      const Ending ending = simulation.report().ending;
      const bool may_end = std::string(motion) == "quasi-static" && !scene.on_table();
      ASSERT_TRUE(ending == Ending::none || may_end) << motion << stepper << cone;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlanarSweep, testing::Range(0u, planar_shards));

// ---- quasi-static pushes over a long way

class PushSweep : public testing::TestWithParam<std::pair<const char*, const char*>> {};

// A finger pushes one to three bodies over a table, into each other and into a wall.
std::string pushing(Draw& draw, bool wall) {
  std::string yaml = fmt::format(
      "world: planar\ntable: {{friction: {}}}\nmaterials: {{m: {{friction: {}}}}}\nbodies:\n"
      "  finger: {{shapes: [{{circle: 0.02, material: m}}], "
      "motion: {{x: -0.2 + 0.1*t, y: {}*t + {}, angle: 0}}}}\n",
      draw.between(0.05, 0.8), draw.between(0.0, 1.0), draw.between(-0.05, 0.05),
      draw.between(-0.03, 0.03));
  const int count = 1 + draw.below(3);
  for (int i = 0; i < count; ++i)
    yaml += fmt::format(
        "  body-{}: {{shapes: [{}], position: [{}, {}], angle: {}, center: [0, 0], "
        "supports: [[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]}}\n",
        i, random_shape(draw), 0.28 * i, draw.between(-0.05, 0.05), draw.between(-3.0, 3.0));
  if (wall)
    yaml +=
        "  wall: {freedom: fixed, shapes: [{half-plane: {point: [0.6, 0], normal: [-1, 0.3]}, "
        "material: m}]}\n";
  return yaml + "run: {step: 20 ms, duration: 4, motion: quasi-static}\n";
}

TEST_P(PushSweep, every_step_is_certified) {
  const auto& [stepper, cone] = GetParam();
  int steps = 0;
  for (unsigned seed = 0; seed < 40 * times(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Draw draw(seed);
    Simulation simulation =
        simulate(pushing(draw, seed % 2 == 1), chosen({{"cone", cone}, {"stepper", stepper}}));
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_EQ(report.ending, Ending::none) << "step " << simulation.state().step;
      ASSERT_NO_FATAL_FAILURE(expect_certified(simulation));
      ++steps;
    }
  }
  EXPECT_EQ(steps, static_cast<int>(200 * 40 * times()));
}

INSTANTIATE_TEST_SUITE_P(Methods, PushSweep,
                         testing::Values(std::pair("stewart-trinkle", "quadratic"),
                                         std::pair("stewart-trinkle", "pyramid"),
                                         std::pair("anitescu-potra", "quadratic"),
                                         std::pair("anitescu-potra", "pyramid")),
                         [](const auto& method) {
                           return std::string(method.param.first[0] == 's' ? "stewart_trinkle_"
                                                                           : "anitescu_potra_") +
                                  method.param.second;
                         });

// ---- Stewart–Trinkle and Anitescu–Potra

// On contacts that touch without gap or overlap both normal rows are J_n v⁺ >= 0, and contacts that
// a step cannot reach do not act: one problem, one answer. A step so short reaches nothing else.
TEST(SteppersAgree, in_a_step_from_contact_without_gap) {
  unsigned compared = 0;
  for (unsigned seed = 0; seed < 200 * times(); ++seed) {
    Draw draw(5000 + seed);
    const std::string yaml = fmt::format(
        "world: planar\nmaterials: {{m: {{friction: {}}}}}\nbodies:\n"
        "  floor: {{freedom: fixed, shapes: [{{half-plane: {{angle: {}}}, material: m}}]}}\n"
        "  body: {{shapes: [{}], pose: {{on: floor, at: 0}}, angle: {}, velocity: [{}, {}], spin: "
        "{}}}\nrun: {{step: 1 us, duration: 1 us}}\n",
        draw.between(0.0, 1.0), draw.between(-0.3, 0.3), random_shape(draw),
        draw.below(2) == 0 ? 0.0 : draw.between(-3.0, 3.0), draw.between(-1.0, 1.0),
        draw.between(-1.0, 0.1), draw.between(-5.0, 5.0));
    // Positions are not corrected, which has a price in velocities.
    RunOverrides uncorrected = chosen({{"stepper", "anitescu-potra"}});
    uncorrected.plugin_options[{"stepper", "stabilisation"}] = "0";
    Simulation one = simulate(yaml), two = simulate(yaml, uncorrected);
    one.step();
    two.step();
    // Flat curves have points within the gap that counts as touching: not what is asked here.
    bool touching = true;
    for (const SolvedContact& c : one.contacts())
      touching = touching && (std::abs(c.contact.gap) < 1e-12 || c.contact.gap > 1e-6);
    if (!touching) continue;
    ++compared;
    // A gap of rounding, 1e-16 m, over the step.
    EXPECT_LE((one.state().velocities - two.state().velocities).norm(), 1e-9) << seed << "\n"
                                                                              << yaml;
  }
  EXPECT_GT(compared, 0u);
}

// Where contacts open and close they agree in the limit: each meets a surface within its step, so
// that paths differ by a few ways of a step.
TEST(SteppersAgree, up_to_a_few_ways_of_a_step_where_a_round_body_falls_and_rolls) {
  for (unsigned seed = 0; seed < 60 * times(); ++seed)
    for (const double h : {2e-3, 5e-4, 5e-5}) {
      Draw draw(6000 + seed);
      const double vx = draw.between(-1.0, 1.0), vy = draw.between(-2.0, 0.0);
      const std::string yaml = fmt::format(
          "world: planar\nmaterials: {{m: {{friction: {}}}}}\nbodies:\n"
          "  floor: {{freedom: fixed, shapes: [{{half-plane: {{angle: {}}}, material: m}}]}}\n"
          "  body: {{shapes: [{{circle: {}, material: m}}], pose: {{on: floor, at: 0, height: "
          "{}}}, "
          "velocity: [{}, {}], spin: {}}}\nrun: {{step: {}, duration: 0.2}}\n",
          draw.between(0.0, 1.0), draw.between(-0.3, 0.3), draw.between(0.03, 0.1),
          draw.between(0.0, 0.05), vx, vy, draw.between(-10.0, 10.0), h);
      Simulation one = simulate(yaml),
                 two = simulate(yaml, chosen({{"stepper", "anitescu-potra"}}));
      run_exactly(one);
      run_exactly(two);
      const double speed = std::hypot(vx, vy) + 9.81 * 0.2 + 10.0 * 0.1;
      EXPECT_LE((position(one, "body") - position(two, "body")).norm(), 3.0 * speed * h)
          << seed << " " << h;
    }
}

// Boxes that stand: the methods agree to rounding.
TEST(SteppersAgree, on_resting_contact) {
  for (unsigned seed = 0; seed < 30 * times(); ++seed) {
    Draw draw(2000 + seed);
    std::string yaml = fmt::format(
        "world: planar\nmaterials: {{m: {{friction: {}}}}}\nbodies:\n"
        "  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}\n",
        draw.between(0.3, 1.0));
    double top = 0.0;
    const int count = 1 + draw.below(4);
    for (int i = 0; i < count; ++i) {
      const double width = 0.3 - 0.05 * i, height = draw.between(0.05, 0.1);
      yaml += fmt::format(
          "  box-{}: {{shapes: [{{box: [{}, {}], material: m, density: {}}}], position: [{}, "
          "{:.17g}]}}\n",
          i, width, height, draw.between(100.0, 1000.0), draw.between(-0.02, 0.02),
          top + 0.5 * height);
      top += height;
    }
    yaml += "run: {step: 1 ms, duration: 0.05}\n";
    Simulation one = simulate(yaml), two = simulate(yaml, chosen({{"stepper", "anitescu-potra"}}));
    run_exactly(one);
    run_exactly(two);
    for (std::size_t b = 1; b < one.state().poses.size(); ++b)
      EXPECT_LE((one.state().poses[b].position - two.state().poses[b].position).norm(), 1e-11)
          << seed;
  }
}

}  // namespace
}  // namespace vinci::test
