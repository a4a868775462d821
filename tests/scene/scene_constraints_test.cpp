// SPDX-License-Identifier: Apache-2.0
// Constraints, machines and impacts of materials: what becomes of every key, and what is noted.
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

#include "vinci/base/expression_number.h"
#include "vinci/base/stabilisation.h"
#include "vinci/model/state.h"
#include "vinci/scene/scene.h"

namespace vinci {
namespace {

const std::string one_ball =
    "world: planar\n"
    "parameters: {r: 0.25, rm: 2}\n"
    "bodies:\n"
    "  ball: {shapes: [{circle: r}], position: [0.3, 2.4]}\n"
    "  maze: {shapes: [{box: [1, 1]}]}\n"
    "joints:\n"
    "  hub: {revolute: [world, maze], position: 0.1}\n";

std::shared_ptr<const Model> model_of(const std::string& more,
                                      const std::map<std::string, double>& overrides = {}) {
  return Scene::parse(one_ball + more).compile(overrides);
}

std::vector<std::string> notes_of(const std::string& more) {
  return Scene::parse(one_ball + more, "test").notes();
}

std::vector<std::string> read_names(const Model& model, const CoordinateFunction& function) {
  std::vector<std::string> names;
  for (const CoordinateRead& read : function.reads) names.push_back(signal_name(model, read));
  return names;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SceneConstraints, an_expression_reads_coordinates_by_name) {
  const auto model = model_of(
      "constraints:\n  ring: {at-least-zero: ball.x^2 + ball.y^2 - (rm + r)^2 + t*hub.position}\n");
  ASSERT_EQ(model->constraints.size(), 1u);
  const UserConstraint& ring = model->constraints[0];
  EXPECT_EQ(ring.name, "ring");
  EXPECT_EQ(ring.kind, UserConstraint::Kind::contact);
  EXPECT_EQ(read_names(*model, ring.function),
            (std::vector<std::string>{"ball.x", "ball.y", "hub.position"}));
  // Variables: those read, then t.
  EXPECT_DOUBLE_EQ(ring.function.expression.value(std::array{3.0, 4.0, 0.5, 2.0}),
                   25.0 - 2.25 * 2.25 + 1.0);
  EXPECT_FALSE(ring.stabilisation.has_value());
  EXPECT_EQ(ring.machine, -1);
  EXPECT_EQ(ring.with, -1);
}

TEST(SceneConstraints, their_derivatives_are_exact) {
  const auto model = model_of(
      "constraints:\n"
      "  roll: {zero: \"r*ball.angle + rm*hub.position + (rm + r)*atan2(ball.x, ball.y)\"}\n");
  const CoordinateFunction& roll = model->constraints[0].function;
  ASSERT_EQ(read_names(*model, roll),
            (std::vector<std::string>{"ball.angle", "hub.position", "ball.x", "ball.y"}));
  // On a circle of radius 2.25 at φ = 0.3 + 2 t + 1.5 t², the angle grows at φ', φ''.
  using Time = Series<double>;
  const double c = std::cos(0.3), s = std::sin(0.3), rate = 2.0, change = 3.0, radius = 2.25;
  const std::array<Time, 5> at{
      Time(0.1, 1.0, 0.5), Time(0.2, -1.0, 0.25),
      Time(radius * s, radius * c * rate, radius * (c * change - s * rate * rate)),
      Time(radius * c, -radius * s * rate, radius * (-s * change - c * rate * rate)), Time(0.0)};
  const Time h = evaluate<Time>(roll.expression, at);
  EXPECT_NEAR(h.value, 0.25 * 0.1 + 2.0 * 0.2 + radius * 0.3, 1e-15);
  EXPECT_NEAR(h.first, 0.25 * 1.0 - 2.0 + radius * rate, 1e-14);
  EXPECT_NEAR(h.second, 0.25 * 0.5 + 2.0 * 0.25 + radius * change, 1e-14);
}

TEST(SceneConstraints, parameters_are_bound_and_may_be_overridden) {
  const std::string text = "constraints:\n  high: {at-least-zero: ball.y - rm}\n";
  EXPECT_EQ(model_of(text)->constraints[0].function.expression.value(std::array{3.0, 0.0}), 1.0);
  EXPECT_EQ(
      model_of(text, {{"rm", 0.5}})->constraints[0].function.expression.value(std::array{3.0, 0.0}),
      2.5);
}

TEST(SceneConstraints, names_that_no_expression_can_have_are_read_under_others) {
  const auto model = Scene::parse(
                         "world: planar\n"
                         "bodies: {my-ball: {shapes: [{circle: 1}], position: [0, 2]}}\n"
                         "constraints: {floor: {at-least-zero: h - 1, reads: {h: my-ball.y}}}\n")
                         .compile();
  EXPECT_EQ(read_names(*model, model->constraints[0].function),
            std::vector<std::string>{"my-ball.y"});
}

TEST(SceneConstraints, coordinates_of_robots_and_of_space_have_their_names) {
  const auto model = Scene::parse(
                         "world: spatial\n"
                         "bodies: {a.b: {shapes: [{sphere: 1}], position: [0, 0, 2]}}\n"
                         "constraints: {tilt: {zero: a.b.roll + 2*a.b.yaw}}\n")
                         .compile();
  const std::vector<CoordinateRead>& reads = model->constraints[0].function.reads;
  ASSERT_EQ(reads.size(), 2u);
  EXPECT_EQ(reads[0].coordinate, 3);
  EXPECT_EQ(reads[1].coordinate, 5);
}

TEST(SceneConstraints, stabilisation_is_numbers_a_time_scale_or_a_restitution) {
  const auto model = model_of(
      "constraints:\n"
      "  a: {at-least-zero: ball.y, damping: 10, stiffness: 25}\n"
      "  b: {at-least-zero: ball.y + 1, damping: 0, stiffness: [25, r, 3]}\n"
      "  c: {at-least-zero: ball.y + 2, time-scale: 20 ms}\n"
      "  d: {at-least-zero: ball.y + 3, restitution: 0.5, time-scale: 0.1}\n");
  const auto of = [&](std::size_t i) { return model->constraints[i].stabilisation.value(); };
  EXPECT_EQ(of(0).damping, 10.0);
  EXPECT_EQ(of(0).springs, std::vector<double>{25.0});
  EXPECT_EQ(of(1).springs, (std::vector<double>{25.0, 0.25, 3.0}));
  EXPECT_DOUBLE_EQ(of(2).damping, 100.0);
  EXPECT_DOUBLE_EQ(of(2).springs[0], 2500.0);
  EXPECT_DOUBLE_EQ(of(3).springs[0], 100.0);
  EXPECT_NEAR(restitution(of(3).damping / 20.0), 0.5, 1e-14);
}

const std::string two_rings =
    "constraints:\n"
    "  one: {at-least-zero: ball.y - rm, machine: gate, in: [above, on-one]}\n"
    "  roll: {zero: ball.x + r*ball.angle, with: one, anchored: true}\n"
    "  two: {at-least-zero: ball.y - 1, machine: gate, in: falling}\n"
    "machines:\n"
    "  gate:\n"
    "    states: [falling, above, on-one]\n"
    "    initial: above\n"
    "    final: [falling]\n"
    "    transitions:\n"
    "    - {from: above, to: on-one, touches: one}\n"
    "    - {from: on-one, to: falling, rises: hub.position - pi/2}\n"
    "    - {from: on-one, to: above, falls: w - 3, reads: {w: hub.rate}}\n";

TEST(SceneConstraints, machines_switch_them) {
  const auto model = model_of(two_rings);
  ASSERT_EQ(model->machines.size(), 1u);
  const Machine& gate = model->machines[0];
  EXPECT_EQ(gate.states, (std::vector<std::string>{"falling", "above", "on-one"}));
  EXPECT_EQ(gate.initial, 1);
  ASSERT_EQ(gate.transitions.size(), 3u);
  EXPECT_EQ(gate.transitions[0].touched, 0);
  EXPECT_EQ(gate.transitions[0].from, 1);
  EXPECT_EQ(gate.transitions[0].to, 2);
  EXPECT_EQ(gate.transitions[1].touched, -1);
  EXPECT_EQ(gate.transitions[1].direction, 1);
  EXPECT_DOUBLE_EQ(gate.transitions[1].guard.expression.value(std::array{0.0, 0.0}),
                   -std::numbers::pi / 2);
  EXPECT_EQ(gate.transitions[2].direction, -1);
  ASSERT_EQ(gate.transitions[2].guard.reads.size(), 1u);
  EXPECT_TRUE(gate.transitions[2].guard.reads[0].is_rate);
  EXPECT_EQ(model->constraints[0].on, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(model->constraints[2].on, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(model->constraints[0].machine, 0);
  EXPECT_EQ(model->constraints[1].machine, -1);
  EXPECT_EQ(model->constraints[1].with, 0);
  EXPECT_TRUE(model->constraints[1].anchored);
  EXPECT_TRUE(notes_of(two_rings).empty());
}

TEST(SceneConstraints, materials_have_impacts_and_roll) {
  const auto model =
      Scene::parse(
          "world: planar\n"
          "materials:\n"
          "  rubber: {friction: 1, impact: {damping: 4, stiffness: [100, 7]}, rolls: true}\n"
          "  steel: {impact: {time-scale: 0.01}}\n"
          "  wood: {friction: 0.3}\n"
          "surfaces:\n"
          "- {between: [rubber, steel], impact: {restitution: 0.8, time-scale: 0.1}, friction: 2, "
          "rolls: false}\n"
          "bodies: {a: {shapes: [{circle: 1, material: rubber}]}}\n")
          .compile();
  const auto impact = [&](int a, int b) { return model->surface(a, b).impact; };
  EXPECT_EQ(impact(0, 0)->damping, 4.0);
  EXPECT_EQ(impact(0, 0)->springs, (std::vector<double>{100.0, 7.0}));
  EXPECT_EQ(impact(0, 2)->damping, 4.0);  // the one that says something
  EXPECT_EQ(impact(2, 0)->damping, 4.0);
  EXPECT_FALSE(impact(2, 2).has_value());
  EXPECT_DOUBLE_EQ(impact(1, 2)->damping, 200.0);
  EXPECT_DOUBLE_EQ(impact(0, 1)->springs[0], 100.0);
  EXPECT_EQ(impact(0, 1)->damping, impact(1, 0)->damping);
  EXPECT_NEAR(restitution(impact(1, 0)->damping / 20.0), 0.8, 1e-14);
  EXPECT_TRUE(model->surface(0, 2).never_slides);
  EXPECT_TRUE(model->surface(2, 0).never_slides);
  EXPECT_FALSE(model->surface(0, 1).never_slides);
  EXPECT_FALSE(model->surface(1, 0).never_slides);
  EXPECT_FALSE(model->surface(1, 2).never_slides);
  EXPECT_EQ(model->surface(0, 1).friction, 2.0);
}

TEST(SceneConstraints, states_without_exit_and_out_of_reach_are_noted) {
  const auto notes = notes_of(
      "machines:\n"
      "  gate:\n"
      "    states:\n"
      "    - open\n"
      "    - shut\n"
      "    - lost\n"
      "    transitions:\n"
      "    - {from: open, to: shut, rises: ball.x - 1}\n"
      "    - {from: lost, to: open, rises: ball.x - 1}\n");
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0].rfind("test:12: machines.gate.states[1]: no transition leaves the state", 0),
            0u)
      << notes[0];
  EXPECT_EQ(notes[1].rfind("test:13: machines.gate.states[2]: no transition leads to the state", 0),
            0u)
      << notes[1];
  EXPECT_EQ(notes[2].rfind("test:9: machines.gate: switches no constraint", 0), 0u) << notes[2];
}

TEST(SceneConstraints, a_guard_that_has_passed_its_zero_is_noted) {
  const auto notes = notes_of(
      "constraints: {a: {at-least-zero: ball.y, machine: gate, in: open}}\n"
      "machines:\n"
      "  gate:\n"
      "    states: [open, shut]\n"
      "    final: shut\n"
      "    transitions: [{from: open, to: shut, rises: ball.x - 0.2}]\n");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], "is 0.1 where the run begins, already above 0")) << notes[0];
}

TEST(SceneConstraints, those_that_say_the_same_are_noted_with_both_lines) {
  const auto notes = notes_of(
      "constraints:\n"
      "  a: {zero: ball.x - 0.3}\n"
      "  b: {zero: ball.y + hub.position - 2.5}\n"
      "  c: {zero: 2*(ball.x - 0.3) + 3*(ball.y + hub.position - 2.5)}\n"
      "  d: {zero: ball.angle}\n");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(
      notes[0].rfind("test:11: constraints.c: says the same as 'a' (line 9), 'b' (line 10)", 0), 0u)
      << notes[0];
}

TEST(SceneConstraints, contacts_are_redundant_only_where_they_touch_together) {
  // Four walls around a ball.
  EXPECT_TRUE(notes_of("constraints:\n"
                       "  left: {at-least-zero: ball.x}\n"
                       "  right: {at-least-zero: 1 - ball.x}\n"
                       "  low: {at-least-zero: ball.y - 2}\n"
                       "  high: {at-least-zero: 3 - ball.y}\n")
                  .empty());
  const auto notes = notes_of(
      "constraints:\n"
      "  low: {at-least-zero: ball.y - 2}\n"
      "  high: {at-least-zero: 3 - ball.y}\n"
      "  again: {at-least-zero: 5*ball.y - 10}\n");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], "constraints.again: says the same as 'low' (line 9)")) << notes[0];
}

TEST(SceneConstraints, jointed_bodies_move_with_the_coordinates_of_their_joints) {
  // The corner of a pendulum of length 1 and the angle of its joint are one freedom.
  const std::string pendulum =
      "world: planar\n"
      "bodies: {rod: {shapes: [{box: [1, 0.1]}]}}\n"
      "joints: {pin: {revolute: [world, rod], at: [[0, 0], [-1, 0]], position: 0.5}}\n";
  const auto notes = [&](const std::string& more) {
    return Scene::parse(pendulum + more, "test").notes();
  };
  const auto same =
      notes("constraints:\n  a: {zero: rod.y - sin(0.5)}\n  b: {zero: pin.position - 0.5}\n");
  ASSERT_EQ(same.size(), 1u);
  EXPECT_TRUE(contains(same[0], "constraints.b: says the same as 'a' (line 5)")) << same[0];
  // It reaches the height 0.9, but no height of 1.5.
  const auto high = notes("constraints:\n  a: {zero: rod.y - 0.9}\n");
  ASSERT_EQ(high.size(), 1u);
  EXPECT_TRUE(contains(high[0],
                       "is -0.420574 where the run begins and should be zero; its "
                       "stabilisation brings it there"))
      << high[0];
  try {
    notes("constraints:\n  a: {zero: rod.y - 1.5}\n");
    FAIL() << "accepted";
  } catch (const SceneError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1u);
    EXPECT_EQ(error.diagnostics()[0].line, 5);
    EXPECT_TRUE(contains(error.diagnostics()[0].message, "closer to zero than 0.5"))
        << error.diagnostics()[0].message;
  }
}

TEST(SceneConstraints, roll_pitch_and_yaw_change_with_the_turning_of_a_body) {
  // Turned anyhow, three angles are three freedoms, and a fourth function of them is none.
  const auto scene = Scene::parse(
      "world: spatial\n"
      "bodies: {b: {shapes: [{box: [1, 2, 3]}], rotation: {rpy: [0.3, 0.4, 0.5]}}}\n"
      "constraints:\n"
      "  a: {zero: b.roll - 0.3}\n"
      "  b: {zero: b.pitch - 0.4}\n"
      "  c: {zero: b.yaw - 0.5}\n"
      "  d: {zero: b.yaw - 0.5 + b.pitch - 0.4}\n",
      "test");
  ASSERT_EQ(scene.notes().size(), 1u);
  EXPECT_TRUE(contains(scene.notes()[0],
                       "constraints.d: says the same as 'b' (line 5), 'c' (line "
                       "6)"))
      << scene.notes()[0];
  // From afar Newton's method gets to any angles.
  const auto far = Scene::parse(
      "world: spatial\n"
      "bodies: {b: {shapes: [{box: [1, 2, 3]}], rotation: {rpy: [0.3, 0.4, 0.5]}}}\n"
      "constraints: {a: {zero: b.roll + b.pitch^2 - b.yaw + 0.9}}\n");
  EXPECT_EQ(far.notes().size(), 1u);
}

TEST(SceneConstraints, one_that_is_off_may_be_undefined_where_the_run_begins) {
  EXPECT_NO_THROW(notes_of(
      "constraints: {a: {zero: log(ball.x - 1), machine: gate, in: shut}}\n"
      "machines: {gate: {states: [open, shut], transitions: [{from: open, to: shut, rises: "
      "ball.x - 2}]}}\n"));
}

TEST(SceneConstraints, the_maze_is_as_the_paper_has_it) {
  const auto model =
      Scene::load(std::filesystem::path(VINCI_SOURCE_DIR) / "scenes" / "ball_maze.yaml");
  const auto maze = model.compile();
  EXPECT_TRUE(model.notes().empty());
  ASSERT_EQ(maze->constraints.size(), 10u);
  ASSERT_EQ(maze->machines.size(), 1u);
  EXPECT_EQ(maze->machines[0].states.size(), 10u);
  EXPECT_EQ(maze->machines[0].transitions.size(), 9u);
  // Balls fit between neighbouring rings.
  const auto& p = maze->parameters;
  for (const auto& [outer, inner] : {std::pair{"rm1", "rm2"}, {"rm2", "rm3"}, {"rm3", "rm4"}})
    EXPECT_GT(p.at(outer) - p.at(inner), 2.0 * p.at("rb"));
  EXPECT_GT(p.at("rm4"), p.at("rb"));
  EXPECT_EQ(maze->bodies[static_cast<std::size_t>(maze->find_body("ball"))].mass.mass,
            0.00100967416997423);
}

}  // namespace
}  // namespace vinci
