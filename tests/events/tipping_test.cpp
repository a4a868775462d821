// SPDX-License-Identifier: Apache-2.0
// Bodies that let go without an impact, since what presses them on runs out: boxes that tip. The
// other way is the motion about the edge that stays, by Runge-Kutta steps of its own equation.
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

constexpr double fall = 9.81;  // m/s²

struct Tipping {
  std::unique_ptr<Simulation> simulation;
  std::vector<StepEvent> events;
  explicit Tipping(const std::string& text)
      : simulation(std::make_unique<Simulation>(Scene::parse(text))) {
    while (!simulation->finished()) {
      simulation->step();
      events.insert(events.end(), simulation->events().begin(), simulation->events().end());
    }
  }
  double first_release() const {
    for (const StepEvent& event : events)
      if (event.after.state == static_cast<int>(ConstraintState::ballistic)) return event.time;
    return infinity;
  }
  double angle(const char* body) const {
    const Quaternion& turn =
        simulation->state().poses[simulation->model().find_body(body)].rotation;
    return 2.0 * std::atan2(turn.z(), turn.w());
  }
};

// The angle at `end` of what rests until `begin`: angle'' = f(time, angle, rate).
double swung(double begin, double end, const std::function<double(double, double, double)>& f) {
  constexpr int steps = 20000;
  const double h = (end - begin) / steps;
  double angle = 0.0, rate = 0.0;
  for (int i = 0; i < steps; ++i) {
    const double t = begin + i * h;
    const double a1 = f(t, angle, rate), v1 = rate;
    const double v2 = rate + 0.5 * h * a1, a2 = f(t + 0.5 * h, angle + 0.5 * h * v1, v2);
    const double v3 = rate + 0.5 * h * a2, a3 = f(t + 0.5 * h, angle + 0.5 * h * v2, v3);
    const double v4 = rate + h * a3, a4 = f(t + h, angle + h * v3, v4);
    angle += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return angle;
}

// F = rate t at the middle of a box on rough ground: it turns about its edge from F h = m g w on.
TEST(TippingBodies, a_pushed_box_turns_about_the_edge_that_rubs) {
  struct Case {
    double width, height, friction, rate;
    const char* options;
  };
  for (const Case& c : {Case{0.11, 0.29, 1.7, 9.0, ""}, Case{0.11, 0.29, 0.6, 9.0, ""},
                        Case{0.13, 0.24, 0.9, 21.0, ""}, Case{0.11, 0.31, 1.2, -9.0, ""},
                        Case{0.11, 0.29, 1.7, 9.0, ", accuracy: 1e-6"},
                        Case{0.11, 0.29, 1.7, 9.0, ", time-scale: 0.1"}}) {
    SCOPED_TRACE(fmt::format("{} x {}, friction {}, {} N/s{}", c.width, c.height, c.friction,
                             c.rate, c.options));
    const double tips = fall * c.width / c.height / std::abs(c.rate);
    const double end = std::ceil(100.0 * (tips + 0.1)) / 100.0;
    const Tipping run(fmt::format(R"(world: planar
materials: {{rough: {{friction: {2}}}}}
bodies:
  ground: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: rough}}]}}
  box: {{shapes: [{{box: [{0}, {1}], material: rough}}], mass: 1, inertia: 0.01,
        position: [0, {1}/2], force: {{x: {3}*t}}}}
run: {{stepper: {{name: event-driven{5}}}, step: 10 ms, duration: {4}}}
)",
                                  c.width, c.height, c.friction, c.rate, end, c.options));
    EXPECT_TRUE(run.simulation->finished());
    EXPECT_FALSE(run.simulation->has_ended());
    EXPECT_NEAR(run.first_release(), tips, 1e-5);
    const double side = c.rate > 0.0 ? 1.0 : -1.0, a = 0.5 * c.width, b = 0.5 * c.height;
    const double turned = swung(tips, end, [&](double t, double angle, double) {
      const double s = std::sin(angle), cosine = std::cos(angle);
      return (std::abs(c.rate) * t * (a * s + b * cosine) - fall * (a * cosine - b * s)) /
             (0.01 + a * a + b * b);
    });
    EXPECT_GT(turned, 1e-4);
    EXPECT_NEAR(run.angle("box"), -side * turned, 1e-5);
  }
}

// Without friction the middle stays above its place, and the edge slides away under it.
void expect_to_lift(const std::string& bodies, double weight_arm, double steady, double rate) {
  const double tips = (fall * weight_arm - steady) / rate;
  const double end = std::ceil(100.0 * (tips + 0.1)) / 100.0;
  const Tipping run(
      fmt::format("world: planar\n{}run: {{stepper: event-driven, step: 10 ms, "
                  "duration: {}}}\n",
                  bodies, end));
  EXPECT_FALSE(run.simulation->has_ended());
  EXPECT_NEAR(run.first_release(), tips, 1e-7);
  const double a = weight_arm, b = 0.04, inertia = 0.008;
  const double turned = swung(tips, end, [&](double t, double angle, double turning) {
    const double s = std::sin(angle), c = std::cos(angle);
    const double rise = a * c - b * s, bend = -a * s - b * c;
    return (steady + rate * t - fall * rise - rise * bend * turning * turning) /
           (inertia + rise * rise);
  });
  EXPECT_GT(turned, 1e-4);
  EXPECT_NEAR(run.angle("box"), -turned, 1e-7);
}

TEST(TippingBodies, a_turned_box_lifts_its_side_off_smooth_ground) {
  for (const double rate : {1.3, 3.0, 6.0, 7.7, 10.0, 11.0})
    for (const double steady : {0.0, 0.7}) {
      SCOPED_TRACE(fmt::format("-{} - {} t N m", steady, rate));
      expect_to_lift(fmt::format(R"(bodies:
  ground: {{freedom: fixed, shapes: [{{half-plane: {{}}}}]}}
  box: {{shapes: [{{box: [0.26, 0.08]}}], mass: 1, inertia: 0.008, position: [0, 0.04],
        force: {{torque: -{}-{}*t}}}}
)",
                                 steady, rate),
                     0.13, steady, rate);
    }
}

// The same of constraints that a scene writes itself, without shapes.
TEST(TippingBodies, written_constraints_let_go_as_shapes_do) {
  for (const double rate : {3.0, 10.0})
    expect_to_lift(fmt::format(R"(bodies:
  box: {{shapes: [{{box: [0.26, 0.08]}}], mass: 1, inertia: 0.008, position: [0, 0.04],
        force: {{torque: -{}*t}}}}
constraints:
  left: {{at-least-zero: box.y - 0.13*sin(box.angle) - 0.04*cos(box.angle)}}
  right: {{at-least-zero: box.y + 0.13*sin(box.angle) - 0.04*cos(box.angle)}}
)",
                               rate),
                   0.13, 0.0, rate);
}

}  // namespace
}  // namespace vinci
