// SPDX-License-Identifier: Apache-2.0
// Random scenes in motion through events, by class: all get to their end, contacts never pull, what
// has settled stays at zero, and energy never rises by more than the record says. VINCI_SWEEP=20
// runs twenty times as many, VINCI_SWEEP_FROM=1000 those from the thousandth on.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "tests/sweeps/parts.h"

namespace vinci::test {
namespace {

constexpr double accuracy = 1e-8;
constexpr int scenes_a_class = 125;

// What α makes of impacts.
struct Impact {
  std::string key;           // of a material or a constraint
  double time_scale = 0.0;   // s
  bool takes_energy = true;  // of a body that feels one contact under a constant load (docs)
};

Impact random_law(Draw& draw) {
  const double scale = decades(draw, 1e-3, 2e-2);
  switch (draw.below(3)) {
    case 0:
      return {fmt::format("time-scale: {}", scale), scale, true};
    case 1:  // more than critically damped, and a cubic part
      return {fmt::format("damping: {}, stiffness: [{}, {}]", draw.between(2.0, 4.0) / scale,
                          1.0 / (scale * scale), draw.between(0.0, 1e4) / (scale * scale)),
              4.0 * scale, true};
    default:
      return {fmt::format("restitution: {}, time-scale: {}", draw.between(0.2, 0.8), scale), scale,
              false};
  }
}

std::string run_table(double duration) {
  return fmt::format(
      "run: {{stepper: {{name: event-driven, accuracy: {}}}, step: 20 ms, duration: {}}}\n",
      accuracy, duration);
}

struct HybridScene {
  std::string yaml;
  double time_scale = 0.0;    // s, the longest of its impacts
  bool takes_energy = false;  // by theory none of its impacts gives more than it takes
};

// A round body over one slope: the mass that the contact feels along its gap is that of the body,
// the load is gravity, friction turns it about its centre.
HybridScene thrown_ball(Draw& draw, bool spatial) {
  const Impact law = random_law(draw);
  const double friction = draw.below(3) == 0 ? 0.0 : draw.between(0.0, 1.2);
  const std::string slope = spatial
                                ? fmt::format("half-space: {{normal: [{}, {}, 1]}}",
                                              draw.between(-0.4, 0.4), draw.between(-0.4, 0.4))
                                : fmt::format("half-plane: {{angle: {}}}", draw.between(-0.4, 0.4));
  const std::string rolls = draw.below(4) == 0 ? ", rolls: true" : "";
  HybridScene scene;
  scene.yaml = fmt::format(
      "{}materials: {{m: {{friction: {}, impact: {{{}}}{}}}}}\nbodies:\n"
      "  slope: {{freedom: fixed, shapes: [{{{}, material: m}}]}}\n"
      "  ball: {{shapes: [{{{}, material: m}}], position: {}, velocity: {}, {}}}\n{}",
      world(spatial), friction, law.key, rolls, slope, ball(spatial, draw.between(0.03, 0.1)).shape,
      list(
          spatial ? Vector3(0, 0, draw.between(0.12, 0.6)) : Vector3(0, draw.between(0.12, 0.6), 0),
          spatial),
      list(draw.between(0.0, 3.0) * random_direction(draw, spatial), spatial),
      random_spin(draw, spatial, 30.0), run_table(0.8));
  scene.time_scale = law.time_scale;
  scene.takes_energy = law.takes_energy;
  return scene;
}

// One or two parts with corners and edges over a floor and a wall.
HybridScene thrown_parts(Draw& draw, bool spatial) {
  const Impact law = random_law(draw);
  const double friction = draw.below(3) == 0 ? 0.0 : draw.between(0.0, 0.8);
  std::string bodies;
  const int count = 1 + draw.below(2);
  for (int i = 0; i < count; ++i) {
    const double size = draw.between(0.05, 0.12);
    const Part part = draw.below(3) == 0 ? ball(spatial, size)
                      : draw.below(2) == 0
                          ? capsule_part(spatial, size, 0.4 * size)
                          : box_part(spatial, size * Vector3(2.0, draw.between(0.5, 2.0), 1.0));
    const double up = 0.2 + 0.45 * i;
    bodies += fmt::format(
        "  part-{}: {{shapes: [{{{}, material: m}}], position: {}, {}, velocity: {}, {}}}\n", i,
        part.shape, list(spatial ? Vector3(0, 0, up) : Vector3(0, up, 0), spatial),
        random_turn(draw, spatial),
        list(draw.between(0.0, 2.0) * random_direction(draw, spatial), spatial),
        random_spin(draw, spatial, 10.0));
  }
  const std::string wall =
      spatial ? "half-space: {normal: [-1, 0, 0.2]}" : "half-plane: {angle: 100 deg}";
  HybridScene scene;
  scene.yaml = fmt::format(
      "{}materials: {{m: {{friction: {}, impact: {{{}}}}}}}\nbodies:\n"
      "  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}\n"
      "  wall: {{freedom: fixed, shapes: [{{{}, material: m}}], position: {}}}\n{}{}",
      world(spatial), friction, law.key, half(spatial), wall, list(Vector3(1.0, 0, 0), spatial),
      bodies, run_table(0.6));
  scene.time_scale = law.time_scale;
  return scene;
}

// A chain of links with limits, friction and dampers that falls on a floor.
HybridScene falling_chain(Draw& draw, bool spatial) {
  const Impact law = random_law(draw);
  std::string bodies, joints;
  const int count = 1 + draw.below(3);
  for (int i = 0; i < count; ++i) {
    const double length = draw.between(0.15, 0.3);
    bodies += fmt::format("  link-{}: {{shapes: [{{{}, material: m}}]}}\n", i,
                          spatial ? fmt::format("box: [{}, 0.04, 0.04]", length)
                                  : fmt::format("box: [{}, 0.04]", length));
    const std::string own = list(Vector3(-0.5 * length, 0, 0), spatial);
    const std::string at = i == 0 ? list(spatial ? Vector3(0, 0, 0.4) : Vector3(0, 0.4, 0), spatial)
                                  : list(Vector3(0.1, 0, 0), spatial);
    joints += fmt::format("  hinge-{}: {{revolute: [{}, link-{}], at: [{}, {}]{}, position: {}", i,
                          i == 0 ? "world" : fmt::format("link-{}", i - 1), i, at, own,
                          spatial ? ", axis: [0, 1, 0]" : "", draw.between(-0.6, 0.6));
    joints += fmt::format(", velocity: {}", draw.between(-3.0, 3.0));
    if (draw.below(2) == 0) joints += fmt::format(", limits: [{}, {}]", -0.8, 0.9);
    if (draw.below(2) == 0) joints += fmt::format(", friction: {}", draw.between(0.0, 0.3));
    if (draw.below(2) == 0) joints += fmt::format(", damping: {}", draw.between(0.0, 0.05));
    joints += "}\n";
  }
  HybridScene scene;
  scene.yaml = fmt::format(
      "{}materials: {{m: {{friction: {}, impact: {{{}}}}}}}\nbodies:\n"
      "  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}\n{}joints:\n{}{}",
      world(spatial), draw.between(0.0, 0.6), law.key, half(spatial), bodies, joints,
      run_table(0.5));
  scene.time_scale = std::max(law.time_scale, 5e-3);  // limits have that of the stepper
  return scene;
}

// Constraints of the scene: a bowl, a wire, and a gate that a machine opens.
HybridScene constrained(Draw& draw, bool) {
  const Impact law = random_law(draw);
  const double bend = draw.between(0.2, 2.0);
  std::string text =
      "world: planar\nbodies:\n"
      "  bead: {shapes: [{circle: 0.05}], position: [" +
      fmt::format("{}, {}", draw.between(-0.5, 0.5), draw.between(0.6, 1.0)) + "], velocity: [" +
      fmt::format("{}, {}", draw.between(-1.0, 1.0), draw.between(-1.0, 1.0)) +
      "]}\n  other: {shapes: [{box: [0.2, 0.1]}], position: [3, 0.2]}\nconstraints:\n" +
      fmt::format("  bowl: {{at-least-zero: bead.y - {}*bead.x^2, {}, machine: gate, in: shut}}\n",
                  bend, law.key) +
      fmt::format("  ground: {{at-least-zero: bead.y + {}, {}}}\n", draw.between(0.3, 0.8),
                  law.key) +
      fmt::format("  wire: {{zero: other.y - {}*sin(2*other.x) - 0.2 + {}*sin(6), {}}}\n", 0.1, 0.1,
                  "time-scale: 10 ms") +
      fmt::format(
          "machines:\n  gate:\n    states: [shut, open]\n    final: open\n"
          "    transitions:\n      - {{from: shut, to: open, rises: \"bead.x - {}\"}}\n",
          draw.between(0.0, 0.4)) +
      run_table(1.0);
  return {text, std::max(law.time_scale, 0.01), false};
}

// J, that contacts have given so far in impacts that go on.
double given_so_far(const State& state) {
  double sum = 0.0;
  for (const ModeMemory& mode : state.memory.modes)
    if (mode.key.kind != EntityKind::machine && mode.state % 8 != 0)
      sum += std::max(0.0, mode.held.x());
  return sum;
}

struct EventTally {
  int scenes = 0;
  long events = 0, acting = 0, settled = 0;
};

void check_motion(const HybridScene& scene, EventTally& tally) {
  Simulation simulation(Scene::parse(scene.yaml));
  const double start = energy(simulation.model(), simulation.state()).total();
  double scale = energy(simulation.model(), simulation.state()).kinetic, told = 0.0;
  for (const Body& body : simulation.model().bodies)
    if (body.velocity_size > 0) scale += body.mass.mass * simulation.model().gravity.norm();
  std::map<EntityKey, double> changed;  // s, when
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    const double now = simulation.state().time;
    told += report.impact_energy;
    for (const StepEvent& event : simulation.events()) changed[event.after.key] = event.time;
    tally.events += report.events;
    for (const ConstraintMode& mode : simulation.modes()) {
      if (mode.key.kind == EntityKind::machine || mode.state == 0) continue;
      const bool contact = mode.key.kind == EntityKind::contact;
      if (contact) {
        ++tally.acting;
        EXPECT_GE(mode.force[0], -1e-9 * scale) << "s " << now;
      }
      // Both poles of the slowest law are at -1/T: 40 T leave 1e-16 of what there was.
      if (mode.state != static_cast<int>(ConstraintState::ballistic) && contact &&
          now - changed[mode.key] > 40.0 * scene.time_scale) {
        ++tally.settled;
        EXPECT_NEAR(mode.gap, 0.0, 100.0 * accuracy) << "s " << now;
      }
    }
    const double rise = energy(simulation.model(), simulation.state()).total() - start;
    EXPECT_LE(rise, told + given_so_far(simulation.state()) + 1000.0 * accuracy * scale)
        << "s " << now;
    if (scene.takes_energy) {
      EXPECT_EQ(report.impact_energy, 0.0) << "s " << now;
      EXPECT_LE(rise, 1000.0 * accuracy * scale) << "s " << now;
    }
  }
  EXPECT_FALSE(simulation.diverged());
  ++tally.scenes;
}

using Maker = HybridScene (*)(Draw& draw, bool spatial);

int number_of(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::max(0, std::atoi(text)) : otherwise;
}

void sweep(Maker make, unsigned first_seed, bool spatial_too) {
  const int from = number_of("VINCI_SWEEP_FROM", 0);
  const int count = scenes_a_class * std::max(1, number_of("VINCI_SWEEP", 1));
  EventTally tally;
  for (int i = from; i < from + count; ++i) {
    const unsigned seed = first_seed + static_cast<unsigned>(i);
    Draw draw(seed);
    const HybridScene scene = make(draw, spatial_too && i % 2 == 1);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, scene.yaml));
    try {
      check_motion(scene, tally);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_EQ(tally.scenes, count);
  EXPECT_GT(tally.events, count);
}

TEST(EventSweep, balls_on_slopes) {
  sweep(thrown_ball, 160000, true);
}
TEST(EventSweep, parts_that_fall) {
  sweep(thrown_parts, 161000, true);
}
TEST(EventSweep, chains_that_fall) {
  sweep(falling_chain, 162000, true);
}
TEST(EventSweep, constraints_and_machines) {
  sweep(constrained, 163000, false);
}

}  // namespace
}  // namespace vinci::test
