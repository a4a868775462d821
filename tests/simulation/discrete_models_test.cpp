// SPDX-License-Identifier: Apache-2.0
// Model-DQC and Model-DLC of [Trinkle 2005]: reference case 07 step by step, in the plane and in
// space, and the fences of case 20.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

using Options = std::map<std::string, std::string>;

constexpr double radius = 0.0625;  // representable

// The particle in space, or lying on a table. Its centre is where the paper's point is.
std::string fence_scene(bool spatial, double x0, double mu_fence, double h, double duration) {
  if (!spatial)
    return fmt::format(R"(
world: planar
table: {{friction: 0.3}}
materials: {{m: {{friction: {}}}}}
bodies:
  fence:
    shapes: [{{half-plane: {{normal: [1, 0]}}, material: m}}]
    motion: {{x: 0.5 + 0.4*sin(t) - {}, y: t, angle: 0}}
  particle: {{shapes: [{{circle: {}, material: m}}], mass: 1, position: [{}, 0], motion: {{angle: 0}}, supports: [[0, 0]]}}
run: {{step: {}, duration: {}}}
)",
                       mu_fence, radius, radius, x0, h, duration);
  return fmt::format(R"(
world: spatial
materials: {{particle: {{}}, fence: {{}}, floor: {{}}}}
surfaces:
  - {{between: [particle, fence], friction: {}}}
  - {{between: [particle, floor], friction: 0.3}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: floor}}]}}
  fence:
    shapes: [{{half-space: {{normal: [1, 0, 0]}}, material: fence}}]
    motion: {{x: 0.5 + 0.4*sin(t) - {}, y: t, z: 0, roll: 0, pitch: 0, yaw: 0}}
  particle: {{shapes: [{{sphere: {}, material: particle}}], mass: 1, position: [{}, 0, {}], motion: {{roll: 0, pitch: 0, yaw: 0}}}}
exclude: [[fence, floor]]
run: {{step: {}, duration: {}}}
)",
                     mu_fence, radius, radius, x0, radius, h, duration);
}

class DiscreteModel : public testing::TestWithParam<bool> {};  // whether in space

TEST_P(DiscreteModel, dqc_makes_the_steps_of_the_paper) {
  const auto values = reference("case07_fence_particle")["expected"]["discrete_DQC_values_at_t2"];
  int count = 0;
  for (const auto& [key, value] : values.items()) {
    double x0, mu, h;
    ASSERT_EQ(std::sscanf(key.c_str(), "x0=%lf,mu2=%lf,h=%lf", &x0, &mu, &h), 3);
    if (h < 0.01) continue;  // the same once more, slowly
    SCOPED_TRACE(key);
    Simulation simulation =
        simulate(fence_scene(GetParam(), x0, mu, h, 2.0), chosen({{"motion", "dqc"}}));
    run_exactly(simulation);
    // Reference tolerance: 1e-8 a step.
    EXPECT_NEAR(position(simulation, "particle").x(), value["x_dqc"].get<double>(), 1e-8);
    EXPECT_NEAR(position(simulation, "particle").y(), value["y_dqc"].get<double>(), 1e-8);
    ++count;
  }
  EXPECT_EQ(count, 6);
}

// The largest x_f + h x_f' of the steps; drivers that `quasi-static` follows exactly end at 0.9.
TEST_P(DiscreteModel, the_load_overtakes_a_fence_that_slows_down_in_dqc_alone) {
  const double h = 0.04;
  double farthest = 0.0;
  for (int k = 0; k < 50; ++k)
    farthest = std::max(farthest, 0.5 + 0.4 * std::sin(k * h) + h * 0.4 * std::cos(k * h));
  ASSERT_GT(farthest, 0.9 + 1e-4);
  Simulation paper =
      simulate(fence_scene(GetParam(), 0.6, 0.5, h, 2.0), chosen({{"motion", "dqc"}}));
  run_exactly(paper);
  EXPECT_NEAR(position(paper, "particle").x(), farthest, 1e-10);
  Simulation exact =
      simulate(fence_scene(GetParam(), 0.6, 0.5, h, 2.0), chosen({{"motion", "quasi-static"}}));
  run_exactly(exact);
  EXPECT_LE(position(exact, "particle").x(), 0.9 + 1e-10);
}

// Diamond: slope 1 whatever μ₂ > 0. Box: y stays for μ₂ < 1, sticks to the fence for μ₂ > 1.
TEST_P(DiscreteModel, diamond_and_box_predict_different_motions_of_the_particle) {
  const double h = 0.01, x0 = 0.6;
  for (const double mu : {0.2, 0.5, 4.0}) {
    SCOPED_TRACE(mu);
    Simulation diamond =
        simulate(fence_scene(GetParam(), x0, mu, h, 1.2),
                 chosen({{"motion", "dlc"}, {"cone", "pyramid"}, {"directions", "4"}}));
    run_exactly(diamond);
    const Vector3 end = position(diamond, "particle");
    EXPECT_NEAR(end.y(), end.x() - x0, 1e-8);
  }
  for (const double mu : {0.2, 0.5, 1.5}) {
    SCOPED_TRACE(mu);
    Simulation box = simulate(fence_scene(GetParam(), x0, mu, h, 1.2),
                              chosen({{"motion", "dlc"}, {"cone", "box"}}));
    bool touched = false;
    while (!box.finished()) {
      const Vector3 before = position(box, "particle");
      ASSERT_LE(box.step().solve.residual.relative, 1e-10);
      const Vector3 moved = position(box, "particle") - before;
      if (moved.x() == 0.0) continue;
      touched = true;
      EXPECT_NEAR(moved.y(), mu < 1.0 ? 0.0 : h, 1e-10);
    }
    EXPECT_TRUE(touched);
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, DiscreteModel, testing::Values(false, true),
                         [](const auto& variant) { return variant.param ? "space" : "table"; });

TEST(DiscreteModels, cones_and_steppers_that_do_not_go_with_them_are_refused) {
  const std::string scene = fence_scene(true, 0.6, 0.5, 0.01, 1.0);
  for (const Options& options :
       {Options{{"motion", "dqc"}, {"cone", "pyramid"}},
        Options{{"motion", "dqc"}, {"cone", "box"}}, Options{{"motion", "dlc"}},
        Options{{"motion", "dlc"}, {"cone", "quadratic"}},
        Options{{"motion", "dqc"}, {"stepper", "anitescu-potra"}}}) {
    try {
      simulate(scene, chosen(options));
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_NE(error.message().find("accepted"), std::string::npos) << error.message();
    }
  }
}

// A box limits each axis by itself: a force of 0.9 μ m g along both moves nothing, 1.1 along one
// does; in dynamic motion it slides then with the acceleration of the rest.
TEST(Box, limits_friction_along_each_tangent_by_itself) {
  const double g = 9.81, mu = 0.3;
  const auto scene = [&](double x, double y) {
    return fmt::format(R"(
world: spatial
materials: {{m: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  particle:
    shapes: [{{sphere: 0.0625, material: m}}]
    mass: 1
    position: [0, 0, 0.0625]
    motion: {{roll: 0, pitch: 0, yaw: 0}}
    force: {{x: {}, y: {}}}
run: {{step: 1 ms, duration: 0.1, cone: box}}
)",
                       mu, x * mu * g, y * mu * g);
  };
  Simulation held = simulate(scene(0.9, 0.9));
  run_exactly(held);
  EXPECT_LE(twist(held, "particle").linear.norm(), 1e-10);
  Simulation slides = simulate(scene(1.1, 0.9));
  run_exactly(slides);
  EXPECT_NEAR(twist(slides, "particle").linear.x(), 0.1 * mu * g * 0.1, 1e-9);
  EXPECT_NEAR(twist(slides, "particle").linear.y(), 0.0, 1e-9);
}

// A tall fence of any angle pushes the particle, in space: case 20 (a).
class FenceInSpace : public testing::TestWithParam<const char*> {};

TEST_P(FenceInSpace, carries_the_particle_along_the_reference_path) {
  struct Listed {
    const char *name, *x, *y, *z, *yaw;
    double fastest;  // m/s of the fence at the particle
  };
  const auto fences = reference("case20_quasistatic3d")["expected"]["fence"];
  for (const Listed& it :
       {Listed{"planar_path_angle_35", "0.3*sin(t)", "0.25*t^2", "0", "35 deg", 1.6},
        Listed{"space_path_angle_-20", "0.2*t", "0.15*sin(2*t)", "0.05*cos(3*t)", "-20 deg", 0.4},
        Listed{"turning_fence", "0.1*t", "0", "0", "0.6*t", 0.2}}) {
    SCOPED_TRACE(it.name);
    const auto& c = fences[it.name];
    const double h = 0.005;
    // A sphere about the particle's point: the fence's plane stands one radius behind.
    Simulation simulation =
        simulate(fmt::format(R"(
world: spatial
materials: {{particle: {{}}, fence: {{}}, floor: {{}}}}
surfaces:
  - {{between: [particle, fence], friction: {}}}
  - {{between: [particle, floor], friction: {}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: floor}}]}}
  fence:
    shapes: [{{half-space: {{point: [-0.0078125, 0, 0], normal: [1, 0, 0]}}, material: fence}}]
    motion: {{x: {}, y: {}, z: {}, roll: 0, pitch: 0, yaw: {}}}
  particle: {{shapes: [{{sphere: 0.0078125, material: particle}}], mass: {}, position: [{}, {}, 0.0078125], motion: {{roll: 0, pitch: 0, yaw: 0}}}}
exclude: [[fence, floor]]
run: {{step: {}, duration: {}}}
)",
                             c["mu_fence"].get<double>(), c["mu_floor"].get<double>(), it.x, it.y,
                             it.z, it.yaw, c["m"].get<double>(), c["start"][0].get<double>(),
                             c["start"][1].get<double>(), h, c["duration"].get<double>()),
                 chosen({{"motion", GetParam()}}));
    std::size_t next = 0;
    while (!simulation.finished()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10) << simulation.state().time;
      if (next >= c["t"].size() ||
          std::abs(simulation.state().time - c["t"][next].get<double>()) > 0.4 * h)
        continue;
      // Reference tolerance.
      EXPECT_NEAR(position(simulation, "particle").x(), c["x"][next].get<double>(),
                  2.0 * it.fastest * h);
      EXPECT_NEAR(position(simulation, "particle").y(), c["y"][next].get<double>(),
                  2.0 * it.fastest * h);
      ++next;
    }
    EXPECT_EQ(next, c["t"].size());
  }
}

INSTANTIATE_TEST_SUITE_P(Motions, FenceInSpace, testing::Values("quasi-static", "dqc"),
                         [](const auto& variant) {
                           return std::string(variant.param) == "dqc" ? "dqc" : "quasi_static";
                         });

}  // namespace
}  // namespace vinci::test
