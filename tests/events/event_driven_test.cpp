// SPDX-License-Identifier: Apache-2.0
// Scenes in motion through events: closed forms, features of shapes that change, time-stepping with
// small steps as a second way, states that continue bit for bit.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

constexpr double g = 9.81;

struct Motion {  // a whole run
  std::unique_ptr<Simulation> simulation;
  std::vector<StepEvent> events;

  explicit Motion(const std::string& text, const RunOverrides& overrides = {}) {
    simulation = std::make_unique<Simulation>(Scene::parse(text), overrides);
    while (!simulation->finished()) {
      simulation->step();
      for (const StepEvent& event : simulation->events()) events.push_back(event);
      for (const ConstraintMode& mode : simulation->modes())
        if (mode.key.kind == EntityKind::contact)
          least_force = std::min(least_force, mode.force[0]);
    }
  }
  double least_force = 0.0;  // N, of normal forces at the ends of steps
  Vector3 position(const std::string& body) const {
    return simulation->state().poses[simulation->model().find_body(body)].position;
  }
  Twist twist(const std::string& body) const {
    return body_twist(simulation->model(), simulation->state().velocities,
                      simulation->model().find_body(body));
  }
  double energy_now() const { return energy(simulation->model(), simulation->state()).total(); }
};

std::string with_stepper(std::string text, const std::string& stepper, const std::string& step) {
  return text + "\nrun: {stepper: " + stepper + ", step: " + step + ", duration: 1 s}\n";
}

TEST(EventDriven, a_block_slides_to_rest_where_coulomb_has_it) {
  for (const bool plane : {true, false}) {
    const std::string text = plane ? R"(world: planar
materials: {wood: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  box: {shapes: [{box: [0.2, 0.1], material: wood}], position: [0, 0.05], velocity: [2, 0]})"
                                   : R"(world: spatial
materials: {wood: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: wood}]}
  box: {shapes: [{box: [0.2, 0.2, 0.1], material: wood}], position: [0, 0, 0.05], velocity: [2, 0, 0]})";
    const Motion run(with_stepper(text, "{name: event-driven, accuracy: 1e-10}", "50 ms"));
    EXPECT_NEAR(run.position("box").x(), 4.0 / (2.0 * 0.3 * g), 1e-9);
    EXPECT_LE(run.twist("box").linear.norm(), 1e-9);
    ASSERT_FALSE(run.events.empty());
    EXPECT_NEAR(run.events.back().time, 2.0 / (0.3 * g), 1e-8);
    EXPECT_EQ(run.events.back().after.state, static_cast<int>(ConstraintState::sticking));
    EXPECT_GE(run.least_force, 0.0);
  }
}

// All forces of a sliding box grow with its mass: its motion and the work to find it do not.
TEST(EventDriven, the_weight_of_a_sliding_box_does_not_matter) {
  std::int64_t steps_of_one = 0;
  for (const char* mass : {"1", "1e9", "1e12", "1e15", "1e-9"}) {
    SCOPED_TRACE(mass);
    const auto simulation = std::make_unique<Simulation>(Scene::parse(fmt::format(R"(world: planar
materials: {{rough: {{friction: 0.4}}}}
bodies:
  ground: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: rough}}]}}
  box: {{shapes: [{{box: [0.8, 0.3], material: rough}}], mass: {}, position: [0, 0.15],
        velocity: [7, 0]}}
run: {{stepper: event-driven, step: 0.1, duration: 2}}
)",
                                                                                  mass)));
    std::int64_t steps = 0;
    while (!simulation->finished()) steps += simulation->step().integrator_steps;
    if (steps_of_one == 0) steps_of_one = steps;
    EXPECT_FALSE(simulation->has_ended());
    EXPECT_LE(steps, 2 * steps_of_one);
    EXPECT_NEAR(simulation->state().poses[1].position.x(), 49.0 / (2.0 * 0.4 * g), 1e-7);
  }
}

TEST(EventDriven, a_ball_slips_and_then_rolls) {
  const Motion run(with_stepper(R"(world: spatial
materials: {wood: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: wood}]}
  ball: {shapes: [{sphere: 0.1, material: wood}], position: [0, 0, 0.1], velocity: [2, 0, 0]})",
                                "{name: event-driven, accuracy: 1e-10}", "50 ms"));
  const double slips = 2.0 * 2.0 / (7.0 * 0.3 * g);
  EXPECT_NEAR(run.position("ball").x(),
              2.0 * slips - 0.5 * 0.3 * g * slips * slips + (1.0 - slips) * 10.0 / 7.0, 1e-8);
  EXPECT_NEAR(run.twist("ball").linear.x(), 10.0 / 7.0, 1e-8);
  EXPECT_NEAR(run.twist("ball").angular.y(), 100.0 / 7.0, 1e-7);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].time, slips, 1e-7);
}

TEST(EventDriven, a_block_on_an_incline_sticks_and_slides_by_its_slope) {
  for (const double slope : {10.0, 20.0}) {
    const double angle = slope * M_PI / 180.0, mu = 0.3;
    const Motion run(with_stepper(
        "world: planar\nmaterials: {wood: {friction: 0.3}}\nbodies:\n"
        "  incline: {freedom: fixed, shapes: [{half-plane: {angle: " +
            std::to_string(slope) +
            " deg}, material: wood}]}\n"
            "  block: {shapes: [{box: [0.2, 0.1], material: wood}], pose: {on: incline, at: 0}}",
        "{name: event-driven, accuracy: 1e-10}", "50 ms"));
    const double pull = g * (std::sin(angle) - mu * std::cos(angle));
    const Vector3 start = run.simulation->model().bodies[1].initial_pose.position;
    EXPECT_NEAR((run.position("block") - start).norm(), std::max(0.0, 0.5 * pull), 1e-9) << slope;
  }
}

TEST(EventDriven, restitution_that_is_asked_for_is_given) {
  for (const double e : {0.3, 0.7, 0.9}) {
    // Where the impact is short beside the flight, gravity does not count in it.
    const Motion run(
        with_stepper("world: planar\nmaterials: {rubber: {restitution: " + std::to_string(e) + R"(}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}
  ball: {shapes: [{circle: 0.1, material: rubber}], position: [0, 1.1]})",
                     "{name: event-driven, accuracy: 1e-10, time-scale: 1e-5}", "0.2 s"));
    double left = 0.0;
    for (const StepEvent& event : run.events)
      if (left == 0.0 && event.after.state == static_cast<int>(ConstraintState::ballistic))
        left = event.after.gap_rate;
    EXPECT_NEAR(left / std::sqrt(2.0 * g), e, 1e-4) << e;
    EXPECT_GE(run.least_force, 0.0);
  }
}

// Corners leave faces and others take over: compared with small steps, whose error is of first
// order.
TEST(EventDriven, a_block_that_slides_off_a_table_tips_over_its_edge) {
  const std::string text = R"(world: planar
materials: {ice: {friction: 0.1}}
bodies:
  table: {freedom: fixed, shapes: [{box: [1, 0.2], material: ice}], position: [-0.5, -0.1]}
  block: {shapes: [{box: [0.2, 0.1], material: ice}], position: [-0.3, 0.05], velocity: [1.2, 0]}
run: {stepper: STEPPER, step: H, duration: 0.4 s})";
  const auto made = [&](const std::string& stepper, const std::string& h) {
    std::string with = text;
    with.replace(with.find("STEPPER"), 7, stepper);
    with.replace(with.find("step: H") + 6, 1, h);
    return Motion(with);
  };
  const Motion exact = made("event-driven", "10 ms");
  double before = 0.0;
  for (const char* h : {"0.4 ms", "0.2 ms", "0.1 ms"}) {
    const double error =
        (made("stewart-trinkle", h).position("block") - exact.position("block")).norm();
    if (before > 0.0) {
      EXPECT_LE(error, 0.7 * before) << h;
    }
    before = error;
  }
  EXPECT_LE(before, 1e-4);
  EXPECT_LE(made("{name: event-driven, accuracy: 1e-10}", "5 ms").position("block").y() -
                exact.position("block").y(),
            1e-6);
}

TEST(EventDriven, a_stack_stands) {
  const Motion run(with_stepper(R"(world: planar
materials: {wood: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  a: {shapes: [{box: [0.2, 0.1], material: wood}], position: [0, 0.05]}
  b: {shapes: [{box: [0.2, 0.1], material: wood}], position: [0.02, 0.15]}
  c: {shapes: [{box: [0.1, 0.1], material: wood}], position: [0.03, 0.26]})",
                                "event-driven", "50 ms"));
  EXPECT_LE((run.position("a") - Vector3(0, 0.05, 0)).norm(), 1e-9);
  EXPECT_LE((run.position("b") - Vector3(0.02, 0.15, 0)).norm(), 1e-9);
  EXPECT_LE((run.position("c") - Vector3(0.03, 0.25, 0)).norm(), 1e-8);
  EXPECT_GE(run.least_force, 0.0);
}

TEST(EventDriven, mechanisms_keep_their_energy) {
  const std::string text = R"(world: WORLD
bodies:
  a: {mass: 1, inertia: INERTIA, center: [0.5, 0THIRD]}
  b: {mass: 1, inertia: INERTIA, center: [0.5, 0THIRD]}
joints:
  j1: {JOINT: [world, a]AXIS}
  j2: {revolute: [a, b], at: [[1, 0THIRD], [0, 0THIRD]]AXIS, position: 30 deg}
run: {stepper: {name: event-driven, accuracy: 1e-9}, step: 50 ms, duration: 1 s, coordinates: HOW})";
  const auto filled = [&](bool plane, const std::string& joint, const std::string& how) {
    std::string with = text;
    const auto put = [&](const std::string& key, const std::string& value) {
      for (std::size_t at; (at = with.find(key)) != std::string::npos;)
        with.replace(at, key.size(), value);
    };
    put("WORLD", plane ? "planar" : "spatial");
    put("INERTIA", plane ? "0.1" : "[0.1, 0.12, 0.13]");
    put("THIRD", plane ? "" : ", 0");
    put("JOINT", joint);
    put("AXIS", plane ? "" : joint == "ball" ? ", axis: [0.2, 1, 0.1]" : ", axis: [0, 1, 0]");
    put("HOW", how);
    return with;
  };
  for (const bool plane : {true, false}) {
    const Motion reduced(filled(plane, "revolute", "reduced"));
    const Motion maximal(filled(plane, "revolute", "maximal"));
    EXPECT_NEAR(
        reduced.energy_now(),
        energy(reduced.simulation->model(), initial_state(reduced.simulation->model())).total(),
        1e-7);
    EXPECT_LE((reduced.position("b") - maximal.position("b")).norm(), 1e-6) << plane;
  }
}

TEST(EventDriven, a_state_continues_bit_for_bit) {
  const std::string text = with_stepper(R"(world: planar
materials: {wood: {friction: 0.2, restitution: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  box: {shapes: [{box: [0.2, 0.1], material: wood}], position: [0, 0.2], angle: 0.3, velocity: [1, 0], spin: -4})",
                                        "event-driven", "10 ms");
  Simulation whole(Scene::parse(text)), second(Scene::parse(text));
  for (int i = 0; i < 30; ++i) whole.step();
  second.set_state(whole.state());
  while (!whole.finished()) {
    whole.step();
    second.step();
    ASSERT_EQ(hash(whole.state()), hash(second.state())) << whole.state().time;
  }
}

TEST(EventDriven, constraints_of_the_scene_are_kept) {
  // A bead on a parabola: energy is kept, and so is the wire.
  const Motion run(R"(world: planar
bodies:
  bead: {mass: 2, inertia: 1, position: [0.5, 0.25]}
constraints:
  wire: {zero: bead.y - bead.x^2, time-scale: 10 ms}
run: {stepper: {name: event-driven, accuracy: 1e-10}, step: 10 ms, duration: 2 s})");
  const Vector3 at = run.position("bead");
  EXPECT_NEAR(at.y(), at.x() * at.x(), 1e-9);
  EXPECT_NEAR(run.energy_now(), 2.0 * g * 0.25, 1e-7);
}

TEST(EventDriven, what_it_does_not_know_it_refuses) {
  const auto why = [](const std::string& text) {
    try {
      Simulation simulation(Scene::parse(text + "\nrun: {stepper: event-driven}\n"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(why("world: planar\nbodies: {egg: {shapes: [{superellipse: {axes: [0.1, 0.2], "
                "exponent: 3}}]}}")
                .find("superellipse"),
            std::string::npos);
  EXPECT_NE(why("world: planar\nmaterials: {a: {friction: 0.5, rolling-friction: 0.01}}\n"
                "bodies: {ball: {shapes: [{circle: 0.1, material: a}]}}")
                .find("rolling"),
            std::string::npos);
}

}  // namespace
}  // namespace vinci
