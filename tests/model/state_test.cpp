// SPDX-License-Identifier: Apache-2.0
// The initial state, its fingerprint, and energy.
#include "vinci/model/state.h"

#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/example_model.h"

namespace vinci {
namespace {

Model mixed_model() {
  Body ground = example_body("ground", Freedom::fixed);
  ground.mass = MassProperties();
  Body disk = example_body("disk", Freedom::planar);
  disk.initial_pose = planar_pose(1.0, 2.0, 0.3);
  disk.initial_twist = {Vector3(4.0, 5.0, 0.0), Vector3(0.0, 0.0, 6.0)};
  Body box = example_body("box", Freedom::spatial);
  box.mass.center = Vector3(0.1, 0.2, 0.3);
  box.initial_pose = {Vector3(-1.0, 0.5, 2.0), exponential(Vector3(0.4, -0.7, 1.1))};
  box.initial_twist = {Vector3(1.0, -2.0, 3.0), Vector3(-4.0, 5.0, -6.0)};
  return example_model({ground, disk, box});
}

State example_state() {
  State state = initial_state(mixed_model());
  state.step = 17;
  state.time = 0.125;
  state.memory.impulses.push_back({contact_key(0, 1, 2, 3), 0, Vector3(1.0, 2.0, 3.0)});
  state.memory.impulses.push_back({contact_key(0, 2, 5, 7), 0, Vector3(4.0, 5.0, 6.0)});
  state.memory.rebounds.push_back({contact_key(0, 2, 5, 7), 0.5, 0.125});
  state.memory.layers.push_back(
      {contact_key(1, 2, 0, 0), 3, Vector3(0.1, 0.2, 0.3), Vector3(0.4, 0.5, 0.6)});
  return state;
}

TEST(Model, bodies_are_found_by_name) {
  const Model model = mixed_model();
  EXPECT_EQ(model.find_body("ground"), 0);
  EXPECT_EQ(model.find_body("box"), 2);
  EXPECT_EQ(model.find_body("boxes"), -1);
}

TEST(Model, a_body_is_prescribed_if_any_coordinate_is) {
  Body body = example_body("a", Freedom::spatial);
  drive(body, 2, false, "5");
  EXPECT_FALSE(body.is_prescribed());
  drive(body, 4, true, "t");
  EXPECT_TRUE(body.is_prescribed());
}

TEST(State, starts_with_the_poses_and_twists_of_the_model) {
  const Model model = mixed_model();
  const State state = initial_state(model);
  EXPECT_EQ(state.step, 0);
  EXPECT_EQ(state.time, 0.0);
  ASSERT_EQ(state.poses.size(), 3u);
  EXPECT_EQ(state.poses[1].position, Vector3(1.0, 2.0, 0.0));
  EXPECT_EQ(state.poses[2].rotation.coeffs(), model.bodies[2].initial_pose.rotation.coeffs());
  VectorX expected(9);
  expected << 4.0, 5.0, 6.0, 1.0, -2.0, 3.0, -4.0, 5.0, -6.0;
  EXPECT_EQ(state.velocities, expected);
  EXPECT_TRUE(state.memory == Memory{});
}

TEST(State, twists_unpack_by_freedom) {
  const Model model = mixed_model();
  const State state = initial_state(model);
  for (int b = 1; b < 3; ++b) {
    const Twist& expected = model.bodies[static_cast<std::size_t>(b)].initial_twist;
    EXPECT_EQ(body_twist(model, state.velocities, b).linear, expected.linear);
    EXPECT_EQ(body_twist(model, state.velocities, b).angular, expected.angular);
  }
  EXPECT_EQ(body_twist(model, state.velocities, 0).linear, Vector3::Zero());
  EXPECT_EQ(body_twist(model, state.velocities, 0).angular, Vector3::Zero());
}

TEST(State, prescribed_coordinates_start_where_their_motion_starts) {
  Body body = example_body("arm", Freedom::planar);
  body.mass.center = Vector3(0.5, 0.0, 0.0);
  body.initial_pose = planar_pose(1.0, 2.0, 0.0);
  body.initial_twist = {Vector3(9.0, 9.0, 0.0), Vector3(0.0, 0.0, 9.0)};
  drive(body, 0, true, "3 + 4*t");
  drive(body, 5, true, "pi/2 + 2*t");
  const Model model = example_model({body});
  const State state = initial_state(model);
  // The scene places the frame: a free y stays, although the centre of mass has turned.
  EXPECT_EQ(state.poses[0].position, Vector3(3.0, 2.0, 0.0));
  EXPECT_NEAR(planar_angle(state.poses[0].rotation), M_PI / 2, 1e-15);
  EXPECT_NEAR(state.velocities[0], 4.0 - 2.0 * 0.5, 1e-15);
  EXPECT_EQ(state.velocities[1], 9.0);
  EXPECT_EQ(state.velocities[2], 2.0);
  EXPECT_LT((center_of_mass(model, state.poses, 0) - Vector3(3.0, 2.5, 0.0)).norm(), 1e-15);
}

// Every double of the state, in turn.
void for_each_number(State& state, const std::function<void(double&)>& visit) {
  visit(state.time);
  for (Pose& pose : state.poses) {
    for (double& entry : pose.position) visit(entry);
    for (double& entry : pose.rotation.coeffs()) visit(entry);
  }
  for (double& entry : state.velocities) visit(entry);
  for (ImpulseMemory& record : state.memory.impulses)
    for (double& entry : record.impulse) visit(entry);
  for (ReboundMemory& record : state.memory.rebounds) visit(record.speed), visit(record.energy);
  for (LayerMemory& record : state.memory.layers) {
    for (double& entry : record.deformation_a) visit(entry);
    for (double& entry : record.deformation_b) visit(entry);
    visit(record.energy);
    for (Vector3* vector : {&record.turn_a, &record.turn_b, &record.normal})
      for (double& entry : *vector) visit(entry);
  }
}

TEST(State, hash_changes_with_every_single_bit) {
  State state = example_state();
  const std::uint64_t before = hash(state);
  std::set<std::uint64_t> seen{before};
  int flips = 0;
  for_each_number(state, [&](double& number) {
    const double saved = number;
    for (int bit = 0; bit < 64; ++bit, ++flips) {
      number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(saved) ^ (1ULL << bit));
      seen.insert(hash(state));
    }
    number = saved;
  });
  EXPECT_EQ(flips, 64 * (1 + 3 * 7 + 9 + 6 + 2 + 7 + 9));
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(flips) + 1);
  EXPECT_EQ(hash(state), before);
}

TEST(State, hash_sees_step_keys_and_counts) {
  const std::uint64_t before = hash(example_state());
  const std::function<void(State&)> changes[] = {
      [](State& s) { ++s.step; },
      [](State& s) { ++s.memory.impulses[0].key.ids[0]; },
      [](State& s) { ++s.memory.impulses[0].key.ids[1]; },
      [](State& s) { ++s.memory.impulses[1].key.ids[2]; },
      [](State& s) { ++s.memory.impulses[1].key.ids[3]; },
      [](State& s) { s.memory.impulses[1].key.kind = EntityKind::support; },
      [](State& s) { s.memory.impulses.pop_back(); },
      [](State& s) { std::swap(s.memory.impulses[0], s.memory.impulses[1]); },
      [](State& s) { s.memory.rebounds.clear(); },
      [](State& s) { ++s.memory.layers[0].point; },
      [](State& s) { s.poses[0].position.x() = -0.0; },
  };
  for (const auto& change : changes) {
    State state = example_state();
    change(state);
    EXPECT_NE(hash(state), before);
  }
  EXPECT_EQ(hash(example_state()), before);
}

TEST(State, finiteness_looks_at_every_number) {
  State state = example_state();
  EXPECT_TRUE(is_finite(state));
  for_each_number(state, [&](double& number) {
    const double saved = number;
    for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      number = bad;
      EXPECT_FALSE(is_finite(state));
    }
    number = saved;
  });
  EXPECT_TRUE(is_finite(state));
}

TEST(Energy, equals_the_sum_over_point_masses) {
  // Eight points rigidly joined: their energies must sum to that of the body they form.
  std::vector<std::pair<double, Vector3>> points;
  Body body = example_body("cluster", Freedom::spatial);
  body.mass = MassProperties();
  for (int i = 0; i < 8; ++i) {
    const Vector3 point(0.3 * std::cos(1.7 * i), 0.2 * std::sin(2.9 * i), 0.1 * i);
    points.emplace_back(0.5 + 0.1 * i, point);
    body.mass.mass += points.back().first;
    body.mass.center += points.back().first * point;
  }
  body.mass.center /= body.mass.mass;
  for (const auto& [mass, point] : points) {
    const Vector3 arm = point - body.mass.center;
    body.mass.inertia += mass * (arm.squaredNorm() * Matrix3::Identity() - arm * arm.transpose());
  }
  body.initial_pose = {Vector3(1.0, -2.0, 0.7), exponential(Vector3(0.4, -0.7, 1.1))};
  body.initial_twist = {Vector3(1.0, 2.0, -0.5), Vector3(3.0, -1.0, 2.0)};
  Model model = example_model({example_body("wall", Freedom::fixed), body});
  model.bodies[0].mass = MassProperties();
  model.gravity = Vector3(1.0, 2.0, -9.81);
  const State state = initial_state(model);
  Energy expected;
  const Vector3 center = center_of_mass(model, state.poses, 1);
  for (const auto& [mass, point] : points) {
    const Vector3 place = state.poses[1] * point;
    expected.kinetic += 0.5 * mass * body.initial_twist.at(place - center).squaredNorm();
    expected.potential -= mass * model.gravity.dot(place);
  }
  const Energy actual = energy(model, state);
  EXPECT_NEAR(actual.kinetic, expected.kinetic, 1e-13 * expected.kinetic);
  EXPECT_NEAR(actual.potential, expected.potential, 1e-13 * std::abs(expected.potential));
  EXPECT_EQ(actual.total(), actual.kinetic + actual.potential);
}

TEST(Energy, planar_body_has_half_m_v2_plus_half_i_w2) {
  Body disk = example_body("disk", Freedom::planar);
  disk.initial_pose = planar_pose(0.0, 3.0, 0.9);
  disk.initial_twist = {Vector3(3.0, 4.0, 0.0), Vector3(0.0, 0.0, 2.0)};
  Model model = example_model({disk});
  model.gravity = Vector3(0.0, -10.0, 0.0);
  const Energy actual = energy(model, initial_state(model));
  EXPECT_NEAR(actual.kinetic, 25.0 + 0.5 * 0.7 * 4.0, 1e-14);
  EXPECT_NEAR(actual.potential, 60.0, 1e-14);
}

}  // namespace
}  // namespace vinci
