// SPDX-License-Identifier: Apache-2.0
// One Stewart–Trinkle step against the closed forms of reference case 00, planar and spatial, exact
// cone and pyramid.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

struct Variant {
  bool planar;
  const char* cone;
  const char* solver;
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << (variant.planar ? "planar " : "spatial ") << variant.cone << " " << variant.solver;
}

class UnitSteps : public testing::TestWithParam<Variant> {};

TEST_P(UnitSteps, one_step_matches_the_closed_form) {
  const auto expected = reference("case00_paper_checks")["expected"]["unit_steps"];
  int compared = 0;
  for (const auto& problem : expected["problems"]) {
    ParticleScene scene;
    scene.planar = GetParam().planar;
    scene.mass = expected["m"];
    scene.friction = expected["mu"];
    scene.gap = problem["psi"];
    scene.velocity = Vector3(problem["v"][0], 0.0, problem["v"][1]);
    // The steps of the paper to the letter: an overlap is closed by a velocity.
    scene.run = fmt::format(
        "{{step: {}, duration: 1, stepper: {{name: stewart-trinkle, overlap: velocities}}, cone: "
        "{}, directions: 8, solver: {}}}",
        expected["h"].get<double>(), GetParam().cone, GetParam().solver);
    Simulation simulation = simulate(scene.yaml());
    simulation.step();
    const auto& st = problem["ST"];
    const Twist after = twist(simulation, "particle");
    // Reference tolerance: 1e-12.
    EXPECT_NEAR(after.linear.x(), st["v"][0].get<double>(), 1e-12) << problem["name"];
    EXPECT_NEAR(scene.rising(simulation), st["v"][1].get<double>(), 1e-12) << problem["name"];
    Vector3 impulse = Vector3::Zero();  // world, on the particle (the floor is a)
    for (const SolvedContact& c : simulation.contacts())
      impulse +=
          c.impulse[0] * c.contact.normal + c.impulse[1] * c.tangent_1 + c.impulse[2] * c.tangent_2;
    EXPECT_NEAR(impulse[GetParam().planar ? 1 : 2], st["p_n"].get<double>(), 1e-12)
        << problem["name"];
    EXPECT_NEAR(impulse.x(), st["p_t"].get<double>(), 1e-12) << problem["name"];
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

INSTANTIATE_TEST_SUITE_P(
    AllModels, UnitSteps,
    testing::Values(Variant{true, "quadratic", "gauss-seidel"}, Variant{true, "quadratic", "lemke"},
                    Variant{true, "pyramid", "lemke"}, Variant{false, "quadratic", "gauss-seidel"},
                    Variant{false, "pyramid", "lemke"}, Variant{false, "quadratic", "auto"}),
    [](const auto& variant) {
      std::string name = fmt::format("{}_{}_{}", variant.param.planar ? "planar" : "spatial",
                                     variant.param.cone, variant.param.solver);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace vinci::test
