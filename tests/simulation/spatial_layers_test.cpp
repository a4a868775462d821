// SPDX-License-Identifier: Apache-2.0
// Layers in space: reference case 13 along any heading, stiffness against sinking, tilting, sliding
// and twisting, axes that go with the bodies, and the planar answer of an extruded scene.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/compliant.h"
#include "tests/support/reference.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"
#include "vinci/stepping/layer_patch.h"

namespace vinci::test {
namespace layers_in_space {
namespace {

constexpr double g = 9.81;
constexpr double heading = 0.6;  // of what moves along the floor, rad
const Vector3 ahead(std::cos(heading), std::sin(heading), 0.0);

double total_energy(const Simulation& simulation) {
  return energy(simulation.model(), simulation.state()).total();
}

// ---- a particle: case 13

// The planar scene of the case with a ball in space, whose way along the floor has a heading.
std::string in_space(const CompliantScene& s) {
  const double r = 0.0078125;  // representable, so that a gap of 0 is exactly 0
  const Vector3 velocity = s.velocity.x() * ahead + s.velocity.y() * Vector3::UnitZ();
  return fmt::format(R"(
world: spatial
gravity: [0, 0, {}]
materials:
  soft: {{friction: {}, stiffness: {}, damping: {}, tangential-stiffness: {}, tangential-damping: {}}}
  hard: {{friction: {}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: soft}}]}}
  particle:
    shapes: [{{sphere: {}, material: hard}}]
    mass: {}
    position: [0, 0, {}]
    velocity: [{:.17g}, {:.17g}, {:.17g}]
    motion: {{roll: 0, pitch: 0, yaw: 0}}
run: {{stepper: {{name: song-pang-kumar, resolution: {}}}, step: {}, duration: {}}}
)",
                     -s.gravity, s.friction, s.stiffness, s.damping, s.tangential_stiffness,
                     s.tangential_damping, s.friction, r, s.mass, r + s.gap, velocity.x(),
                     velocity.y(), velocity.z(), s.resolution, s.step, s.duration);
}

struct Exit {
  double time = 0.0;        // s, of the start of the first step without a force
  Vector2 velocity, place;  // along the heading and up
  double aside = 0.0;       // of the plane that it moves in, m
  bool left = false;
};

Exit leave(const CompliantScene& scene) {
  Simulation simulation = simulate(in_space(scene));
  Exit exit;
  while (!simulation.finished()) {
    EXPECT_LE(simulation.step().solve.residual.relative, 1e-10);
    exit.time = simulation.state().time - scene.step;
    const Vector3 velocity = twist(simulation, "particle").linear;
    const Vector3 place = position(simulation, "particle");
    exit.velocity = {velocity.dot(ahead), velocity.z()};
    exit.place = {place.dot(ahead), place.z() - 0.0078125};
    exit.aside = std::max(exit.aside, std::abs(Vector3::UnitZ().cross(ahead).dot(place)));
    if (normal_impulse(simulation) == 0.0) {
      exit.left = true;
      break;
    }
  }
  return exit;
}

TEST(SpatialLayers, restitution_of_a_ball_follows_the_damping_ratio) {
  const nlohmann::json reference = test::reference("case13_compliant_impact");
  for (const auto& row : reference["expected"]["restitution_vs_zeta"]) {
    CompliantScene scene;
    scene.gravity = 0.0;
    scene.set_damping_ratio(row["zeta"]);
    scene.step = 0.1 / scene.frequency();
    scene.resolution = 0.1 / 20.0;
    scene.duration = 10.0 / scene.frequency();
    const Exit exit = leave(scene);
    ASSERT_TRUE(exit.left) << "ζ " << row["zeta"];
    EXPECT_NEAR(exit.velocity.y(), row["e"].get<double>(), 0.01) << "ζ " << row["zeta"];
  }
}

TEST(SpatialLayers, oblique_impacts_leave_as_the_reference_does_with_order_one) {
  const nlohmann::json reference = test::reference("case13_compliant_impact");
  for (const auto& [name, wanted] : reference["expected"]["oblique"].items()) {
    const auto& given = wanted["parameters"];
    std::vector<double> steps, errors;
    for (const double h : {1.6e-5, 8e-6, 4e-6}) {
      const CompliantScene scene = oblique_impact(given, h);
      const Exit exit = leave(scene);
      ASSERT_TRUE(exit.left);
      const Vector2 velocity(wanted["exit"]["vx"].get<double>(),
                             wanted["exit"]["vy"].get<double>());
      const Vector2 place(wanted["exit"]["x"].get<double>(), wanted["exit"]["y"].get<double>());
      // The case: event times to 2 h, velocities to 5 hω |v|.
      EXPECT_NEAR(exit.time, wanted["contact_time"].get<double>(), 2.0 * h) << name;
      const double speed = scene.velocity.norm(), omega = scene.frequency();
      EXPECT_LE((exit.velocity - velocity).norm(), 5.0 * h * omega * speed) << name;
      EXPECT_LE((exit.place - place).norm(), 5.0 * h * speed) << name;
      EXPECT_LE(exit.aside, 1e-12) << name;
      steps.push_back(h);
      errors.push_back((exit.velocity - velocity).norm());
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1) << name;
  }
}

// τ = D/K fixed: everything is O(1/k) away from rigid bodies.
TEST(SpatialLayers, at_a_fixed_relaxation_time_stiff_layers_tend_to_stewart_trinkle) {
  const double relaxation = 0.02;
  const auto box = [](double stiffness, double damping, const char* stepper) {
    return fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.3, stiffness: {}, damping: {}}}, s: {{friction: 0.3}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: s}}]}}
  box: {{shapes: [{{box: [0.3, 0.2, 0.1], material: m}}], mass: 1, position: [0, 0, 0.052], velocity: [{}, {}, 0]}}
run: {{step: 20 us, duration: 0.1, stepper: {}}}
)",
                       stiffness, damping, ahead.x(), ahead.y(), stepper);
  };
  Simulation rigid = simulate(box(1.0, 0.0, "stewart-trinkle"));
  run_exactly(rigid);
  std::vector<double> softness, errors;
  for (const double stiffness : {1.6e4, 6.4e4, 2.56e5}) {
    Simulation simulation =
        simulate(box(stiffness, relaxation * stiffness, "{name: song-pang-kumar, resolution: 10}"));
    run_exactly(simulation);
    softness.push_back(1.0 / stiffness);
    errors.push_back((position(simulation, "box") - position(rigid, "box")).norm());
  }
  EXPECT_NEAR(fitted_order(softness, errors), 1.0, 0.15);
}

// ---- stiffness

// A part of 1 kg on a floor, of one material.
std::string on_floor(const std::string& shapes, double height, const std::string& more = "",
                     const std::string& run = "step: 1 ms, duration: 0.8") {
  return fmt::format(R"(
world: spatial
materials: {{r: {{stiffness: 98100, damping: 600, tangential-stiffness: 49050, friction: 0.5}}, s: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: s}}]}}
  part:
    shapes: [{}]
    mass: 1
    inertia: [0.004, 0.004, 0.006]
    position: [0, 0, {}]
    {}
run: {{{}, stepper: song-pang-kumar}}
)",
                     shapes, height, more, run);
}

// A box of 0.2 m × 0.12 m × 0.1 m, cut into n × m.
std::string cut_box(int n, int m) {
  std::string text;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      text += fmt::format("{}{{box: [{}, {}, 0.1], position: [{}, {}, 0], material: r}}",
                          text.empty() ? "" : ", ", 0.2 / n, 0.12 / m, -0.1 + 0.2 * (i + 0.5) / n,
                          -0.06 + 0.12 * (j + 0.5) / m);
  return text;
}

TEST(SpatialLayers, a_body_sinks_by_m_g_over_k_however_it_is_cut_and_whatever_its_shape) {
  const double wanted = 1e-4;
  const auto sinks = [&](const std::string& shapes, double height, const std::string& more = "") {
    Simulation simulation = simulate(on_floor(shapes, height, more));
    run_exactly(simulation);
    const Vector3 place = position(simulation, "part");
    EXPECT_NEAR(height - place.z(), wanted, 1e-6 * wanted) << shapes;
    EXPECT_LE(place.head<2>().norm(), 1e-6 * wanted) << shapes;
  };
  sinks(cut_box(1, 1), 0.05);
  sinks(cut_box(2, 1), 0.05);
  sinks(cut_box(3, 2), 0.05);
  sinks("{sphere: 0.05, material: r}", 0.05);
  sinks("{cylinder: {radius: 0.05, height: 0.1}, material: r}", 0.05);
  sinks("{capsule: {length: 0.2, radius: 0.05}, material: r}", 0.05,
        "rotation: {axis: [0, 1, 0], angle: 90 deg}");
  // A stool with three feet, and one on its corner that keeps its angles.
  sinks(
      "{sphere: 0.02, position: [0.1, 0, 0], material: r}, {sphere: 0.02, position: [-0.05, "
      "0.0866025403784439, 0], material: r}, {sphere: 0.02, position: [-0.05, "
      "-0.0866025403784439, 0], material: r}",
      0.02);
  sinks("{box: [0.1, 0.1, 0.1], material: r}", 0.05 * std::sqrt(2.0),
        "motion: {roll: 45 deg, pitch: 0, yaw: 0}");
}

// Angles about x and y, and about z, of a part on its layer.
Vector3 turned(const Simulation& simulation) {
  return rotation_vector(simulation.state().poses[1].rotation);
}

// The plate tilts by M/(k ρ²): ends at ±0.1 m along x and at ±0.06 m along y. The weight, 0.05 m
// over it, pulls with m g times the height.
TEST(SpatialLayers, a_box_loaded_beside_its_middle_tilts_by_the_stiffness_of_its_corners) {
  for (const auto& [n, m] : {std::pair(1, 1), std::pair(3, 2)}) {
    Simulation simulation =
        simulate(on_floor(cut_box(n, m), 0.05, "force: {torque-x: 0.1, torque-y: -0.2}"));
    run_exactly(simulation);
    const Vector3 turn = turned(simulation);
    const double about_x = 0.1 / (98100 * 0.0036 - g * 0.05);
    const double about_y = -0.2 / (98100 * 0.01 - g * 0.05);
    EXPECT_NEAR(turn.x(), about_x, 2e-4 * std::abs(about_x)) << n;
    EXPECT_NEAR(turn.y(), about_y, 2e-4 * std::abs(about_y)) << n;
    EXPECT_NEAR(position(simulation, "part").z(), 0.05 - 1e-4, 2e-7) << n;
  }
}

// Against a twist k_t (ρ₁² + ρ₂²); it springs back when it is let go.
TEST(SpatialLayers, a_box_that_sticks_is_drawn_along_and_twisted_and_springs_back) {
  Simulation simulation = simulate(
      on_floor(cut_box(1, 1), 0.05,
               "force: {x: '1.2*max(0, min(1, 5 - 10*t))', y: '-1.6*max(0, min(1, 5 - 10*t))', "
               "torque-z: '0.05*max(0, min(1, 5 - 10*t))'}",
               "step: 1 ms, duration: 1"));
  while (simulation.state().time < 0.3999) simulation.step();
  // Forces act at the height of the centre, 0.05 m over the layer, and tilt the box; its foot is
  // drawn along.
  const Vector3 foot = simulation.state().poses[1] * Vector3(0, 0, -0.05);
  EXPECT_NEAR(foot.x(), 1.2 / 49050, 2e-3 * 1.2 / 49050);
  EXPECT_NEAR(foot.y(), -1.6 / 49050, 2e-3 * 1.6 / 49050);
  const double twist = 0.05 / (49050 * (0.01 + 0.0036));
  EXPECT_NEAR(turned(simulation).z(), twist, 2e-3 * twist);
  run_exactly(simulation);
  EXPECT_LE((simulation.state().poses[1] * Vector3(0, 0, -0.05)).head<2>().norm(), 1e-8);
  EXPECT_LE(std::abs(turned(simulation).z()), 1e-7);
}

TEST(SpatialLayers, a_block_on_an_incline_does_not_creep_in_ten_seconds) {
  Simulation simulation = simulate(R"(
world: spatial
gravity: [2.4, 1.6, -9.3]
materials: {r: {stiffness: 98100, damping: 600, friction: 0.5}, s: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: s}]}
  part: {shapes: [{box: [0.2, 0.12, 0.1], material: r}], mass: 1, position: [0, 0, 0.05]}
run: {step: 5 ms, duration: 10, stepper: song-pang-kumar}
)");
  while (simulation.state().time < 0.9999) simulation.step();
  const Pose settled = simulation.state().poses[1];
  run_exactly(simulation);
  EXPECT_LE((position(simulation, "part") - settled.position).norm(), 1e-11);
  EXPECT_LE(simulation.state().poses[1].rotation.angularDistance(settled.rotation), 1e-10);
  // It is drawn along by the weight over k_t, and stays there.
  const Vector3 foot = simulation.state().poses[1] * Vector3(0, 0, -0.05);
  EXPECT_NEAR(foot.x(), 2.4 / 98100, 2e-3 * 2.4 / 98100);
  EXPECT_NEAR(foot.y(), 1.6 / 98100, 2e-3 * 1.6 / 98100);
}

// ---- axes that go with the bodies

// On a turntable the layer is drawn outwards by m ω² r/k_t, turn after turn.
TEST(SpatialLayers, the_deformation_of_a_part_on_a_turntable_turns_with_it) {
  const double omega = 6.0, r = 0.2, stiffness = 2e4;
  Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{r: {{stiffness: {0}, damping: 400, friction: 2}}, s: {{friction: 2}}}}
bodies:
  table: {{shapes: [{{half-space: {{}}, material: s}}], motion: {{x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw: {1}*t}}}}
  part: {{shapes: [{{box: [0.1, 0.1, 0.02], material: r}}], mass: 1, position: [{2}, 0, 0.01], velocity: [0, {3}, 0], spin: [0, 0, {1}]}}
run: {{step: 0.5 ms, duration: 1.2, stepper: song-pang-kumar}}
)",
                                               stiffness, omega, r, omega * r));
  const auto on_table = [&] {
    return simulation.state().poses[0].rotation.conjugate() *
           (simulation.state().poses[1] * Vector3(0, 0, -0.01));
  };
  // k_t δ = m ω² (r + δ) of the place where it first stuck, and steps of h.
  const double out = omega * omega * r / (stiffness - omega * omega);
  double least = infinity, most = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    if (simulation.state().time < 0.5) continue;
    least = std::min(least, on_table().x());
    most = std::max(most, on_table().x());
    ASSERT_LE(std::abs(on_table().y()), 0.1 * out) << simulation.state().time;
  }
  EXPECT_NEAR(least, r + out, 0.1 * out);
  EXPECT_NEAR(most, r + out, 0.1 * out);
}

// ---- the planar answer

// How far a part in space is from its planar answer, m, over a run that hits the floor. Substeps as
// long as the step, so that both have the same ones.
double off_the_plane(const std::string& planar, const std::string& spatial, double friction,
                     double angle) {
  const char* run =
      "{step: 0.2 ms, duration: 0.3, stepper: {name: song-pang-kumar, resolution: 10, rest: 0}}";
  const std::string materials = fmt::format(
      "{{r: {{stiffness: 4e4, damping: 30, tangential-stiffness: 2e4, friction: {0}}}, s: "
      "{{friction: {0}}}}}",
      friction);
  Simulation plane = simulate(fmt::format(R"(
world: planar
materials: {}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: s}}]}}
  part: {{shapes: [{{{}, material: r}}], mass: 1, inertia: 0.004, position: [0, 0.09], angle: {}, velocity: [0.7, -0.5], spin: 3}}
run: {}
)",
                                          materials, planar, angle, run));
  // y of the plane is z here, and a turn about z one about −y.
  Simulation space = simulate(fmt::format(R"(
world: spatial
materials: {}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: s}}]}}
  part: {{shapes: [{{{}, material: r}}], mass: 1, inertia: [0.01, 0.004, 0.01], position: [0, 0, 0.09], rotation: {{axis: [0, -1, 0], angle: {}}}, velocity: [0.7, 0, -0.5], spin: [0, -3, 0]}}
run: {}
)",
                                          materials, spatial, angle, run));
  double touched = 0.0, off = 0.0;
  while (!plane.finished()) {
    plane.step(), space.step();
    const Vector3 wanted = position(plane, "part"), found = position(space, "part");
    off = std::max(off, (found - Vector3(wanted.x(), 0.0, wanted.y())).norm());
    off = std::max(off, 0.1 * std::abs(rotation_vector(space.state().poses[1].rotation).y() +
                                       planar_angle(plane.state().poses[1].rotation)));
    touched += normal_impulse(space);
  }
  EXPECT_GT(touched, 1.0);
  return off;
}

TEST(SpatialLayers, an_extruded_scene_has_the_planar_answer) {
  const char *box = "box: [0.2, 0.1]", *beam = "box: [0.2, 0.3, 0.1]";
  EXPECT_LE(off_the_plane("circle: 0.05", "sphere: 0.05", 0.4, 0.0), 1e-9);
  EXPECT_LE(off_the_plane(box, beam, 0.0, 0.2), 1e-9);
  // With friction the arms differ by up to half of a deformation of a millimetre: in space forces
  // act in one plane, in the plane between the surfaces at each point.
  EXPECT_LE(off_the_plane(box, beam, 0.4, 0.2), 1e-3);
}

// ---- energy

TEST(SpatialLayers,
     without_damping_and_friction_shapes_keep_their_energy_to_the_order_of_substeps) {
  const auto lost = [](const char* shape, const char* turn, double resolution) {
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
gravity: [0, 0, 0]
materials: {{r: {{stiffness: 2e5}}, s: {{}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: s}}]}}
  part: {{shapes: [{{{}, material: r}}], mass: 0.7, position: [0, 0, 0.16], {}, velocity: [0.3, 0, -1.5]}}
run: {{step: 1 ms, duration: 0.12, stepper: {{name: song-pang-kumar, resolution: {}}}}}
)",
                                                 shape, turn, resolution));
    const double first = total_energy(simulation);
    double before = first;
    bool met = false;
    while (!simulation.finished()) {
      met |= simulation.step().active_count > 0;
      const double now = total_energy(simulation);
      EXPECT_LE(now, before + 1e-12 * first) << shape << " at " << simulation.state().time;
      before = now;
    }
    EXPECT_TRUE(met) << shape;
    return 1.0 - before / first;
  };
  for (const char* shape :
       {"sphere: 0.05", "box: [0.2, 0.12, 0.1]", "capsule: {length: 0.1, radius: 0.03}"})
    for (const char* turn : {"rotation: {axis: [1, 2, 0.5], angle: 0.4}",
                             "rotation: {axis: [-1, 0.3, 0.5], angle: 1.3}"}) {
      const double coarse = lost(shape, turn, 0.02), fine = lost(shape, turn, 0.0025);
      EXPECT_LE(coarse, 4.0 * 0.02 * M_PI) << shape;
      EXPECT_LE(fine, 0.25 * coarse + 1e-3) << shape;
    }
}

// ---- cores and overlaps

TEST(SpatialLayers, a_ball_passed_a_soft_shelf_without_meeting_its_core) {
  int used_up = 0;
  for (const double speed : {1.0, 20.0, 150.0})
    for (const double stiffness : {1e3, 1e5, 1e7})
      for (const double step : {1e-4, 1e-3}) {
        Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{r: {{stiffness: {}, damping: 20}}}}
bodies:
  shelf: {{freedom: fixed, shapes: [{{box: [2, 2, 0.002], material: r}}]}}
  ball: {{shapes: [{{sphere: 0.005, material: r}}], position: [0, 0, 0.05], velocity: [3, 0, {}]}}
run: {{step: {}, duration: 0.06, stepper: {{name: song-pang-kumar, most-substeps: 500}}}}
)",
                                                     stiffness, -speed, step));
        bool used = false;
        while (!simulation.finished()) {
          used |= simulation.step().used_up > 0;
          ASSERT_GT(position(simulation, "ball").z(), 0.0) << speed << " " << stiffness;
        }
        // Whether spring and damper can stop the ball within its layer.
        const double depth = 0.25 * (0.002 + 0.01), mass = 1000.0 * 4.0 / 3.0 * M_PI * 1.25e-7;
        const double most = 0.25 * stiffness * depth * depth + 10.0 * speed * depth;
        if (most < 0.5 * mass * speed * speed) {
          EXPECT_TRUE(used) << speed << " m/s, " << stiffness << " N/m";
        }
        used_up += used;
      }
  EXPECT_GT(used_up, 2);
}

// A slab flies into a soft wall and turns in it about two axes: what bore it with four corners
// bears it with one. Depth by its corners.
TEST(SpatialLayers, a_slab_that_turns_in_a_soft_wall_is_no_deeper_than_its_layers_explain) {
  const Vector3 sides(0.1, 0.08, 0.02);
  int deep = 0, certified = 0;
  for (const double stiffness : {1e3, 4e3, 2e4})
    for (const double damping : {0.0, 5.0})
      for (const double spin : {-12.0, 3.0, 25.0}) {
        SCOPED_TRACE(fmt::format("{} {} {}", stiffness, damping, spin));
        Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{s: {{stiffness: {}, damping: {}, friction: 0.2}}}}
bodies:
  wall: {{freedom: fixed, shapes: [{{half-space: {{}}, material: s}}]}}
  box: {{shapes: [{{box: [0.1, 0.08, 0.02], material: s}}], mass: 1, position: [0, 0, 0.06], rotation: {{axis: [1, 2, 0], angle: 0.1}}, velocity: [0.3, 0.1, -1.2], spin: [{}, 5, 2]}}
run: {{step: 2 ms, duration: 0.3, stepper: song-pang-kumar}}
)",
                                                     stiffness, damping, spin));
        const double half = simulation.model().shapes[1].half_thickness;
        double before = total_energy(simulation);
        while (!simulation.finished()) {
          const StepReport& report = simulation.step();
          const double now = total_energy(simulation);
          EXPECT_LE(now - before, report.added_energy + 1e-9);  // of about 1 J
          before = now;
          double depth = 0.0, pressed = 0.0;
          for (int corner = 0; corner < 8; ++corner) {
            const Vector3 at(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5,
                             corner & 4 ? 0.5 : -0.5);
            depth =
                std::max(depth, -(simulation.state().poses[1] * sides.cwiseProduct(at).eval()).z());
          }
          for (const LayerMemory& layer : simulation.state().memory.layers)
            pressed = std::max(pressed, layer.deformation_a[0] + layer.deformation_b[0]);
          deep += depth > half ? 1 : 0;
          if (!is_certified(report, simulation.options().real("accept"))) continue;
          ++certified;
          EXPECT_LE((depth - pressed) / half, 0.05 + 1e-9);
        }
      }
  EXPECT_GT(deep, 0);
  EXPECT_GT(certified, 18 * 100);
}

// ---- states

const char* const twisting = R"(
world: spatial
materials: {r: {stiffness: 2e4, damping: 20, tangential-damping: 5, friction: 0.4}, s: {friction: 0.4, stiffness: 5e4, damping: 3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: s}]}
  part: {shapes: [{box: [0.2, 0.12, 0.1], material: r}], mass: 1, position: [0, 0, 0.1], rotation: {axis: [1, 2, 0], angle: 0.3}, velocity: [0.4, 0.3, -1], spin: [1, -2, 4]}
  top: {shapes: [{box: [0.1, 0.12, 0.05], material: r}], mass: 0.4, position: [0.03, 0, 0.22], spin: [0, 0, -3]}
run: {step: 1 ms, duration: 0.16, stepper: song-pang-kumar}
)";

TEST(SpatialLayers, a_run_continued_from_any_state_or_frame_is_the_same_to_the_bit) {
  const auto file = std::filesystem::temp_directory_path() / "vinci_spatial_layers_test.h5";
  Simulation whole = simulate(twisting);
  std::vector<State> states;
  {
    Recorder recorder(file, whole, true);
    while (!whole.finished()) {
      states.push_back(whole.state());
      whole.step();
      recorder.after_step(whole);
    }
    recorder.finish(whole);
  }
  bool turned = false;
  const Recording recording(file);
  for (std::size_t i = 0; i < states.size(); i += 41) {
    ASSERT_EQ(recording.state(static_cast<std::int64_t>(i)), states[i]) << "frame " << i;
    for (const LayerMemory& layer : states[i].memory.layers) turned |= !layer.turn_b.isZero(0.0);
    Simulation again = simulate(twisting);
    again.set_state(states[i]);
    while (!again.finished()) again.step();
    ASSERT_EQ(again.state(), whole.state()) << "from step " << i;
  }
  EXPECT_TRUE(turned);
  std::filesystem::remove(file);
}

TEST(SpatialLayers, a_box_that_spins_on_its_layers_stops_as_under_stewart_trinkle) {
  // Spin by the friction of four corners, each with a quarter of the weight at a distance r.
  const double r = 0.1 * std::sqrt(2.0), spin = 4.0, friction = 0.3;
  Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{r: {{stiffness: 1e6, damping: 2e3, friction: {0}}}, s: {{friction: {0}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: s}}]}}
  part: {{shapes: [{{box: [0.2, 0.2, 0.02], material: r}}], mass: 1, inertia: [0.004, 0.004, 0.008], position: [0, 0, 0.00999019], spin: [0, 0, {1}]}}
run: {{step: 0.2 ms, duration: 0.2, stepper: song-pang-kumar}}
)",
                                               friction, spin));
  const double braking = friction * g * r / 0.008, time = spin / braking;
  const double way = 0.5 * spin * time;
  while (!simulation.finished()) simulation.step();
  ASSERT_LT(time, 0.15);
  EXPECT_NEAR(turned(simulation).z(), way, 0.01 * way);
  EXPECT_LE(std::abs(twist(simulation, "part").angular.z()), 1e-6);
}

// ---- what it refuses

TEST(SpatialLayers, what_has_no_meaning_in_space_is_refused_with_the_way_out) {
  const auto refusal = [](const std::string& layer, const std::string& stepper) {
    try {
      simulate(fmt::format(
          "world: spatial\nmaterials: {{m: {{stiffness: 100, {}}}}}\nbodies: {{b: {{shapes: "
          "[{{sphere: 1, material: m}}]}}}}\nrun: {{step: 1 ms, duration: 1, stepper: {}}}\n",
          layer, stepper));
      return std::string();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal("damping: 1", "song-pang-kumar"), "");
  EXPECT_NE(refusal("coupling-stiffness: 10", "song-pang-kumar").find("none in space"),
            std::string::npos);
  EXPECT_NE(
      refusal("damping: 1", "{name: song-pang-kumar, points: 3, width: 1 mm}").find("`points` 1"),
      std::string::npos);
}

}  // namespace
}  // namespace layers_in_space
}  // namespace vinci::test
