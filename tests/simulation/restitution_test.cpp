// SPDX-License-Identifier: Apache-2.0
// Reference case 03a: a ball bounces by Newton's law, and passes its accumulation point.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// Times of the landings, and when the ball is at rest for good.
struct Bounces {
  std::vector<double> times;
  double rest = 0.0;
};

Bounces drop(bool planar, double restitution, double step, double duration) {
  ParticleScene scene;
  scene.planar = planar;
  scene.restitution = restitution;
  scene.gap = 1.0;
  scene.run = fmt::format("{{step: {}, duration: {}}}", step, duration);
  Simulation simulation = simulate(scene.yaml());
  Bounces bounces;
  bool flying = true;
  while (!simulation.finished()) {
    const bool hit = simulation.step().active_count > 0;
    const double rising = scene.rising(simulation);
    if (flying && hit) bounces.times.push_back(simulation.state().time);
    flying = !hit;
    // Rest: slower than what gravity gives in one step.
    if (std::abs(rising) > 9.81 * step) bounces.rest = simulation.state().time;
  }
  EXPECT_LT(std::abs(scene.height(simulation)), 9.81 * step * step);
  return bounces;
}

class Restitution : public testing::TestWithParam<bool> {};

TEST_P(Restitution, impact_times_and_accumulation_point_converge_with_first_order) {
  const auto expected = reference("case03a_newton_restitution")["expected"];
  for (const char* name : {"e=0.50", "e=0.80", "e=0.90"}) {
    const auto& c = expected[name];
    std::vector<double> steps = {2e-3, 1e-3, 5e-4, 2.5e-4}, errors;
    for (const double h : steps) {
      const double zeno = c["zeno_time"];
      const Bounces bounces = drop(GetParam(), c["e"], h, zeno + 0.5);
      ASSERT_GE(bounces.times.size(), 4u);
      for (int i = 0; i < 4; ++i)
        // Reference tolerance: 2 h, each bounce adding up to h.
        EXPECT_NEAR(bounces.times[i], c["impact_times"][i].get<double>(), (2 + i) * h)
            << name << " bounce " << i << " h = " << h;
      EXPECT_NEAR(bounces.rest, zeno, 10.0 * h) << name << " h = " << h;
      errors.push_back(std::abs(bounces.rest - zeno));
    }
    EXPECT_GT(fitted_order(steps, errors), 0.5) << name;
  }
}

TEST_P(Restitution, without_it_the_ball_stays_down_after_one_impact) {
  const auto expected = reference("case03a_newton_restitution")["expected"]["e=0.00"];
  for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
    const Bounces bounces = drop(GetParam(), 0.0, h, 1.0);
    EXPECT_NEAR(bounces.rest, expected["impact_times"][0].get<double>(), 2.0 * h);
  }
}

INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, Restitution, testing::Values(true, false),
                         [](const auto& variant) { return variant.param ? "planar" : "spatial"; });

}  // namespace
}  // namespace vinci::test
