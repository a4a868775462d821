// SPDX-License-Identifier: Apache-2.0
// Answers that once were wrong while the summary said that all was well, each named by its symptom
// and tried on variants. The scenes are in tests/data/defects; their first lines say what should
// happen.
#include <cmath>

#include "tests/support/runs.h"
#include "tests/sweeps/random_scenes.h"

namespace vinci::test {
namespace {

Simulation defect(const std::string& name, const RunOverrides& overrides = {}) {
  return Simulation(
      Scene::load(fmt::format("{}/tests/data/defects/{}.yaml", VINCI_SOURCE_DIR, name)), overrides);
}

bool certified(const Simulation& simulation) {
  return is_certified(simulation.report(), simulation.options().real("accept"));
}

void run_certified(Simulation& simulation) {
  while (!simulation.finished()) {
    simulation.step();
    ASSERT_TRUE(certified(simulation)) << "step " << simulation.state().step;
  }
  ASSERT_FALSE(simulation.diverged());
}

double total(const Simulation& simulation) {
  return energy(simulation.model(), simulation.state()).total();
}

// ---- alarms

TEST(DiscsSideBySide, raise_no_alarm_whatever_they_fly_along) {
  Simulation given = defect("discs_side_by_side");
  run_certified(given);
  for (unsigned seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const double angle = draw.between(0.0, 6.28), vx = draw.between(-1e3, 1e3);
    const double speed = seed % 2 == 0 ? 0.0 : draw.between(-1e3, 1e3);
    std::string bodies;
    for (int i = 0; i < 4; ++i)
      bodies += fmt::format(
          "  d{}: {{shapes: [{{circle: 0.1}}], position: [{:.17g}, {:.17g}], velocity: [{}, "
          "{}]}}\n",
          i, 0.2 * i * std::cos(angle), 0.2 * i * std::sin(angle), vx, speed);
    Simulation simulation =
        simulate("world: planar\ngravity: [0, 0]\nbodies:\n" + bodies + "run: {duration: 50 ms}\n");
    ASSERT_NO_FATAL_FAILURE(run_certified(simulation)) << seed;
    // Rounding of places kilometres away may touch; it does not part them.
    EXPECT_NEAR(twist(simulation, "d0").linear.x(), vx, 1e-6 * std::abs(vx));
  }
}

// ---- forces that depend on velocity

TEST(Drag, of_first_order_motion_is_balanced_at_every_step_size) {
  for (const char* step : {"1 ms", "0.1 s", "10 s"}) {
    Simulation simulation =
        defect("drag_first_order", chosen({{"step", step}, {"duration", "100 s"}}));
    for (int i = 0; i < 10; ++i) {
      simulation.step();
      ASSERT_TRUE(certified(simulation));
      ASSERT_NEAR(twist(simulation, "cart").linear.x(), 6.0 / (3.0 + 5.0), 1e-14) << step;
    }
  }
}

TEST(Drag, of_dynamic_motion_approaches_its_end_without_oscillation) {
  for (const char* step : {"1 ms", "0.1 s", "1 s", "100 s"}) {
    Simulation simulation =
        defect("drag_first_order",
               chosen({{"motion", "dynamic"}, {"step", step}, {"duration", "5000 s"}}));
    double speed = 0.0;
    for (int i = 0; i < 40; ++i) {
      simulation.step();
      const double now = twist(simulation, "cart").linear.x();
      ASSERT_GE(now, speed);
      ASSERT_LE(now, 1.2 * (1.0 + 1e-14));
      speed = now;
    }
  }
}

// m (v⁺ − v) = h f(v⁺) with v f(v) <= 0 takes energy at any h; the answer is checked by the
// equation itself.
TEST(Drag, never_adds_energy_whatever_its_law_and_the_step_size) {
  struct Drag {
    const char* text;
    double (*force)(double);
  };
  const Drag drags[] = {
      {"-3*v", [](double v) { return -3.0 * v; }},
      {"-3*v*abs(v)", [](double v) { return -3.0 * v * std::abs(v); }},
      {"-3*v^3", [](double v) { return -3.0 * v * v * v; }},
      {"-3*tanh(50*v)", [](double v) { return -3.0 * std::tanh(50.0 * v); }},
      {"-3*sign(v)*sqrt(abs(v))",
       [](double v) { return std::copysign(3.0 * std::sqrt(std::abs(v)), -v); }},
      {"-3*v/(1 + 10*v^2)", [](double v) { return -3.0 * v / (1.0 + 10.0 * v * v); }},
  };
  int solved = 0;
  for (const Drag& drag : drags)
    for (const double h : {1e-3, 0.1, 3.0, 1e3})
      for (const double start : {1e-3, 0.2, 40.0}) {
        Simulation simulation = simulate(fmt::format(
            "world: planar\ngravity: [0, 0]\nbodies:\n  b: {{shapes: [{{circle: 0.1}}], mass: 2, "
            "velocity: [{}, 0], force: {{x: '{}'}}}}\nrun: {{step: {}, duration: {}}}\n",
            start, drag.text, h, 20.0 * h));
        double before = start;
        while (!simulation.finished()) {
          simulation.step();
          const double now = twist(simulation, "b").linear.x();
          ASSERT_LE(std::abs(now), before * (1.0 + 1e-12)) << drag.text << " " << h << " " << start;
          // What has lost all but 1e-13 of its speed, or moves slower than 1e-150 m/s, is at rest:
          // nothing is asked of its force.
          const bool rests = std::abs(now) <= 1e-13 * before + 1e-150;
          solved += rests;
          if (certified(simulation) && !rests) {
            const double asked = 2.0 * (now - before);
            // Velocities are rounded in units of the one before.
            const double rounded =
                h * std::abs(drag.force(now + 1e-15 * before) - drag.force(now)) + 1e-15 * before;
            ASSERT_NEAR(asked, h * drag.force(now), 1e-9 * std::abs(asked) + rounded)
                << drag.text << " " << h << " " << start;
            ++solved;
          }
          before = std::abs(now);
        }
      }
  EXPECT_GE(solved, 6 * 4 * 3 * 20 * 9 / 10);  // all but those of sudden turns
}

TEST(Drag, and_friction_together_take_energy_from_a_sliding_box_at_every_step_size) {
  for (const char* step : {"1 ms", "20 ms", "0.5 s"}) {
    Simulation simulation = simulate(
        "world: planar\nmaterials: {m: {friction: 0.3}}\nbodies:\n"
        "  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}\n"
        "  box: {shapes: [{box: [0.4, 0.1], material: m}], mass: 2, position: [0, 0.05], velocity: "
        "[3, 0], force: {x: '-40*v', torque: '-10*v'}}\nrun: {duration: 10 s}\n",
        chosen({{"step", step}}));
    double before = total(simulation);
    while (!simulation.finished()) {
      simulation.step();
      ASSERT_TRUE(certified(simulation));
      ASSERT_LE(total(simulation), before * (1.0 + 1e-9));
      before = total(simulation);
    }
    EXPECT_NEAR(twist(simulation, "box").linear.norm(), 0.0, 1e-12);
  }
}

TEST(Drag, balances_in_quasi_static_motion) {
  Simulation simulation = simulate(
      "world: planar\nbodies:\n  peg: {shapes: [{circle: 0.1}], mass: 1, motion: {y: 0, angle: 0}, "
      "force: {x: '4 - 2*v'}}\nrun: {step: 10 ms, duration: 1 s, motion: quasi-static}\n");
  run_certified(simulation);
  EXPECT_NEAR(position(simulation, "peg").x(), 2.0, 1e-12);
}

// A force that grows with the velocity is no drag, and stays as exact as a step is.
TEST(Drag, of_the_wrong_sign_drives) {
  Simulation simulation = simulate(
      "world: planar\ngravity: [0, 0]\nbodies:\n  b: {shapes: [{circle: 0.1}], mass: 3, velocity: "
      "[1, 0], force: {x: '2*v'}}\nrun: {step: 1 ms, duration: 1 s}\n");
  run_certified(simulation);
  EXPECT_NEAR(twist(simulation, "b").linear.x(), std::exp(2.0 / 3.0), 1e-3);
}

// ---- flights

TEST(ImpactTime, leaves_the_energy_of_a_spring_without_contact_alone) {
  for (const char* way : {"none", "bisect", "gap-rate"}) {
    Simulation simulation = defect("spring_impact_time", chosen({{"impact-time", way}}));
    while (!simulation.finished()) {
      simulation.step();
      const double x = position(simulation, "mass").x(), v = twist(simulation, "mass").linear.x();
      ASSERT_NEAR(0.5 * v * v + 50.0 * x * x, 32.0, 0.32) << way;
    }
  }
}

// Discs on springs as soft as pendulums of 1 m, a hair apart, e = 1.
TEST(ImpactTime, keeps_the_energy_of_a_cradle_to_a_thousandth_over_10_s) {
  for (const char* way : {"bisect", "gap-rate"}) {
    std::string bodies;
    for (int i = 0; i < 5; ++i) {
      const double home = 0.0501 * i;
      bodies += fmt::format(
          "  d{}: {{shapes: [{{circle: 0.025, material: m}}], mass: 1, position: [{}, 0], motion: "
          "{{y: 0, angle: 0}}, force: {{x: '-9.81*(q - {})'}}}}\n",
          i, i == 0 ? -0.2 : home, home);
    }
    Simulation simulation =
        simulate("world: planar\ngravity: [0, 0]\nmaterials: {m: {restitution: 1}}\nbodies:\n" +
                     bodies + "run: {step: 1 ms, duration: 10 s}\n",
                 chosen({{"impact-time", way}}));
    const auto all = [&] {
      double sum = 0.0;
      for (int i = 0; i < 5; ++i) {
        const std::string name = fmt::format("d{}", i);
        const double v = twist(simulation, name).linear.x();
        const double x = position(simulation, name).x() - 0.0501 * i;
        sum += 0.5 * v * v + 0.5 * 9.81 * x * x;
      }
      return sum;
    };
    const double start = all();
    int impacts = 0;
    while (!simulation.finished()) {
      impacts += simulation.step().impacts;
      ASSERT_NEAR(all(), start, 1e-3 * start) << way << " " << simulation.state().time;
    }
    EXPECT_GT(impacts, 30);
  }
}

// ---- sticking

TEST(TurntableCoin, does_not_creep_whatever_of_it_is_prescribed) {
  Simulation given = defect("turntable_coin");
  run_certified(given);
  EXPECT_NEAR(position(given, "coin").head<2>().norm(), 0.12, 1e-9);
  for (const char* motion : {"", "motion: {yaw: 2*t}, "})
    for (const char* step : {"2 ms", "20 ms"}) {
      Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{w: {{friction: 0.8}}}}
bodies:
  table: {{shapes: [{{cylinder: {{radius: 0.5, height: 0.02}}, material: w}}], motion: {{x: 0, y: 0, z: -0.01, roll: 0, pitch: 0, yaw: 2*t}}}}
  coin: {{shapes: [{{cylinder: {{radius: 0.02, height: 0.01}}, material: w}}], mass: 0.05, position: [0, 0.13, 0.005], {}velocity: [-0.26, 0, 0], spin: [0, 0, 2]}}
run: {{duration: 3 s}}
)",
                                                   motion),
                                       chosen({{"step", step}}));
      ASSERT_NO_FATAL_FAILURE(run_certified(simulation)) << motion << step;
      const Vector3 at = position(simulation, "coin");
      EXPECT_NEAR(at.head<2>().norm(), 0.13, 1e-9) << motion << step;
      EXPECT_NEAR(std::remainder(std::atan2(at.y(), at.x()) - M_PI / 2 - 6.0, 2.0 * M_PI), 0.0,
                  1e-7);
    }
}

// ---- overlaps that no motion made

TEST(SuddenOverlap, is_lifted_out_and_nothing_is_thrown) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const char* way : {"none", "bisect"})
      for (const char* step : {"0.1 ms", "1 ms", "10 ms"}) {
        Simulation simulation = defect(
            "sudden_growth", chosen({{"stepper", stepper}, {"impact-time", way}, {"step", step}}));
        double highest = 0.0, fastest = 0.0;
        while (!simulation.finished()) {
          simulation.step();
          ASSERT_TRUE(certified(simulation));
          highest = std::max(highest, position(simulation, "disc").y());
          fastest = std::max(fastest, twist(simulation, "disc").linear.norm());
        }
        EXPECT_LE(highest, 0.101 + 1e-9) << stepper << step;
        EXPECT_NEAR(position(simulation, "disc").y(), 0.101, 1e-6) << stepper << step;
        EXPECT_LE(fastest, 1e-9) << stepper << step;
      }
}

TEST(OverlapAtStart, is_lifted_out_without_a_velocity_and_told) {
  Simulation simulation = defect("overlap_at_start");
  double told = 0.0, fastest = 0.0;
  while (!simulation.finished()) {
    told += simulation.step().added_energy;
    fastest = std::max(fastest, twist(simulation, "b").linear.norm());
  }
  EXPECT_NEAR(position(simulation, "b").y(), 0.05, 1e-9);
  EXPECT_LE(fastest, 1e-9);
  EXPECT_NEAR(told, total(simulation), 1e-6);  // it began with 0 J
}

// A box deep in the corner of three half-planes, and two spheres in each other.
TEST(OverlapAtStart, ends_within_one_step_in_every_direction) {
  Simulation corner = simulate(
      "world: planar\ngravity: [0, 0]\nbodies:\n"
      "  f: {freedom: fixed, shapes: [{half-plane: {}}, {half-plane: {point: [0, 0], normal: [1, "
      "0]}}]}\n  b: {shapes: [{box: [0.1, 0.1]}], position: [0.03, 0.02]}\nrun: {duration: 10 "
      "ms}\n");
  corner.step();
  EXPECT_NEAR(position(corner, "b").x(), 0.05, 1e-7);
  EXPECT_NEAR(position(corner, "b").y(), 0.05, 1e-7);
  EXPECT_LE(twist(corner, "b").linear.norm(), 1e-12);
  Simulation spheres = simulate(
      "world: spatial\ngravity: [0, 0, 0]\nbodies:\n"
      "  a: {shapes: [{sphere: 0.1}], mass: 1}\n"
      "  b: {shapes: [{sphere: 0.1}], mass: 3, position: [0.06, 0.08, 0]}\nrun: {duration: 10 "
      "ms}\n");
  spheres.step();
  EXPECT_NEAR((position(spheres, "a") - position(spheres, "b")).norm(), 0.2, 1e-6);
  // The lighter one goes three times as far: the centre of mass stays.
  EXPECT_NEAR((position(spheres, "a") + 3.0 * position(spheres, "b")).norm(), 0.3, 1e-9);
  EXPECT_LE(twist(spheres, "a").linear.norm(), 1e-12);
}

TEST(PaperForm, of_stewart_trinkle_pushes_an_overlap_out_at_the_pace_of_a_step) {
  RunOverrides literal = chosen({{"step", "1 ms"}});
  literal.plugin_options[{"stepper", "overlap"}] = "velocities";
  Simulation simulation = defect("sudden_growth", literal);
  double fastest = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    fastest = std::max(fastest, twist(simulation, "disc").linear.y());
  }
  EXPECT_NEAR(fastest, 0.001 / 0.001, 1e-9);
}

// ---- thin things

TEST(ThinShelf, is_not_passed_unseen) {
  for (const char* name : {"shelf_passed_by_spin", "shelf_passed_by_capsule"}) {
    Simulation simulation = defect(name);
    ASSERT_NO_FATAL_FAILURE(run_certified(simulation)) << name;
    EXPECT_GT(position(simulation, "part").y(), 0.0) << name;
  }
  Simulation bullet = defect("thin_wall");
  ASSERT_NO_FATAL_FAILURE(run_certified(bullet));
  EXPECT_LT(position(bullet, "bullet").x(), 0.0);
}

// Parts of every shape dropped and thrown on shelves of every thickness: above it at the end, or
// the run is not certified.
class ThinShelves : public testing::TestWithParam<unsigned> {};

TEST_P(ThinShelves, of_every_size_are_met_by_parts_of_every_shape_and_speed) {
  int cut = 0, passed = 0;
  for (unsigned i = 0; i < 60; ++i) {
    Draw draw(7000 + 100 * GetParam() + i);
    const double size = std::pow(10.0, draw.between(-3.0, -1.0));
    const double thick = std::pow(10.0, draw.between(-4.0, -2.0));
    const double fall = std::pow(10.0, draw.between(0.0, 2.0));
    const char* shapes[] = {"box: [{0}, {1}]", "circle: {0}",
                            "capsule: {{length: {0}, radius: {1}}}",
                            "polygon: [[0, 0], [{0}, 0], [{1}, {1}]]",
                            "superellipse: {{axes: [{0}, {1}], exponent: 3}}"};
    const std::string shape =
        fmt::format(fmt::runtime(shapes[draw.below(5)]), size, size * draw.between(0.05, 1.0));
    const char* const stepper = i % 3 == 0 ? "anitescu-potra" : "stewart-trinkle";
    const double height = 2.0 * size + 0.5 * thick + draw.between(0.0, 1.0) * size;
    Simulation simulation = simulate(
        fmt::format("world: planar\nmaterials: {{m: {{friction: {}, restitution: {}}}}}\nbodies:\n"
                    "  shelf: {{freedom: fixed, shapes: [{{box: [{}, {}], material: m}}]}}\n"
                    "  part: {{shapes: [{{{}, material: m, density: 1000}}], position: [0, {}], "
                    "angle: {}, velocity: [{}, {}], spin: {}}}\n"
                    "run: {{step: 1 ms, duration: 30 ms, stepper: {}}}\n",
                    draw.between(0.0, 1.0), draw.below(3) == 0 ? draw.between(0.0, 1.0) : 0.0, 40.0,
                    thick, shape, height, draw.between(0.0, 6.28), draw.between(-0.5, 0.5) * fall,
                    -fall, draw.between(-50.0, 50.0), stepper));
    bool all = true;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      cut += report.substeps > 1 ? 1 : 0;
      all = all && certified(simulation);
    }
    passed += all ? 0 : 1;
    // Its centre, which is at least inside of what it is made of.
    const bool above = center_of_mass(simulation.model(), simulation.state().poses, 1).y() > 0.0;
    EXPECT_TRUE(above || !all) << "seed " << GetParam() << " " << i << ": " << shape << " on "
                               << thick << " at " << fall << " by " << stepper;
  }
  EXPECT_GT(cut, 0);
  EXPECT_LE(passed, 6);  // a tenth may need more parts than a step has
}
INSTANTIATE_TEST_SUITE_P(Seeds, ThinShelves, testing::Range(0u, 5u));

// ---- energy

void expect_passive(Simulation& simulation, int& lifted) {
  double before = total(simulation), scale = std::abs(before);
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    const double now = total(simulation);
    scale =
        std::max({scale, std::abs(now), energy(simulation.model(), simulation.state()).kinetic});
    ASSERT_LE(now - before, report.added_energy + 1e-9 * scale)
        << "step " << simulation.state().step;
    lifted += report.removed_overlap > 0.0 ? 1 : 0;
    before = now;
  }
}

TEST(EnergyOfAPile, never_rises) {
  int lifted = 0;
  Simulation simulation = defect("energy_of_a_pile");
  expect_passive(simulation, lifted);
}

class PassivePiles : public testing::TestWithParam<unsigned> {};

// Thin boxes, discs and curves in a bin: what a turn makes overlap is taken out, and nobody gains.
TEST_P(PassivePiles, do_not_gain_energy_in_any_step) {
  int lifted = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Draw draw(9000 + 10 * GetParam() + i);
    std::string text = fmt::format(
        "world: planar\nmaterials: {{m: {{friction: {}}}}}\nbodies:\n  bin: {{freedom: fixed, "
        "shapes: "
        "[{{half-plane: {{}}, material: m}}, {{half-plane: {{point: [-0.15, 0], normal: [1, 0]}}, "
        "material: m}}, {{half-plane: {{point: [0.15, 0], normal: [-1, 0]}}, material: m}}]}}\n",
        i % 2 == 0 ? 0.0 : draw.between(0.0, 1.0));
    for (int b = 0; b < 8; ++b) {
      const double size = draw.between(0.01, 0.05);
      const std::string shape =
          b % 3 == 0 ? fmt::format("circle: {}", size)
                     : fmt::format("box: [{}, {}]", 2.0 * size, size * draw.between(0.02, 1.0));
      text += fmt::format(
          "  b{}: {{shapes: [{{{}, material: m, density: {}}}], position: [{}, {}], angle: {}}}\n",
          b, shape, draw.between(100.0, 7000.0), draw.between(-0.08, 0.08), 0.1 + 0.12 * b,
          draw.between(0.0, 6.28));
    }
    Simulation simulation = simulate(text + "run: {step: 1 ms, duration: 0.8}\n");
    ASSERT_NO_FATAL_FAILURE(expect_passive(simulation, lifted)) << i;
  }
  EXPECT_GT(lifted, 0);
}
INSTANTIATE_TEST_SUITE_P(Seeds, PassivePiles, testing::Range(0u, 5u));

// A part in space that is turned as it is lifted spins about other axes: that, too, is paid or
// told.
TEST(LiftedInSpace, a_spinning_part_gained_energy_from_its_turn) {
  int lifted = 0;
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const char* shape :
         {"capsule: {length: 0.0082, radius: 0.0013}", "cylinder: {radius: 0.0011, height: 0.0005}",
          "box: [0.009, 0.004, 0.001]"})
      for (const char* spin : {"[-245, 144, -111]", "[-12, -9, 2]", "[90, 10, 30]"}) {
        Simulation simulation = simulate(
            fmt::format("world: spatial\nmaterials: {{m: {{friction: 0.2}}}}\nbodies:\n"
                        "  shelf: {{freedom: fixed, shapes: [{{box: [4, 4, 0.0069], material: "
                        "m}}]}}\n  part: {{shapes: [{{{}, material: m}}], position: [0, 0, 0.012], "
                        "rotation: {{axis: [0.05, -0.54, -0.84], angle: 4.5}}, velocity: [-0.9, 0, "
                        "-3.7], spin: {}}}\nrun: {{step: 1.8 ms, duration: 60 ms}}\n",
                        shape, spin),
            chosen({{"stepper", stepper}}));
        ASSERT_NO_FATAL_FAILURE(expect_passive(simulation, lifted)) << stepper << shape << spin;
      }
  EXPECT_GT(lifted, 0);
}

// ---- restitution in a row

TEST(RowOfBalls,
     with_full_restitution_never_has_more_energy_than_before_and_says_what_it_leaves_out) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const int count : {2, 3, 5, 9}) {
      std::string bodies;
      for (int i = 0; i < count; ++i)
        bodies += fmt::format(
            "  d{}: {{shapes: [{{circle: 0.05, material: m}}], mass: {}, position: [{}, 0], "
            "motion: "
            "{{y: 0, angle: 0}}, velocity: [{}, 0]}}\n",
            i, 1 + i % 3, i == 0 ? -0.03 : 0.1 * i, i == 0 ? 1 : 0);
      Simulation simulation =
          simulate("world: planar\ngravity: [0, 0]\nmaterials: {m: {restitution: 1}}\nbodies:\n" +
                       bodies + "run: {step: 1 ms, duration: 0.3}\n",
                   chosen({{"stepper", stepper}}));
      const double start = total(simulation);
      bool joint = false;
      while (!simulation.finished()) {
        joint = simulation.step().joint_impacts || joint;
        ASSERT_LE(total(simulation), start * (1.0 + 1e-9)) << stepper << " " << count;
      }
      EXPECT_GT(total(simulation), 0.0);
      if (count > 2) {
        EXPECT_TRUE(joint) << stepper << " " << count;
      }
    }
}

// Masses and speeds of a row that begins in touch but for its first ball.
void expect_no_gain(const std::vector<double>& masses, const std::vector<double>& speeds,
                    double restitution, const char* stepper) {
  std::string bodies;
  for (std::size_t i = 0; i < masses.size(); ++i)
    bodies += fmt::format(
        "  d{}: {{shapes: [{{circle: 0.02, material: m}}], mass: {}, position: [{}, 0], velocity: "
        "[{}, 0]}}\n",
        i, masses[i], 0.04 * static_cast<double>(i) - (i == 0 ? 0.0094 : 0.0), speeds[i]);
  Simulation simulation = simulate(
      fmt::format(
          "world: planar\ngravity: [0, 0]\nmaterials: {{m: {{restitution: {}}}}}\nbodies:\n",
          restitution) +
          bodies + "run: {step: 1 ms, duration: 0.2}\n",
      chosen({{"stepper", stepper}}));
  const double start = total(simulation);
  while (!simulation.finished()) {
    simulation.step();
    ASSERT_TRUE(certified(simulation));
    ASSERT_LE(total(simulation), start * (1.0 + 1e-9))
        << stepper << ", step " << simulation.state().step;
  }
}

TEST(RowOfBalls, in_which_a_ball_was_pressed_that_would_have_left_gained_energy) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const double e : {0.7, 0.9, 1.0}) {
      expect_no_gain({1, 1, 1, 3.2, 1, 1, 0.27}, {1.32, 0, -0.63, 0, 0, -0.22, 0.98}, e, stepper);
      expect_no_gain({1, 0.66, 9.5, 3.3, 1, 1.4, 1}, {1.39, 0, 0, 0.38, 0, 0.27, 0}, e, stepper);
    }
}

TEST(RowOfBalls, with_several_landings_gave_back_more_than_they_took) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const double e : {0.9, 0.99, 1.0}) {
      expect_no_gain({1, 0.38, 0.35, 1, 1}, {1.58, 0, 0, -0.76, 0}, e, stepper);
      expect_no_gain({1, 1, 1, 1, 1}, {2, 0, 0, 0, -1}, e, stepper);
      expect_no_gain({1, 0.2, 5, 0.2, 1, 3}, {2, 0, -1, 0, 0.5, -2}, e, stepper);
    }
}

// ---- friction beyond all bounds

TEST(HugeFriction, is_refused_with_what_is_accepted) {
  try {
    defect("huge_friction");
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("accepted: a number from 0 to 1000"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace vinci::test
