// SPDX-License-Identifier: Apache-2.0
// Maps of time steps against differences of the steps themselves.
#include "tests/events/linear_scenes.h"

namespace vinci::test {
namespace {

// Solutions to rounding, so that differences of steps mean something.
std::string exact(const std::string& more = "") {
  return "run: {step: 5 ms, duration: 1 s, cone: pyramid, solver: lemke" + more + "}\n";
}

LinearizeOptions of_step(double at = 0.0) {
  LinearizeOptions options;
  options.at = at;
  options.of = LinearizeOptions::Of::step;
  return options;
}

// (q, v) of planar bodies whose frames are their centres, in the order of the model.
VectorX read(const Simulation& simulation, const State& state) {
  std::vector<double> q, v;
  const Model& model = simulation.model();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (model.bodies[b].velocity_size == 0) continue;
    q.insert(q.end(), {state.poses[b].position.x(), state.poses[b].position.y(),
                       planar_angle(state.poses[b].rotation)});
    for (int k = 0; k < 3; ++k) v.push_back(state.velocities[model.bodies[b].velocity_offset + k]);
  }
  q.insert(q.end(), v.begin(), v.end());
  return Eigen::Map<VectorX>(q.data(), static_cast<Eigen::Index>(q.size()));
}

State moved(const Simulation& simulation, State state, Eigen::Index entry, double by) {
  const Model& model = simulation.model();
  Eigen::Index first = 0, half = 0;
  for (const Body& body : model.bodies) half += body.velocity_size;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int k = 0; k < body.velocity_size; ++k) {
      if (entry == half + body.velocity_offset + k)
        state.velocities[body.velocity_offset + k] += by;
      if (entry != first + k) continue;
      Pose& pose = state.poses[b];
      if (k < 2)
        pose.position[k] += by;
      else
        pose.rotation = rotation_about_z(planar_angle(pose.rotation) + by);
    }
    first += body.velocity_size;
  }
  return state;
}

VectorX stepped(Simulation& simulation, const State& start) {
  simulation.set_state(start);
  simulation.step();
  return read(simulation, simulation.state());
}

// Differences of a step from a state; `ahead` alone where the other side is another map.
MatrixX differences(const std::string& yaml, double at, double size, bool both) {
  Simulation simulation = simulate(yaml);
  while (simulation.state().time < at - 1e-9) simulation.step();
  State start = simulation.state();
  // Nothing but the state counts: what the solver would begin with does not.
  const VectorX here = stepped(simulation, start);
  MatrixX slopes(here.size(), here.size());
  for (Eigen::Index j = 0; j < here.size(); ++j) {
    const VectorX ahead = stepped(simulation, moved(simulation, start, j, size));
    const VectorX behind = both ? stepped(simulation, moved(simulation, start, j, -size)) : here;
    slopes.col(j) = (ahead - behind) / (both ? 2.0 * size : size);
  }
  return slopes;
}

Linearization map_of(const std::string& yaml, double at = 0.0) {
  Simulation simulation = simulate(yaml);
  return linearize_at(simulation, of_step(at));
}

double error(const MatrixX& a, const MatrixX& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
}

TEST(LinearStep, springs_in_flight_are_those_of_the_step) {
  const std::string scene = R"(
world: planar
bodies:
  a: {mass: 1.3, inertia: 0.1, position: [0, 1], velocity: [0.3, -0.2], angle: 0.4, spin: 0.7}
  b: {mass: 0.4, inertia: 0.02, position: [0.8, 1.3], velocity: [-0.1, 0.5], force: {x: -0.6*v}}
springs:
  rope: {between: [a, b], at: [[0.1, 0.05], [-0.05, 0.1]], stiffness: 300, damping: 4, length: 0.5}
)" + exact();
  const Linearization map = map_of(scene);
  EXPECT_TRUE(map.is_step);
  EXPECT_TRUE(map.limits.empty());
  EXPECT_EQ(map.system.sample, 5e-3);
  EXPECT_LE(error(map.system.a, differences(scene, 0.0, 1e-6, true)), 1e-7);
}

// A disk that rolls down a slope, with what the paper has for overlaps: smooth at rest on it.
const std::string rolling = R"(
world: planar
materials: {wood: {friction: 0.6}}
bodies:
  slope: {freedom: fixed, shapes: [{half-plane: {angle: -0.2}, material: wood}]}
  disk: {shapes: [{circle: 0.1, material: wood}], mass: 2, inertia: 0.01, position: [0, 0.10203388]}
)";

TEST(LinearStep, rolling_is_smooth_where_overlaps_stand_in_the_rows) {
  const std::string scene =
      rolling + exact(", stepper: {name: stewart-trinkle, overlap: velocities}");
  const Linearization map = map_of(scene, 0.2);
  EXPECT_TRUE(map.limits.empty());
  ASSERT_EQ(map.constraints.size(), 2u);
  EXPECT_EQ(map.constraints[0].state, ContactState::contact);
  EXPECT_EQ(map.constraints[1].state, ContactState::sticking);
  EXPECT_LE(error(map.system.a, differences(scene, 0.2, 1e-7, true)), 1e-6);
}

TEST(LinearStep, sliding_is_that_of_the_step) {
  const std::string scene = R"(
world: planar
materials: {ice: {friction: 0.1}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: ice}]}
  disk: {shapes: [{circle: 0.1, material: ice}], mass: 2, inertia: 0.01, position: [0, 0.1], velocity: [1, 0], spin: 3}
)" + exact(", stepper: {name: stewart-trinkle, overlap: velocities}");
  const Linearization map = map_of(scene);
  EXPECT_EQ(map.constraints[1].state, ContactState::sliding);
  EXPECT_LE(error(map.system.a, differences(scene, 0.0, 1e-7, true)), 1e-6);
}

// The step in which it lands closes a gap, whatever becomes of overlaps.
TEST(LinearStep, a_landing_is_smooth) {
  const std::string scene = R"(
world: planar
materials: {wood: {friction: 0.9}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  disk: {shapes: [{circle: 0.1, material: wood}], mass: 2, inertia: 0.01, position: [0, 0.102], velocity: [0.2, -1]}
)" + exact();
  const Linearization map = map_of(scene);
  EXPECT_TRUE(map.limits.empty());
  EXPECT_GT(map.constraints[0].force, 1.0);
  EXPECT_LE(error(map.system.a, differences(scene, 0.0, 1e-7, true)), 1e-6);
}

TEST(LinearStep, a_body_at_rest_has_two_sides_and_both_are_those_of_the_step) {
  const std::string scene = R"(
world: planar
materials: {wood: {friction: 0.9}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  disk: {shapes: [{circle: 0.125, material: wood}], mass: 2, inertia: 0.01, position: [0, 0.125]}
)" + exact();
  const Linearization map = map_of(scene);
  ASSERT_EQ(map.limits.size(), 1u);
  EXPECT_NE(map.limits[0].find("floor-disk has gap 0"), std::string::npos);
  ASSERT_TRUE(map.other.has_value());
  // Upwards the gap opens; downwards it overlaps, less than what is taken out of positions.
  const double size = 2e-8;
  const MatrixX above = differences(scene, 0.0, size, false);
  const MatrixX below = differences(scene, 0.0, -size, false);
  EXPECT_LE(error(map.system.a.col(1), above.col(1)), 1e-5);
  EXPECT_LE(error(map.other->a.col(1), below.col(1)), 1e-5);
  EXPECT_GT(error(map.system.a.col(1), below.col(1)), 0.1);
  // Along the floor both are the same.
  for (const int j : {0, 2, 3, 5}) {
    EXPECT_LE(error(map.system.a.col(j), above.col(j)), 1e-5);
    EXPECT_LE(error(map.other->a.col(j), map.system.a.col(j)), 1e-12);
  }
}

// On a slope whose friction is at its bound exactly: it sticks on one side, slides on the other.
TEST(LinearStep, friction_at_its_bound_is_named) {
  const std::string scene = R"(
world: planar
gravity: [3, -10]
materials: {wood: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  disk: {shapes: [{circle: 0.125, material: wood}], mass: 2, inertia: 0.01, position: [0, 0.125], motion: {angle: 0}}
)" + exact(", stepper: {name: stewart-trinkle, overlap: velocities}");
  const Linearization map = map_of(scene);
  ASSERT_EQ(map.limits.size(), 1u);
  EXPECT_EQ(map.limits[0], "floor-disk friction is at its bound, but does not slide");
  ASSERT_TRUE(map.other.has_value());
  EXPECT_LE(map.system.a.row(2).norm(), 1e-12) << "it sticks: no velocity is left";
  EXPECT_NEAR(map.other->a(2, 2), 1.0, 1e-12) << "it slides: friction does not know how fast";
}

TEST(LinearStep, forces_push_as_they_do_in_a_step) {
  const std::string scene =
      rolling + exact(", stepper: {name: stewart-trinkle, overlap: velocities}");
  LinearizeOptions options = of_step(0.1);
  options.wishes.inputs = {"disk.force_x", "disk.torque"};
  options.wishes.outputs = {"disk.x", "slope-disk.force"};
  Simulation simulation = simulate(scene);
  const Linearization map = linearize_at(simulation, options);
  // Rolling: a push at the centre moves m + J/r², a torque τ/r.
  const double moving = 2.0 + 0.01 / 0.01, h = 5e-3, c = std::cos(0.2);
  EXPECT_NEAR(map.system.b(3, 0), h * c * c / moving, 1e-12);
  EXPECT_NEAR(map.system.b(3, 1), -h * c / (0.1 * moving), 1e-12);
  EXPECT_NEAR(map.system.b(0, 0), h * map.system.b(3, 0), 1e-15);
  // What presses against the slope is borne by it.
  EXPECT_NEAR(map.system.d(1, 0), -std::sin(0.2), 1e-12);
}

TEST(LinearStep, what_has_no_map_is_said) {
  const auto fails = [](const std::string& yaml, const std::string& expected,
                        LinearizeOptions options = of_step()) {
    const std::string text = message([&] {
      Simulation simulation = simulate(yaml);
      linearize_at(simulation, options);
    });
    EXPECT_NE(text.find(expected), std::string::npos) << text;
  };
  fails(R"(
world: planar
bodies: {rod: {mass: 1, inertia: 1}}
joints: {pin: {revolute: [world, rod]}}
)" + exact(),
        "bodies hang on joints");
  fails(rolling + exact(", stepper: anitescu-potra"), "accepted: stewart-trinkle");
  LinearizeOptions eliminated = of_step();
  eliminated.wishes.eliminate = true;
  fails(rolling + exact(), "a step has no constraints to be eliminated", eliminated);
  fails(rolling + exact(), "is not a time of the run", of_step(-1.0));
  for (const char* frames : {"end", "gap"})
    fails(rolling + exact(std::string(", contact-frames: ") + frames),
          std::string("not for 'contact-frames: ") + frames + "'");
}

// A ball that meets another: between two curved bodies the normal turns within the step.
TEST(LinearStep, contact_on_curved_bodies_is_that_of_the_step) {
  const std::string scene = R"(
world: planar
gravity: [0, 0]
bodies:
  post: {freedom: fixed, shapes: [{circle: 0.15}]}
  ball: {mass: 0.6, inertia: 0.02, shapes: [{circle: 0.1}], position: [0.03, 0.2503], velocity: [0.4, -3]}
)" + exact(", stepper: {name: stewart-trinkle, overlap: velocities}");
  const Linearization map = map_of(scene);
  EXPECT_TRUE(map.limits.empty());
  EXPECT_FALSE(map.is_equilibrium);
  EXPECT_LE(error(map.system.a, differences(scene, 0.0, 1e-7, true)), 1e-6);
}

TEST(LinearStep, a_body_that_stays_is_at_an_equilibrium) {
  const auto disk = [](const std::string& motion) {
    return map_of(R"(
world: planar
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  disk: {shapes: [{circle: 0.1}], mass: 2, inertia: 0.01, position: [0, 0.1])" +
                  motion + "}\n" + exact());
  };
  EXPECT_TRUE(disk("").is_equilibrium);
  EXPECT_LE(disk("").imbalance, 1e-6);
  EXPECT_FALSE(disk(", velocity: [0.01, 0]").is_equilibrium);
  const Linearization pushed = disk(", force: {x: 0.5}");
  EXPECT_FALSE(pushed.is_equilibrium);
  // Friction at the floor brings half of the mass of a wheel with it: at most the whole push.
  EXPECT_GT(pushed.imbalance, 0.0);
}

}  // namespace
}  // namespace vinci::test
