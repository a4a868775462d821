// SPDX-License-Identifier: Apache-2.0
// The Anitescu–Potra method: the same rest and sliding as Stewart–Trinkle, overlaps that close,
// Newton's law, and the form that a step falls back to where its problem has no solution.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

RunOverrides anitescu_potra(const char* stabilisation = "0.2") {
  RunOverrides overrides;
  overrides.options["stepper"] = "anitescu-potra";
  overrides.plugin_options[{"stepper", "stabilisation"}] = stabilisation;
  return overrides;
}

TEST(AnitescuPotra, resting_and_sliding_contact_is_that_of_stewart_trinkle_to_rounding) {
  for (const bool planar : {true, false}) {
    ParticleScene scene;
    scene.planar = planar;
    scene.velocity = {1.0, 0.0, 0.0};
    scene.run = "{step: 1 ms, duration: 0.5}";
    Simulation one = simulate(scene.yaml()), other = simulate(scene.yaml(), anitescu_potra());
    while (!one.finished()) {
      ASSERT_LE(one.step().solve.residual.relative, 1e-10);
      ASSERT_LE(other.step().solve.residual.relative, 1e-10);
      ASSERT_NEAR(position(one, "particle").x(), position(other, "particle").x(), 1e-11);
      ASSERT_NEAR(scene.height(one), scene.height(other), 1e-12);
    }
    // v²/(2 μ g), to one step's way.
    EXPECT_NEAR(position(other, "particle").x(), 1.0 / (2.0 * 0.3 * 9.81), 1e-3);
  }
}

TEST(AnitescuPotra, an_overlap_closes_by_its_share_a_step_and_the_body_rests) {
  ParticleScene scene;
  scene.gap = -1e-4;
  scene.run = "{step: 1 ms, duration: 0.1}";
  Simulation simulation = simulate(scene.yaml(), anitescu_potra());
  for (int step = 1; step <= 100; ++step) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    // Lifted at γ |ψ|/h = 0.02 m/s at first; gravity takes g h = 0.0098 m/s of it a step, more than
    // the fifth by which the next step asks for less, so the floor always acts.
    // What is below 1e-12 m counts as closed.
    const double wanted = -1e-4 * std::pow(0.8, step);
    ASSERT_NEAR(scene.height(simulation), wanted, wanted < -1e-12 ? 1e-14 : 1e-12);
  }
  EXPECT_NEAR(scene.height(simulation), 0.0, 1e-12);
  EXPECT_NEAR(scene.rising(simulation), 0.0, 1e-6);
}

TEST(AnitescuPotra, without_stabilisation_an_overlap_stays) {
  ParticleScene scene;
  scene.gap = -1e-4;
  Simulation simulation = simulate(scene.yaml(), anitescu_potra("0"));
  run_exactly(simulation);
  EXPECT_NEAR(scene.height(simulation), -1e-4, 1e-13);
}

// The overlap of a landing is a share of v h: what pushes it apart must not stay as a velocity.
TEST(AnitescuPotra, a_dropped_ball_rests_after_it_has_landed_at_every_step) {
  for (const double h : {1e-3, 5e-4, 3e-4, 2e-4, 1e-4, 5e-5}) {
    ParticleScene scene;
    scene.gap = 0.5;
    scene.run = fmt::format("{{step: {}, duration: 0.4}}", h);
    Simulation simulation = simulate(scene.yaml(), anitescu_potra());
    double fastest = -1.0;
    while (!simulation.finished()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      fastest = std::max(fastest, scene.rising(simulation));
    }
    EXPECT_LE(fastest, 1e-9) << h;
    EXPECT_NEAR(scene.height(simulation), 0.0, 1e-6) << h;  // `touch`
  }
}

TEST(AnitescuPotra, a_dropped_ball_overlaps_by_at_most_the_way_of_one_step) {
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    ParticleScene scene;
    scene.gap = 0.5;
    scene.run = fmt::format("{{step: {}, duration: 1}}", h);
    Simulation simulation = simulate(scene.yaml(), anitescu_potra());
    double deepest = 0.0;
    while (!simulation.finished()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      deepest = std::max(deepest, -scene.height(simulation));
    }
    const double impact = std::sqrt(2.0 * 9.81 * 0.5);
    EXPECT_LE(deepest, (impact + 9.81 * h) * h);
    EXPECT_NEAR(scene.height(simulation), 0.0, 9.81 * h * h);
  }
}

// The speed of the rebound is e times the speed of the impact, which is exact to g h.
TEST(AnitescuPotra, rebounds_follow_newton_and_peaks_converge_linearly) {
  const double e = 0.8, fall = 0.5;
  std::vector<double> steps = {2e-3, 1e-3, 5e-4, 2.5e-4}, errors;
  for (const double h : steps) {
    ParticleScene scene;
    scene.gap = fall;
    scene.restitution = e;
    scene.friction = 0.0;
    scene.run = fmt::format("{{step: {}, duration: 0.8}}", h);
    Simulation simulation = simulate(scene.yaml(), anitescu_potra("0"));
    double peak = 0.0, before = 0.0;
    bool bounced = false;
    while (!simulation.finished()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      const double rising = scene.rising(simulation);
      if (rising > 0.0 && before < 0.0) {
        // A step that was made in parts goes on after the impact.
        EXPECT_NEAR(rising, -e * before, simulation.report().substeps > 1 ? 9.81 * h : 1e-12);
        bounced = true;
      }
      before = rising;
      if (bounced) peak = std::max(peak, scene.height(simulation));
    }
    errors.push_back(std::abs(peak - e * e * fall));
    EXPECT_LE(errors.back(), 8.0 * h);
  }
  EXPECT_LT(errors.back(), 0.5 * errors.front());
}

// A box of 0.2 m between walls that leave it a little less: it can leave one overlap only by
// growing the other. Without the terms that push it out there is a solution: it rests.
std::string wedged(double overlap) {
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.4}}}}
bodies:
  left: {{freedom: fixed, shapes: [{{half-plane: {{point: [-0.1, 0], normal: [1, 0]}}, material: m}}]}}
  right: {{freedom: fixed, shapes: [{{half-plane: {{point: [{}, 0], normal: [-1, 0]}}, material: m}}]}}
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  box: {{shapes: [{{box: [0.2, 0.2], material: m, density: 500}}], position: [0, 0.1]}}
run: {{step: 1 ms, duration: 0.1}}
)",
                     0.1 - overlap);
}

TEST(Fallback, a_step_without_a_solution_is_solved_without_stabilisation_and_says_so) {
  for (const char* cone : {"quadratic", "pyramid"}) {
    RunOverrides overrides;
    overrides.options["cone"] = cone;
    overrides.plugin_options[{"stepper", "overlap"}] = "velocities";
    Simulation simulation = simulate(wedged(1e-4), overrides);
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(report.fell_back);
      ASSERT_EQ(report.solve.status, SolveStatus::solved);
      ASSERT_LE(report.solve.residual.relative, 1e-10);
    }
    EXPECT_LE(twist(simulation, "box").linear.norm(), 1e-12);
    EXPECT_NEAR(position(simulation, "box").y(), 0.1, 1e-12);
  }
}

TEST(Fallback, a_stabilised_step_of_anitescu_potra_falls_back_likewise) {
  RunOverrides overrides = anitescu_potra();
  overrides.plugin_options[{"stepper", "overlap"}] = "velocities";
  Simulation simulation = simulate(wedged(1e-4), overrides);
  const StepReport& report = simulation.step();
  EXPECT_TRUE(report.fell_back);
  EXPECT_LE(report.solve.residual.relative, 1e-10);
}

// Positions alone cannot part what is wedged: it stays, without an alarm and without a velocity.
TEST(Fallback, is_not_needed_where_overlaps_leave_positions) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"}) {
    RunOverrides overrides;
    overrides.options["stepper"] = stepper;
    Simulation simulation = simulate(wedged(1e-4), overrides);
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_FALSE(report.fell_back);
      ASSERT_LE(report.solve.residual.relative, 1e-10);
      ASSERT_NEAR(report.overlap, 1e-4, 1e-9);
    }
    EXPECT_LE(twist(simulation, "box").linear.norm(), 1e-12);
  }
}
TEST(Fallback, steps_with_a_solution_do_not_take_it) {
  Simulation simulation = simulate(wedged(0.0));
  while (!simulation.finished()) ASSERT_FALSE(simulation.step().fell_back);
  Simulation rod(Scene::load(VINCI_SOURCE_DIR "/scenes/painleve_rod.yaml"));
  while (!rod.finished()) {
    ASSERT_FALSE(rod.step().fell_back);
    ASSERT_LE(rod.report().solve.residual.relative, 1e-10);
  }
}

// Rods of Painlevé that begin inside the floor: whatever a step makes of them, it is certified or
// says that it is not, and none of them fails in silence.
TEST(Fallback, jammed_rods_that_start_inside_the_floor_go_on) {
  for (const double degrees : {50.0, 60.0, 70.0})
    for (const double depth : {1e-6, 1e-4, 1e-3}) {
      const double c = std::cos(degrees * M_PI / 180.0), s = std::sin(degrees * M_PI / 180.0);
      Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: 2}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  rod:
    shapes: [{{polygon: [[-0.5, 0], [0.5, -0.01], [0.5, 0.01]], material: m}}]
    mass: 1
    inertia: 0.08333333
    center: [0, 0]
    position: [{}, {}]
    angle: {} deg
    velocity: [-1, 0]
run: {{step: 0.1 ms, duration: 0.02}}
)",
                                                   0.5 * c, 0.5 * s - depth, degrees));
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_LE(report.solve.residual.relative, 1e-10) << degrees << " " << depth;
      }
    }
}

}  // namespace
}  // namespace vinci::test
