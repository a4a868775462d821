// SPDX-License-Identifier: Apache-2.0
// Contact patches of several points: what they bear together, micro-slip, rolling, 2.5D, and their
// deformations in recordings.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/compliant.h"
#include "tests/support/reference.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"

namespace vinci::test {
namespace {

// A disk of rubber pressed on a plane, with N, and drawn along it, with N; it cannot turn.
struct RollerScene {
  double radius = 0.05, stiffness = 2e5, damping = 500.0, friction = 0.5, load = 20.0;
  int points = 1;
  double width = 0.012, coupling = 0.0;
  std::string pull = "0", resolution = "0.05";
  double duration = 0.1;

  std::string yaml() const {
    return fmt::format(R"(
world: planar
gravity: [0, 0]
materials:
  rubber: {{friction: {}, stiffness: {}, damping: {}, tangential-damping: 50}}
  steel: {{friction: {}}}
bodies:
  table: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: steel}}]}}
  roller:
    shapes: [{{circle: {}, material: rubber}}]
    mass: 0.2
    position: [0, {}]
    motion: {{angle: 0}}
    force: {{x: '{}', y: {}}}
run:
  stepper: {{name: song-pang-kumar, points: {}, width: {}, coupling: {}, resolution: {}}}
  step: 1 ms
  duration: {}
)",
                       friction, stiffness, damping, friction, radius, radius, pull, -load, points,
                       width, coupling, resolution, duration);
  }
  double depth(const Simulation& simulation) const {
    return radius - position(simulation, "roller").y();
  }
};

TEST(ContactPatch, a_flat_patch_is_as_stiff_whatever_its_points_and_their_coupling) {
  for (const int points : {1, 2, 5, 16})
    for (const double coupling : {0.0, 0.3e-3}) {
      RollerScene scene;
      scene.radius = 10.0;
      scene.width = 1e-3;
      scene.points = points;
      scene.coupling = coupling;
      Simulation simulation = simulate(scene.yaml());
      run_exactly(simulation);
      // The rim of the patch is (w/2)²/2R = 1.3e-8 m higher than its middle, which is 1e-4 m deep.
      EXPECT_NEAR(scene.depth(simulation), scene.load / scene.stiffness, 1.3e-8);
      EXPECT_NEAR(normal_impulse(simulation), scene.load * 1e-3, 1e-8);
    }
}

TEST(ContactPatch, half_of_each_patch_of_a_box_bears_it) {
  for (const int points : {2, 8}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{stiffness: 1e5, damping: 200}}, rigid: {{}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  box: {{shapes: [{{box: [0.2, 0.1], material: rigid}}], mass: 2, position: [0, 0.05]}}
run: {{stepper: {{name: song-pang-kumar, points: {}, width: 10 mm}}, step: 1 ms, duration: 0.3}}
)",
                                                 points));
    run_exactly(simulation);
    // Two corners, each on half of its patch.
    EXPECT_NEAR(position(simulation, "box").y(), 0.05 - 2.0 * 9.81 / 1e5, 1e-10);
    EXPECT_EQ(simulation.contacts().size(), static_cast<std::size_t>(points));
  }
}

// Uncoupled points under a parabola: the load is (k/w) (d − s²/2R), and with d the depth,
// a² = 2 R d, N = (4/3) (k/w) a d.
TEST(ContactPatch, the_load_of_a_roller_is_a_parabola) {
  RollerScene scene;
  scene.points = 60;
  Simulation simulation = simulate(scene.yaml());
  run_exactly(simulation);
  const double d = scene.depth(simulation), density = scene.stiffness / scene.width;
  const double a = std::sqrt(2.0 * scene.radius * d);
  // 45 points across the contact: the midpoint rule is off by less than one in 45².
  EXPECT_NEAR(4.0 / 3.0 * density * a * d, scene.load, 0.002 * scene.load);
  int loaded = 0;
  for (const SolvedContact& contact : simulation.contacts()) {
    const double s = (contact.contact.point_a - position(simulation, "roller")).x();
    const double height = scene.radius - std::sqrt(scene.radius * scene.radius - s * s);
    const double wanted = std::max(0.0, density * (d - height)) * scene.width / scene.points;
    EXPECT_NEAR(contact.impulse[0] / 1e-3, wanted, 1e-6) << "at " << s;
    loaded += contact.impulse[0] > 0.0;
  }
  EXPECT_NEAR(loaded, 2.0 * a / (scene.width / scene.points), 2.0);
}

// Points let go from the rim inwards: x = μ (k/k_t) d (1 − (1 − T/μN)^(2/3)).
TEST(ContactPatch, micro_slip_follows_the_partial_slip_curve) {
  RollerScene scene;
  scene.points = 60;
  // At rest after 0.05 s, then slowly up to 95 % of the limit.
  scene.pull = "9.5 * min(1, max(0, (t - 0.05) / 0.4))";
  scene.duration = 0.45;
  Simulation simulation = simulate(scene.yaml());
  const double limit = scene.friction * scene.load;
  int most_sliding = 0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    const double time = simulation.state().time;
    if (time < 0.06) continue;
    const double pull = 9.5 * (time - 0.05) / 0.4;
    const double d = scene.depth(simulation);
    const double wanted = scene.friction * d * (1.0 - std::pow(1.0 - pull / limit, 2.0 / 3.0));
    // 1 % of the shift at gross slip: the rim moves in by whole points.
    EXPECT_NEAR(position(simulation, "roller").x(), wanted, 0.01 * scene.friction * d) << time;
    int sliding = 0, sticking = 0;
    for (const SolvedContact& contact : simulation.contacts()) {
      if (contact.impulse[0] == 0.0) continue;
      const bool slides = std::abs(contact.impulse[1]) > 0.5 * contact.impulse[0] * (1.0 - 1e-6);
      ++(slides ? sliding : sticking);
    }
    EXPECT_GT(sticking, 0);
    most_sliding = std::max(most_sliding, sliding);
  }
  EXPECT_GT(most_sliding, 20);
  EXPECT_LT(position(simulation, "roller").x(), 1e-4);
}

TEST(ContactPatch, coupled_points_press_in_their_neighbours) {
  for (const bool coupled : {false, true}) {
    RollerScene scene;
    scene.points = 15;
    scene.coupling = coupled ? 1e-3 : 0.0;
    Simulation simulation = simulate(scene.yaml());
    run_exactly(simulation);
    double unloaded = 0.0;
    visit_places(simulation.state().memory, [&](const MemoryPlace& at) {
      if (at.layer && at.impulse->impulse[0] == 0.0)
        unloaded = std::max(unloaded, at.layer->deformation_b[0]);
    });
    if (coupled)
      EXPECT_GT(unloaded, 1e-5);
    else
      EXPECT_EQ(unloaded, 0.0);
    // Every point of a patch is remembered, loaded or not.
    EXPECT_EQ(simulation.state().memory.impulses.size(), 15u);
  }
}

TEST(ContactPatch, a_pyramid_gives_the_same_motion_as_the_exact_cone) {
  RollerScene scene;
  scene.points = 5;
  scene.coupling = 1e-3;
  scene.pull = "min(12, 300 * t)";
  scene.duration = 0.05;
  RunOverrides pyramid;
  pyramid.options["cone"] = "pyramid";
  Simulation one = simulate(scene.yaml()), other = simulate(scene.yaml(), pyramid);
  while (!one.finished()) {
    ASSERT_LE(one.step().solve.residual.relative, 1e-10);
    ASSERT_LE(other.step().solve.residual.relative, 1e-10);
    ASSERT_LE((position(one, "roller") - position(other, "roller")).norm(), 1e-12);
  }
  EXPECT_GT(position(one, "roller").x(), 1e-4);  // it slides
}

// From slipping to rolling as a rigid disk, with two thirds of its speed. One point then rolls on
// without loss. Points beside the middle are pressed in at the rate ω s in front and let go behind:
// the dampers bear M = d ω w²/12 (1 − 1/n²), and the linear gap adds k h to d, of first order in
// the step. That takes M/(3/2 m R) off the speed.
TEST(ContactPatch, a_disk_rolls_with_two_thirds_of_the_speed_it_slipped_with) {
  const double h = 1e-3, width = 0.004, radius = 0.1;
  const double k = 5e4, d = 150.0;  // two layers of 1e5 N/m and 300 N s/m
  for (const int points : {1, 5}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{rubber: {{friction: 0.2, stiffness: 1e5, damping: 300}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: rubber}}]}}
  disk:
    shapes: [{{circle: {}, material: rubber}}]
    mass: 1
    position: [0, {}]
    velocity: [1, 0]
run: {{stepper: {{name: song-pang-kumar, points: {}, width: {}}}, step: {}, duration: 0.5}}
)",
                                                 radius, radius - 9.81 / k, points, width, h));
    double rolling = 0.0;
    while (!simulation.finished()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      if (simulation.state().step == 300) rolling = twist(simulation, "disk").linear.x();
    }
    const double moment =
        (k * h + d) * (rolling / radius) * width * width / 12.0 * (1.0 - 1.0 / (points * points));
    const double loss = 0.2 * moment / (1.5 * radius);
    // The line of contact lies δ/2 = 1e-4 m above the rim: δ/R of the speed; and 0.3 s of the loss.
    EXPECT_NEAR(rolling, 2.0 / 3.0, 2e-3 + 1.5 * loss);
    EXPECT_NEAR(-twist(simulation, "disk").angular.z() * radius, rolling, 2e-3 + 1.5 * loss);
    EXPECT_NEAR(rolling - twist(simulation, "disk").linear.x(), loss, 0.05 * loss + 1e-9);
  }
}

// 2.5D: a part slides on three feet against a soft wall and back. v² = v0² − 2 μ g d.
TEST(ContactPatch, a_part_on_a_table_bounces_off_a_soft_wall) {
  const double mu = 0.2, mass = 0.2, k = 1e5, zeta = 0.2, e = 0.571740027584777;
  Simulation simulation = simulate(fmt::format(R"(
world: planar
table: {{gravity: 9.81, friction: {}}}
materials: {{foam: {{stiffness: {}, damping: {}}}, rigid: {{}}}}
bodies:
  wall:
    freedom: fixed
    shapes: [{{half-plane: {{angle: 90 deg}}, material: foam}}]
    position: [0.2, 0]
  part:
    shapes: [{{circle: 0.05, material: rigid}}]
    mass: {}
    position: [0, 0]
    velocity: [1, 0]
    supports: [[0.03, 0], [-0.015, 0.025980762], [-0.015, -0.025980762]]
run: {{stepper: {{name: song-pang-kumar, resolution: 0.002}}, step: 1 ms, duration: 0.6}}
)",
                                               mu, k, 2.0 * zeta * std::sqrt(k * mass), mass));
  double fastest = 0.0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    fastest = std::min(fastest, twist(simulation, "part").linear.x());
  }
  const double impact = std::sqrt(1.0 - 2.0 * mu * 9.81 * 0.15);
  // Friction acts for the 6 ms of the impact as well: up to μ g t = 0.01 m/s either way; the
  // method by 0.8 hω.
  EXPECT_NEAR(-fastest, e * impact, 0.012);
  EXPECT_NEAR(position(simulation, "part").x(), 0.15 - fastest * fastest / (2.0 * mu * 9.81), 2e-3);
  EXPECT_NEAR(twist(simulation, "part").linear.norm(), 0.0, 1e-12);
}

TEST(ContactPatch, recordings_keep_the_deformations_and_resume_to_the_same_state) {
  RollerScene scene;
  scene.points = 7;
  scene.coupling = 5e-4;
  scene.pull = "200 * t";
  scene.duration = 0.06;
  const auto file = std::filesystem::temp_directory_path() / "vinci_contact_patch_test.h5";
  Simulation whole = simulate(scene.yaml());
  while (!whole.finished()) whole.step();
  {
    Simulation part = simulate(scene.yaml());
    Recorder recorder(file, part, true);
    while (part.state().step < 31) part.step(), recorder.after_step(part);
    recorder.finish(part);
    const Recording recording(file);
    EXPECT_EQ(recording.state(31), part.state());
    EXPECT_EQ(recording.state(31).memory.layers.back().point, 6);
    EXPECT_EQ(recording.contacts(31).back().patch_point,
              part.contacts().back().contact.patch_point);
  }
  Simulation simulation = simulate(scene.yaml());
  Recorder recorder = Recorder::resume(file, simulation);
  EXPECT_EQ(simulation.state().step, 31);
  while (!simulation.finished()) simulation.step(), recorder.after_step(simulation);
  recorder.finish(simulation);
  EXPECT_EQ(simulation.state(), whole.state());
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace vinci::test
