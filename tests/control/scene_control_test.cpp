// SPDX-License-Identifier: Apache-2.0
// Controllers and trajectories that a scene names: closed forms, and the same laws by code.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/control/controllers.h"
#include "vinci/control/sequence.h"

namespace vinci::test {
namespace {

// A level lever of mass m at the distance l: I q'' = τ − m g l cos q.
constexpr double mass = 2.0, lever = 0.5, inertia = 0.05 + mass * lever * lever;

std::string lever_scene(const std::string& controllers, const std::string& run,
                        const std::string& gravity = "[0, -9.81]") {
  return fmt::format(R"(
world: planar
gravity: {}
parameters: {{gain: 100}}
bodies:
  bar: {{mass: 2, inertia: 0.05, center: [0.5, 0]}}
joints:
  hinge: {{revolute: [world, bar], motion-limits: {{velocity: 3}}}}
{}
run: {{{}}}
)",
                     gravity, controllers, run);
}

double angle(const Simulation& simulation) {
  return simulation.state().joint_positions[0];
}

// Of the first controller: time of the next sample, effort, reference, error.
double effort(const Simulation& simulation) {
  return simulation.state().controls[1];
}

void run(Simulation& simulation) {
  while (!simulation.finished()) simulation.step();
  ASSERT_FALSE(simulation.diverged());
}

TEST(SceneControllers, pd_is_off_by_the_load_over_the_stiffness) {
  Simulation simulation =
      simulate(lever_scene("controllers: {hold: {kind: pd, proportional: 200, derivative: 40}}",
                           "step: 1 ms, duration: 8 s"));
  run(simulation);
  const double q = angle(simulation), load = mass * 9.81 * lever * std::cos(q);
  EXPECT_NEAR(-200.0 * q, load, 1e-9);
  EXPECT_NEAR(effort(simulation), load, 1e-9);
  EXPECT_EQ(control_columns(simulation.controllers()),
            (std::vector<std::string>{"hold.next_sample [s]", "hold.effort_hinge [N m]",
                                      "hold.reference_hinge [rad]", "hold.error_hinge [rad]"}));
  EXPECT_EQ(simulation.state().controls[2], 0.0);
  EXPECT_NEAR(simulation.state().controls[3], -q, 1e-9);
}

TEST(SceneControllers, the_integral_takes_the_error_out_and_gravity_compensation_has_none) {
  Simulation integral = simulate(lever_scene(
      "controllers: {hold: {kind: pid, proportional: 200, derivative: 40, integral: 300}}",
      "step: 1 ms, duration: 12 s"));
  run(integral);
  EXPECT_NEAR(angle(integral), 0.0, 1e-7);
  Simulation held = simulate(lever_scene("controllers: {hold: {kind: gravity-compensation}}",
                                         "step: 1 ms, duration: 3 s"));
  run(held);
  EXPECT_NEAR(angle(held), 0.0, 1e-13);
  EXPECT_NEAR(effort(held), mass * 9.81 * lever, 1e-12);
}

// I q'' + d q' + k (q − q*) = 0 from rest at 0.
TEST(SceneControllers, pd_swings_with_its_frequency_and_damping) {
  const double k = 55.0, d = 2.2, goal = 0.4;
  const double decay = 0.5 * d / inertia, w = std::sqrt(k / inertia - decay * decay);
  std::vector<double> steps = {2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(lever_scene(
        "controllers: {hold: {kind: pd, proportional: 55, derivative: 2.2, pose: [0.4]}}",
        fmt::format("step: {}, duration: 1", h), "[0, 0]"));
    double most = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      const double t = simulation.state().time;
      const double exact =
          goal * (1.0 - std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t)));
      most = std::max(most, std::abs(angle(simulation) - exact));
    }
    errors.push_back(most);
  }
  EXPECT_LT(errors.back(), 2e-3);
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1);
}

// A cut-off effort turns a free bar at v = n h τ/I, to rounding; limits of the joint are those of
// the controller if it gives none.
TEST(SceneControllers, efforts_are_cut_off_at_their_limits) {
  for (const std::string limit : {"limits: 5", "limits: {hinge: 5}"}) {
    Simulation simulation = simulate(lever_scene(
        fmt::format("controllers: {{hold: {{kind: pd, proportional: 1000, pose: 3, {}}}}}", limit),
        "step: 1 ms, duration: 0.3 s", "[0, 0]"));
    for (int n = 1; n <= 300; ++n) {
      simulation.step();
      ASSERT_EQ(effort(simulation), 5.0);
      ASSERT_NEAR(simulation.state().joint_rates[0], n * 1e-3 * 5.0 / inertia, 1e-12);
    }
  }
  std::string text = lever_scene("controllers: {hold: {kind: pd, proportional: 1000, pose: 3}}",
                                 "step: 1 ms, duration: 1", "[0, 0]");
  text.replace(text.find("motion-limits: {velocity: 3}"), 28, "largest-effort: 7");
  Simulation drive = simulate(text);
  drive.step();
  EXPECT_EQ(effort(drive), 7.0);
}

// While a cut-off effort drives as the error wants, the integral stands still; afterwards it has
// nothing to unwind. Without the rule the same loop, stepped by hand, goes far beyond.
TEST(SceneControllers, the_integral_does_not_wind_up_while_the_effort_is_cut_off) {
  Simulation simulation = simulate(lever_scene(
      "controllers: {hold: {kind: pid, proportional: 200, derivative: 60, integral: 300, pose: 2, "
      "limits: 2}}",
      "step: 1 ms, duration: 6 s", "[0, 0]"));
  ASSERT_EQ(simulation.state().controls.size(), 5);
  double before = 0.0, overshoot = 0.0;
  int cut_off = 0;
  while (!simulation.finished()) {
    simulation.step();
    const VectorX& now = simulation.state().controls;
    ASSERT_LE(std::abs(now[1]), 2.0);
    if (std::abs(now[1]) == 2.0 && now[1] * now[3] > 0.0) {
      ASSERT_EQ(now[4], before);
      ++cut_off;
    }
    before = now[4];
    overshoot = std::max(overshoot, angle(simulation) - 2.0);
  }
  EXPECT_GT(cut_off, 500);
  EXPECT_NEAR(angle(simulation), 2.0, 2e-2);
  double q = 0.0, v = 0.0, integral = 0.0, wound = 0.0;
  for (int i = 0; i < 6000; ++i) {
    integral += 1e-3 * (2.0 - q);
    v += 1e-3 * std::clamp(200.0 * (2.0 - q) - 60.0 * v + 300.0 * integral, -2.0, 2.0) / inertia;
    q += 1e-3 * v;
    wound = std::max(wound, q - 2.0);
  }
  EXPECT_LT(overshoot, 0.5 * wound);
}

TEST(SceneControllers, efforts_are_held_between_samples) {
  Simulation simulation = simulate(lever_scene(
      "controllers: {hold: {kind: pd, proportional: 100, derivative: 8, sample: 10 ms}}",
      "step: 1 ms, duration: 0.2 s"));
  double held = 0.0;
  int changes = 0;
  for (int i = 0; i < 200; ++i) {
    const double q = angle(simulation), v = simulation.state().joint_rates[0];
    simulation.step();
    if (i % 10 == 0) {
      EXPECT_DOUBLE_EQ(effort(simulation), -100.0 * q - 8.0 * v);
      changes += effort(simulation) != held;
      held = effort(simulation);
    }
    ASSERT_EQ(effort(simulation), held);
  }
  EXPECT_EQ(changes, 19);  // at rest the first is none
}

TEST(SceneControllers, a_scene_and_code_give_the_same_bits) {
  const std::string run_text = "step: 1 ms, duration: 1.5 s";
  Simulation named = simulate(lever_scene(
      "trajectories: {lift: {limits: {velocity: 2, acceleration: 8, jerk: 60}, path: [{move: "
      "0.8}]}}\ncontrollers: {hold: {kind: computed-torque, proportional: 400, derivative: 40, "
      "reference: lift}}",
      run_text));
  const std::string plain = lever_scene("", run_text);
  RunOverrides overrides;
  auto lift = std::make_shared<Sequence>(0.0, VectorX::Zero(1));
  lift->add(std::make_shared<JointMove>(VectorX::Zero(1), VectorX::Constant(1, 0.8),
                                        std::vector<MotionLimits>{{2.0, 8.0, 60.0}}));
  overrides.code.controllers.push_back(
      {"hold", std::make_shared<JointController>(
                   Simulation(Scene::parse(plain)).model(), computed_torque_law(),
                   JointGains{VectorX::Constant(1, 400.0), VectorX::Constant(1, 40.0), {}, {}, 0.0},
                   JointReference{lift, {}})});
  Simulation coded = simulate(plain, overrides);
  run(named);
  run(coded);
  EXPECT_EQ(hash(named.state()), hash(coded.state()));
  EXPECT_NEAR(angle(named), 0.8, 1e-2);
}

TEST(SceneControllers, a_saved_state_continues_bit_for_bit_over_a_change_of_gains) {
  const std::string text = lever_scene(
      "trajectories: {lift: {path: [{wait: 0.1}, {move: 0.8}, {spline: {points: [[0.2], [0.5]]}}]}}"
      "\ncontrollers: {hold: {kind: pid, proportional: gain, derivative: 20, integral: 50, sample: "
      "3 ms, reference: lift}}\nchanges: [{at: 0.3 s, set: {gain: 300}}]",
      "step: 1 ms, duration: 1 s");
  Simulation whole = simulate(text), second = simulate(text);
  State middle;
  while (!whole.finished()) {
    whole.step();
    if (whole.state().step == 301) middle = whole.state();
  }
  second.set_state(middle);
  run(second);
  EXPECT_EQ(hash(second.state()), hash(whole.state()));
}

// Joints that nothing drives move as they will, and computed torque counts with that.
TEST(SceneControllers, computed_torque_follows_beside_a_joint_that_nothing_drives) {
  std::vector<double> steps = {2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
bodies:
  upper: {{mass: 2, inertia: 0.03, center: [0.2, 0]}}
  lower: {{mass: 1, inertia: 0.01, center: [0.15, 0]}}
joints:
  shoulder: {{revolute: [world, upper], position: -1, motion-limits: {{velocity: 2}}}}
  elbow: {{revolute: [upper, lower], at: [[0.4, 0], [0, 0]], position: 0.5, damping: 0.02}}
trajectories: {{lift: {{joints: [shoulder], limits: {{acceleration: 6, jerk: 60}}, path: [{{move: 0.4}}]}}}}
controllers: {{lift: {{kind: computed-torque, joints: [shoulder], proportional: 400, derivative: 40, reference: lift}}}}
run: {{step: {}, duration: 1 s}}
)",
                                                 h));
    double most = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      most = std::max(most, std::abs(simulation.state().controls[3]));
    }
    EXPECT_GT(std::abs(simulation.state().joint_rates[1]), 0.1);
    errors.push_back(most);
  }
  EXPECT_LT(errors.back(), 2e-3);
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.15);
}

// The tips are on the circle, to the error of the step, and PD is off by more.
TEST(SceneControllers, the_drawing_arm_draws_a_circle) {
  std::vector<double> steps = {2e-3, 1e-3, 5e-4}, errors, others;
  for (const double h : steps) {
    Simulation simulation(Scene::load(std::string(VINCI_SOURCE_DIR) + "/scenes/drawing_arm.yaml"),
                          chosen({{"step", fmt::format("{}", h)}}));
    const auto tip = [&](const char* name) {
      return Vector3(simulation.state().poses[body(simulation, name)] * Vector3(0.3, 0.0, 0.0));
    };
    const Vector3 center(0.42, 0.25, 0.0), other(1.92, 0.25, 0.0);
    const double radius = (tip("lower") - center).norm();
    double most = 0.0, off = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      most = std::max(most, std::abs((tip("lower") - center).norm() - radius));
      off = std::max(off, std::abs((tip("lower2") - other).norm() - radius));
    }
    errors.push_back(most);
    others.push_back(off);
  }
  EXPECT_LT(errors.back(), 1e-3);
  EXPECT_GT(others.back(), 10.0 * errors.back());
}

// Samples are 1 ms apart, so that a fine step is the sampled loop itself: coordinates approach its
// with h − h_fine. PD is off by what gravity and the motion take, computed torque by little.
TEST(SceneControllers, pumas_on_a_line_approach_those_of_a_fine_step) {
  struct End {
    VectorX positions;
    double exact = 0.0, plain = 0.0;  // largest errors of tracking, rad
  };
  const auto run_with = [](double h) {
    Simulation simulation(Scene::load(std::string(VINCI_SOURCE_DIR) + "/robots/puma560/line.yaml"),
                          chosen({{"step", fmt::format("{}", h)}, {"duration", "0.6"}}));
    End end;
    while (!simulation.finished()) {
      simulation.step();
      const VectorX& controls = simulation.state().controls;
      end.exact = std::max(end.exact, controls.segment(13, 6).cwiseAbs().maxCoeff());
      end.plain = std::max(end.plain, controls.segment(19 + 13, 6).cwiseAbs().maxCoeff());
    }
    end.positions = simulation.state().joint_positions;
    return end;
  };
  const double fine = 6.25e-5;
  const End reference = run_with(fine);
  EXPECT_LT(reference.exact, 5e-4);
  EXPECT_GT(reference.plain, 20.0 * reference.exact);
  std::vector<double> steps, errors;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    steps.push_back(h - fine);
    errors.push_back((run_with(h).positions - reference.positions).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(errors.back(), 1e-3);
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.15);
}

TEST(SceneControllers, motions_without_accelerations_take_no_computed_torque) {
  const std::string text =
      lever_scene("controllers: {hold: {kind: computed-torque, proportional: 10}}",
                  "step: 1 ms, duration: 0.1, motion: first-order");
  try {
    simulate(text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("asks for accelerations"), std::string::npos);
  }
  Simulation pd = simulate(lever_scene("controllers: {hold: {kind: pd, proportional: 10}}",
                                       "step: 1 ms, duration: 0.1, motion: first-order"));
  run(pd);
}

}  // namespace
}  // namespace vinci::test
