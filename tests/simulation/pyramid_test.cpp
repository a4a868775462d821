// SPDX-License-Identifier: Apache-2.0
// Reference case 15: a particle sliding on a floor under friction pyramids, and the exact cone
// beside them.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

struct Sliding {
  double friction, speed, heading;
  int directions;
  double step;
  const char *stepper = "stewart-trinkle", *solver = "auto";
};

ParticleScene sliding(const Sliding& it) {
  ParticleScene scene;
  scene.planar = false;
  scene.friction = it.friction;
  scene.velocity = Vector3(it.speed * std::cos(it.heading), it.speed * std::sin(it.heading), 0.0);
  scene.run = fmt::format(
      "{{step: {}, duration: 0.8, cone: pyramid, directions: {}, stepper: {}, solver: {}}}",
      it.step, it.directions, it.stepper, it.solver);
  return scene;
}

// Between two directions their mixture keeps the heading: friction is opposite to the velocity.
TEST(Pyramid, friction_deviates_towards_the_nearest_edge_by_the_closed_form_angle) {
  const auto data = reference("case15_pyramid");
  const double mu = data["parameters"]["mu"], v0 = data["parameters"]["v0"];
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const char* solver : {"auto", "lemke"})
      for (const auto& row : data["expected"]["rows"]) {
        SCOPED_TRACE(fmt::format("{} {} {}", stepper, solver, row.dump()));
        const int n = row["n"];
        const double heading = row["direction_deg"].get<double>() * M_PI / 180.0;
        Simulation simulation =
            simulate(sliding({mu, v0, heading, n, 1e-3, stepper, solver}).yaml());
        simulation.step();
        const SolvedContact& c = simulation.contacts().at(0);
        const Vector3 friction = c.impulse[1] * c.tangent_1 + c.impulse[2] * c.tangent_2;
        const double angle = std::atan2(-friction.y(), -friction.x());
        // Deviation of the direction opposite to friction from the velocity, tolerance of the
        // reference.
        const double deviation = row["friction_deviation_deg"].get<double>() * M_PI / 180.0;
        EXPECT_NEAR(std::remainder(angle - heading, 2.0 * M_PI), deviation, 1e-9);
        EXPECT_LE(std::abs(deviation), M_PI / n + 1e-12);
        // Between μ cos(π/n) and μ.
        const double share = friction.norm() / (mu * c.impulse[0]);
        EXPECT_LE(share, 1.0 + 1e-9);
        EXPECT_GE(share, std::cos(M_PI / n) - 1e-9);
      }
}

TEST(Pyramid, stopping_points_match_the_reference_with_first_order) {
  const auto data = reference("case15_pyramid");
  const double mu = data["parameters"]["mu"], v0 = data["parameters"]["v0"];
  int compared = 0;
  for (const auto& row : data["expected"]["rows"]) {
    SCOPED_TRACE(row.dump());
    const int n = row["n"];
    const double heading = row["direction_deg"].get<double>() * M_PI / 180.0;
    std::vector<double> steps = {4e-3, 2e-3, 1e-3}, errors;
    for (const double h : steps) {
      const char* const stepper = compared % 2 == 0 ? "stewart-trinkle" : "anitescu-potra";
      Simulation simulation = simulate(sliding({mu, v0, heading, n, h, stepper}).yaml());
      double stop = 0.0;
      while (!simulation.finished()) {
        ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
        if (twist(simulation, "particle").linear.norm() > 1e-9) stop = simulation.state().time;
      }
      const Vector3 end = position(simulation, "particle");
      const double error = std::hypot(end.x() - row["final_xy"][0].get<double>(),
                                      end.y() - row["final_xy"][1].get<double>());
      EXPECT_LE(error, v0 * h);  // reference tolerance
      EXPECT_NEAR(stop, row["t_stop"].get<double>(), 2.0 * h);
      errors.push_back(error);
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.3);
    ++compared;
  }
  EXPECT_EQ(compared, 35);
}

TEST(QuadraticCone, a_particle_slides_straight_and_stops_at_v2_over_2_mu_g) {
  std::vector<double> steps = {4e-3, 2e-3, 1e-3, 5e-4}, errors;
  const double mu = 0.4, v0 = 2.0, heading = M_PI / 8.0;
  for (const double h : steps) {
    ParticleScene scene = sliding({mu, v0, heading, 8, h});
    scene.run = fmt::format("{{step: {}, duration: 0.8}}", h);
    Simulation simulation = simulate(scene.yaml());
    run_exactly(simulation);
    const Vector3 end = position(simulation, "particle");
    EXPECT_NEAR(std::atan2(end.y(), end.x()), heading, 1e-12);
    errors.push_back(std::abs(std::hypot(end.x(), end.y()) - v0 * v0 / (2.0 * mu * 9.81)));
    EXPECT_LE(errors.back(), v0 * h);
  }
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1);
}

TEST(QuadraticCone, a_box_sliding_at_22_5_degrees_keeps_its_heading_to_1e_9_rad) {
  const double heading = M_PI / 8.0;
  Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.4}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  box: {{shapes: [{{box: [0.2, 0.2, 0.1], material: m}}], position: [0, 0, 0.05], velocity: [{:.17g}, {:.17g}, 0]}}
run: {{step: 1 ms, duration: 0.5}}
)",
                                               2.0 * std::cos(heading), 2.0 * std::sin(heading)));
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    const Twist now = twist(simulation, "box");
    if (now.linear.head<2>().norm() < 0.01) break;
    ASSERT_NEAR(std::atan2(now.linear.y(), now.linear.x()), heading, 1e-9);
    ASSERT_LT(now.angular.norm(), 1e-9);
  }
  const Vector3 end = position(simulation, "box");
  EXPECT_NEAR(std::atan2(end.y(), end.x()), heading, 1e-9);
}

}  // namespace
}  // namespace vinci::test
