// SPDX-License-Identifier: Apache-2.0
// `stepper: second-order` against reference cases that were computed apart from this project:
// errors fall with the square of the step through impacts, lift-off, stops and slips.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// A scene with {run} for its run, and what is read of it at the end.
struct OrderCase {
  const char* name;
  std::string scene;
  double duration;
  double expected;
  double (*read)(const Simulation&);
  int coarsest = 0;          // steps
  std::string further = {};  // of the run
};

double planar_angle(const Simulation& simulation, const char* name) {
  const Quaternion& r = simulation.state().poses[body(simulation, name)].rotation;
  return 2.0 * std::atan2(r.z(), r.w());
}

struct OrderRun {
  double value = 0.0;
  int cuts = 0, ordinary = 0, impacts = 0, least_steps = 0;
  double estimate = 0.0;
  std::uint64_t hash = 0;
};

OrderRun run_case(const OrderCase& c, int steps, const std::string& stepper) {
  std::string scene = c.scene;
  const std::string run = fmt::format("step: {:.17g}, duration: {:.17g}, stepper: {}",
                                      c.duration / steps, c.duration, stepper);
  scene.replace(scene.find("RUN"), 3, run);
  Simulation simulation = simulate(scene);
  OrderRun result;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_LE(report.solve.residual.relative, 1e-9) << c.name << " " << simulation.state().time;
    result.cuts += report.cuts;
    result.ordinary += report.ordinary;
    result.impacts += report.impacts;
    result.least_steps += report.least_steps;
    result.estimate += report.error_estimate;
  }
  EXPECT_FALSE(simulation.diverged()) << c.name;
  result.value = c.read(simulation);
  result.hash = hash(simulation.state());
  return result;
}

// Slope of log(error) over log(step) by least squares over five step sizes, each half of the one
// before.
double measured_order(const OrderCase& c, std::vector<double>& errors) {
  double slope = 0.0;
  for (int k = 0; k < 5; ++k) {
    const OrderRun run = run_case(c, c.coarsest << k, "second-order");
    EXPECT_EQ(run.ordinary, 0) << c.name;
    errors.push_back(std::abs(run.value - c.expected));
    slope += (2 - k) * std::log2(errors.back()) / 10.0;
  }
  return slope;
}

// --- cases ---------------------------------------------------------------------------------------

// Quadratic drag and dry friction: x = ln(1 + k v0²/(μ g m)) m/(2 k).
OrderCase drag_block() {
  return {"block with drag",
          R"(
world: planar
materials: {m: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  block:
    shapes: [{box: [0.2, 0.1], material: m}]
    mass: 1
    pose: {on: floor, at: 0}
    velocity: [2, 0]
    force: {x: -1.5*v*abs(v)}
run: {RUN}
)",
          1.0,
          std::log(1.0 + 1.5 * 4.0 / (0.3 * 9.81)) / 3.0,
          [](const Simulation& s) { return position(s, "block").x(); },
          20};
}

OrderCase belt() {
  const auto c = reference("case22_event_motions")["expected"]["oscillating_belt"];
  const double slope = c["slope"];
  return {"oscillating belt",
          fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.3}}}}
gravity: [{:.17g}, {:.17g}]
bodies:
  belt: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m, surface-velocity: [0.8*sin(7*t), 0]}}]}}
  block: {{shapes: [{{box: [0.2, 0.05], material: m}}], mass: 1, pose: {{on: belt, at: 0}}}}
run: {{RUN}}
)",
                      -9.81 * std::sin(slope), -9.81 * std::cos(slope)),
          2.7,
          c["x"].back(),
          [](const Simulation& s) { return position(s, "block").x(); },
          160};
}

OrderCase rocking_block() {
  const auto c = reference("case22_event_motions")["expected"]["housner_block"];
  const double theta = c["theta0"];
  return {"rocking block",
          fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.8}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  block:
    shapes: [{{polygon: [[-0.1, -0.4], [0.1, -0.4], [0.1, 0.4], [-0.1, 0.4]], material: m}}]
    mass: 1
    position: [0, {:.17g}]
    angle: {:.17g}
run: {{RUN}}
)",
                      0.1 * std::sin(theta) + 0.4 * std::cos(theta), theta),
          2.0,
          c["theta"].back(),
          [](const Simulation& s) { return planar_angle(s, "block"); },
          40};
}

OrderCase tripod() {
  const auto c = reference("case09_tripod_dynamic")["expected"]["A"];
  return {"tripod",
          R"(
world: planar
table: {gravity: 9.81, friction: 0.35}
bodies:
  part:
    shapes: [{polygon: [[0.04, 0], [-0.025, 0.03], [-0.025, -0.03]]}]
    mass: 0.2
    inertia: 1.2e-4
    center: [0, 0]
    velocity: [0.3, 0.1]
    spin: 8
    supports: [[0.03, 0], [-0.015, 0.02], [-0.015, -0.02]]
run: {RUN}
)",
          0.13,
          c["final_pose"][2],
          [](const Simulation& s) { return planar_angle(s, "part"); },
          20};
}

// A ball in space on a plane whose surface moves: impact, slip, rolling, slip.
OrderCase ball(const char* name, int coarsest) {
  const auto c = reference("case22_event_motions")["expected"][name];
  const auto p = c["parameters"];
  const double beta = p["beta"], radius = p["R"], height = p["H"];
  return {name,
          fmt::format(R"(
world: spatial
gravity: [{:.17g}, 0, {:.17g}]
materials: {{m: {{friction: {}, restitution: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m, surface-velocity: [{} + {}*sin({}*t), 0, 0]}}]}}
  ball: {{shapes: [{{sphere: 0.03, material: m}}], mass: 1, position: [0, 0, {:.17g}]}}
run: {{RUN}}
)",
                      9.81 * std::sin(beta), -9.81 * std::cos(beta), p["mu"].get<double>(),
                      p["e"].get<double>(), p["U0"].get<double>(), p["U1"].get<double>(),
                      p["Om"].get<double>(), radius + height),
          p["T"],
          c["x"].back(),
          [](const Simulation& s) { return position(s, "ball").x(); },
          coarsest};
}

OrderCase double_pendulum(const char* name, const char* coordinates) {
  const auto c = reference("case22_event_motions")["expected"]["double_pendulum_wall"];
  const double first = c["start"]["theta"][0], second = c["start"]["theta"][1];
  const double l1 = 0.72, l2 = 0.79;
  return {
      name,
      fmt::format(R"(
world: planar
materials: {{m: {{restitution: 0.6}}}}
bodies:
  wall: {{freedom: fixed, shapes: [{{half-plane: {{point: [0.35, 0], angle: 90 deg}}, material: m}}]}}
  one: {{mass: 1.9, inertia: {:.17g}, center: [0, 0], position: [{:.17g}, {:.17g}], angle: {:.17g}}}
  two:
    mass: 0.8
    inertia: {:.17g}
    center: [0, 0]
    position: [{:.17g}, {:.17g}]
    angle: {:.17g}
    shapes: [{{circle: 1e-9, position: [0.395, 0], material: m, density: 0}}]
joints:
  pin: {{revolute: [world, one], at: [[0, 0], [-0.36, 0]]}}
  elbow: {{revolute: [one, two], at: [[0.36, 0], [-0.395, 0]]}}
run: {{coordinates: {}, RUN}}
)",
                  1.9 * l1 * l1 / 12.0, 0.5 * l1 * std::cos(first), 0.5 * l1 * std::sin(first),
                  first, 0.8 * l2 * l2 / 12.0, l1 * std::cos(first) + 0.5 * l2 * std::cos(second),
                  l1 * std::sin(first) + 0.5 * l2 * std::sin(second), second, coordinates),
      1.4,
      c["theta1"][13],
      [](const Simulation& s) { return std::remainder(planar_angle(s, "one"), 2.0 * M_PI); },
      100};
}

// Torque-free top in space: the inertia turns.
OrderCase free_top() {
  const auto c = reference("case17_free_top");
  return {"free top",
          R"(
world: spatial
gravity: [0, 0, 0]
bodies:
  top: {mass: 1, inertia: [1, 2, 3], center: [0, 0, 0], spin: [0.3, 1, 0.2]}
run: {RUN}
)",
          5.0,
          c["expected"]["quaternion"][3][0],
          [](const Simulation& s) {
            const double w = s.state().poses[body(s, "top")].rotation.w();
            return -std::abs(w);
          },
          20};
}

class SecondOrderCase : public testing::TestWithParam<OrderCase (*)()> {};

TEST_P(SecondOrderCase, has_errors_that_fall_with_the_square_of_the_step) {
  const OrderCase c = GetParam()();
  std::vector<double> errors;
  const double order = measured_order(c, errors);
  const std::string all =
      fmt::format("{}: {:.2e} {:.2e} {:.2e} {:.2e} {:.2e}, order {:.2f}", c.name, errors[0],
                  errors[1], errors[2], errors[3], errors[4], order);
  EXPECT_GE(order, 1.8) << all;
  EXPECT_LE(order, 2.2) << all;
}

INSTANTIATE_TEST_SUITE_P(Models, SecondOrderCase,
                         testing::Values(
                             +[] { return drag_block(); }, +[] { return belt(); },
                             +[] { return rocking_block(); }, +[] { return tripod(); },
                             +[] { return ball("ball_inelastic", 40); },
                             +[] { return ball("ball_bouncing", 80); },
                             +[] { return double_pendulum("double pendulum", "reduced"); },
                             +[] { return double_pendulum("double pendulum by rows", "maximal"); },
                             +[] { return free_top(); }));

class SecondOrderAccuracy : public testing::TestWithParam<OrderCase (*)()> {};

// Errors fall in proportion to what is asked, and the estimate of the run bounds them.
TEST_P(SecondOrderAccuracy, is_met_and_estimated) {
  const OrderCase c = GetParam()();
  double before = 0.0;
  for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-6}) {
    const OrderRun run =
        run_case(c, 10, fmt::format("{{name: second-order, accuracy: {}}}", accuracy));
    const double error = std::abs(run.value - c.expected);
    EXPECT_LE(error, accuracy) << c.name;
    EXPECT_LE(error, run.estimate) << c.name << " at " << accuracy;
    EXPECT_EQ(run.ordinary, 0) << c.name;
    if (before > 0.0) {
      EXPECT_LE(error, 0.5 * before) << c.name << " at " << accuracy;
    }
    before = error;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SecondOrderAccuracy,
                         testing::Values(
                             +[] { return drag_block(); }, +[] { return belt(); },
                             +[] { return rocking_block(); }, +[] { return tripod(); },
                             +[] { return ball("ball_inelastic", 40); },
                             +[] { return ball("ball_bouncing", 40); }));

// The plates of [Berard 2009], in space: a rocking one, on which the particle turns back ten times,
// and one that shakes and turns, on which its slip comes near zero without stopping.
TEST(SecondOrder, meets_an_accuracy_on_vibrating_plates) {
  const auto rows =
      reference("case05_rocking_plate")["expected"]["trajectory_from_rest_in_world_r0_0p03"]["0.3"];
  const auto source = std::filesystem::path(VINCI_SOURCE_DIR) / "experiments/plate/rocking.yaml";
  const auto circle = reference("case06_circle_quadratic")["expected"];
  double rocking = 1.0, shaking = 1.0;
  for (const char* accuracy : {"1e-3", "1e-4", "1e-5"}) {
    const double asked = std::strtod(accuracy, nullptr);
    RunOverrides overrides =
        chosen({{"stepper", "second-order"}, {"step", "0.03"}, {"duration", "0.15"}});
    overrides.plugin_options[{"stepper", "accuracy"}] = accuracy;
    Simulation plate(Scene::load(source), overrides);
    while (!plate.finished()) plate.step();
    const double off = std::abs(position(plate, "particle").y() - rows[2]["r"].get<double>());
    EXPECT_LE(off, 0.1 * asked);
    EXPECT_LE(off, rocking);
    rocking = 0.5 * off;

    Simulation field = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.3}}}}
bodies:
  plate:
    shapes: [{{half-space: {{}}, material: m}}]
    motion: {{x: 0, y: 0, z: -8/(66*pi)^2*sin(66*pi*t+1.5*pi), roll: 0, pitch: 0, yaw: -500/(66*pi)^2*sin(66*pi*t)}}
  particle: {{shapes: [{{sphere: 0.0078125, material: m}}], mass: 1, position: [0.04, 0, {:.17g}], motion: {{roll: 0, pitch: 0, yaw: 0}}}}
run: {{step: 0.03, duration: 0.3, stepper: {{name: second-order, accuracy: {}}}}}
)",
                                            0.0078125 + 8.0 / std::pow(66.0 * M_PI, 2), accuracy));
    while (!field.finished()) EXPECT_EQ(field.step().ordinary, 0);
    const Vector3 place = position(field, "particle");
    const double away = std::hypot(place.x() - circle["xy"][1][0].get<double>(),
                                   place.y() - circle["xy"][1][1].get<double>());
    EXPECT_LE(away, 0.1 * asked);
    EXPECT_LE(away, shaking);
    shaking = 0.5 * away;
  }
}

// --- motions that are exact ----------------------------------------------------------------------

TEST(SecondOrder, slides_to_rest_and_rolls_from_slip_exactly) {
  const auto block = reference("case23_sensitivities")["expected"]["smooth"]["sliding_block_stops"];
  const OrderCase stops{"block",
                        R"(
world: planar
materials: {m: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  block: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1.5, pose: {on: floor, at: 0}, velocity: [2, 0]}
run: {RUN}
)",
                        1.0, block["value"]["x_stop"],
                        [](const Simulation& s) { return position(s, "block").x(); }};
  const auto rolls = reference("case02_rolling")["expected"]["sphere_backspin"];
  const OrderCase sphere{"sphere",
                         R"(
world: spatial
materials: {m: {friction: 0.2}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}
  ball: {shapes: [{sphere: 0.1, material: m}], pose: {on: floor, at: [0, 0]}, velocity: [1, 0, 0], spin: [0, -30, 0]}
run: {RUN}
)",
                         2.0, rolls["x_at_2s"],
                         [](const Simulation& s) { return position(s, "ball").x(); }};
  const auto bounces =
      reference("case23_sensitivities")["expected"]["smooth"]["ball_after_3_bounces"];
  const OrderCase drops{"bounces",
                        R"(
world: planar
materials: {m: {restitution: 0.7}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  ball: {shapes: [{circle: 0.05, material: m}], mass: 1, position: [0, 1.2], velocity: [0, 0.3]}
run: {RUN}
)",
                        1.95, bounces["value"]["y"],
                        [](const Simulation& s) { return position(s, "ball").y(); }};
  for (const OrderCase* c : {&stops, &sphere, &drops})
    for (const int steps : {10, 40, 160}) {
      const OrderRun run = run_case(*c, steps, "second-order");
      EXPECT_NEAR(run.value, c->expected, 1e-9) << c->name << " in " << steps;
      EXPECT_EQ(run.ordinary, 0) << c->name;
    }
}

TEST(SecondOrder, follows_a_wall_that_pushes_and_leaves) {
  const auto c = reference("case01_block")["expected"]["wall_push"];
  const OrderCase wall{"wall",
                       R"(
world: planar
materials: {m: {friction: 0.3}, smooth: {friction: 0}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  wall: {shapes: [{box: [0.1, 0.3], material: smooth}], motion: {x: 0.2*sin(5*t)-0.05, y: 0.2, angle: 0}}
  block: {shapes: [{box: [0.1, 0.1], material: m}], mass: 2, position: [0.08, 0.05]}
run: {RUN}
)",
                       0.6, c["x_final"],
                       [](const Simulation& s) { return position(s, "block").x() - 0.05; }};
  for (const int steps : {100, 200}) {
    const OrderRun run = run_case(wall, steps, "second-order");
    EXPECT_NEAR(run.value, wall.expected, 1e-8) << steps;
    EXPECT_EQ(run.impacts, 1);
    EXPECT_EQ(run.ordinary, 0);
  }
}

// --- the rest of what a stepper promises ---------------------------------------------------------

TEST(SecondOrder, goes_on_from_a_state_bit_for_bit) {
  std::string scene = rocking_block().scene;
  scene.replace(scene.find("RUN"), 3, "step: 0.02, duration: 2, stepper: second-order");
  Simulation whole = simulate(scene);
  State middle;
  while (!whole.finished()) {
    whole.step();
    if (whole.state().step == 47) middle = whole.state();
  }
  Simulation rest = simulate(scene);
  rest.set_state(middle);
  while (!rest.finished()) rest.step();
  EXPECT_EQ(hash(rest.state()), hash(whole.state()));
}

TEST(SecondOrder, cuts_only_the_island_that_has_the_transition) {
  const std::string scene = R"(
world: planar
materials: {m: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  first: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, position: [0, 0.05], velocity: [1, 0]}
  second: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, position: [5, 0.05], velocity: [1.3, 0]}
run: {step: 0.05, duration: 1, stepper: second-order}
)";
  Simulation both = simulate(scene);
  int cuts = 0;
  while (!both.finished()) {
    const StepReport& report = both.step();
    EXPECT_LE(report.cuts, 1);
    EXPECT_EQ(report.substeps, 2 + report.cuts);
    cuts += report.cuts;
  }
  EXPECT_EQ(cuts, 2);
  EXPECT_NEAR(position(both, "first").x(), 1.0 / (2 * 0.3 * 9.81), 1e-9);
  EXPECT_NEAR(position(both, "second").x(), 5.0 + 1.69 / (2 * 0.3 * 9.81), 1e-9);
}

TEST(SecondOrder, leaves_what_many_cuts_would_find_to_the_ordinary_step_and_counts_it) {
  OrderCase c = belt();
  const OrderRun run = run_case(c, 80, "{name: second-order, cuts: 0}");
  EXPECT_EQ(run.cuts, 0);
  EXPECT_EQ(run.ordinary, 80);
  EXPECT_NEAR(run.value, c.expected, 0.05);
}

TEST(SecondOrder, says_what_it_does_not_take_and_where) {
  const auto refusal = [](const std::string& materials, const std::string& run) {
    try {
      simulate(fmt::format(R"(
world: planar
materials: {{m: {}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  block: {{shapes: [{{box: [0.2, 0.1], material: m}}], pose: {{on: floor, at: 0}}}}
run: {}
)",
                           materials, run));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::string own = "{stepper: second-order}";
  EXPECT_EQ(refusal("{friction: 0.3}", own), "none");
  EXPECT_NE(refusal("{friction: 0.4, kinetic-friction: 0.3, threshold-speed: 0.01}", own)
                .find("one coefficient alone"),
            std::string::npos);
  EXPECT_NE(refusal("{friction: 0.3, rolling-friction: 0.01}", own).find("rolling"),
            std::string::npos);
  EXPECT_NE(refusal("{friction: 0.3}", "{stepper: second-order, motion: quasi-static}")
                .find("motion: dynamic"),
            std::string::npos);
}

}  // namespace
}  // namespace vinci::test
