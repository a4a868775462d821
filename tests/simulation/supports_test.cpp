// SPDX-License-Identifier: Apache-2.0
// Bodies on a table (2.5D): reference cases 08 and 09, loads, patches, viscosity, rows of
// recordings.
#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// Case 08: a box of 0.2 kg on three supports, its left face at x = −face, and a pusher.
struct Pushing {
  std::string tripod;
  double face = 0.05, contact_y = 0.0, friction = 0.3, radius = 0.005;
  Vector2 velocity = {0.01, 0.0};
  double step = 1e-3, duration = 1.0;

  std::string yaml() const {
    return fmt::format(R"(
world: planar
table: {{gravity: 9.81, friction: 0.35}}
materials: {{m: {{friction: {}}}}}
bodies:
  pusher:
    shapes: [{{circle: {}, material: m}}]
    motion: {{x: {:.17g} + {}*t, y: {} + {}*t, angle: 0}}
  slider:
    shapes: [{{box: [{}, 0.1], material: m}}]
    mass: 0.2
    inertia: 1.2e-4
    supports: {}
run: {{motion: quasi-static, step: {}, duration: {}}}
)",
                       friction, radius, -face - radius, velocity.x(), contact_y, velocity.y(),
                       2.0 * face, tripod, step, duration);
  }
};

class PushingSteps : public testing::TestWithParam<const char*> {};

TEST_P(PushingSteps, twist_mode_and_force_are_those_of_the_reference) {
  const auto configurations = reference("case08_tripod_pushing")["expected"]["configurations"];
  for (const auto& [name, c] : configurations.items()) {
    SCOPED_TRACE(name);
    Pushing scene;
    // The pusher's force does not depend on the mass: loads as listed, and those of equilibrium
    // where the centre of mass is the origin.
    const auto& loads = c["support_normal_forces"];
    scene.tripod = c["tripod"].dump();
    if (name != "G_pivot_on_support") {
      Simulation balanced = simulate(scene.yaml());
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(balanced.model().bodies[1].supports[i].load, loads[i].get<double>(), 1e-12);
    }
    scene.tripod = fmt::format("{{points: {}, loads: {}}}", c["tripod"].dump(), loads.dump());
    scene.face = -c["contact"][0].get<double>();
    scene.contact_y = c["contact"][1];
    scene.friction = c["mu_contact"];
    scene.velocity =
        Vector2(c["pusher_velocity"][0].get<double>(), c["pusher_velocity"][1].get<double>());
    Simulation simulation = simulate(scene.yaml(), chosen({{"stepper", GetParam()}}));
    const StepReport& report = simulation.step();
    EXPECT_LE(report.solve.residual.relative, 1e-10);
    EXPECT_EQ(report.free_motions, 0);
    const Twist after = twist(simulation, "slider");
    const double speed = scene.velocity.norm();
    EXPECT_NEAR(after.linear.x(), c["body_origin_velocity"][0].get<double>(), 1e-6 * speed);
    EXPECT_NEAR(after.linear.y(), c["body_origin_velocity"][1].get<double>(), 1e-6 * speed);
    EXPECT_NEAR(after.angular.z(), c["omega"].get<double>(), 1e-6 * speed / 0.05);
    const SolvedContact& push = simulation.contacts().at(0);
    const Vector3 force =
        (push.impulse[0] * push.contact.normal + push.impulse[1] * push.tangent_1) / scene.step;
    const double sign = push.contact.body_b == 1 ? 1.0 : -1.0;
    EXPECT_NEAR(sign * force.x(), c["pusher_force"][0].get<double>(), 1e-6);
    EXPECT_NEAR(sign * force.y(), c["pusher_force"][1].get<double>(), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Steppers, PushingSteps,
                         testing::Values("stewart-trinkle", "anitescu-potra"),
                         [](const auto& variant) {
                           return std::string(variant.param[0] == 's' ? "stewart_trinkle"
                                                                      : "anitescu_potra");
                         });

// An n-gon inscribed in the disk: the force is short by at most (π/n)²/2, its direction by π/n.
TEST(Pushing, polygons_of_directions_come_near_the_disk) {
  const auto c = reference("case08_tripod_pushing")["expected"]["configurations"]["B_stick_cw"];
  const double exact = c["pusher_force"][0];
  for (const int directions : {8, 16, 32, 64}) {
    Pushing scene;
    scene.tripod = c["tripod"].dump();
    scene.contact_y = c["contact"][1];
    scene.friction = c["mu_contact"];
    Simulation simulation = simulate(
        scene.yaml(), chosen({{"cone", "pyramid"}, {"directions", std::to_string(directions)}}));
    const StepReport& report = simulation.step();
    EXPECT_LE(report.solve.residual.relative, 1e-10);
    const double force = simulation.contacts().at(0).impulse[0] / scene.step;
    EXPECT_LE(force, exact * (1.0 + 1e-9));
    EXPECT_GE(force, exact * (1.0 - 0.5 * std::pow(M_PI / directions, 2)) * (1.0 - 1e-9));
  }
}

TEST(Pushing, trajectories_converge_linearly_to_the_reference) {
  const auto trajectories = reference("case08_tripod_pushing")["expected"]["trajectories"];
  for (const auto& [name, c] : trajectories.items()) {
    SCOPED_TRACE(name);
    std::vector<double> steps = {2e-2, 1e-2, 5e-3, 2.5e-3}, errors;
    for (const double h : steps) {
      Pushing scene;
      scene.tripod = "[[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]";
      scene.contact_y = 0.012;
      scene.friction = name == "TA_mu0.5" ? 0.5 : 0.1;
      scene.radius = 1e-7;
      scene.step = h;
      scene.duration = 3.0;
      Simulation simulation = simulate(scene.yaml());
      double error = 0.0;
      std::size_t next = 1;
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_LE(report.solve.residual.relative, 1e-10) << h << " " << simulation.state().step;
        if (std::abs(simulation.state().time - c["t"][next].get<double>()) > 1e-9) continue;
        const Pose& pose = simulation.state().poses[1];
        const double dx = pose.position.x() - c["pose_x"][next].get<double>();
        const double dy = pose.position.y() - c["pose_y"][next].get<double>();
        const double turn = planar_angle(pose.rotation) - c["theta"][next].get<double>();
        EXPECT_LE(std::hypot(dx, dy), 2.0 * 0.01 * h);
        EXPECT_LE(std::abs(turn), 0.5 * h);
        error = std::max({error, std::hypot(dx, dy), 0.05 * std::abs(turn)});
        ++next;
      }
      EXPECT_EQ(next, c["t"].size());
      errors.push_back(error);
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.15);
  }
}

// Case 09: a part of 0.2 kg slides and spins to rest.
std::string sliding(const nlohmann::json& c, double h) {
  return fmt::format(R"(
world: planar
table: {{gravity: 9.81, friction: 0.35}}
bodies:
  part:
    shapes: [{{box: [0.1, 0.08]}}]
    mass: 0.2
    inertia: 0.00012
    velocity: {}
    spin: {}
    supports: {}
run: {{step: {}, duration: 0.125}}
)",
                     c["v0"].dump(), c["omega0"].dump(), c["tripod"].dump(), h);
}

TEST(Sliding, parts_come_to_rest_where_and_when_the_reference_says) {
  const auto cases = reference("case09_tripod_dynamic")["expected"];
  for (const auto& [name, c] : cases.items())
    for (const char* stepper : {"stewart-trinkle", "anitescu-potra"}) {
      SCOPED_TRACE(name + " " + stepper);
      std::vector<double> steps = {1e-3, 5e-4, 2.5e-4, 1.25e-4}, errors;
      const double speed = std::hypot(c["v0"][0].get<double>(), c["v0"][1].get<double>());
      const double spin = c["omega0"];
      for (const double h : steps) {
        Simulation simulation = simulate(sliding(c, h), chosen({{"stepper", stepper}}));
        double stopped = 0.0, last = energy(simulation.model(), simulation.state()).total();
        while (!simulation.finished()) {
          const StepReport& report = simulation.step();
          ASSERT_LE(report.solve.residual.relative, 1e-10) << h << " " << simulation.state().step;
          const double now = energy(simulation.model(), simulation.state()).total();
          ASSERT_LE(now, last + 1e-15);
          last = now;
          if (stopped == 0.0 && simulation.state().velocities.norm() < 1e-9)
            stopped = simulation.state().time;
        }
        EXPECT_NEAR(stopped, c["t_stop"].get<double>(), 2.0 * h);
        const Pose& pose = simulation.state().poses[0];
        const double dx = pose.position.x() - c["final_pose"][0].get<double>();
        const double dy = pose.position.y() - c["final_pose"][1].get<double>();
        const double turn = planar_angle(pose.rotation) - c["final_pose"][2].get<double>();
        EXPECT_LE(std::hypot(dx, dy), speed * h + 1e-12);
        // A translation turns by what the solver leaves: 1e-11 of its speed in every step.
        EXPECT_LE(std::abs(turn), spin * h + 1e-9);
        errors.push_back(std::max(std::hypot(dx, dy), 0.03 * std::abs(turn)));
      }
      EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1);
    }
}

// Solvers leave 1e-13 of a speed; it would be all that moves in the next step, above every
// tolerance.
TEST(Sliding, what_friction_has_stopped_rests_exactly_with_every_solver) {
  const auto c = reference("case09_tripod_dynamic")["expected"]["A"];
  for (const char* solver : {"auto", "semismooth-newton", "quadratic-cone", "admm"}) {
    Simulation simulation = simulate(sliding(c, 2.5e-3), chosen({{"solver", solver}}));
    while (!simulation.finished())
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10) << solver;
    EXPECT_EQ(simulation.state().velocities.norm(), 0.0) << solver;
    for (const SolvedContact& support : simulation.contacts())
      EXPECT_EQ(support.impulse.tail<2>().norm(), 0.0) << solver;
  }
}

// c ẍ-free decay: m v' = −3 c v, by the implicit rule v_{n+1} = v_n/(1 + 3 c h/m).
TEST(Viscosity, a_part_slows_down_by_the_implicit_rule_in_every_step) {
  Simulation simulation = simulate(R"(
world: planar
table: {viscosity: 0.2}
bodies:
  part:
    shapes: [{circle: 0.05}]
    mass: 0.3
    velocity: [1, 0]
    supports: [[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]
run: {step: 10 ms, duration: 1}
)");
  double expected = 1.0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    expected /= 1.0 + 3.0 * 0.2 * 0.01 / 0.3;
    ASSERT_NEAR(twist(simulation, "part").linear.x(), expected, 1e-13);
    ASSERT_NEAR(twist(simulation, "part").linear.y(), 0.0, 1e-15);
    // The force of each support: −c v.
    ASSERT_NEAR(simulation.contacts().at(1).impulse[1], -0.2 * 0.01 * expected, 1e-14);
  }
}

// Without inertia the speed follows from the force: Σ c v = f.
TEST(Viscosity, quasi_static_and_first_order_speeds_follow_from_the_force) {
  const char* const scene = R"(
world: planar
table: {viscosity: 0.2, friction: mu}
parameters: {mu: 0}
bodies:
  part:
    shapes: [{circle: 0.05}]
    mass: 0.3
    force: {x: 1.2}
    supports: [[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]
run: {step: 10 ms, duration: 0.1}
)";
  Simulation quasi = simulate(scene, chosen({{"motion", "quasi-static"}}));
  ASSERT_LE(quasi.step().solve.residual.relative, 1e-10);
  EXPECT_EQ(quasi.report().free_motions, 0);
  EXPECT_NEAR(twist(quasi, "part").linear.x(), 2.0, 1e-12);
  Simulation first = simulate(scene, chosen({{"motion", "first-order"}}));
  ASSERT_LE(first.step().solve.residual.relative, 1e-10);
  EXPECT_NEAR(twist(first, "part").linear.x(), 1.2 / (0.3 + 0.6), 1e-12);
  // With dry friction of μ m g in total, the rest of the force moves it.
  RunOverrides rough = chosen({{"motion", "quasi-static"}});
  rough.parameters["mu"] = 0.1;
  Simulation rubbing = simulate(scene, rough);
  ASSERT_LE(rubbing.step().solve.residual.relative, 1e-10);
  EXPECT_NEAR(twist(rubbing, "part").linear.x(), (1.2 - 0.1 * 0.3 * 9.81) / 0.6, 1e-10);
}

TEST(Loads, three_points_carry_the_weight_by_their_levers_and_more_by_equal_springs) {
  const auto loads = [](const std::string& supports) {
    Simulation simulation = simulate(
        "world: planar\ntable: {gravity: 10}\nbodies: {part: {shapes: [{box: [1, 1]}], mass: 3, "
        "supports: " +
        supports + "}}\nrun: {duration: 0}\n");
    std::vector<double> found;
    for (const Support& support : simulation.model().bodies[0].supports)
      found.push_back(support.load);
    return found;
  };
  const auto three = loads("[[0.3, 0], [-0.1, 0.2], [-0.1, -0.2]]");
  EXPECT_NEAR(three[0], 7.5, 1e-12);
  EXPECT_NEAR(three[1], 11.25, 1e-12);
  EXPECT_NEAR(three[2], 11.25, 1e-12);
  for (const double load : loads("[[0.3, 0.3], [-0.3, 0.3], [-0.3, -0.3], [0.3, -0.3]]"))
    EXPECT_NEAR(load, 7.5, 1e-12);
  const auto given = loads("{points: [[0, 0], [0.1, 0]], loads: [1, 2]}");
  EXPECT_EQ(given, (std::vector<double>{1.0, 2.0}));
  const auto patch = loads("{patch: 0.1}");
  EXPECT_EQ(patch.size(), 100u);
  EXPECT_NEAR(patch[37], 0.3, 1e-12);
  // A pressure that grows along x: ∫ (10 + 4 x) over the unit square is 10 N.
  double total = 0.0;
  for (const double load : loads("{patch: 0.1, pressure: 10 + 4*x}")) total += load;
  EXPECT_NEAR(total, 10.0, 1e-12);
  EXPECT_THROW(loads("[[0.3, 0], [0.1, 0.2], [0.1, -0.2]]"), SceneError);
  EXPECT_THROW(loads("{patch: 0.1, pressure: -x}"), SceneError);
  EXPECT_THROW(loads("{points: [[0, 0]], loads: [1, 2]}"), SceneError);
}

// The torque that stops a disk spinning on an even pressure is ⅔ μ N R.
TEST(Patch, a_spinning_disk_is_braked_by_two_thirds_of_mu_n_r) {
  double before = 1.0;
  for (const double spacing : {0.02, 0.01}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
table: {{gravity: 10, friction: 0.4}}
bodies: {{disk: {{shapes: [{{circle: 0.1}}], mass: 1, spin: 20, supports: {{patch: {}}}}}}}
run: {{step: 1 ms, duration: 0.02}}
)",
                                                 spacing));
    run_exactly(simulation);
    const double braking = (20.0 - twist(simulation, "disk").angular.z()) / 0.02;
    const double exact = 2.0 / 3.0 * 0.4 * 10.0 * 0.1 / (0.5 * 0.1 * 0.1);
    const double error = std::abs(braking / exact - 1.0);
    EXPECT_LE(error, 0.02);
    EXPECT_LE(error, before);
    before = error;
  }
}

TEST(Rows, supports_are_recorded_as_contacts_of_a_body_with_itself) {
  Pushing scene;
  scene.tripod = "[[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]";
  Simulation simulation = simulate(scene.yaml());
  simulation.step();
  ASSERT_EQ(simulation.contacts().size(), 4u);
  for (int i = 0; i < 3; ++i) {
    const SolvedContact& support = simulation.contacts()[1 + i];
    EXPECT_EQ(support.contact.key, support_key(1, i));
    EXPECT_EQ(support.contact.body_a, 1);
    EXPECT_EQ(support.contact.body_b, 1);
    EXPECT_EQ(support.contact.normal, Vector3::UnitZ());
    EXPECT_NEAR(support.impulse[0], 0.654 * scene.step, 1e-15);
    // It slides: the friction is at its limit, against the velocity.
    EXPECT_NEAR(support.impulse.tail<2>().norm(), 0.35 * 0.654 * scene.step, 1e-12);
    EXPECT_LT(support.impulse.tail<2>().dot(support.velocity.tail<2>()), 0.0);
  }
}

class SettledSteps : public testing::TestWithParam<const char*> {};

TEST_P(SettledSteps, on_supports_make_no_allocation) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  for (const char* cone : {"quadratic", "pyramid"})
    for (const char* stepper : {"stewart-trinkle", "anitescu-potra"}) {
      Pushing scene;
      scene.tripod = "[[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]";
      scene.friction = 0.5;
      Simulation simulation = simulate(
          scene.yaml(), chosen({{"motion", GetParam()}, {"cone", cone}, {"stepper", stepper}}));
      for (int i = 0; i < 300; ++i) simulation.step();
      const std::size_t before = allocations();
      for (int i = 0; i < 300; ++i) simulation.step();
      EXPECT_EQ(allocations() - before, 0u) << cone << " " << stepper;
      EXPECT_LE(simulation.report().solve.residual.relative, 1e-10);
    }
}

INSTANTIATE_TEST_SUITE_P(Motions, SettledSteps,
                         testing::Values("dynamic", "first-order", "quasi-static"),
                         [](const auto& variant) {
                           std::string name = variant.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vinci::test
