// SPDX-License-Identifier: Apache-2.0
// The first-order and the quasi-static motion model: reference cases 10 and 07, closed forms, what
// is not unique and what does not exist.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

struct Step {
  const char *stepper, *cone, *motion;
};

RunOverrides choose(const Step& step) {
  RunOverrides overrides;
  overrides.options["stepper"] = step.stepper;
  overrides.options["cone"] = step.cone;
  overrides.options["motion"] = step.motion;
  return overrides;
}

constexpr Step first_order[] = {{"stewart-trinkle", "quadratic", "first-order"},
                                {"stewart-trinkle", "pyramid", "first-order"},
                                {"anitescu-potra", "quadratic", "first-order"},
                                {"anitescu-potra", "pyramid", "first-order"}};
constexpr Step quasi_static[] = {{"stewart-trinkle", "quadratic", "quasi-static"},
                                 {"stewart-trinkle", "pyramid", "quasi-static"},
                                 {"anitescu-potra", "quadratic", "quasi-static"},
                                 {"anitescu-potra", "pyramid", "quasi-static"}};

Vector2 force_of(const nlohmann::json& mode) {
  return Vector2(mode["lam_n"].get<double>(), mode["lam_t"].get<double>());
}

// One step; expects the velocities and the contact forces (N; normal, along (n_y, −n_x)).
void expect_step(Simulation& simulation, const char* name, const nlohmann::json& velocity,
                 const std::vector<Vector2>& forces) {
  const StepReport& report = simulation.step();
  ASSERT_LE(report.solve.residual.relative, 1e-10);
  const Twist after = twist(simulation, name);
  EXPECT_NEAR(after.linear.x(), velocity[0].get<double>(), 1e-9);
  EXPECT_NEAR(after.linear.y(), velocity[1].get<double>(), 1e-9);
  EXPECT_NEAR(after.angular.z(), velocity[2].get<double>(), 1e-9);
  std::vector<Vector2> found;
  for (const SolvedContact& contact : simulation.contacts())
    if (contact.impulse[0] > 1e-9 * simulation.step_size())
      found.push_back(Vector2(contact.impulse[0], -contact.impulse[1]) / simulation.step_size());
  ASSERT_EQ(found.size(), forces.size());
  for (std::size_t i = 0; i < forces.size(); ++i) {
    EXPECT_NEAR(found[i].x(), forces[i].x(), 1e-9);
    EXPECT_NEAR(std::abs(found[i].y()), std::abs(forces[i].y()), 1e-9);
  }
}

std::string particle_at_wall(double friction) {
  return fmt::format(R"(
world: planar
gravity: [0, 0]
materials: {{m: {{friction: {}}}}}
bodies:
  wall: {{freedom: fixed, shapes: [{{half-plane: {{normal: [1, 0]}}, material: m}}]}}
  part:
    shapes: [{{circle: 0.125, material: m}}]
    mass: 2
    position: [0.125, 0]
    motion: {{angle: 0}}
    force: {{x: -3, y: 4}}
run: {{step: 1 ms, duration: 1}}
)",
                     friction);
}

TEST(FirstOrder, a_particle_at_a_wall_moves_as_the_reference_says) {
  const auto expected = reference("case10_first_order")["expected"];
  for (const Step& step : first_order) {
    Simulation smooth = simulate(particle_at_wall(0.0), choose(step));
    expect_step(smooth, "part", expected["wall_frictionless"]["qdot"], {Vector2(3.0, 0.0)});
    for (const auto& [mu, key] : {std::pair{0.5, "wall_mu=0.5"}, std::pair{2.0, "wall_mu=2"}}) {
      Simulation rough = simulate(particle_at_wall(mu), choose(step));
      const auto& mode = expected[key][0];
      expect_step(rough, "part", mode["qdot"], {force_of(mode)});
    }
  }
}

// The peg of case 10: corners at the contact points, inertia as damping.
std::string peg(double friction, const std::string& corners, const std::string& walls,
                const std::string& force) {
  return fmt::format(R"(
world: planar
gravity: [0, 0]
materials: {{m: {{friction: {}}}}}
bodies:
{}
  peg:
    shapes: [{{polygon: {}, material: m}}]
    mass: 2
    inertia: 0.02
    center: [0, 0]
    force: {}
run: {{step: 0.1 ms, duration: 1}}
)",
                     friction, walls, corners, force);
}
const char* const left_chamfer =
    "  chamfer: {freedom: fixed, shapes: [{half-plane: {point: [-0.02, -0.05], normal: [1, 1]}, "
    "material: m}]}\n";
const char* const right_chamfer =
    "  other: {freedom: fixed, shapes: [{half-plane: {point: [0.02, -0.05], normal: [-1, 1]}, "
    "material: m}]}\n";
const char* const side_wall =
    "  wall: {freedom: fixed, shapes: [{half-plane: {point: [0.02, -0.02], normal: [-1, 0]}, "
    "material: m}]}\n";

TEST(FirstOrder, a_peg_on_chamfers_moves_as_the_reference_says) {
  const auto expected = reference("case10_first_order")["expected"];
  const char* const triangle = "[[-0.02, -0.05], [0.02, -0.02], [0, 0.1]]";
  const char* const feet = "[[-0.02, -0.05], [0.02, -0.05], [0, 0.1]]";
  const char* const down = "{y: -5}";
  for (const Step& step : first_order) {
    SCOPED_TRACE(std::string(step.stepper) + " " + step.cone);
    Simulation corner = simulate(peg(0.0, triangle, left_chamfer, down), choose(step));
    const auto& one = expected["peg_corner_on_chamfer"];
    expect_step(corner, "peg", one["qdot"], {Vector2(one["lam"][0].get<double>(), 0.0)});
    for (const auto& [mu, key] :
         {std::pair{0.2, "peg_corner_mu=0.2"}, {1.2, "peg_corner_mu=1.2"}}) {
      Simulation rough = simulate(peg(mu, triangle, left_chamfer, down), choose(step));
      const auto& mode = expected[key][0];
      expect_step(rough, "peg", mode["qdot"], {force_of(mode)});
    }
    Simulation two =
        simulate(peg(0.0, feet, std::string(left_chamfer) + right_chamfer, down), choose(step));
    const auto& both = expected["peg_two_chamfers"];
    expect_step(
        two, "peg", both["qdot"],
        {Vector2(both["lam"][0].get<double>(), 0.0), Vector2(both["lam"][1].get<double>(), 0.0)});
    Simulation wedged = simulate(
        peg(0.0, triangle, std::string(left_chamfer) + side_wall, "{x: 1, y: -5, torque: 0.05}"),
        choose(step));
    const auto& wedge = expected["peg_chamfer_and_wall"];
    expect_step(wedged, "peg", wedge["qdot"],
                {Vector2(wedge["lam"]["0"].get<double>(), 0.0),
                 Vector2(wedge["lam"]["1"].get<double>(), 0.0)});
  }
}

// The point peg slides down the chamfer, leaves its edge and reaches the bottom.
TEST(FirstOrder, a_point_peg_slides_off_its_chamfer_and_lands_on_time) {
  const auto expected = reference("case10_first_order")["expected"]["point_peg_trajectory"];
  const double radius = 1e-6, h = 1e-3, speed = 2.5;
  for (const double friction : {0.0, 0.3}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
materials: {{m: {{friction: {}}}}}
bodies:
  bottom: {{freedom: fixed, shapes: [{{half-plane: {{point: [0, -0.4]}}, material: m}}]}}
  chamfer:
    freedom: fixed
    shapes: [{{polygon: [[-0.5, -0.5], [0.1, -0.5], [0.1, -0.1], [0, 0], [-0.5, 0.5]], material: m}}]
  peg:
    shapes: [{{circle: {}, material: m}}]
    mass: 2
    position: [{}, {}]
    motion: {{angle: 0}}
    force: {{y: -5}}
run: {{step: {}, duration: 0.3, motion: first-order}}
)",
                                                 friction, radius, radius / std::sqrt(2.0),
                                                 radius / std::sqrt(2.0), h));
    const double edge = expected[friction == 0.0 ? "t_at_edge" : "t_at_edge_mu0p3"];
    while (!simulation.finished()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      const double t = simulation.state().time;
      const Vector3 x = position(simulation, "peg");
      const double along = std::min(t / edge, 1.0) * 0.1;
      EXPECT_NEAR(x.x(), along, speed * h) << t;
      EXPECT_NEAR(x.y(), std::max(-along - speed * std::max(0.0, t - edge), -0.4), speed * h) << t;
      if (friction == 0.0 && std::abs(t - 0.05) < 0.1 * h) {
        EXPECT_NEAR(x.x(), expected["pos_at_0p05"][0].get<double>(), speed * h);
      }
    }
  }
}

// Paper 5's particle: a fence pushes it over a floor with friction; in the plane, with one support.
std::string fence_and_particle(const std::string& x, const std::string& y, double x0, double y0,
                               double mu_fence, double mu_floor, double h, double duration) {
  return fmt::format(R"(
world: planar
table: {{friction: {}}}
materials: {{m: {{friction: {}}}}}
bodies:
  fence:
    shapes: [{{half-plane: {{normal: [1, 0]}}, material: m}}]
    motion: {{x: {}, y: {}, angle: 0}}
  particle:
    shapes: [{{circle: 0.125, material: m}}]
    mass: 1
    position: [{:.17g}, {}]
    motion: {{angle: 0}}
    supports: [[0, 0]]
run: {{step: {}, duration: {}}}
)",
                     mu_floor, mu_fence, x, y, x0 + 0.125, y0, h, duration);
}

TEST(QuasiStatic, one_step_of_the_fence_minimises_the_work_as_theorem_1_says) {
  const auto steps = reference("case07_fence_particle")["expected"]["theorem1_steps"];
  int count = 0;
  for (const auto& [key, value] : steps.items()) {
    double x0, y0, t, h, mu2, mu3;
    ASSERT_EQ(std::sscanf(key.c_str(), "x=%lf,y=%lf,t=%lf,h=%lf,mu2=%lf,mu3=%lf", &x0, &y0, &t, &h,
                          &mu2, &mu3),
              6);
    SCOPED_TRACE(key);
    const double fence = 0.5 + 0.4 * std::sin(t);
    if (std::abs(x0 - fence) < 1e-6) x0 = fence;  // the key is rounded
    // The paper predicts the fence along its tangent.
    const std::string x = fmt::format("{:.17g} + {:.17g}*t", fence, 0.4 * std::cos(t));
    for (const char* stepper : {"stewart-trinkle"}) {
      Simulation simulation = simulate(fence_and_particle(x, "t", x0, y0, mu2, mu3, h, 1.0),
                                       choose({stepper, "quadratic", "quasi-static"}));
      const StepReport& report = simulation.step();
      EXPECT_LE(report.solve.residual.relative, 1e-10);
      EXPECT_EQ(report.free_motions, 0);
      EXPECT_NEAR(position(simulation, "particle").x() - 0.125, value["analytic"][0].get<double>(),
                  1e-8);
      EXPECT_NEAR(position(simulation, "particle").y(), value["analytic"][1].get<double>(), 1e-8);
      EXPECT_NEAR(simulation.contacts()[0].impulse[0] / h, value["lambda_2n"].get<double>(), 1e-7);
      ++count;
    }
  }
  EXPECT_EQ(count, 4);
}

TEST(QuasiStatic, the_fence_carries_the_particle_along_the_exact_path) {
  const auto solutions = reference("case07_fence_particle")["expected"]["solutions"];
  for (const auto& [key, value] : solutions.items()) {
    double x0, mu2;
    ASSERT_EQ(std::sscanf(key.c_str(), "x0=%lf,mu2=%lf", &x0, &mu2), 2);
    const double h = 0.01;
    Simulation simulation =
        simulate(fence_and_particle("0.5 + 0.4*sin(t)", "t", x0, 0.0, mu2, 0.3, h, 2.5),
                 choose({"stewart-trinkle", "quadratic", "quasi-static"}));
    std::size_t next = 1;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_LE(report.solve.residual.relative, 1e-10) << key << " " << simulation.state().time;
      ASSERT_EQ(report.free_motions, 0);
      if (next < value["t"].size() &&
          std::abs(simulation.state().time - value["t"][next].get<double>()) < 0.5 * h) {
        EXPECT_NEAR(position(simulation, "particle").x() - 0.125, value["x"][next].get<double>(), h)
            << key;
        EXPECT_NEAR(position(simulation, "particle").y(), value["y"][next].get<double>(), h) << key;
        ++next;
      }
    }
    EXPECT_GT(next, 5u);
  }
}

// Without friction on the floor nothing holds the particle: it moves as little as it must, and the
// step says that it could have moved otherwise.
TEST(QuasiStatic, what_nothing_holds_takes_the_least_motion_and_is_reported_as_not_unique) {
  for (const Step& step : quasi_static) {
    Simulation simulation = simulate(
        fence_and_particle("0.5 + 0.1*t", "t", 0.5, 0.0, 0.0, 0.0, 0.01, 0.5), choose(step));
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_LE(report.solve.residual.relative, 1e-10);
      ASSERT_GE(report.free_motions, 1);
      EXPECT_EQ(simulation.model().bodies[report.free_body].name, "particle");
      EXPECT_NEAR(twist(simulation, "particle").linear.x(), 0.1, 1e-12);
      EXPECT_NEAR(twist(simulation, "particle").linear.y(), 0.0, 1e-12);
    }
  }
}

// A block on an incline: at rest below the angle of friction; beyond it forces cannot balance.
TEST(QuasiStatic, a_block_rests_on_a_gentle_incline_and_has_no_equilibrium_on_a_steep_one) {
  const auto scene = [](double degrees) {
    return fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.4}}}}
bodies:
  incline: {{freedom: fixed, shapes: [{{half-plane: {{angle: {} deg}}, material: m}}]}}
  block: {{shapes: [{{box: [0.2, 0.1], material: m, density: 700}}], pose: {{on: incline, at: 0}}}}
run: {{step: 1 ms, duration: 0.02}}
)",
                       degrees);
  };
  for (const Step& step : quasi_static) {
    SCOPED_TRACE(std::string(step.stepper) + " " + step.cone);
    Simulation gentle = simulate(scene(20.0), choose(step));
    while (!gentle.finished()) {
      const StepReport& report = gentle.step();
      ASSERT_LE(report.solve.residual.relative, 1e-10);
      EXPECT_EQ(report.ending, Ending::none);
      EXPECT_EQ(report.free_motions, 0);
      EXPECT_LE(twist(gentle, "block").linear.norm(), 1e-10);
    }
    EXPECT_EQ(gentle.state().step, 20);
    Simulation steep = simulate(scene(25.0), choose(step));
    const StepReport& report = steep.step();
    EXPECT_EQ(report.solve.status, SolveStatus::no_solution);
    EXPECT_EQ(report.ending, Ending::no_equilibrium);
    EXPECT_TRUE(steep.finished());
    EXPECT_STRNE(report.solve.note, "");
  }
}

TEST(QuasiStatic, a_force_on_a_free_body_has_no_equilibrium_and_none_leaves_it_at_rest) {
  const auto scene = [](const char* force) {
    return fmt::format(
        "world: planar\ngravity: [0, 0]\nbodies: {{part: {{shapes: [{{circle: 0.1}}], force: "
        "{}}}}}\n"
        "run: {{step: 1 ms, duration: 0.01, motion: quasi-static}}\n",
        force);
  };
  Simulation pushed = simulate(scene("{x: 1}"));
  EXPECT_EQ(pushed.step().ending, Ending::no_equilibrium);
  Simulation left = simulate(scene("{x: 0}"));
  const StepReport& report = left.step();
  EXPECT_EQ(report.ending, Ending::none);
  EXPECT_EQ(report.free_motions, 3);
  EXPECT_EQ(left.state().velocities.norm(), 0.0);
}

// Two driven fences close on a block that fits between them no more.
TEST(QuasiStatic, a_block_between_closing_fences_has_no_motion_and_the_run_ends) {
  Simulation simulation = simulate(R"(
world: planar
table: {friction: 0.3}
bodies:
  left: {shapes: [{half-plane: {normal: [1, 0]}}], motion: {x: 0.01*t - 0.1, y: 0, angle: 0}}
  right: {shapes: [{half-plane: {normal: [-1, 0]}}], motion: {x: 0.1 - 0.01*t, y: 0, angle: 0}}
  block:
    shapes: [{box: [0.2, 0.1], density: 100}]
    supports: [[-0.05, -0.02], [0.05, -0.02], [0, 0.04]]
run: {step: 1 ms, duration: 1, motion: quasi-static}
)");
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.ending, Ending::no_motion);
  EXPECT_TRUE(simulation.finished());
}

// A force exactly on the sliding limit: every sliding speed balances, the proposition of paper 5
// says unique. The least motion is none.
TEST(QuasiStatic, a_force_on_the_sliding_limit_is_not_unique) {
  Simulation simulation = simulate(R"(
world: planar
table: {gravity: 10, friction: 0.5}
bodies:
  particle: {shapes: [{circle: 0.1}], mass: 1, motion: {angle: 0}, supports: [[0, 0]], force: {x: 5}}
run: {step: 1 ms, duration: 0.01, motion: quasi-static}
)");
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.ending, Ending::none);
  EXPECT_EQ(report.free_motions, 1);
  EXPECT_LE(twist(simulation, "particle").linear.norm(), 1e-9);
}

// Two islands: a finger pushes one body at 0.1 m/s, another is pushed out of a wall that it
// overlaps by 0.2 nm, at some nm/s. The residual of the whole hardly sees the second; it is solved
// all the same.
TEST(QuasiStatic, a_body_that_hardly_moves_beside_a_fast_one_is_solved_by_itself) {
  for (const char* cone : {"quadratic", "pyramid"}) {
    Simulation simulation = simulate(R"(
world: planar
table: {friction: 0.3}
materials: {m: {friction: 0.25}}
bodies:
  finger: {shapes: [{circle: 0.02, material: m}], motion: {x: -0.07 + 0.1*t, y: 0.01, angle: 0}}
  pushed: {shapes: [{box: [0.1, 0.1], material: m}], mass: 1, supports: [[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]}
  wall: {freedom: fixed, shapes: [{half-plane: {point: [0.6, 0], normal: [-1, 0]}, material: m}]}
  other: {shapes: [{circle: 0.05, material: m}], mass: 2, position: [0.5500000002, 0.01], supports: [[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]}
run: {step: 20 ms, duration: 0.2}
)",
                                     choose({"anitescu-potra", cone, "quasi-static"}));
    while (!simulation.finished())
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10) << cone;
  }
}

// A disc wedged between a slope and a peg, μ = 73: no impulses push it out of both overlaps, though
// nothing short of all modes of contact proves it. The step leaves the pushing out, and says so.
TEST(FirstOrder, a_problem_without_a_solution_that_nothing_proves_falls_back) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 73.17453502400657}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {angle: -0.26578803567082815}, material: m}]}
  peg: {freedom: fixed, shapes: [{circle: 0.051955478192371514, material: m}], position: [0.18490988346963091, -0.02]}
  disc: {shapes: [{circle: 0.049892341712453186, material: m}], position: [0.036019627243223204, 0.13], angle: 0.9913596554726656}
run: {step: 2 ms, duration: 0.06}
)",
                                   choose({"anitescu-potra", "quadratic", "first-order"}));
  int fell_back = 0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-10) << simulation.state().step;
    fell_back += report.fell_back;
  }
  EXPECT_GT(fell_back, 0);
}

}  // namespace
}  // namespace vinci::test
