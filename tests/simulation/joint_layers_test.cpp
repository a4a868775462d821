// SPDX-License-Identifier: Apache-2.0
// Visco-elastic layers on bodies that joints hold, and contacts at other poses than those of the
// start of the step, in the plane and in space, in reduced and in maximal coordinates.
#include <gtest/gtest.h>

#include "tests/simulation/joint_words.h"

namespace vinci::test {
namespace {

struct LayerWay {
  const char* name;
  JointWords words;
};

class JointLayers : public testing::TestWithParam<LayerWay> {
 protected:
  const JointWords& words() const { return GetParam().words; }
  std::string at(double x, double y) const { return words().at(x, y); }
  std::string body(double mass, double inertia, const std::string& more = "") const {
    return words().body(mass, inertia, more);
  }
  std::string ball(double radius, double x, double y) const { return words().ball(radius, x, y); }
  // A floor whose surface has this y.
  std::string floor(double y) const { return words().wall(0, y, 0, 1, "hard"); }
  std::string scene(const std::string& bodies, const std::string& joints,
                    const std::string& material, const std::string& run,
                    const std::string& more = "") const {
    return fmt::format(
        "world: {}\ngravity: {}\nmaterials: {{m: {{{}}}, hard: {{friction: 0.3}}}}\nbodies: "
        "{{{}}}\njoints: {{{}}}\n{}\nrun: {{coordinates: {}, {}}}\n",
        words().planar ? "planar" : "spatial", at(0, -9.81), material, bodies, joints, more,
        words().coordinates, run);
  }
};

// A rod of 2 kg on a pivot lies on a soft ball at its end: half of its weight is there, so the ball
// sinks by m g/(2 k).
TEST_P(JointLayers, lever_sinks_by_its_share_of_the_weight) {
  const double m = 2.0, l = 1.0, r = 0.05, k = 1e5;
  Simulation simulation = simulate(
      scene(fmt::format("floor: {}, rod: {}", floor(-r),
                        body(m, m * l * l / 12, fmt::format(", shapes: [{}]", ball(r, l / 2, 0)))),
            fmt::format("a: {{revolute: [world, rod], at: [{}, {}]}}", at(0, 0), at(-l / 2, 0)),
            "friction: 0, stiffness: 1e5, damping: 200",
            "stepper: song-pang-kumar, step: 1 ms, duration: 1"));
  run_exactly(simulation);
  // The pivot turns by the depth over the length.
  EXPECT_NEAR(joint_coordinate(simulation, 0), -0.5 * m * 9.81 / k / l, 1e-4 * m * 9.81 / k);
  EXPECT_NEAR(simulation.contacts()[0].impulse[0], 1e-3 * 0.5 * m * 9.81, 1e-6);
}

// A table of 3 kg on a slide stands on a light soft foot that is fixed to it: the static depth is
// the weight of both over the stiffness.
TEST_P(JointLayers, load_through_a_slide_sinks_by_its_weight_over_the_stiffness) {
  const double m = 3.0, r = 0.05, k = 2e5;
  Simulation simulation =
      simulate(scene(fmt::format("floor: {}, table: {}, foot: {}", floor(-r), body(m, 0.1),
                                 body(0.01, 1e-5, fmt::format(", shapes: [{}]", ball(r, 0, 0)))),
                     fmt::format("a: {{prismatic: [world, table], axis: {}, at: [{}, {}]}}, "
                                 "b: {{fixed: [table, foot], at: [{}, {}]}}",
                                 at(0, 1), at(0, 0), at(0, -0.5), at(0, -0.5), at(0, 0)),
                     "friction: 0.3, stiffness: 2e5, damping: 500",
                     "stepper: song-pang-kumar, step: 1 ms, duration: 1"));
  run_exactly(simulation);
  EXPECT_NEAR(joint_coordinate(simulation, 0), -(m + 0.01) * 9.81 / k, 1e-4 * m * 9.81 / k);
}

// Restitution of a lever on a layer with little damping, by the mass I/l² that its tip has:
// e = exp(−ζ/√(1−ζ²) (π − 2 asin ζ)), ζ = d/(2 √(k m)).
TEST_P(JointLayers, lever_leaves_a_layer_with_the_restitution_of_its_mass_at_the_tip) {
  const double m = 2.0, l = 1.0, r = 0.05, d = 60.0, k = 1e6, w = 2.0;
  const double mass = m / 3.0, zeta = d / (2.0 * std::sqrt(k * mass));
  const double e = std::exp(-zeta / std::sqrt(1 - zeta * zeta) * (M_PI - 2 * std::asin(zeta)));
  std::string text =
      scene(fmt::format("floor: {}, rod: {}", floor(-r - 0.01),
                        body(m, m * l * l / 12, fmt::format(", shapes: [{}]", ball(r, l / 2, 0)))),
            fmt::format("a: {{revolute: [world, rod], at: [{}, {}], velocity: {}}}", at(0, 0),
                        at(-l / 2, 0), -w),
            fmt::format("friction: 0, stiffness: {}, damping: {}", k, d),
            "stepper: {name: song-pang-kumar, resolution: 0.005}, step: 1 ms, duration: 0.02");
  text.replace(text.find("-9.81"), 5, "0.0");
  Simulation simulation = simulate(text);
  run_exactly(simulation);
  EXPECT_NEAR(simulation.state().joint_rates[0], e * w, 0.02 * w);
}

// A double pendulum that swings into soft balls and out again: bodies and layers together gain no
// more than the method gains without contact, of first order in the step.
TEST_P(JointLayers, swinging_chains_gain_no_energy_from_layers) {
  const auto gained = [&](double h) {
    Simulation simulation = simulate(
        scene(fmt::format("floor: {}, one: {}, two: {}", floor(-0.75),
                          body(1, 0.02, fmt::format(", shapes: [{}]", ball(0.05, 0.2, 0))),
                          body(0.5, 0.01, fmt::format(", shapes: [{}]", ball(0.05, 0.2, 0)))),
              fmt::format("a: {{revolute: [world, one], at: [{0}, {1}], position: -0.3}}, "
                          "b: {{revolute: [one, two], at: [{2}, {1}], position: 0.2}}",
                          at(0, 0), at(-0.25, 0), at(0.25, 0)),
              "friction: 0.3, stiffness: 2e4, damping: 1",
              fmt::format("stepper: song-pang-kumar, step: {}, duration: 1.5", h)));
    const double start = total_energy_of(simulation);
    double most = 0.0;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      EXPECT_LE(report.solve.residual.relative, 1e-9);
      most = std::max(most, total_energy_of(simulation) - start);
    }
    return most;
  };
  const double coarse = gained(2e-3), fine = gained(5e-4);
  EXPECT_LT(coarse, 0.1);
  EXPECT_LT(fine, 0.5 * coarse + 1e-6);
}

// The tip of a chain on a hill: both formulations and all forms of frames agree to first order, and
// gaps at the end of a step are closed where the form asks for that.
TEST_P(JointLayers, frames_of_the_end_close_gaps_of_chains_on_curves) {
  const auto run = [&](const std::string& form, double h) {
    const std::string hill = fmt::format("{{freedom: fixed, position: {}, shapes: [{}]}}",
                                         at(0.6, -1.0), ball(0.5, 0, 0));
    Simulation simulation = simulate(
        scene(fmt::format("hill: {}, one: {}, two: {}", hill, body(1, 0.02),
                          body(0.5, 0.01, fmt::format(", shapes: [{}]", ball(0.1, 0.3, 0)))),
              fmt::format("a: {{revolute: [world, one], at: [{}, {}], position: -0.3}}, "
                          "b: {{revolute: [one, two], at: [{}, {}], position: -0.2}}",
                          at(0, 0), at(-0.25, 0), at(0.25, 0), at(-0.3, 0)),
              "friction: 0", fmt::format("contact-frames: {}, step: {}, duration: 0.5", form, h)));
    double touched = 0.0;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      EXPECT_LE(report.solve.residual.relative, 1e-10);
      EXPECT_FALSE(report.unsettled);
      if (form != "gap" && form != "end") continue;
      for (const SolvedContact& contact : simulation.contacts()) {
        if (!(contact.impulse[0] > 1e-9)) continue;
        const Vector3 tip =
            simulation.state().poses[test::body(simulation, "two")] * Vector3(0.3, 0, 0);
        touched = std::max(touched, std::abs((tip - Vector3(0.6, -1.0, 0)).norm() - 0.6));
      }
    }
    EXPECT_LE(touched, 2e-10);
    return Vector2(joint_coordinate(simulation, 0), joint_coordinate(simulation, 1));
  };
  const Vector2 fine = run("start", 1e-4);
  for (const char* form : {"start", "driven", "gap", "end"})
    EXPECT_LT((run(form, 1e-3) - fine).norm(), 1e-2) << form;
}

INSTANTIATE_TEST_SUITE_P(ways, JointLayers,
                         testing::Values(LayerWay{"planar_reduced", {true, "reduced"}},
                                         LayerWay{"planar_maximal", {true, "maximal"}},
                                         LayerWay{"spatial_reduced", {false, "reduced"}},
                                         LayerWay{"spatial_maximal", {false, "maximal"}}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace vinci::test
