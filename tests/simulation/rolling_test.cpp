// SPDX-License-Identifier: Apache-2.0
// Reference case 02: a round body launched with slip ends up rolling.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// Rolling towards +x turns the body clockwise seen from +z (planar), about +y (spatial).
std::string launch(bool planar, const nlohmann::json& c, double step) {
  const double radius = c["R"], mass = 1.0;
  const double inertia = c["kappa"].get<double>() * mass * radius * radius;
  if (planar)
    return fmt::format(R"(
world: planar
materials: {{m: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  wheel: {{shapes: [{{circle: {}, material: m}}], mass: {}, inertia: {}, position: [0, {}], velocity: [{}, 0], spin: {}}}
run: {{step: {}, duration: 2}}
)",
                       c["mu"].get<double>(), radius, mass, inertia, radius, c["v0"].get<double>(),
                       -c["w0"].get<double>(), step);
  return fmt::format(R"(
world: spatial
materials: {{m: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  wheel: {{shapes: [{{sphere: {}, material: m}}], mass: {}, inertia: [{}, {}, {}], position: [0, 0, {}], velocity: [{}, 0, 0], spin: [0, {}, 0]}}
run: {{step: {}, duration: 2}}
)",
                     c["mu"].get<double>(), radius, mass, inertia, inertia, inertia, radius,
                     c["v0"].get<double>(), c["w0"].get<double>(), step);
}

class Rolling : public testing::TestWithParam<bool> {};

TEST_P(Rolling, ends_rolling_with_the_speed_that_angular_momentum_demands) {
  const bool planar = GetParam();
  const auto expected = reference("case02_rolling")["expected"];
  for (const char* name :
       {"disk_no_spin", "disk_backspin", "disk_overspin", "sphere_no_spin", "sphere_backspin",
        "sphere_overspin", "hoop_no_spin", "hoop_backspin", "hoop_overspin"}) {
    const auto& c = expected[name];
    const double radius = c["R"];
    std::vector<double> steps = {8e-3, 4e-3, 2e-3, 1e-3}, errors;
    for (const double h : steps) {
      Simulation simulation = simulate(launch(planar, c, h));
      double rolls_at = -1.0;
      while (!simulation.finished()) {
        ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
        const Twist now = twist(simulation, "wheel");
        const double spin = planar ? -now.angular.z() : now.angular.y();
        if (rolls_at < 0.0 && std::abs(now.linear.x() - spin * radius) < 1e-9)
          rolls_at = simulation.state().time;
      }
      // Exact to the solver: momentum about the contact line is kept; reference tolerance 1e-10.
      const Twist end = twist(simulation, "wheel");
      EXPECT_NEAR(end.linear.x(), c["v_final"].get<double>(), 1e-10) << name << " h = " << h;
      EXPECT_NEAR(planar ? -end.angular.z() : end.angular.y(), c["w_final"].get<double>(), 1e-9)
          << name << " h = " << h;
      EXPECT_NEAR(rolls_at, c["t_roll"].get<double>(), h * 1.0000001) << name << " h = " << h;
      const double x = position(simulation, "wheel").x();
      const double slip =
          std::abs(c["v0"].get<double>() - c["w0"].get<double>() * radius);  // m/s, at the start
      EXPECT_NEAR(x, c["x_at_2s"].get<double>(), 2.0 * std::max(c["v0"].get<double>(), slip) * h)
          << name << " h = " << h;
      errors.push_back(std::abs(x - c["x_at_2s"].get<double>()));
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, Rolling, testing::Values(true, false),
                         [](const auto& variant) { return variant.param ? "planar" : "spatial"; });

}  // namespace
}  // namespace vinci::test
