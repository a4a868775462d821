// SPDX-License-Identifier: Apache-2.0
// Boxes that fall into a bin and come to lie on each other, nearly flat but never quite: contacts
// that may become active within the step are all known, so that penetration is only what the
// linearisation over a step leaves, of second order in the step.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// A grid of 2 x 2 x 3 boxes of 0.1 m between four walls, turned about random axes by up to
// 0.3 rad: they land on edges and corners, tip over and turn at some rad/s, which is what makes
// penetration of second order; what the solver leaves (1e-7 m) stays below it.
std::string bin(unsigned seed, const std::string& step) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::string text = R"(
world: spatial
materials: {m: {friction: 0.5}}
bodies:
  bin:
    freedom: fixed
    shapes:
    - {half-space: {}, material: m}
    - {half-space: {point: [-0.21, 0, 0], normal: [1, 0, 0]}, material: m}
    - {half-space: {point: [0.21, 0, 0], normal: [-1, 0, 0]}, material: m}
    - {half-space: {point: [0, -0.21, 0], normal: [0, 1, 0]}, material: m}
    - {half-space: {point: [0, 0.21, 0], normal: [0, -1, 0]}, material: m}
)";
  for (int i = 0; i < 12; ++i) {
    const double x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(0.1, 1);
    text += fmt::format(
        "  box{}: {{shapes: [{{box: [0.1, 0.1, 0.1], material: m}}], position: [{}, {}, {}], "
        "rotation: {{axis: [{}, {}, {}], angle: {}}}}}\n",
        i, i % 2 ? 0.075 : -0.075, i / 2 % 2 ? 0.075 : -0.075, 0.1 + 0.16 * (i / 4), x, y, z,
        uniform(-0.3, 0.3));
  }
  return text + fmt::format("run: {{step: {}, duration: 0.3}}\n", step);
}

double deepest_penetration(unsigned seed, const std::string& step) {
  Simulation simulation = simulate(bin(seed, step));
  double deepest = 0.0;
  while (!simulation.finished()) deepest = std::max(deepest, simulation.step().penetration);
  EXPECT_FALSE(simulation.diverged());
  return deepest;
}

// What a step leaves beyond 1e-6 of half the thickness is taken out of positions: boxes of 0.1 m
// have 1/6 of that as volume over surface.
TEST(Pile, boxes_in_a_bin_penetrate_by_less_than_what_is_tolerated_at_every_step_size) {
  for (const unsigned seed : {1u, 2u, 3u})
    for (const char* step : {"2 ms", "1 ms", "0.5 ms"})
      EXPECT_LT(deepest_penetration(seed, step), 1e-6 * 0.1 / 6.0) << seed << " " << step;
}

}  // namespace
}  // namespace vinci::test
