// SPDX-License-Identifier: Apache-2.0
// Reference case 05: a particle on a plate that rocks about an axis below it wanders inwards,
// driven by friction alone.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// θ(t) of [Berard 2009, eq. 15]; the particle starts at rest along the plate's
// level, and moves up and down with the plate: the reference keeps it in contact.
std::string rocking(double friction, double h, double duration) {
  const std::string s = "(t - T*floor(t/T))";  // time since the period began
  const std::string angle = fmt::format(
      "if({} < T/2, alpha*{}*({}/2 - T/4), -alpha*({}^2/2 - 3/4*T*{} + T^2/4))", s, s, s, s, s);
  return fmt::format(R"(
world: planar
parameters: {{T: 0.03, alpha: 180, d: 0.05}}
materials: {{m: {{friction: {}}}}}
bodies:
  plate:
    shapes: [{{half-plane: {{point: [0, d]}}, material: m}}]
    motion:
      x: 0
      y: 0
      angle: "{}"
  particle:
    shapes: [{{circle: 1e-7, material: m}}]
    mass: 0.01
    position: [0.03, 0.05 + 1e-7]
    velocity: [0, -alpha*T/4*0.03]
    motion: {{angle: 0}}
run: {{step: {}, duration: {}}}
)",
                     friction, angle, h, duration);
}

TEST(RockingPlate, the_particle_wanders_as_the_reference_says_with_every_stepper) {
  const auto data = reference("case05_rocking_plate")["expected"];
  const auto& trajectories = data["trajectory_from_rest_in_world_r0_0p03"];
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const auto& [mu, rows] : trajectories.items()) {
      RunOverrides overrides;
      overrides.options["stepper"] = stepper;
      Simulation simulation = simulate(rocking(std::stod(mu), 1e-4, 0.6), overrides);
      std::size_t next = 0;
      while (!simulation.finished() && next < rows.size()) {
        ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
        if (std::abs(simulation.state().time - rows[next]["t"].get<double>()) > 1e-9) continue;
        EXPECT_NEAR(position(simulation, "particle").x(), rows[next]["r"].get<double>(), 6e-5)
            << stepper << " " << mu << " period " << rows[next]["period"];
        ++next;
      }
      EXPECT_GE(next, 5u);
    }
}

TEST(RockingPlate, the_place_after_five_periods_converges_at_least_linearly) {
  const auto rows =
      reference("case05_rocking_plate")["expected"]["trajectory_from_rest_in_world_r0_0p03"]["0.3"];
  std::vector<double> steps = {8e-4, 4e-4, 2e-4, 1e-4}, errors;
  for (double& h : steps) {
    h = 0.03 / std::round(0.03 / h);
    Simulation simulation = simulate(rocking(0.3, h, 0.15));
    run_exactly(simulation);
    errors.push_back(std::abs(position(simulation, "particle").x() - rows[2]["r"].get<double>()));
  }
  // The plate turns round at ends of steps, where the errors of the halves nearly cancel.
  EXPECT_GE(fitted_order(steps, errors), 0.9);
}

}  // namespace
}  // namespace vinci::test
