// SPDX-License-Identifier: Apache-2.0
// Quasi-static scenes at the edge of balance, in closed form, on both sides of it at relative
// distances down to 2e-9: in the plane, on a table and in space, on cones and on pyramids.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "vinci/formulation/contact_frame.h"

namespace vinci::test {
namespace {

constexpr double distances[] = {1e-3, 1e-6, 1e-8, 2e-9};
constexpr double g = 9.81;

struct Choice {
  const char *stepper, *cone, *directions;
};
constexpr Choice choices[] = {{"stewart-trinkle", "quadratic", "4"},
                              {"stewart-trinkle", "pyramid", "4"},
                              {"anitescu-potra", "quadratic", "4"},
                              {"anitescu-potra", "pyramid", "8"}};

RunOverrides run_with(const Choice& choice) {
  return chosen({{"stepper", choice.stepper},
                 {"cone", choice.cone},
                 {"directions", choice.directions},
                 {"motion", "quasi-static"}});
}

// Whether it is held by nothing is told by forces to 1e-9 of their limits, of each contact.
void expect_rest(const std::string& yaml, const Choice& choice, bool is_held = true) {
  Simulation simulation = simulate(yaml, run_with(choice));
  const std::vector<Pose> before = simulation.state().poses;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_EQ(report.ending, Ending::none) << simulation.state().step;
    ASSERT_LE(report.solve.residual.relative, 1e-10);
    if (is_held) {
      EXPECT_EQ(report.free_motions, 0);
    }
  }
  for (std::size_t b = 0; b < before.size(); ++b)
    EXPECT_LE((simulation.state().poses[b].position - before[b].position).norm(), 1e-9);
}

// Ends in its first step for want of this force on the body.
void expect_none(const std::string& yaml, const Choice& choice, const char* name, double force) {
  Simulation simulation = simulate(yaml, run_with(choice));
  const Vector3 before = position(simulation, name);
  const StepReport& report = simulation.step();
  ASSERT_EQ(report.ending, Ending::no_equilibrium);
  EXPECT_EQ(report.solve.status, SolveStatus::no_solution);
  EXPECT_TRUE(simulation.finished());
  EXPECT_EQ(report.shortage.body, body(simulation, name));
  if (force > 0.0) {
    EXPECT_NEAR(report.shortage.force, force, 2e-3 * force);
  }
  EXPECT_EQ(position(simulation, name), before);
}

std::string slope(double tangent, double friction) {
  return fmt::format(R"(
world: planar
gravity: [0, -{}]
materials: {{m: {{friction: {:.17g}}}}}
bodies:
  slope: {{freedom: fixed, shapes: [{{half-plane: {{angle: {:.17g}}}, material: m}}]}}
  block: {{shapes: [{{box: [0.2, 0.1], material: m}}], mass: 2, pose: {{on: slope, at: 0}}}}
run: {{step: 1 ms, duration: 5 ms}}
)",
                     g, friction, std::atan(tangent));
}

TEST(BalanceLimit, a_block_past_its_angle_of_friction_slid_two_thousand_kilometres) {
  for (const Choice& choice : choices)
    for (const double friction : {0.03, 0.45, 1.2})
      for (const double distance : distances) {
        SCOPED_TRACE(fmt::format("{} {} {} {}", choice.stepper, choice.cone, friction, distance));
        expect_rest(slope((1.0 - distance) * friction, friction), choice);
        // The least force that would hold it is at right angles to the edge of its cone.
        const double beyond = std::atan((1.0 + distance) * friction) - std::atan(friction);
        expect_none(slope((1.0 + distance) * friction, friction), choice, "block",
                    2.0 * g * std::sin(beyond));
      }
}

TEST(BalanceLimit, what_is_missing_is_said_in_words_with_the_body) {
  Simulation simulation = simulate(slope(0.46, 0.45), run_with(choices[0]));
  const StepReport& report = simulation.step();
  const std::string words = ending_words(report.ending, report.shortage, "block");
  // The least force is m g sin 0.0083 = 0.162 N, at right angles to the edge of the cone.
  EXPECT_EQ(words.find("no equilibrium: 'block' needs 0.16"), 0u) << words;
  EXPECT_NE(words.find(" N more along (1, 0.008"), std::string::npos) << words;
}

// A ramp whose angle grows by 1e-4 a step carries its block up to the last step that begins below
// the angle of friction.
TEST(BalanceLimit, a_block_on_a_ramp_that_rises_ended_five_steps_late) {
  for (const Choice& choice : choices) {
    const double friction = std::tan(0.10015);  // 1001 steps and a half
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: {:.17g}}}}}
bodies:
  ramp: {{shapes: [{{half-plane: {{}}, material: m}}], motion: {{x: 0, y: 0, angle: 0.095 + 0.1*t}}}}
  block: {{shapes: [{{box: [0.2, 0.1], material: m}}], mass: 2, pose: {{on: ramp, at: 0}}}}
run: {{step: 1 ms, duration: 0.2}}
)",
                                                 friction),
                                     run_with(choice));
    while (!simulation.finished()) simulation.step();
    EXPECT_EQ(simulation.report().ending, Ending::no_equilibrium);
    EXPECT_EQ(simulation.report().shortage.body, body(simulation, "block"));
    EXPECT_EQ(simulation.state().step, 53);  // it begins at 0.095 + 52e-4
  }
}

// 0.2 kg on three supports in a regular triangle about its middle.
std::string on_a_table(const std::string& force) {
  return fmt::format(R"(
world: planar
table: {{gravity: {}, friction: 0.35}}
bodies:
  part:
    shapes: [{{box: [0.1, 0.1]}}]
    mass: 0.2
    supports: [[0.03, 0], [-0.015, 0.015*sqrt(3)], [-0.015, -0.015*sqrt(3)]]
    force: {}
run: {{step: 1 ms, duration: 5 ms}}
)",
                     g, force);
}

TEST(BalanceLimit, a_part_on_a_table_held_with_little_to_spare_was_held_by_nothing) {
  const double most = 0.35 * 0.2 * g;
  const Choice round = choices[0];
  for (const double azimuth : {0.0, 0.4, 2.1, 4.4})
    for (const double distance : distances) {
      SCOPED_TRACE(fmt::format("{} {}", azimuth, distance));
      const auto pull = [&](double load) {
        return on_a_table(fmt::format("{{x: {:.17g}, y: {:.17g}}}", load * most * std::cos(azimuth),
                                      load * most * std::sin(azimuth)));
      };
      expect_rest(pull(1.0 - distance), round);
      expect_none(pull(1.0 + distance), round, "part", distance * most);
    }
}

TEST(BalanceLimit, a_part_on_a_table_is_held_up_to_a_torque) {
  const double most = 0.35 * 0.2 * g * 0.03;
  for (const double distance : distances) {
    const auto twisted = [&](double load) {
      return on_a_table(fmt::format("{{torque: {:.17g}}}", load * most));
    };
    expect_rest(twisted(1.0 - distance), choices[0]);
    expect_none(twisted(1.0 + distance), choices[0], "part", 0.0);
  }
}

// One step of `scene` at a share 1 - distance of the pull that friction takes: friction has its
// full size and turns against the motion, which is v F/√((μ m g)² − F²) along y.
template <class MakeScene>
void expect_aside(const MakeScene& scene, double distance, const char* body, double speed) {
  SCOPED_TRACE(distance);
  Simulation simulation = simulate(scene(1.0 - distance), run_with(choices[0]));
  const StepReport& report = simulation.step();
  ASSERT_EQ(report.ending, Ending::none);
  EXPECT_LE(report.solve.residual.relative, 1e-10);
  const double share = 1.0 - distance, aside = share / std::sqrt(1.0 - share * share);
  EXPECT_NEAR(twist(simulation, body).linear.x(), speed, 1e-12);
  EXPECT_NEAR(twist(simulation, body).linear.y(), speed * aside, 1e-5 * speed * aside);
}

// Pushed along x at v by a smooth wall, and pulled along y. The motion may be large, and is
// explained.
TEST(BalanceLimit, a_pushed_part_goes_aside_as_fast_as_its_pull_demands_and_no_farther) {
  const double most = 0.35 * 0.2 * g, speed = 1e-4;
  const auto scene = [&](double load) {
    return fmt::format(R"(
world: planar
table: {{gravity: {}, friction: 0.35}}
bodies:
  wall: {{shapes: [{{half-plane: {{normal: [1, 0]}}}}], motion: {{x: -0.05 + {}*t, y: 0, angle: 0}}}}
  part:
    shapes: [{{box: [0.1, 0.1]}}]
    mass: 0.2
    supports: [[0.03, 0], [-0.015, 0.015*sqrt(3)], [-0.015, -0.015*sqrt(3)]]
    force: {{y: {:.17g}}}
    motion: {{angle: 0}}
run: {{step: 1 ms, duration: 1 ms}}
)",
                       g, speed, load * most);
  };
  for (const double distance : distances) {
    expect_aside(scene, distance, "part", speed);
    expect_none(scene(1.0 + distance), choices[0], "part", distance * most);
  }
}

// The largest tangent of a slope that a pyramid holds: its polygon in the direction of the fall.
double pyramid_limit(const Vector3& normal, const Choice& choice) {
  if (std::string(choice.cone) == "quadratic") return 1.0;
  const ContactFrame frame = contact_frame(World::spatial, normal);
  const double angle =
      std::atan2(-frame.tangent_2.z(), -frame.tangent_1.z());  // friction acts uphill
  const double half = M_PI / std::stoi(choice.directions);
  double within = std::fmod(angle, 2.0 * half);
  if (within < 0.0) within += 2.0 * half;
  return std::cos(half) / std::cos(within - half);
}

TEST(BalanceLimit, in_space_a_box_or_a_tripod_holds_on_a_slope_in_every_azimuth) {
  const double friction = 0.4;
  const char* shapes[] = {
      "[{box: [0.2, 0.1, 0.1], material: m}]",
      "[{sphere: 0.02, position: [0.1, 0, 0], material: m}, {sphere: 0.02, position: [-0.05, 0.08, "
      "0], material: m}, {sphere: 0.02, position: [-0.05, -0.08, 0], material: m}]"};
  for (const char* shape : shapes)
    for (const Choice& choice : choices)
      for (const double azimuth : {0.0, 0.7, 2.5, 4.0}) {
        const auto normal = [&](double tangent) {
          return Vector3(tangent * std::cos(azimuth), tangent * std::sin(azimuth), 1.0)
              .normalized();
        };
        // The frame turns with the normal, so the limit is found where it is.
        double limit = friction;
        for (int i = 0; i < 100; ++i) limit = friction * pyramid_limit(normal(limit), choice);
        const auto scene = [&](double load) {
          const Vector3 n = normal(load * limit);
          return fmt::format(R"(
world: spatial
gravity: [0, 0, -{}]
materials: {{m: {{friction: {}}}}}
bodies:
  slope: {{freedom: fixed, shapes: [{{half-space: {{normal: [{:.17g}, {:.17g}, {:.17g}]}}, material: m}}]}}
  body: {{shapes: {}, mass: 2, pose: {{on: slope, at: [0, 0]}}}}
run: {{step: 1 ms, duration: 2 ms}}
)",
                             g, friction, n.x(), n.y(), n.z(), shape);
        };
        for (const double distance : distances) {
          SCOPED_TRACE(fmt::format("{} {} {} {} {}", shape[2], choice.cone, choice.directions,
                                   azimuth, distance));
          expect_rest(scene(1.0 - distance), choice, distance > 1e-7);
          expect_none(scene(1.0 + distance), choice, "body", 0.0);
        }
      }
}

// In space as on the table: a smooth wall pushes a box over a rough floor while it is pulled aside.
TEST(BalanceLimit, in_space_a_pushed_box_goes_aside_as_its_pull_demands) {
  const double friction = 0.4, mass = 2.0, most = friction * mass * g, speed = 1e-4;
  const auto scene = [&](double load) {
    return fmt::format(R"(
world: spatial
gravity: [0, 0, -{}]
materials: {{m: {{friction: {}}}, smooth: {{friction: 0}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  wall: {{shapes: [{{half-space: {{normal: [1, 0, 0]}}, material: smooth}}], motion: {{x: -0.1 + {}*t, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0}}}}
  box: {{shapes: [{{box: [0.2, 0.2, 0.1], material: m}}], mass: {}, position: [0, 0, 0.05], force: {{y: {:.17g}}}}}
run: {{step: 1 ms, duration: 1 ms}}
)",
                       g, friction, speed, mass, load * most);
  };
  for (const double distance : distances) {
    expect_aside(scene, distance, "box", speed);
    expect_none(scene(1.0 + distance), choices[0], "box", 0.0);
  }
}

// A drawer of length 0.4 in its guides, drawn at 0.1 from its middle against 3 N: it jams where
// twice μ times the lever is the length between the points that touch.
TEST(BalanceLimit, a_drawer_slides_up_to_the_friction_that_jams_it) {
  const auto scene = [](double friction) {
    return fmt::format(R"(
world: planar
gravity: [0, 0]
materials: {{m: {{friction: {:.17g}}}, smooth: {{friction: 0}}}}
bodies:
  below: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  above: {{freedom: fixed, shapes: [{{half-plane: {{point: [0, 0.25], normal: [0, -1]}}, material: m}}]}}
  drawer: {{shapes: [{{box: [0.5, 0.25], material: m}}], mass: 1, position: [0, 0.125], force: {{x: -3}}}}
  hand: {{shapes: [{{circle: 0.0625, position: [-0.3125, 0.225], material: smooth}}], motion: {{x: 0.001*t, y: 0, angle: 0}}}}
run: {{step: 1 ms, duration: 1 ms}}
)",
                       friction);
  };
  // Forces: the hand H at the lever 0.1 above the middle, guides N up and N down 0.5 apart,
  // friction μ N on both, at equal and opposite heights: H = 3 + 2 μ N, 0.1 H = 0.5 N. Jams at μ
  // = 2.5.
  for (const double distance : {1e-3, 1e-6}) {
    Simulation slides = simulate(scene(2.5 * (1.0 - distance)), run_with(choices[0]));
    const StepReport& report = slides.step();
    EXPECT_EQ(report.ending, Ending::none) << distance;
    EXPECT_NEAR(twist(slides, "drawer").linear.x(), 1e-3, 1e-9);
    Simulation jams = simulate(scene(2.5 * (1.0 + distance)), run_with(choices[0]));
    EXPECT_EQ(jams.step().ending, Ending::no_motion) << distance;
    EXPECT_EQ(position(jams, "drawer").x(), 0.0);
  }
}

// Two blocks of a stack: the one that slips is named, whichever it is.
TEST(BalanceLimit, the_body_that_lacks_the_force_is_named) {
  const auto scene = [](double below, double between) {
    return fmt::format(R"(
world: planar
materials: {{a: {{friction: {}}}, b: {{friction: {}}}}}
bodies:
  slope: {{freedom: fixed, shapes: [{{half-plane: {{angle: atan(0.3)}}, material: a}}]}}
  lower: {{shapes: [{{box: [0.4, 0.1], material: a}}], mass: 1, pose: {{on: slope, at: 0}}}}
  upper: {{shapes: [{{box: [0.2, 0.1], material: b}}], mass: 1, pose: {{on: slope, at: 0, height: 0.1}}}}
run: {{step: 1 ms, duration: 1 ms, motion: quasi-static}}
)",
                       below, between);
  };
  Simulation slips = simulate(scene(0.4, 0.1));  // between them √(0.4 · 0.1) = 0.2
  EXPECT_EQ(slips.step().ending, Ending::no_equilibrium);
  EXPECT_EQ(slips.report().shortage.body, body(slips, "upper"));
  Simulation holds = simulate(scene(0.4, 0.4));
  EXPECT_EQ(holds.step().ending, Ending::none);
}

}  // namespace
}  // namespace vinci::test
