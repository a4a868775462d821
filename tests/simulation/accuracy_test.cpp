// SPDX-License-Identifier: Apache-2.0
// The one tolerance of a run in its steps: quasi-static answers, bodies at rest, what is accepted.
#include <gtest/gtest.h>

#include "vinci/model/state.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

// A pusher turns and shifts a box on three supports.
constexpr const char* pushing = R"(
world: planar
table: {gravity: 9.81, friction: 0.35}
materials: {m: {friction: 0.3}}
bodies:
  pusher: {shapes: [{circle: 0.005, material: m}], motion: {x: -0.055 + 0.01*t, y: 0.02, angle: 0}}
  slider:
    shapes: [{box: [0.1, 0.1], material: m}]
    mass: 0.2
    supports: [[0.03, 0], [-0.015, 0.025], [-0.015, -0.025]]
run: {motion: quasi-static, step: 1e-3, duration: 0.02}
)";

RunOverrides with_tolerance(const std::string& text, const std::string& solver = "") {
  RunOverrides overrides;
  if (!text.empty()) overrides.plugin_options[{"solver", "tolerance"}] = text;
  if (!solver.empty()) overrides.options["solver"] = solver;
  return overrides;
}

// The largest residual of the steps.
double worst_residual(Simulation& simulation) {
  double worst = 0.0;
  while (!simulation.finished()) worst = std::max(worst, simulation.step().solve.residual.relative);
  return worst;
}

TEST(RunAccuracy, quasi_static_steps_are_as_exact_as_the_solver_is_asked_to_be) {
  Simulation usual(Scene::parse(pushing)), loose(Scene::parse(pushing), with_tolerance("1e-4"));
  EXPECT_LE(worst_residual(usual), 1e-11);
  const double worst = worst_residual(loose);
  EXPECT_LE(worst, 1e-4);
  EXPECT_GT(worst, 1e-9);
  EXPECT_NE(hash(usual.state()), hash(loose.state()));
}

TEST(RunAccuracy, what_meets_the_tolerance_is_accepted_unless_accept_is_set) {
  const auto accept = [](const RunOverrides& overrides) {
    return Simulation(Scene::parse(pushing), overrides).options().real("accept");
  };
  EXPECT_EQ(accept({}), 1e-10);
  EXPECT_DOUBLE_EQ(accept(with_tolerance("1e-4")), 1e-3);
  EXPECT_EQ(accept(with_tolerance("1e-13")), 1e-10);
  EXPECT_EQ(accept(with_tolerance("0.5")), 1.0);
  RunOverrides both = with_tolerance("1e-4");
  both.options["accept"] = "1e-6";
  EXPECT_EQ(accept(both), 1e-6);
}

// As a recording gives all options back when a run is continued.
TEST(RunAccuracy, a_tolerance_given_as_the_solver_has_it_changes_no_bit) {
  for (const std::string solver : {"auto", "gauss-seidel"}) {
    Simulation plain(Scene::parse(pushing), with_tolerance("", solver));
    Simulation given(Scene::parse(pushing),
                     with_tolerance(solver == "auto" ? "1e-11" : "1e-12", solver));
    while (!plain.finished()) plain.step(), given.step();
    EXPECT_EQ(hash(plain.state()), hash(given.state())) << solver;
  }
}

// A puck slides to rest. What counts as rest is ten tolerances of the speed that friction takes in
// a step.
TEST(RunAccuracy, a_puck_on_a_table_stops_when_it_is_slower_than_the_solver_resolves) {
  constexpr const char* sliding = R"(
world: planar
table: {gravity: 10, friction: 0.1}
bodies:
  puck: {shapes: [{circle: 0.05}], mass: 0.3, velocity: [0.1005, 0], supports: [[0, 0]]}
run: {step: 1e-2, duration: 0.2}
)";
  const auto last_speed = [&](const RunOverrides& overrides) {
    Simulation simulation(Scene::parse(sliding), overrides);
    double last = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      if (const double speed = simulation.state().velocities.norm(); speed > 0.0) last = speed;
    }
    EXPECT_EQ(simulation.state().velocities.norm(), 0.0);
    return last;
  };
  // Friction takes 0.01 m/s in a step: 0.0005 m/s are left before the last one.
  EXPECT_NEAR(last_speed({}), 0.0005, 1e-12);
  // A twentieth is within ten tolerances of 1e-2.
  EXPECT_NEAR(last_speed(with_tolerance("1e-2")), 0.0105, 1e-3);
}

}  // namespace
}  // namespace vinci
