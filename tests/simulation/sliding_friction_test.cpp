// SPDX-License-Identifier: Apache-2.0
// Coefficients of friction that depend on sliding speed, place and time: reference case 21, part
// belt, Stribeck's curve beside an own integration, and laws that have no answer.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/simulation/certify.h"

namespace vinci::test {
namespace {

constexpr double g_sliding = 9.81;

// A block of 1 kg on a floor along x.
struct BlockScene {
  std::string friction = "friction: 0.4, kinetic-friction: 0.25";
  std::string floor = "", block = "", run = "step: 1 ms, duration: 1";

  std::string yaml() const {
    return fmt::format(R"(
world: planar
materials: {{floor: {{}}, block: {{}}}}
surfaces: [{{between: [floor, block], {}}}]
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: floor{}}}]}}
  block: {{mass: 1, shapes: [{{box: [0.2, 0.02], material: block}}], position: [0, 0.01]{}}}
run: {{{}}}
)",
                       friction, floor, block, run);
  }
};

bool is_fine(const Simulation& simulation, const StepReport& report) {
  return is_certified(report, simulation.options().real("accept"));
}

double belt_speed(const SolvedContact& contact) {
  return contact.velocity.tail<2>().norm();
}

struct Cycle {
  double period = 0.0, least = infinity, most = -infinity;
};

// The reference's mass, spring and belt, in the plane.
std::string belt_in_plane(double threshold, double h, const char* further) {
  BlockScene scene;
  scene.friction += fmt::format(", threshold-speed: {}", threshold);
  scene.floor = ", surface-velocity: [0.1, 0]";
  scene.block = ", velocity: [0.1, 0], force: {x: -100*q}";
  scene.run = fmt::format("step: {}, duration: 5, {}", h, further);
  return scene.yaml();
}

// In space, on a belt that runs along an azimuth, rad: springs along x and y pull to the middle.
std::string belt_in_space(double azimuth, double threshold, double h, const char* further) {
  const double x = 0.1 * std::cos(azimuth), y = 0.1 * std::sin(azimuth);
  return fmt::format(R"(
world: spatial
materials: {{floor: {{}}, block: {{}}}}
surfaces: [{{between: [floor, block], friction: 0.4, kinetic-friction: 0.25, threshold-speed: {}}}]
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: floor, surface-velocity: [{:.17g}, {:.17g}, 0]}}]}}
  block:
    mass: 1
    shapes: [{{box: [0.2, 0.2, 0.02], material: block}}]
    position: [0, 0, 0.01]
    velocity: [{:.17g}, {:.17g}, 0]
    force: {{x: -100*q, y: -100*q}}
run: {{step: {}, duration: 5, {}}}
)",
                     threshold, x, y, x, y, h, further);
}

// The limit cycle along the azimuth.
Cycle belt_cycle(const std::string& scene, double threshold, double azimuth = 0.0) {
  Simulation simulation = simulate(scene);
  const Vector3 along(std::cos(azimuth), std::sin(azimuth), 0.0);
  const Vector3 aside(-along.y(), along.x(), 0.0);
  const bool spatial = scene.find("world: spatial") != std::string::npos;
  Cycle cycle;
  std::vector<double> breaks;
  bool stuck = true;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(is_fine(simulation, report)) << simulation.state().time;
    EXPECT_LE(report.friction_error, 1e-10);
    const double x = along.dot(position(simulation, "block"));
    const double off = spatial ? aside.dot(position(simulation, "block")) : 0.0;
    EXPECT_NEAR(off, 0.0, 1e-8);
    bool slides = false;
    for (const SolvedContact& c : simulation.contacts()) {
      if (!(c.impulse[0] > 0.0)) continue;
      const double speed = belt_speed(c), friction = c.impulse.tail<2>().norm();
      slides = slides || speed > 1e-9;
      // The law at the end of the step, from the recorded numbers.
      if (speed > threshold + 1e-9)
        EXPECT_NEAR(friction, 0.25 * c.impulse[0], 1e-9 * c.impulse[0]);
      else if (speed > 1e-9)
        EXPECT_NEAR(friction, 0.4 * c.impulse[0], 1e-9 * c.impulse[0]);
      else
        EXPECT_LE(friction, (0.4 + 1e-9) * c.impulse[0]);
    }
    if (stuck && slides) breaks.push_back(simulation.state().time);
    stuck = !slides;
    if (breaks.size() > 1) cycle.least = std::min(cycle.least, x);
    if (breaks.size() > 1) cycle.most = std::max(cycle.most, x);
  }
  if (breaks.size() < 3) return cycle;
  cycle.period = (breaks.back() - breaks[1]) / static_cast<double>(breaks.size() - 2);
  return cycle;
}

// The reference's tolerances.
void expect_cycle(const Cycle& cycle, const nlohmann::json& row, double h) {
  EXPECT_NEAR(cycle.period, row["period"].get<double>(), 10 * h);
  EXPECT_NEAR(cycle.most, row["x_max"].get<double>(), 5 * 0.1 * h);
  EXPECT_NEAR(cycle.least, row["x_min"].get<double>(), 5 * 0.1 * h);
}

TEST(SlidingFriction, a_mass_on_a_belt_sticks_and_slips_as_the_reference_says) {
  const auto data = reference("case21_friction_laws");
  for (const auto& [name, row] : data["expected"]["belt"].items()) {
    const double threshold = row["threshold_speed"];
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      SCOPED_TRACE(fmt::format("{} {}", name, h));
      const Cycle cycle =
          belt_cycle(belt_in_plane(threshold, h, "stepper: stewart-trinkle"), threshold);
      expect_cycle(cycle, row, h);
    }
  }
}

// Pyramids are the cone along their directions.
TEST(SlidingFriction, a_mass_on_a_belt_in_space_sticks_and_slips_as_the_reference_says) {
  struct Way {
    double azimuth;
    const char* further;
  };
  const Way ways[] = {{0.7, "stepper: stewart-trinkle"},
                      {-2.1, "stepper: anitescu-potra"},
                      {0.0, "cone: pyramid"},
                      {0.0, "cone: pyramid, stepper: anitescu-potra"}};
  const auto data = reference("case21_friction_laws");
  for (const auto& [name, row] : data["expected"]["belt"].items())
    for (const Way& way : ways)
      for (const double h : {2e-3, 1e-3}) {
        SCOPED_TRACE(fmt::format("{} {} {} {}", name, way.azimuth, way.further, h));
        const double threshold = row["threshold_speed"];
        expect_cycle(belt_cycle(belt_in_space(way.azimuth, threshold, h, way.further), threshold,
                                way.azimuth),
                     row, h);
      }
}

TEST(SlidingFriction, the_belt_is_the_same_for_pyramids_and_anitescu_potra) {
  const auto data = reference("case21_friction_laws");
  const auto& row = data["expected"]["belt"]["threshold_0"];
  for (const char* further : {"cone: pyramid", "stepper: anitescu-potra"}) {
    SCOPED_TRACE(further);
    const Cycle cycle = belt_cycle(belt_in_plane(0.0, 1e-3, further), 0.0);
    EXPECT_NEAR(cycle.period, row["period"].get<double>(), 1e-2);
    EXPECT_NEAR(cycle.most, row["x_max"].get<double>(), 5e-4);
  }
}

// Layers yield while they stick: the body moves, the contact does not slide. It breaks loose where
// static friction does, and not before.
TEST(SlidingFriction, a_layer_that_is_sheared_sticks_up_to_static_friction) {
  Simulation simulation = simulate(R"(
world: planar
materials:
  belt: {friction: 0.4, kinetic-friction: 0.25}
  block: {friction: 0.4, kinetic-friction: 0.25, stiffness: 1e4, damping: 100}
bodies:
  belt: {freedom: fixed, shapes: [{half-plane: {}, material: belt, surface-velocity: [0.1, 0]}]}
  block:
    mass: 1
    shapes: [{circle: 0.05, material: block}]
    position: [0, 0.049019]
    velocity: [0.1, 0]
    force: {x: -100*q}
    motion: {angle: 0}
run: {step: 5 ms, duration: 1.2, stepper: song-pang-kumar}
)");
  double most = 0.0, least = infinity, caught = 0.0;
  while (!simulation.finished()) {
    ASSERT_TRUE(is_fine(simulation, simulation.step()));
    const double x = position(simulation, "block").x();
    most = std::max(most, x);
    if (simulation.state().time > 0.45) least = std::min(least, x);
    if (simulation.state().time > 1.1) caught = twist(simulation, "block").linear.x();
  }
  const auto data = reference("case21_friction_laws");
  const auto& row = data["expected"]["belt"]["threshold_0"];
  // The layer is sheared by μ_s m g/k = 0.4 mm when it breaks.
  EXPECT_NEAR(most, row["x_max"].get<double>(), 5e-4);
  EXPECT_NEAR(least, row["x_min"].get<double>(), 5e-4);
  EXPECT_LT(caught, 0.1);
}

// A force between kinetic and static friction: what rests stays, what moves goes on.
TEST(SlidingFriction, what_sticks_holds_and_what_slides_goes_on) {
  BlockScene scene;
  scene.block = fmt::format(", force: {{x: {}}}", 0.3 * g_sliding);
  Simulation rests = simulate(scene.yaml());
  while (!rests.finished()) ASSERT_TRUE(is_fine(rests, rests.step()));
  EXPECT_LT(std::abs(position(rests, "block").x()), 1e-9);
  scene.block += ", velocity: [0.2, 0]";
  Simulation moves = simulate(scene.yaml());
  while (!moves.finished()) ASSERT_TRUE(is_fine(moves, moves.step()));
  EXPECT_NEAR(twist(moves, "block").linear.x(), 0.2 + 0.05 * g_sliding, 1e-9);
}

// A wheel that climbs on a slope rolls with friction between kinetic and static.
TEST(SlidingFriction, what_rolls_sticks) {
  Simulation wheel = simulate(R"(
world: planar
materials: {floor: {}, wheel: {}}
surfaces: [{between: [floor, wheel], friction: 0.4, kinetic-friction: 0.05}]
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {angle: 30 deg}, material: floor}]}
  wheel:
    shapes: [{superellipse: {axes: [0.1, 0.09], exponent: 2}, material: wheel}]
    pose: {on: floor, at: 0}
run: {step: 1 ms, duration: 0.5}
)");
  while (!wheel.finished()) {
    ASSERT_TRUE(is_fine(wheel, wheel.step()));
    for (const SolvedContact& c : wheel.contacts())
      EXPECT_NEAR(c.impulse[0] > 0.0 ? c.friction : 0.4, 0.4, 1e-15) << wheel.state().time;
  }
  EXPECT_GT(position(wheel, "wheel").norm(), 0.2);
}

// --- curves -------------------------------------------------------------------------------------

double stribeck(double v) {
  return 0.15 + 0.25 * std::exp(-v / 0.2) + 0.02 * v;
}

// By Runge and Kutta's method with short steps.
double stribeck_way(double speed, double time) {
  const int steps = 20000;
  const double h = time / steps;
  double x = 0.0, v = speed;
  const auto slope = [](double u) { return -g_sliding * stribeck(u); };
  for (int i = 0; i < steps; ++i) {
    const double a = slope(v), b = slope(v + 0.5 * h * a), c = slope(v + 0.5 * h * b);
    const double d = slope(v + h * c), next = v + h / 6 * (a + 2 * b + 2 * c + d);
    x += 0.5 * h * (v + next);
    v = next;
  }
  return x;
}

TEST(SlidingFriction, on_stribecks_curve_a_block_slows_down_as_the_equation_says) {
  BlockScene scene;
  scene.friction = "friction: 0.15 + 0.25*exp(-speed/0.2) + 0.02*speed";
  scene.block = ", velocity: [1.5, 0]";
  const double exact = stribeck_way(1.5, 0.5);
  std::vector<double> steps = {1e-2, 5e-3, 2.5e-3}, errors;
  for (const double h : steps) {
    scene.run = fmt::format("step: {}, duration: 0.5", h);
    Simulation simulation = simulate(scene.yaml());
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(is_fine(simulation, report));
      EXPECT_LE(report.friction_rounds, 8);
      for (const SolvedContact& c : simulation.contacts())
        EXPECT_NEAR(c.friction, stribeck(belt_speed(c)), c.impulse[0] > 0.0 ? 1e-9 : infinity);
    }
    errors.push_back(std::abs(position(simulation, "block").x() - exact));
    EXPECT_LT(errors.back(), 1.5 * h);
  }
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.15);
}

// m v' = F − μ(v) N has its end speed where the curve meets F; with a steep rising curve one step
// of plain iteration would leap from 0 to far above and back.
TEST(SlidingFriction, a_steep_rising_curve_settles) {
  BlockScene scene;
  scene.friction = "friction: 0.1 + 50*speed";
  scene.block = fmt::format(", force: {{x: {}}}", 0.6 * g_sliding);
  scene.run = "step: 10 ms, duration: 1";
  Simulation simulation = simulate(scene.yaml());
  while (!simulation.finished()) ASSERT_TRUE(is_fine(simulation, simulation.step()));
  EXPECT_NEAR(twist(simulation, "block").linear.x(), 0.01, 1e-9);
}

// A curve that rises in a jump holds a block at the speed of the jump, by no coefficient that it
// has. No step may claim to be solved there.
TEST(SlidingFriction, a_curve_without_an_answer_is_told) {
  BlockScene scene;
  scene.friction = "friction: \"if(speed < 0.1, 0.2, 0.6)\"";
  scene.block = fmt::format(", force: {{x: {}}}", 0.4 * g_sliding);
  scene.run = "step: 1 ms, duration: 0.2";
  Simulation simulation = simulate(scene.yaml());
  int fine = 0, told = 0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    const double speed = twist(simulation, "block").linear.x();
    if (is_fine(simulation, report)) {
      ++fine;
      EXPECT_LT(speed, 0.1);
    } else {
      ++told;
      EXPECT_GT(report.friction_error, 0.5);
      EXPECT_GT(report.friction_rounds, 0);
      EXPECT_STREQ(report.solve.note, "friction that depends on sliding speed did not settle");
    }
  }
  EXPECT_GT(fine, 40);
  EXPECT_GT(told, 100);
}

TEST(SlidingFriction, a_coefficient_below_zero_is_not_certified) {
  for (const char* friction :
       {"0.3 - speed", "0.3 - 2*x", "0.2*sqrt(0.5 - x)", "0.3/(1.5 - 3*t)"}) {
    SCOPED_TRACE(friction);
    BlockScene scene;
    scene.friction = fmt::format("friction: {}", friction);
    scene.block = ", velocity: [1, 0], force: {x: 3}";
    Simulation simulation = simulate(scene.yaml());
    int told = 0;
    while (!simulation.finished()) told += is_fine(simulation, simulation.step()) ? 0 : 1;
    EXPECT_GT(told, 10);
  }
}

// μ₁ up to 0.5 m, then μ₂: the energy says where it stops. Both bodies may carry the places.
TEST(SlidingFriction, a_floor_may_be_rough_in_places) {
  const double v0 = 2.5, rest = v0 * v0 - 2 * 0.4 * g_sliding * 0.5,
               stop = 0.5 + rest / (2 * 0.1 * g_sliding);
  for (const char* where : {"", ", of: floor"})
    for (const double h : {1e-3, 5e-4}) {
      BlockScene scene;
      // The corners of the block are 0.2 m apart: each has half of the load.
      scene.friction = fmt::format("friction: \"if(x < 0.5, 0.4, 0.1)\"{}", where);
      scene.block = fmt::format(", velocity: [{}, 0]", v0);
      scene.run = fmt::format("step: {}, duration: 3", h);
      Simulation simulation = simulate(scene.yaml());
      while (!simulation.finished()) ASSERT_TRUE(is_fine(simulation, simulation.step()));
      EXPECT_NEAR(position(simulation, "block").x(), stop, 0.05);
    }
}

TEST(SlidingFriction, changes_of_parameters_reach_its_expressions) {
  Simulation simulation = simulate(R"(
world: planar
parameters: {mu: 0.4, slow: 0.2}
materials: {floor: {friction: mu, kinetic-friction: mu*slow}, block: {friction: 1}}
surfaces: [{between: [floor, block], friction: mu, kinetic-friction: mu*slow}]
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: floor}]}
  block: {mass: 1, shapes: [{box: [0.2, 0.02], material: block}], position: [0, 0.01], velocity: [2, 0]}
changes: [{at: 0.5, set: {slow: 0.1}}]
run: {step: 1 ms, duration: 1}
)");
  while (!simulation.finished()) ASSERT_TRUE(is_fine(simulation, simulation.step()));
  EXPECT_NEAR(twist(simulation, "block").linear.x(), 2 - g_sliding * (0.5 * 0.08 + 0.5 * 0.04),
              1e-9);
}

// --- what is claimed ----------------------------------------------------------------------------

// Between kinetic and static friction both rest and sliding are motions of the step: no verdict may
// call one the only one.
TEST(SlidingFriction, no_motion_is_called_unique_where_another_coefficient_has_another_one) {
  BlockScene scene;
  scene.block = fmt::format(", force: {{x: {}}}", 0.3 * g_sliding);
  scene.run = "step: 1 ms, duration: 0.01, diagnose: all";
  Simulation simulation = simulate(scene.yaml());
  while (!simulation.finished()) EXPECT_NE(simulation.step().uniqueness, Uniqueness::unique);
  Simulation certified = simulate(scene.yaml());
  const StepCertificate certificate = certify_step(certified);
  EXPECT_NE(certificate.verdict.motion, Only::unique);
  EXPECT_FALSE(certificate.is_certain());
}

// All that decides between them lies in the state.
TEST(SlidingFriction, a_run_continues_from_any_state_bit_for_bit) {
  BlockScene scene;
  scene.friction += ", threshold-speed: 0.01";
  scene.floor = ", surface-velocity: [0.1, 0]";
  scene.block = ", velocity: [0.1, 0], force: {x: -100*q}";
  scene.run = "step: 1 ms, duration: 1";
  Simulation whole = simulate(scene.yaml());
  std::vector<State> states;
  while (!whole.finished()) {
    if (whole.state().step % 97 == 0) states.push_back(whole.state());
    whole.step();
  }
  for (const State& state : states) {
    Simulation rest = simulate(scene.yaml());
    rest.set_state(state);
    while (!rest.finished()) rest.step();
    EXPECT_EQ(hash(rest.state()), hash(whole.state())) << state.step;
  }
}

}  // namespace
}  // namespace vinci::test
