// SPDX-License-Identifier: Apache-2.0
// Joints without inertia: loops, couplings, limits, friction, servos and springs against closed
// forms (virtual work), in the plane and in space, in reduced and in maximal coordinates.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

constexpr double g = 9.81;

struct Way {
  const char* name;
  bool planar;
  const char* coordinates;
};

// A scene of the plane x, y, written in the plane or in space.
struct Drawing {
  Way way;
  std::string bodies, joints, couplings;
  bool weightless = false;

  explicit Drawing(const Way& chosen, bool floats = false) : way(chosen), weightless(floats) {}
  std::string at(double x, double y) const {
    return fmt::format("[{:.17g}, {:.17g}{}]", x, y, way.planar ? "" : ", 0");
  }
  void body(const std::string& name, double mass, const std::string& more = "") {
    bodies += fmt::format("  {}: {{mass: {:.17g}, inertia: {}{}}}\n", name, mass,
                          way.planar ? "0.01" : "[0.01, 0.01, 0.01]", more);
  }
  void joint(const std::string& name, const std::string& kind, const std::string& a,
             const std::string& b, const std::string& places, const std::string& more = "") {
    joints += fmt::format("  {}: {{{}: [{}, {}], at: {}{}}}\n", name, kind, a, b, places,
                          more.empty() ? "" : ", " + more);
  }
  std::string yaml(double step, const std::string& motion = "quasi-static") const {
    return fmt::format(
        "world: {}\ngravity: {}\nmaterials: {{m: {{friction: 0.4}}}}\nbodies:\n{}joints:\n{}{}"
        "run: {{motion: {}, step: {:.17g}, duration: 10, coordinates: {}}}\n",
        way.planar ? "planar" : "spatial", at(0.0, weightless ? 0.0 : -g), bodies, joints,
        couplings.empty() ? "" : "couplings:\n" + couplings, motion, step, way.coordinates);
  }
};

int joint(const Simulation& simulation, const std::string& name) {
  const auto& joints = simulation.model().joints;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (joints[j].name == name) return static_cast<int>(j);
  ADD_FAILURE() << name;
  return 0;
}
const SolvedJoint& solved(const Simulation& simulation, const std::string& name) {
  return simulation.joints()[static_cast<std::size_t>(joint(simulation, name))];
}
double motor(const Simulation& simulation, const std::string& name) {
  return solved(simulation, name).motor[0] / simulation.step_size();
}
double friction(const Simulation& simulation, const std::string& name) {
  return solved(simulation, name).friction[0] / simulation.step_size();
}
double rate(const Simulation& simulation, const std::string& name) {
  const auto j = static_cast<std::size_t>(joint(simulation, name));
  return simulation.state().joint_rates[simulation.model().joints[j].first_rate];
}
double coordinate(const Simulation& simulation, const std::string& name) {
  const auto j = static_cast<std::size_t>(joint(simulation, name));
  return simulation.state().joint_positions[simulation.model().joints[j].first_coordinate];
}

// A solved step, or what it says of itself.
void step(Simulation& simulation) {
  const StepReport& report = simulation.step();
  ASSERT_EQ(report.ending, Ending::none) << simulation.state().step;
  ASSERT_LE(report.solve.residual.relative, 1e-10) << simulation.state().step;
}

class QuasiStaticJoints : public testing::TestWithParam<Way> {};

// --- four bars in a loop
// --------------------------------------------------------------------------

struct FourBar {
  double crank = 0.15, coupler = 0.35, rocker = 0.3, ground = 0.4;
  std::array<double, 3> mass = {1.0, 2.0, 1.5};
  std::array<double, 4> friction = {0.0, 0.0, 0.0, 0.0};  // at A, B, C, D

  Drawing draw(const Way& way, double angle, const std::string& motor) const {
    Drawing drawing(way);
    drawing.body("crank", mass[0]);
    drawing.body("coupler", mass[1]);
    drawing.body("rocker", mass[2]);
    const auto places = [&](double x, double own) {
      return fmt::format("[{}, {}]", drawing.at(x, 0.0), drawing.at(own, 0.0));
    };
    const Vector3 C = end(angle);
    const double turned =
        std::atan2(C.y() - crank * std::sin(angle), C.x() - crank * std::cos(angle));
    const double rocked = std::atan2(C.y(), C.x() - ground);
    const auto keys = [&](int i, double position) {
      return fmt::format("position: {:.17g}, friction: {}", position, friction[i]);
    };
    drawing.joint("A", "revolute", "world", "crank", places(0.0, -crank / 2),
                  keys(0, angle) + ", " + motor);
    drawing.joint("B", "revolute", "crank", "coupler", places(crank / 2, -coupler / 2),
                  keys(1, turned - angle));
    drawing.joint("D", "revolute", "world", "rocker", places(ground, -rocker / 2), keys(3, rocked));
    drawing.joint("C", "revolute", "coupler", "rocker", places(coupler / 2, rocker / 2),
                  fmt::format("friction: {}", friction[2]));
    return drawing;
  }

  // Where the coupler ends, by the two circles.
  Vector3 end(double angle) const {
    const Vector3 B(crank * std::cos(angle), crank * std::sin(angle), 0.0);
    const Vector3 line = Vector3(ground, 0.0, 0.0) - B;
    const double d = line.norm(), along = (d * d + coupler * coupler - rocker * rocker) / (2 * d);
    const double off = std::sqrt(coupler * coupler - along * along);
    return B + along / d * line + off * Vector3(-line.y() / d, line.x() / d, 0.0);
  }

  // Torque at the crank that turns it slowly and steadily forward, by virtual work.
  double torque(double angle) const {
    const Vector3 B(crank * std::cos(angle), crank * std::sin(angle), 0.0);
    const Vector3 C = end(angle), D(ground, 0.0, 0.0);
    // Per unit of the crank's rate: v_B + ω_c × (C − B) = ω_r × (C − D).
    const Vector3 b(-B.y(), B.x(), 0.0), p = C - B, q = C - D;
    // −p_y ω_c + q_y ω_r = −b_x; p_x ω_c − q_x ω_r = −b_y.
    const double w_c = (-b.x() * -q.x() - q.y() * -b.y()) / (-p.y() * -q.x() - q.y() * p.x());
    const double w_r = std::abs(q.x()) > std::abs(q.y()) ? (b.y() + p.x() * w_c) / q.x()
                                                         : (-b.x() + p.y() * w_c) / q.y();
    const double lifted =
        mass[0] * b.y() / 2 + mass[1] * (b.y() + p.x() * w_c / 2) + mass[2] * q.x() * w_r / 2;
    return g * lifted + friction[0] + friction[1] * std::abs(w_c - 1.0) +
           friction[2] * std::abs(w_r - w_c) + friction[3] * std::abs(w_r);
  }
};

TEST_P(QuasiStaticJoints, a_four_bar_takes_the_torque_of_virtual_work) {
  const FourBar bar;
  for (const char* limit : {"", ", limit: 50"})
    for (const double angle : {0.4, 1.3, 2.5, 3.6, 4.9, 5.8}) {
      Simulation simulation =
          simulate(bar.draw(GetParam(), angle,
                            fmt::format("motor: {{velocity: 0.3, damping: 1e4{}}}", limit))
                       .yaml(1e-3));
      const double expected = bar.torque(angle);
      step(simulation);
      EXPECT_NEAR(motor(simulation, "A"), expected, 1e-9 * (1.0 + std::abs(expected)))
          << angle << limit;
      EXPECT_NEAR(rate(simulation, "A"), 0.3 - expected / 1e4, 1e-9) << angle << limit;
    }
}

TEST_P(QuasiStaticJoints, friction_in_a_four_bar_adds_the_work_that_it_takes) {
  FourBar bar;
  bar.friction = {0.2, 0.5, 0.1, 0.3};
  for (const double angle : {0.4, 1.3, 2.5, 3.6, 4.9, 5.8}) {
    Simulation simulation =
        simulate(bar.draw(GetParam(), angle, "motor: {velocity: 0.3, damping: 1e4}").yaml(1e-3));
    const double expected = bar.torque(angle);
    step(simulation);
    EXPECT_NEAR(motor(simulation, "A"), expected, 1e-9 * (1.0 + std::abs(expected))) << angle;
  }
}

// A whole turn: the loop stays closed, and the torque is that of the place to the order of h.
TEST_P(QuasiStaticJoints, a_four_bar_turns_once) {
  FourBar bar;
  bar.friction = {0.2, 0.5, 0.1, 0.3};
  Simulation simulation =
      simulate(bar.draw(GetParam(), 0.4, "motor: {velocity: 2, damping: 1e6}").yaml(1e-2));
  for (int i = 0; i < 320; ++i) {
    const double expected = bar.torque(coordinate(simulation, "A"));
    step(simulation);
    if (HasFatalFailure()) return;
    EXPECT_NEAR(motor(simulation, "A"), expected, 0.02) << simulation.state().step;
  }
  // The servo says where the crank is: closing the loop moves the other joints.
  EXPECT_NEAR(coordinate(simulation, "A"), 0.4 + 6.4, 1e-3);
}

// Slow dynamic motion has the same torque, but for ω² terms and the order of the step.
TEST_P(QuasiStaticJoints, slow_dynamic_motion_takes_the_same_torque) {
  FourBar bar;
  bar.friction = {0.2, 0.5, 0.1, 0.3};
  const Drawing drawing =
      bar.draw(GetParam(), 1.3, "velocity: 1e-3, motor: {velocity: 1e-3, damping: 1e6}");
  Simulation still = simulate(drawing.yaml(1e-3)), moving = simulate(drawing.yaml(1e-3, "dynamic"));
  for (int i = 0; i < 20; ++i) {
    step(still);
    moving.step();
  }
  EXPECT_NEAR(motor(still, "A"), motor(moving, "A"), 1e-4);
  EXPECT_NEAR(friction(still, "C"), friction(moving, "C"), 1e-9);
}

// --- balance
// --------------------------------------------------------------------------------------

TEST_P(QuasiStaticJoints, a_loop_that_nothing_holds_has_no_balance_and_names_a_body) {
  const FourBar bar;
  Simulation simulation = simulate(bar.draw(GetParam(), 1.3, "damping: 0").yaml(1e-3));
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.ending, Ending::no_equilibrium);
  EXPECT_GE(report.shortage.body, 0);
  EXPECT_GT(report.shortage.force + report.shortage.torque, 0.1);
}

// A rod on a hinge, level: friction holds it up to m g l/2.
TEST_P(QuasiStaticJoints, a_hinge_holds_what_its_friction_can) {
  const double needed = 2.0 * g * 0.25;
  for (const double share : {1.0 + 1e-8, 2.0, 1.0 - 1e-8, 0.5}) {
    Drawing drawing(GetParam());
    drawing.body("rod", 2.0);
    drawing.joint("hinge", "revolute", "world", "rod",
                  fmt::format("[{}, {}]", drawing.at(0, 0), drawing.at(-0.25, 0)),
                  fmt::format("friction: {:.17g}", share * needed));
    Simulation simulation = simulate(drawing.yaml(1e-2));
    const StepReport& report = simulation.step();
    EXPECT_EQ(report.ending, share > 1.0 ? Ending::none : Ending::no_equilibrium) << share;
    if (share > 1.0) {
      EXPECT_NEAR(friction(simulation, "hinge"), needed, 1e-9);
      EXPECT_EQ(rate(simulation, "hinge"), 0.0);
      for (int i = 0; i < 100; ++i) step(simulation);
      EXPECT_NEAR(coordinate(simulation, "hinge"), 0.0, 1e-12);
    } else {
      EXPECT_EQ(simulation.model().bodies[report.shortage.body].name, "rod");
    }
  }
}

// In reduced coordinates what is missing is missing at the joint.
TEST(QuasiStaticTree, what_is_missing_is_told_along_the_joint) {
  Drawing drawing({"", false, "reduced"});
  drawing.body("rod", 2.0);
  drawing.joint("hinge", "revolute", "world", "rod", "[[0, 0, 0], [-0.25, 0, 0]]", "friction: 1");
  Simulation simulation = simulate(drawing.yaml(1e-2));
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.ending, Ending::no_equilibrium);
  EXPECT_NEAR(report.shortage.torque, 2.0 * g * 0.25 - 1.0, 1e-9);
  EXPECT_NEAR(std::abs(report.shortage.about.z()), 1.0, 1e-12);
}

// A weight on a spring in a slider: it sinks to k (q − rest) = −m g, at once.
TEST_P(QuasiStaticJoints, springs_and_limits_bear_a_weight) {
  for (const bool stops : {false, true}) {
    Drawing drawing(GetParam());
    drawing.body("weight", 3.0);
    drawing.joint("rail", "prismatic", "world", "weight",
                  fmt::format("[{0}, {0}]", drawing.at(0, 0)),
                  std::string("axis: ") + drawing.at(0, 1) + ", stiffness: 500, rest: 0.1" +
                      (stops ? ", limits: [-0.02, 1]" : ""));
    Simulation simulation = simulate(drawing.yaml(1e-2));
    for (int i = 0; i < 3; ++i) step(simulation);
    const double sunk = 0.1 - 3.0 * g / 500.0;
    EXPECT_NEAR(coordinate(simulation, "rail"), stops ? std::max(sunk, -0.02) : sunk, 1e-10);
  }
  Drawing drawing(GetParam());
  drawing.body("weight", 3.0);
  drawing.joint("rail", "prismatic", "world", "weight", fmt::format("[{0}, {0}]", drawing.at(0, 0)),
                std::string("axis: ") + drawing.at(0, 1) +
                    ", stiffness: 100, limits: [-0.02, 1], friction: 1");
  Simulation simulation = simulate(drawing.yaml(1e-2));
  for (int i = 0; i < 3; ++i) step(simulation);
  EXPECT_NEAR(coordinate(simulation, "rail"), -0.02, 1e-12);
  EXPECT_GE(solved(simulation, "rail").limit[0] / 1e-2, 3.0 * g - 2.0 - 1.0 - 1e-9);
}

// --- a finger
// -------------------------------------------------------------------------------------

// Two links whose second turns by a third of the first close on a ball that is fixed; at the end
// the motor stands at its limit T, and T = λ n·(J₁ + J₂/3) + friction by virtual work.
TEST_P(QuasiStaticJoints, a_finger_with_coupled_joints_closes_on_a_ball) {
  const double limit = 0.5, ratio = 1.0 / 3.0;
  Drawing drawing(GetParam(), true);
  const bool planar = GetParam().planar;
  const auto shape = [&](const char* kind, const std::string& size) {
    return fmt::format(", shapes: [{{{}: {}, material: m}}]", kind, size);
  };
  drawing.bodies =
      fmt::format("  ball: {{freedom: fixed, position: {}, shapes: [{{{}: 0.03, material: m}}]}}\n",
                  drawing.at(0.09, 0.07), planar ? "circle" : "sphere");
  drawing.body("proximal", 0.1, shape("capsule", "{length: 0.07, radius: 0.005}"));
  drawing.body("distal", 0.1, shape("capsule", "{length: 0.058, radius: 0.005}"));
  const auto places = [&](double x, double own) {
    return fmt::format("[{}, {}]", drawing.at(x, 0.0), drawing.at(own, 0.0));
  };
  drawing.joint("knuckle", "revolute", "world", "proximal", places(0.0, -0.035),
                fmt::format("motor: {{velocity: 1, damping: 100, limit: {}}}", limit));
  drawing.joint("tip", "revolute", "proximal", "distal", places(0.035, -0.029),
                "position: 0.3, friction: 0.02");
  drawing.couplings =
      fmt::format("  tendon: {{joints: [knuckle, tip], ratio: {:.17g}, offset: 0.3}}\n", ratio);
  Simulation simulation = simulate(drawing.yaml(5e-3));
  for (int i = 0; i < 400; ++i) {
    step(simulation);
    if (HasFatalFailure()) return;
  }
  EXPECT_NEAR(motor(simulation, "knuckle"), limit, 1e-9);
  EXPECT_NEAR(rate(simulation, "knuckle"), 0.0, 1e-9);
  EXPECT_NEAR(coordinate(simulation, "tip"), 0.3 + ratio * coordinate(simulation, "knuckle"), 1e-6);
  // The work of the contacts along the motion that the coupling leaves.
  const Vector3 knuckle = Vector3::Zero();
  const Pose& proximal = simulation.state().poses[body(simulation, "proximal")];
  const Vector3 tip = proximal * Vector3(0.035, 0.0, 0.0);
  double work = 0.0;
  for (const SolvedContact& contact : simulation.contacts()) {
    const Vector3 point = 0.5 * (contact.contact.point_a + contact.contact.point_b);
    const Vector3 force =
        (contact.impulse[0] * contact.contact.normal + contact.impulse[1] * contact.tangent_1 +
         contact.impulse[2] * contact.tangent_2) /
        simulation.step_size();
    const int distal = body(simulation, "distal");
    const bool on_b = contact.contact.body_a == body(simulation, "ball");
    const int other = on_b ? contact.contact.body_b : contact.contact.body_a;
    const Vector3 z = Vector3::UnitZ();
    Vector3 moved = z.cross(point - knuckle);
    if (other == distal) moved += ratio * z.cross(point - tip);
    work += (on_b ? 1.0 : -1.0) * force.dot(moved);
  }
  EXPECT_LT(work, -0.1);
  EXPECT_NEAR(work + limit + ratio * friction(simulation, "tip"), 0.0, 1e-7);
}

// A clutch that lets go: the distal link is stopped by its limit, and the proximal one goes on with
// the clutch slipping; then the motor bears what the clutch takes, ratio times the breakaway.
TEST_P(QuasiStaticJoints, a_clutch_slips_at_its_breakaway) {
  const double ratio = 0.5, breakaway = 0.2;
  Drawing drawing(GetParam(), true);
  drawing.body("proximal", 0.1);
  drawing.body("distal", 0.1);
  const auto places = [&](double x, double own) {
    return fmt::format("[{}, {}]", drawing.at(x, 0.0), drawing.at(own, 0.0));
  };
  drawing.joint("knuckle", "revolute", "world", "proximal", places(0.0, -0.035),
                "motor: {velocity: 1, damping: 100}");
  drawing.joint("tip", "revolute", "proximal", "distal", places(0.035, -0.029),
                "limits: [-1, 0.1]");
  drawing.couplings = fmt::format(
      "  tendon: {{joints: [knuckle, tip], ratio: {}, breakaway: {}}}\n", ratio, breakaway);
  Simulation simulation = simulate(drawing.yaml(1e-2));
  for (int i = 0; i < 10; ++i) step(simulation);
  EXPECT_NEAR(coordinate(simulation, "tip"), ratio * coordinate(simulation, "knuckle"), 1e-9);
  EXPECT_NEAR(motor(simulation, "knuckle"), 0.0, 1e-9);
  for (int i = 0; i < 30; ++i) step(simulation);
  EXPECT_NEAR(coordinate(simulation, "tip"), 0.1, 1e-9);
  EXPECT_NEAR(motor(simulation, "knuckle"), ratio * breakaway, 1e-9);
  EXPECT_NEAR(solved(simulation, "tip").limit[0] / 1e-2, -breakaway, 1e-9);
  EXPECT_NEAR(rate(simulation, "knuckle"), 1.0 - ratio * breakaway / 100.0, 1e-9);
}

// --- which motion
// ---------------------------------------------------------------------------------

// Two sliders in a row that nothing resists, the last one taken along by a third joint that a motor
// drives: the one between stays where it is, the least motion.
TEST_P(QuasiStaticJoints, of_several_motions_the_least_is_taken) {
  Drawing drawing(GetParam(), true);
  drawing.body("first", 1.0);
  drawing.body("second", 1.0);
  const std::string middle = fmt::format("[{0}, {0}]", drawing.at(0, 0));
  const std::string x = "axis: " + drawing.at(1, 0);
  drawing.joint("lower", "prismatic", "world", "first", middle, x);
  drawing.joint("upper", "prismatic", "first", "second", middle, x);
  drawing.joint("drive", "prismatic", "world", "second", middle,
                x + ", motor: {velocity: 0.1, damping: 1000}");
  Simulation simulation = simulate(drawing.yaml(1e-2));
  step(simulation);
  EXPECT_NEAR(rate(simulation, "drive"), 0.1, 1e-9);
  EXPECT_NEAR(rate(simulation, "lower"), 0.0, 1e-9);
  EXPECT_NEAR(rate(simulation, "upper"), 0.1, 1e-9);
  EXPECT_EQ(simulation.report().free_motions, 1);
}

// --- both formulations
// ----------------------------------------------------------------------------

// One step from one place: rates, motors and friction are the same.
TEST(QuasiStaticFormulations, reduced_and_maximal_coordinates_take_the_same_step) {
  FourBar bar;
  bar.friction = {0.2, 0.5, 0.1, 0.3};
  for (const bool planar : {true, false})
    for (const double angle : {0.4, 1.3, 2.5, 3.6, 4.9, 5.8}) {
      const std::string motor_words =
          "motor: {position: 0.4, stiffness: 800, damping: 3, limit: 6}";
      Simulation reduced =
          simulate(bar.draw({"", planar, "reduced"}, angle, motor_words).yaml(1e-2));
      Simulation maximal =
          simulate(bar.draw({"", planar, "maximal"}, angle, motor_words).yaml(1e-2));
      const Ending ending = reduced.step().ending;
      EXPECT_EQ(ending, maximal.step().ending);
      if (ending != Ending::none) continue;
      for (const char* name : {"A", "B", "C", "D"}) {
        EXPECT_NEAR(rate(reduced, name), rate(maximal, name), 1e-9) << name << angle;
        EXPECT_NEAR(friction(reduced, name), friction(maximal, name), 1e-9) << name << angle;
        EXPECT_NEAR(motor(reduced, name), motor(maximal, name), 1e-9) << name << angle;
        const Vector3 force =
            (solved(reduced, name).impulse - solved(maximal, name).impulse) / 1e-2;
        EXPECT_LE(force.head<2>().norm(), 1e-8) << name << angle;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, QuasiStaticJoints,
                         testing::Values(Way{"PlanarReduced", true, "reduced"},
                                         Way{"PlanarMaximal", true, "maximal"},
                                         Way{"SpatialReduced", false, "reduced"},
                                         Way{"SpatialMaximal", false, "maximal"}),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace vinci::test
