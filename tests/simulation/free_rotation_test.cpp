// SPDX-License-Identifier: Apache-2.0
// Reference case 17: a torque-free asymmetric body.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

std::string top(const nlohmann::json& p, double step) {
  return fmt::format(R"(
world: spatial
gravity: [0, 0, 0]
bodies:
  top:
    shapes: [{{sphere: 0.1}}]
    mass: 1
    inertia: [{}, {}, {}]
    spin: [{}, {}, {}]
run: {{step: {}, duration: 10}}
)",
                     p["I"][0].get<double>(), p["I"][1].get<double>(), p["I"][2].get<double>(),
                     p["omega0_body"][0].get<double>(), p["omega0_body"][1].get<double>(),
                     p["omega0_body"][2].get<double>(), step);
}

TEST(FreeRotation, attitude_converges_with_first_order_and_energy_is_kept_to_rounding) {
  const auto data = reference("case17_free_top");
  const auto& expected = data["expected"];
  std::vector<double> steps = {1e-2, 5e-3, 2.5e-3, 1.25e-3}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(top(data["parameters"], h));
    std::size_t next = 0;
    while (!simulation.finished()) {
      simulation.step();
      const double t = simulation.state().time;
      const Quaternion q = simulation.state().poses[0].rotation;
      ASSERT_NEAR(q.norm(), 1.0, 1e-15);
      if (next >= expected["t"].size() || std::abs(t - expected["t"][next].get<double>()) > 0.5 * h)
        continue;
      const auto& r = expected["quaternion"][next];
      Eigen::Vector4d reference_q(r[0], r[1], r[2], r[3]), ours(q.w(), q.x(), q.y(), q.z());
      if (ours.dot(reference_q) < 0.0) ours = -ours;
      const double error = (ours - reference_q).cwiseAbs().maxCoeff();
      if (t == 5.0 || std::abs(t - 5.0) < 0.5 * h) {
        EXPECT_LE(error, 0.5 * h);  // reference tolerance
        errors.push_back(error);
      }
      const Vector3 omega = q.conjugate() * twist(simulation, "top").angular;
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(omega[i], expected["omega_body"][next][i].get<double>(), h * h) << "t = " << t;
      ++next;
    }
    EXPECT_EQ(next, expected["t"].size());
    const double end = energy(simulation.model(), simulation.state()).kinetic;
    // 10,000 steps of rounding at most; the reference allows 3 h.
    EXPECT_NEAR(end, expected["energy"].get<double>(), 1e-12);
  }
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1);
}

}  // namespace
}  // namespace vinci::test
