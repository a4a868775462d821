// SPDX-License-Identifier: Apache-2.0
// Equilibria and linear systems of scenes against closed forms and central differences; names and
// modes that make no sense.
#include "tests/events/linear_scenes.h"
#include "vinci/hybrid/equations.h"

namespace vinci::test {
namespace {

constexpr double g = 9.81;
const std::string run = "run: {step: 1 ms, duration: 1 s}\n";

// A rod with round ends leans against a smooth wall; the floor is rough.
std::string leaning_rod(double tilt, double friction) {
  const double half = 0.5, radius = 0.05;
  return fmt::format(R"(
world: planar
materials: {{rough: {{friction: {0}}}, smooth: {{friction: 0}}, wood: {{friction: 0}}}}
surfaces: [{{between: [rough, wood], friction: {0}}}]
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: rough}}]}}
  wall: {{freedom: fixed, shapes: [{{half-plane: {{normal: [1, 0]}}, material: smooth}}]}}
  rod:
    shapes: [{{capsule: {{length: 1, radius: {1}}}, material: wood}}]
    mass: 2
    inertia: 0.2
    position: [{2:.17g}, {3:.17g}]
    angle: {4:.17g}
)",
                     friction, radius, half * std::cos(tilt) + radius,
                     half * std::sin(tilt) + radius, -tilt) +
         run;
}

LinearWishes at_rest() {
  LinearWishes wishes;
  wishes.equilibrium = true;
  return wishes;
}

TEST(LinearScene, a_leaning_rod_pushes_the_wall_as_statics_says) {
  const double tilt = 1.1, half = 0.5, radius = 0.05, weight = 2.0 * g;
  const Point rod(leaning_rod(tilt, 0.6));
  LinearWishes wishes = at_rest();
  wishes.outputs = {"floor-rod.force", "wall-rod.force", "rod-floor.friction.force"};
  const LinearScene rest = linear_scene(rod.point, wishes);
  // Moments about the centre.
  const double push = weight * half * std::cos(tilt) / (2.0 * half * std::sin(tilt) + radius);
  EXPECT_NEAR(constraint_of(rest, "floor-rod").force, weight, 1e-9);
  EXPECT_NEAR(constraint_of(rest, "wall-rod").force, push, 1e-9);
  EXPECT_NEAR(std::abs(constraint_of(rest, "floor-rod friction").force), push, 1e-9);
  EXPECT_EQ(constraint_of(rest, "floor-rod friction").state, ContactState::sticking);
  EXPECT_NEAR(rest.outputs[1].value, push, 1e-9);
  EXPECT_EQ(rest.system.output_count(), 3);
}

TEST(LinearScene, a_rod_that_would_slip_has_no_equilibrium) {
  const Point rod(leaning_rod(0.5, 0.2));
  const std::string text = message([&] { linear_scene(rod.point, at_rest()); });
  EXPECT_NE(text.find("'floor-rod friction' would have to hold"), std::string::npos) << text;
}

// The pole p² = (M + m) m g l / ((J + m l²)(M + m) − (m l)²), upright; −p² hanging.
TEST(LinearScene, a_pendulum_on_a_cart_has_the_poles_of_its_closed_form) {
  const double cart = 3.0, mass = 0.7, length = 0.4, inertia = 0.05;
  for (const bool upright : {true, false}) {
    const Point point(fmt::format(R"(
world: planar
bodies:
  cart: {{mass: {}, inertia: 1}}
  rod: {{mass: {}, inertia: {}}}
joints:
  rail: {{prismatic: [world, cart]}}
  pin: {{revolute: [cart, rod], at: [[0, 0], [0, {}]], position: {}}}
)",
                                  cart, mass, inertia, length, upright ? 3.0 : 0.1) +
                      run);
    LinearWishes wishes = at_rest();
    wishes.inputs = {"rail.force"};
    const LinearScene rest = linear_scene(point.point, wishes);
    EXPECT_NEAR(value_of(rest.coordinates, "pin.position [rad]"), upright ? M_PI : 0.0, 1e-9);
    const double square =
        (cart + mass) * mass * g * length /
        ((inertia + mass * length * length) * (cart + mass) - mass * mass * length * length);
    const Complex pole = std::sqrt(Complex(upright ? square : -square, 0.0));
    EXPECT_LE(distance(poles(rest.system), pole), 1e-8);
    EXPECT_LE(distance(poles(rest.system), -pole), 1e-8);
    EXPECT_EQ(rest.system.inputs.front(), "rail.effort [N]");
    EXPECT_EQ(rest.system.state_count(), 4);
  }
}

TEST(LinearScene, a_ball_between_two_plates_leans_on_both) {
  const double slope = 0.7, mass = 0.3;
  const Point point(fmt::format(R"(
world: planar
bodies:
  left: {{freedom: fixed, shapes: [{{half-plane: {{angle: {0}}}}}]}}
  right: {{freedom: fixed, shapes: [{{half-plane: {{angle: -{0}}}}}]}}
  ball: {{shapes: [{{circle: 0.1}}], mass: {1}, inertia: 0.01, position: [0.003, 0.14]}}
)",
                                slope, mass) +
                    run);
  LinearWishes wishes = at_rest();
  wishes.mode = {"ball-left=contact", "right-ball=contact"};
  const LinearScene rest = linear_scene(point.point, wishes);
  EXPECT_NEAR(value_of(rest.coordinates, "ball.x [m]"), 0.0, 1e-12);
  EXPECT_NEAR(value_of(rest.coordinates, "ball.y [m]"), 0.1 / std::cos(slope), 1e-12);
  for (const char* name : {"left-ball", "right-ball"}) {
    EXPECT_NEAR(constraint_of(rest, name).force, mass * g / (2.0 * std::cos(slope)), 1e-9);
    EXPECT_TRUE(constraint_of(rest, name).named);
  }
  // Both constraints show twice as the poles of their stabilisation; the spin alone is free.
  int free = 0;
  for (const Complex pole : poles(rest.system)) free += std::abs(pole) < 1e-6 ? 1 : 0;
  EXPECT_EQ(free, 2);
  EXPECT_EQ(rest.system.state_count(), 6);
  wishes.eliminate = true;
  EXPECT_EQ(linear_scene(point.point, wishes).system.state_count(), 2);
}

// A ball on a spring-held block: contact, friction and a joint at once.
const std::string mixed = R"(
world: planar
materials: {wood: {friction: 0.8}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}], position: [0, -5]}
  arm: {mass: 1.5, inertia: 0.2, shapes: [{box: [1.2, 0.1], material: wood}]}
  ball: {mass: 0.4, inertia: 0.01, shapes: [{circle: 0.12, material: wood}], position: [0.3, 0.17]}
joints:
  hinge: {revolute: [world, arm], at: [[-0.2, 0], [-0.2, 0]], velocity: 0.3}
springs:
  prop: {between: [world, arm], at: [[0.4, -1], [0.4, 0]], stiffness: 40, damping: 2, length: 1.2}
  tie: {between: [arm, ball], at: [[-0.3, 0.3], [0.05, 0.02]], stiffness: 15, damping: 1, length: 0.3}
exclude: [[floor, arm]]
run: {step: 1 ms, duration: 1 s}
)";

// The accelerations of a system at a state, by themselves.
VectorX accelerations_at(const ModelSystem& system, const HybridState& state,
                         const VectorX& inputs) {
  ModeEquations equations(system);
  equations.set(state, inputs);
  EXPECT_TRUE(equations.solve(state.mode));
  return equations.frame().accelerations;
}

TEST(LinearScene, derivatives_are_those_of_central_differences) {
  const Point point(mixed);
  LinearWishes wishes;
  wishes.inputs = {"hinge.torque=0.7", "ball.force_x"};
  wishes.mode = {"arm-ball=contact", "arm-ball.friction=sticking"};
  const LinearScene scene = linear_scene(point.point, wishes);
  EXPECT_FALSE(scene.is_equilibrium);
  ModelSystem::Parts parts;
  parts.model = point.point.model;
  parts.state = point.point.state;
  parts.contacts = pairs_within(*point.point.model, point.point.state, 1e-3);
  parts.standard = point.point.standard;
  for (const LinearInput& input : find_inputs(*parts.model, {}, wishes.inputs))
    parts.inputs.push_back(*input.force);
  const ModelSystem system(parts);
  const int n = system.coordinate_count();
  ASSERT_EQ(system.constraints().size(), 2u);
  HybridState state = HybridState::at(0.0, system.positions(), system.velocities(),
                                      {ContactState::contact, ContactState::sticking});
  VectorX inputs(2);
  inputs << 0.7, 0.0;
  const double step = 1e-6;
  const MatrixX rows = scene.system.a.middleRows(n, n);
  double largest = rows.cwiseAbs().maxCoeff();
  const auto compare = [&](double& value, const VectorX& column, const std::string& what) {
    const double kept = value;
    value = kept + step;
    const VectorX ahead = accelerations_at(system, state, inputs);
    value = kept - step;
    const VectorX behind = accelerations_at(system, state, inputs);
    value = kept;
    EXPECT_LE(((ahead - behind) / (2.0 * step) - column).cwiseAbs().maxCoeff(), 1e-7 * largest)
        << what;
  };
  for (int j = 0; j < n; ++j) {
    compare(state.positions[j], rows.col(j), scene.system.states[j]);
    compare(state.velocities[j], rows.col(n + j), scene.system.states[n + j]);
  }
  compare(state.slips[1], rows.col(2 * n), scene.system.states.back());
  largest = scene.system.b.cwiseAbs().maxCoeff();
  for (int j = 0; j < 2; ++j)
    compare(inputs[j], scene.system.b.col(j).segment(n, n), scene.system.inputs[j]);
}

TEST(LinearScene, outputs_change_as_coordinates_do) {
  const Point point(mixed);
  LinearWishes wishes;
  wishes.outputs = {"ball.vy", "arm.x", "arm.spin", "hinge.position", "arm-ball.gap"};
  const LinearScene scene = linear_scene(point.point, wishes);
  EXPECT_EQ(scene.system.outputs[3], "hinge.position [rad]");
  // The arm turns about a point 0.2 m left of its centre.
  const VectorX vx = scene.system.c.row(1);
  const auto column = [&](const std::string& name) {
    for (std::size_t i = 0; i < scene.system.states.size(); ++i)
      if (scene.system.states[i] == name) return static_cast<Eigen::Index>(i);
    ADD_FAILURE() << name;
    return Eigen::Index{0};
  };
  EXPECT_NEAR(vx[column("hinge.position [rad]")], 0.0, 1e-12);
  EXPECT_NEAR(scene.system.c(2, column("hinge.rate [rad/s]")), 1.0, 1e-12);
  EXPECT_NEAR(scene.system.c(0, column("ball.vy [m/s]")), 1.0, 1e-12);
  EXPECT_NEAR(scene.system.c(4, column("ball.y [m]")), 1.0, 1e-9);
}

TEST(LinearScene, names_that_nothing_has_are_told_with_the_nearest) {
  const Point point(mixed);
  const auto fails = [&](const LinearWishes& wishes, const std::string& expected) {
    const std::string text = message([&] { linear_scene(point.point, wishes); });
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  };
  LinearWishes wishes;
  wishes.inputs = {"hinge.tork"};
  fails(wishes, "inputs: nothing is called 'hinge.tork' (did you mean 'hinge.");
  wishes.inputs = {"hinge.torque=x"};
  fails(wishes, "inputs: 'x'");
  wishes.inputs = {};
  wishes.outputs = {"bal.x"};
  fails(wishes, "outputs: nothing is called 'bal.x' (did you mean 'ball.x'?)");
  wishes.outputs = {};
  wishes.mode = {"arm-bal=contact"};
  fails(wishes, "mode: no constraint is called 'arm-bal' (did you mean 'arm-ball'?)");
  wishes.mode = {"arm-ball=closed"};
  fails(wishes, "accepted: NAME=STATE with a state of free, contact, sticking, sliding");
  wishes.mode = {"arm-ball.friction=sliding", "arm-ball=contact"};
  LinearWishes still = at_rest();
  still.mode = {"arm-ball=sliding"};
  fails(still, "mode:");
}

TEST(LinearScene, modes_that_contradict_the_state_are_refused) {
  // A ball that is held down by nothing but its weight, and one that hangs above.
  const std::string scene = R"(
world: planar
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  ball: {shapes: [{circle: 0.1}], mass: 1, inertia: 0.01, position: [0, 0.3]}
)" + run;
  const Point point(scene);
  const auto fails = [&](const LinearWishes& wishes, const std::string& expected) {
    const std::string text = message([&] { linear_scene(point.point, wishes); });
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  };
  LinearWishes wishes;
  wishes.mode = {"floor-ball=contact"};
  fails(wishes, "mode: 'floor-ball' is named as acting, but it is 0.2 m open");
  fails(at_rest(), "equilibrium: no equilibrium near the state at 0 s: after");
  fails(at_rest(), "the balance of ball.y [m] lacks 9.81");
  wishes.equilibrium = true;
  EXPECT_NEAR(constraint_of(linear_scene(point.point, wishes), "floor-ball").force, g, 1e-9);
  wishes.inputs = {"ball.force_y=20"};
  fails(wishes, "'floor-ball' is named as acting, but it would have to pull with 10.19 N");
}

// Springs hold a box over a floor: contacts that would pull let go by themselves, and bodies that
// would overlap touch.
TEST(LinearScene, what_acts_at_an_equilibrium_is_found) {
  const auto rest_at = [&](double length) {
    const Point point(fmt::format(R"(
world: planar
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}}}]}}
  box: {{shapes: [{{box: [0.4, 0.2]}}], mass: 1, inertia: 0.02, position: [0, 0.1]}}
springs:
  left: {{between: [world, box], at: [[-0.2, 1], [-0.2, 0]], stiffness: 100, length: {0}}}
  right: {{between: [world, box], at: [[0.2, 1], [0.2, 0]], stiffness: 100, length: {0}}}
)",
                                  length) +
                      run);
    return linear_scene(point.point, at_rest());
  };
  const LinearScene lifted = rest_at(0.5);
  EXPECT_NEAR(value_of(lifted.coordinates, "box.y [m]"), 0.5 - g / 200.0, 1e-9);
  for (const LinearConstraint& one : lifted.constraints) EXPECT_EQ(one.state, ContactState::free);
  const LinearScene lying = rest_at(0.95);
  EXPECT_NEAR(value_of(lying.coordinates, "box.y [m]"), 0.1, 1e-12);
  double sum = 0.0;
  for (const LinearConstraint& one : lying.constraints) sum += one.force;
  EXPECT_NEAR(sum, g + 2.0 * 100.0 * (0.95 - 0.9), 1e-8);
}

// What a machine has switched off does not act, however bodies lie.
TEST(LinearScene, machines_say_what_can_act) {
  const Point point(std::string(R"(
world: planar
bodies:
  ball: {mass: 1, inertia: 0.1, position: [0, 1]}
constraints:
  outer: {at-least-zero: ball.x^2 + ball.y^2 - 4, damping: 10, stiffness: 25, machine: level, in: high}
  inner: {at-least-zero: ball.x^2 + ball.y^2 - 1, damping: 10, stiffness: 25, machine: level, in: low}
machines:
  level: {states: [high, low], initial: low, final: low, transitions: [{from: high, to: low, rises: ball.x - 5}]}
run: {stepper: event-driven, step: 10 ms, duration: 1 s}
)"));
  const LinearScene low = linear_scene(point.point, at_rest());
  EXPECT_NEAR(value_of(low.coordinates, "ball.y [m]"), 1.0, 1e-12);
  LinearWishes high = at_rest();
  high.mode = {"level=high", "outer=contact"};
  EXPECT_NEAR(value_of(linear_scene(point.point, high).coordinates, "ball.y [m]"), 2.0, 1e-9);
  high.mode = {"level=middle"};
  EXPECT_THROW(linear_scene(point.point, high), Error);
}

}  // namespace
}  // namespace vinci::test
