// SPDX-License-Identifier: Apache-2.0
// Steps with the times of their impacts: against closed forms, both searches, both methods.
#include <random>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// Which search, and over which stepper.
struct Way {
  std::string time, stepper;
};

RunOverrides choose(const Way& way, const std::string& law = "newton") {
  RunOverrides overrides;
  overrides.options = {{"impact-time", way.time}, {"stepper", way.stepper}, {"impact-law", law}};
  return overrides;
}

std::vector<Way> ways() {
  return {{"bisect", "stewart-trinkle"},
          {"gap-rate", "stewart-trinkle"},
          {"bisect", "anitescu-potra"},
          {"gap-rate", "anitescu-potra"}};
}

std::string name_of(const Way& way) {
  return way.time + " " + way.stepper;
}

// When a particle of this height and upward velocity left the floor, before now.
double since_floor(double height, double rising, double g = 9.81) {
  return (-rising + std::sqrt(rising * rising + 2.0 * g * std::max(0.0, height))) / g;
}

class BallImpact : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, BallImpact, testing::Values(true, false),
                         [](const auto& variant) { return variant.param ? "planar" : "spatial"; });

// Reference case 03a. Flights are exact under gravity, so the error of a time is the tolerance over
// the speeds before and after, 1e-9 m / 4.4 m/s + 1e-9 m / (e 4.4 m/s); later ones add up.
TEST_P(BallImpact, time_of_a_bouncing_ball_is_that_of_the_closed_form) {
  const auto expected = reference("case03a_newton_restitution")["expected"];
  for (const Way& way : ways())
    for (const char* name : {"e=0.50", "e=0.80", "e=0.90"}) {
      const auto& c = expected[name];
      ParticleScene scene;
      scene.planar = GetParam();
      scene.restitution = c["e"];
      scene.gap = 1.0;
      scene.run = fmt::format("{{step: 1 ms, duration: {}}}",
                              std::min(c["zeno_time"].get<double>() + 0.1, 2.5));
      Simulation simulation = simulate(scene.yaml(), choose(way));
      std::vector<double> times, speeds;
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_LE(report.solve.residual.relative, 1e-10);
        ASSERT_LE(report.impacts, 1);
        if (report.impacts == 0) continue;
        const double height = scene.height(simulation), rising = scene.rising(simulation);
        const double flown = since_floor(height, rising);
        times.push_back(simulation.state().time - flown);
        speeds.push_back(rising + 9.81 * flown);
      }
      ASSERT_GE(times.size(), 3u) << name << name_of(way);
      for (std::size_t i = 0; i < std::min<std::size_t>(times.size(), 7); ++i) {
        EXPECT_NEAR(times[i], c["impact_times"][i].get<double>(), 1e-9 * double(i + 1))
            << name << " bounce " << i << " " << name_of(way);
        EXPECT_NEAR(speeds[i], c["speed_after"][i].get<double>(), 1e-8) << name;
      }
      EXPECT_NEAR(times[0], 0.451523640985731, 7e-10) << name << name_of(way);
      // Past the accumulation point it lies still.
      if (c["zeno_time"] < 2.0) {
        EXPECT_EQ(scene.rising(simulation), 0.0) << name << name_of(way);
        EXPECT_NEAR(scene.height(simulation), 0.0, 2e-6);
      }
    }
}

TEST_P(BallImpact, without_restitution_leaves_the_ball_where_it_fell) {
  for (const Way& way : ways()) {
    ParticleScene scene;
    scene.planar = GetParam();
    scene.gap = 1.0;
    scene.run = "{step: 1 ms, duration: 0.6}";
    Simulation simulation = simulate(scene.yaml(), choose(way));
    int impacts = 0, first = 0;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_LE(report.solve.residual.relative, 1e-10);
      impacts += report.impacts;
      if (impacts > 0 && first == 0) first = static_cast<int>(simulation.state().step);
      ASSERT_GT(scene.height(simulation), -1.1e-9) << name_of(way);
      ASSERT_LT(scene.height(simulation), impacts > 0 ? 1.1e-9 : 1.0) << name_of(way);
    }
    EXPECT_EQ(impacts, 1) << name_of(way);
    EXPECT_EQ(first, 452) << name_of(way);  // 0.4515 s
  }
}

TEST(ImpactTime, does_not_depend_on_where_in_the_step_it_falls) {
  for (const Way& way : ways())
    for (const double step : {1e-2, 3.7e-3, 1e-3}) {
      ParticleScene scene;
      scene.restitution = 0.8;
      scene.gap = 1.0;
      scene.run = fmt::format("{{step: {}, duration: 1}}", step);
      Simulation simulation = simulate(scene.yaml(), choose(way));
      while (simulation.step().impacts == 0) continue;
      const double flown = since_floor(scene.height(simulation), scene.rising(simulation));
      EXPECT_NEAR(simulation.state().time - flown, std::sqrt(2.0 / 9.81), 5.1e-10) << name_of(way);
    }
}

// A box that tumbles in space: its rotation is of second order, and so is its time of impact.
TEST(ImpactTime, of_a_tumbling_box_converges_with_second_order) {
  const auto impact = [](double step, const std::string& time) {
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{restitution: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  box:
    shapes: [{{box: [0.1, 0.2, 0.3], material: m, density: 1000}}]
    position: [0, 0, 0.5]
    spin: [3, 7, 1]
run: {{step: {}, duration: 1}}
)",
                                                 step),
                                     choose({time, "stewart-trinkle"}));
    const int box = body(simulation, "box");
    while (simulation.step().impacts == 0) continue;
    // The centre flew a parabola, hit at t with the speed g t, and left with another one.
    const double z = simulation.state().poses[box].position.z(), t = simulation.state().time;
    const double v = twist(simulation, "box").linear.z();
    // 0.5 − g s²/2 + (v + g (t − s)) (t − s) − g (t − s)²/2 = z for the time s.
    double low = 0.0, high = t;
    for (int i = 0; i < 200; ++i) {
      const double s = 0.5 * (low + high), r = t - s;
      (0.5 - 4.905 * s * s + v * r + 4.905 * r * r < z ? high : low) = s;
    }
    return 0.5 * (low + high);
  };
  const double exact = impact(1.25e-4, "bisect");
  std::vector<double> steps = {8e-3, 4e-3, 2e-3, 1e-3}, errors;
  for (const double h : steps) errors.push_back(std::abs(impact(h, "bisect") - exact));
  EXPECT_GT(fitted_order(steps, errors), 1.7);
  EXPECT_LT(errors.back(), 1e-6);
  EXPECT_NEAR(impact(1e-3, "gap-rate"), impact(1e-3, "bisect"), 1e-6);
}

TEST(ImpactTime, a_fast_ball_does_not_pass_through_a_thin_wall) {
  for (const Way& way : ways()) {
    // 100 m/s and a step of 10 ms: the step ends 0.9 m behind a wall of 2 mm.
    Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
materials: {m: {restitution: 0.5}}
bodies:
  wall: {freedom: fixed, shapes: [{box: [0.002, 1], material: m}]}
  ball: {shapes: [{circle: 0.01, material: m}], position: [-0.1, 0], velocity: [100, 0]}
run: {step: 10 ms, duration: 20 ms}
)",
                                     choose(way));
    EXPECT_EQ(simulation.step().impacts, 1) << name_of(way);
    EXPECT_NEAR(twist(simulation, "ball").linear.x(), -50.0, 1e-9);
    const double hit = (0.1 - 0.011) / 100.0;
    EXPECT_NEAR(position(simulation, "ball").x(), -0.011 - 50.0 * (0.01 - hit), 1e-7);
  }
}

TEST(ImpactTime, a_ball_between_closing_walls_ends_its_step) {
  for (const Way& way : ways()) {
    // Prescribed walls close at 1 m/s each with e = 1: impacts accumulate before they meet the ball
    // from both sides. The step must end, certified or with a status that says otherwise.
    Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
materials: {m: {restitution: 1}}
bodies:
  left: {shapes: [{box: [0.1, 1], material: m}], motion: {x: t - 0.1, y: 0, angle: 0}}
  right: {shapes: [{box: [0.1, 1], material: m}], motion: {x: 0.1 - t, y: 0, angle: 0}}
  ball: {shapes: [{circle: 0.01, material: m}], velocity: [1, 0]}
run: {step: 10 ms, duration: 50 ms}
)",
                                     choose(way));
    for (int i = 0; i < 4; ++i) {
      const StepReport& report = simulation.step();
      EXPECT_LE(report.impacts, 100 * report.substeps);  // that many per part
      EXPECT_LT(report.diverged_body, 0);
    }
    EXPECT_TRUE(is_finite(simulation.state())) << name_of(way);
  }
}

TEST(ImpactTime, a_prescribed_bat_hits_with_its_exact_velocity) {
  for (const Way& way : ways()) {
    // Bat at −0.1 + 0.5 sin(8 t), ball at rest: v⁺ = (1 + e) v_bat.
    Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
materials: {m: {restitution: 0.6}}
bodies:
  bat: {shapes: [{box: [0.02, 1], material: m}], motion: {x: -0.1 + 0.5*sin(8*t), y: 0, angle: 0}}
  ball: {shapes: [{circle: 0.03, material: m}]}
run: {step: 5 ms, duration: 0.1}
)",
                                     choose(way));
    while (simulation.step().impacts == 0) continue;
    const double hit = std::asin((0.1 - 0.04) / 0.5) / 8.0;
    const double v = 1.6 * 4.0 * std::cos(8.0 * hit);
    EXPECT_NEAR(twist(simulation, "ball").linear.x(), v, 1e-7) << name_of(way);
    EXPECT_NEAR(position(simulation, "ball").x(), v * (simulation.state().time - hit), 1e-8);
  }
}

TEST(ImpactTime, newton_cradle_laws_give_their_known_answers) {
  const auto velocities = [](const Way& way, const std::string& law, double first, double second) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
materials: {{a: {{}}, b: {{}}, c: {{}}}}
surfaces: [{{between: [a, b], restitution: {}}}, {{between: [b, c], restitution: {}}}]
bodies:
  one: {{shapes: [{{circle: 0.5, material: a}}], mass: 1, position: [-1.25, 0], velocity: [1, 0]}}
  two: {{shapes: [{{circle: 0.5, material: b}}], mass: 1, position: [0, 0]}}
  three: {{shapes: [{{circle: 0.5, material: c}}], mass: 1, position: [1, 0]}}
run: {{step: 10 ms, duration: 0.4}}
)",
                                                 first, second),
                                     choose(way, law));
    run_exactly(simulation);
    return Vector3(twist(simulation, "one").linear.x(), twist(simulation, "two").linear.x(),
                   twist(simulation, "three").linear.x());
  };
  for (const Way& way : ways()) {
    for (const char* law : {"newton", "poisson"})
      EXPECT_NEAR((velocities(way, law, 1, 1) - Vector3(-1, 2, 2) / 3).norm(), 0, 1e-9)
          << law << name_of(way);
    EXPECT_NEAR((velocities(way, "newton", 0, 1) - Vector3(1, 1, 1) / 3).norm(), 0, 1e-9);
    EXPECT_NEAR((velocities(way, "poisson", 0, 1) - Vector3(1, 1, 4) / 6).norm(), 0, 1e-9);
  }
}

TEST(ImpactTime, resting_and_rolling_bodies_have_no_impacts) {
  for (const Way& way : ways())
    for (const char* bodies :
         {// a box on the floor, pushed
          "  box: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, position: [0, 0.05], "
          "velocity: [1, 0]}\n",
          // a disk that rolls over another one
          "  hill: {freedom: fixed, shapes: [{circle: 0.5, material: m}], position: [0, -0.5]}\n"
          "  disk: {shapes: [{circle: 0.05, material: m}], mass: 1, position: [0, 0.05], "
          "velocity: [0.3, 0], spin: -6}\n",
          // a small tower
          "  tower: {shapes: [{box: [0.1, 0.1], material: m}], mass: 1, position: [0, 0.05]}\n"
          "  top: {shapes: [{box: [0.1, 0.1], material: m}], mass: 1, position: [0.01, 0.15]}\n"}) {
      Simulation simulation = simulate(
          fmt::format(
              "world: planar\nmaterials: {{m: {{friction: 0.5, restitution: 0.8}}}}\n"
              "bodies:\n  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: "
              "m}}]{}}}\n{}run: {{step: 1 ms, duration: 0.2}}\n",
              std::string(bodies).find("hill") == std::string::npos ? "" : ", position: [0, -2]",
              bodies),
          choose(way));
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_LE(report.solve.residual.relative, 1e-10);
        ASSERT_EQ(report.impacts, 0)
            << name_of(way) << " step " << simulation.state().step << bodies;
        // Anitescu–Potra lets a contact that lifted off land by the way of one step, g h².
        ASSERT_LT(report.penetration, way.stepper == "stewart-trinkle" ? 1e-9 : 1e-5)
            << name_of(way) << bodies;
      }
    }
}

TEST(ImpactTime, impulses_of_a_step_sum_up_to_its_change_of_momentum) {
  for (const Way& way : ways()) {
    ParticleScene scene;
    scene.mass = 2.0;
    scene.restitution = 0.5;
    scene.gap = 0.1;
    scene.run = "{step: 20 ms, duration: 0.3}";
    Simulation simulation = simulate(scene.yaml(), choose(way));
    while (!simulation.finished()) {
      const double before = scene.rising(simulation);
      const StepReport& report = simulation.step();
      double impulse = 0.0;
      for (const SolvedContact& contact : simulation.contacts()) impulse += contact.impulse[0];
      EXPECT_NEAR(impulse, 2.0 * (scene.rising(simulation) - before + 9.81 * 0.02), 1e-12);
      EXPECT_GE(report.substeps, report.impacts > 0 ? 2 : 1);
    }
  }
}

TEST(ImpactTime, painleve_rod_jumps_as_it_does_without) {
  for (const Way& way : ways()) {
    if (way.stepper != "stewart-trinkle") continue;
    Simulation simulation(Scene::load(std::string(VINCI_SOURCE_DIR) + "/scenes/painleve_rod.yaml"),
                          [&] {
                            RunOverrides overrides = choose(way);
                            overrides.options["duration"] = "0.3";
                            overrides.options["step"] = "1e-3";
                            return overrides;
                          }());
    double highest = 0.0;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_LE(report.solve.residual.relative, 1e-10) << name_of(way);
      highest = std::max(highest, position(simulation, "rod").y());
    }
    EXPECT_FALSE(simulation.diverged());
    EXPECT_GT(highest, 0.433 + 0.005) << name_of(way);  // it left the floor
  }
}

// Small random scenes: every problem certified, no overlap that grows, and with Poisson's law or
// without friction no energy from nowhere.
TEST(ImpactTime, random_scenes_are_certified_and_stay_apart) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 engine(seed);
    const auto draw = [&](double a, double b) {
      return std::uniform_real_distribution<>(a, b)(engine);
    };
    const bool rough = seed % 3 != 0;
    std::string yaml = fmt::format(
        "world: planar\nmaterials: {{m: {{friction: {}, restitution: {}}}}}\nbodies:\n"
        "  floor: {{freedom: fixed, shapes: [{{half-plane: {{angle: {}}}, material: m}}]}}\n"
        "  wall: {{shapes: [{{box: [0.1, 1], material: m}}], motion: {{x: -0.6 + 0.1*sin(5*t), y: "
        "0.5, angle: 0}}}}\n",
        rough ? draw(0.0, 0.8) : 0.0, draw(0.0, 0.95), draw(0.0, 0.2));
    const int count = 2 + static_cast<int>(draw(0.0, 3.0));
    for (int i = 0; i < count; ++i)
      yaml += fmt::format(
          "  body-{}: {{shapes: [{{{}, material: m, density: 800}}], position: [{}, {}], angle: "
          "{}, "
          "velocity: [{}, {}], spin: {}}}\n",
          i, i % 2 ? "circle: 0.05" : "box: [0.1, 0.06]", draw(-0.2, 0.2), 0.25 + 0.2 * i,
          draw(-3.0, 3.0), draw(-2.0, 2.0), draw(-2.0, 0.0), draw(-9.0, 9.0));
    yaml += "run: {step: 2 ms, duration: 0.4}\n";
    const Way way = ways()[seed % 4];
    Simulation simulation = simulate(yaml, choose(way, seed % 2 ? "poisson" : "newton"));
    int impacts = 0;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_LE(report.solve.residual.relative, 1e-10)
          << "seed " << seed << " step " << simulation.state().step << " " << report.solve.note;
      // Without times of impact the deepest of these overlaps is 6 mm (anitescu-potra).
      ASSERT_LT(report.penetration, 1e-3)
          << "seed " << seed << " step " << simulation.state().step << name_of(way);
      impacts += report.impacts;
    }
    EXPECT_GT(impacts, 0) << "seed " << seed;
    EXPECT_TRUE(is_finite(simulation.state()));
  }
}

TEST(ImpactTime, a_state_in_the_middle_continues_bit_for_bit) {
  ParticleScene scene;
  scene.restitution = 0.8;
  scene.gap = 0.2;
  scene.run = "{step: 10 ms, duration: 0.6}";
  for (const Way& way : ways()) {
    Simulation first = simulate(scene.yaml(), choose(way));
    std::vector<State> states;
    while (!first.finished()) first.step(), states.push_back(first.state());
    for (const std::size_t from : {19u, 20u, 21u, 30u}) {
      Simulation second = simulate(scene.yaml(), choose(way));
      second.set_state(states[from]);
      while (!second.finished()) second.step();
      EXPECT_EQ(hash(second.state()), hash(first.state())) << name_of(way);
    }
  }
}

TEST(ImpactTime, settled_steps_without_impacts_allocate_nothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  for (const Way& way : ways()) {
    // A box at rest, and a ball high above it.
    Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.5, restitution: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  box: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, position: [0, 0.05]}
  ball: {shapes: [{circle: 0.05, material: m}], mass: 1, position: [0, 9]}
run: {step: 1 ms, duration: 1}
)",
                                     choose(way));
    for (int i = 0; i < 100; ++i) simulation.step();
    const std::size_t before = allocations();
    for (int i = 0; i < 200; ++i) simulation.step();
    EXPECT_EQ(allocations() - before, 0u) << name_of(way);
  }
}

class Counting : public Controller {
 public:
  void act(const Model&, const State&, double, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX>) override {
    ++calls;
    forces[1] += 9.81;  // of a mass of 1 kg: no weight
  }
  int calls = 0;
};

TEST(ImpactTime, controllers_act_once_a_step_and_are_held_through_its_parts) {
  for (const Way& way : ways()) {
    const auto controller = std::make_shared<Counting>();
    ParticleScene scene;
    scene.restitution = 0.5;
    scene.gap = 0.105;
    scene.velocity = {0, 0, -1};
    scene.run = "{step: 10 ms, duration: 0.2}";
    RunOverrides overrides = choose(way);
    overrides.code.controllers.push_back({"lift", controller});
    Simulation simulation = simulate(scene.yaml(), overrides);
    run_exactly(simulation);
    EXPECT_EQ(controller->calls, 20);
    EXPECT_NEAR(scene.height(simulation), 0.5 * (0.2 - 0.105), 1e-8) << name_of(way);
  }
}

double deepest_overlap(const std::string& yaml) {
  Simulation simulation = simulate(yaml);
  double deepest = 0.0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_LE(report.solve.residual.relative, 1e-10);
    deepest = std::max(deepest, report.penetration);
  }
  const double low = position(simulation, "ball").y() - 0.03;
  return std::max(deepest, -low);
}

TEST(ImpactTime, a_rebound_that_comes_back_within_the_step_does_not_pass_the_floor) {
  for (const char* way : {"bisect", "gap-rate"})
    EXPECT_LE(deepest_overlap(fmt::format(R"(
world: planar
materials: {{s: {{restitution: 0.001}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: s}}]}}
  ball: {{shapes: [{{circle: 0.03, material: s}}], mass: 0.1, pose: {{on: floor, at: 0, height: 0.1}}}}
run: {{step: 10 ms, duration: 0.3, impact-time: {}}}
)",
                                          way)),
              2e-9)
        << way;  // twice the impact-tolerance
}

TEST(ImpactTime, bodies_that_are_squeezed_do_not_repeat_their_impact) {
  for (const char* way : {"bisect", "gap-rate"}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  left: {{shapes: [{{box: [0.1, 1]}}], mass: 1, motion: {{x: -0.3 + t, y: 0, angle: 0}}}}
  right: {{shapes: [{{box: [0.1, 1]}}], mass: 1, motion: {{x: 0.3 - t, y: 0, angle: 0}}}}
  ball: {{shapes: [{{circle: 0.05}}], mass: 0.1, position: [0.01, 0], velocity: [1, 0]}}
run: {{step: 1 ms, duration: 0.25, impact-time: {}}}
)",
                                                 way));
    int most = 0;
    while (!simulation.finished()) most = std::max(most, simulation.step().impacts);
    EXPECT_LE(most, 10) << way;  // 100 is the limit of a step
  }
}

TEST(ImpactTime, is_refused_where_it_has_no_meaning) {
  ParticleScene scene;
  const auto message = [&](std::map<std::string, std::string> options) {
    try {
      RunOverrides overrides;
      overrides.options = std::move(options);
      simulate(scene.yaml(), overrides);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* motion : {"first-order", "quasi-static"})
    EXPECT_NE(message({{"impact-time", "bisect"}, {"motion", motion}}).find("without momentum"),
              std::string::npos);
  EXPECT_NE(message({{"impact-law", "poisson"}}).find("impact-time"), std::string::npos);
  EXPECT_NE(message({{"impact-law", "poison"}, {"impact-time", "bisect"}}).find("poisson"),
            std::string::npos);
  EXPECT_NE(message({{"impact-time", "often"}}).find("gap-rate"), std::string::npos);
}

}  // namespace
}  // namespace vinci::test
