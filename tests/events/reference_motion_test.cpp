// SPDX-License-Identifier: Apache-2.0
// Motion through events beside reference case 22, which finds its events by other means, and beside
// time-stepping: with fine steps both lead to the same motion.
#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

const auto motions = reference("case22_event_motions")["expected"];

struct TangentEvent {
  double time = 0.0;
  int state = 0;
  double direction = 0.0;  // of the velocity along tangent 1 where it slides, m/s
};

// All changes of friction after the start.
std::vector<TangentEvent> friction_events(Simulation& simulation,
                                          const std::function<void(double)>& look = {}) {
  std::vector<TangentEvent> events;
  while (!simulation.finished()) {
    simulation.step();
    for (const StepEvent& event : simulation.events()) {
      const int state = event.after.state;
      if (event.after.key.kind == EntityKind::contact &&
          (state == static_cast<int>(ConstraintState::sticking) ||
           state == static_cast<int>(ConstraintState::sliding)))
        events.push_back({event.time, state, 0.0});
    }
    if (look) look(simulation.state().time);
  }
  return events;
}

// The belt is the surface of a prescribed body that moves along the slope.
TEST(EventReference, a_block_on_a_belt_that_swings_sticks_and_slips_at_the_times_of_case_22) {
  const auto& c = motions["oscillating_belt"];
  const double slope = c["slope"];
  Simulation simulation =
      simulate(fmt::format(R"(world: planar
parameters: {{tilt: {:.17g}}}
materials: {{m: {{friction: {:.17g}}}}}
bodies:
  belt:
    shapes: [{{half-plane: {{}}, material: m}}]
    motion: {{x: 0.8/7*(1 - cos(7*t))*cos(tilt), y: 0.8/7*(1 - cos(7*t))*sin(tilt), angle: tilt}}
  block:
    shapes: [{{box: [0.2, 0.1], material: m}}]
    position: [-0.05*sin(tilt), 0.05*cos(tilt)]
    angle: tilt
run: {{stepper: {{name: event-driven, accuracy: 1e-10}}, step: 0.1, duration: {}}}
)",
                           slope, c["mu"].get<double>(), c["duration"].get<double>()));
  const int block = body(simulation, "block");
  std::size_t sample = 0;
  double error = 0.0;
  const std::vector<TangentEvent> events = friction_events(simulation, [&](double time) {
    if (sample == c["t"].size() || std::abs(time - c["t"][sample].get<double>()) > 1e-9) return;
    const Vector3 along(std::cos(slope), std::sin(slope), 0.0);
    const double x = simulation.state().poses[block].position.dot(along);
    const double v =
        body_twist(simulation.model(), simulation.state().velocities, block).linear.dot(along);
    error = std::max({error, std::abs(x - c["x"][sample].get<double>()),
                      std::abs(v - c["v"][sample].get<double>())});
    ++sample;
  });
  EXPECT_EQ(sample, c["t"].size());
  EXPECT_LE(error, 1e-8);  // what the reference asks of a method of high order
  // Both corners of the block change at the same time.
  std::vector<double> times;
  for (const TangentEvent& event : events)
    if (times.empty() || event.time > times.back() + 1e-6) times.push_back(event.time);
  std::vector<double> expected;
  for (const auto& event : c["events"])
    if (event["t"].get<double>() > 0.0) expected.push_back(event["t"]);
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-9) << i;
}

// An impact that is damped critically leaves e^-2 of the speed of touching and the reference leaves
// nothing: bounces follow that it lacks. Once the ball rolls, only the depth of the last ones is
// left, which shortens the arm of friction: the difference falls with the time scale.
TEST(EventReference, a_ball_on_a_moving_incline_comes_to_the_motion_of_case_22_once_it_rolls) {
  constexpr double rolling = 0.7;  // s; it rolls for the first time at 0.677
  const auto& c = motions["ball_inelastic"];
  const auto& p = c["parameters"];
  std::vector<double> scales = {4e-4, 1e-4, 2.5e-5}, errors;
  for (const double scale : scales) {
    Simulation simulation = simulate(
        fmt::format(R"(world: planar
parameters: {{tilt: {:.17g}, u0: {}, u1: {}, om: {}, r: {}}}
materials: {{m: {{friction: {}}}}}
bodies:
  plane:
    shapes: [{{half-plane: {{}}, material: m}}]
    motion: {{x: (u0*t + u1/om*(1 - cos(om*t)))*cos(tilt), y: -(u0*t + u1/om*(1 - cos(om*t)))*sin(tilt), angle: -tilt}}
  ball:
    shapes: [{{circle: r, material: m}}]
    mass: 1
    inertia: 0.4*r^2
    position: [({} + r)*sin(tilt), ({} + r)*cos(tilt)]
run: {{stepper: {{name: event-driven, accuracy: 1e-10, time-scale: {}}}, step: 0.1, duration: {}}}
)",
                    p["beta"].get<double>(), p["U0"].get<double>(), p["U1"].get<double>(),
                    p["Om"].get<double>(), p["R"].get<double>(), p["mu"].get<double>(),
                    p["H"].get<double>(), p["H"].get<double>(), scale, p["T"].get<double>()));
    const int ball = body(simulation, "ball");
    const double slope = p["beta"];
    const Vector3 along(std::cos(slope), -std::sin(slope), 0.0);
    double error = 0.0;
    std::size_t sample = 0;
    friction_events(simulation, [&](double time) {
      if (sample == c["t"].size() || std::abs(time - c["t"][sample].get<double>()) > 1e-9) return;
      const Twist twist = body_twist(simulation.model(), simulation.state().velocities, ball);
      if (time > rolling)
        error = std::max(
            {error, std::abs(twist.linear.dot(along) - c["v"][sample].get<double>()),
             std::abs(p["R"].get<double>() * twist.angular.z() - c["Rw"][sample].get<double>())});
      ++sample;
    });
    EXPECT_EQ(sample, c["t"].size());
    errors.push_back(error);
  }
  EXPECT_LE(errors.back(), 100.0 * scales.back());  // accelerations of the plane and of gravity
  EXPECT_GT(fitted_order(scales, errors), 0.9);
}

// Final place and velocity of the body called `body`.
VectorX end_of(const std::string& scene, const std::string& stepper, const std::string& step) {
  Simulation simulation =
      simulate(scene + "run: {stepper: " + stepper + ", step: " + step + ", duration: 0.8 s}\n");
  while (!simulation.finished()) simulation.step();
  const int i = body(simulation, "body");
  const Twist speed = body_twist(simulation.model(), simulation.state().velocities, i);
  VectorX end(9);
  end << simulation.state().poses[i].position, speed.linear, speed.angular;
  return end;
}

struct Twin {
  const char* what;
  const char* scene;
  // Where in a step it lands makes the errors of steps uneven.
  bool lands = false;
};

const Twin twins[] = {
    {"slides to rest and sticks", R"(world: planar
materials: {m: {friction: 0.4}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  body: {shapes: [{box: [0.2, 0.1], material: m}], position: [0, 0.05], velocity: [2, 0]}
)"},
    {"slips, rolls down", R"(world: planar
materials: {m: {friction: 0.2}}
bodies:
  slope: {freedom: fixed, shapes: [{half-plane: {angle: -10 deg}, material: m}]}
  body: {shapes: [{circle: 0.1, material: m}], position: [0.1*sin(10 deg), 0.1*cos(10 deg)], velocity: [1, 0], spin: 20}
)"},
    {"is carried and slips on a table that swings", R"(world: planar
materials: {m: {friction: 0.35}}
bodies:
  table: {shapes: [{half-plane: {}, material: m}], motion: {x: 0.05*(1 - cos(10*t)), y: 0, angle: 0}}
  body: {shapes: [{box: [0.2, 0.1], material: m}], position: [0, 0.05]}
)"},
    {"slips and rolls in space", R"(world: spatial
materials: {m: {friction: 0.25}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}
  body: {shapes: [{sphere: 0.1, material: m}], position: [0, 0, 0.1], velocity: [1, 0.5, 0], spin: [5, 10, 3]}
)"},
    // Damped a hundred times more than critically: 2.5e-5 of the speed of touching is left.
    {"falls on a floor that damps highly, slips and rolls", R"(world: planar
materials: {m: {friction: 0.25, impact: {damping: 2e6, stiffness: 1e8}}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  body: {shapes: [{circle: 0.1, material: m}], position: [0, 0.3], velocity: [1, 0], spin: 20}
)",
     true},
};

// Time-stepping errs in proportion to the step; events to 1e-9 and by the time of an impact.
TEST(EventReference, time_steps_converge_to_the_motion_through_events) {
  for (const Twin& twin : twins) {
    const VectorX exact =
        end_of(twin.scene, "{name: event-driven, accuracy: 1e-9, time-scale: 1e-4}", "0.1");
    const std::vector<double> steps = {4e-3, 2e-3, 1e-3, 5e-4};
    std::vector<double> errors;
    for (const double h : steps)
      errors.push_back(
          (end_of(twin.scene, "stewart-trinkle", fmt::format("{}", h)) - exact).norm());
    EXPECT_LE(errors.back(), 40.0 * steps.back()) << twin.what;
    if (twin.lands) continue;
    EXPECT_GT(fitted_order(steps, errors), 0.8) << twin.what;
  }
}

}  // namespace
}  // namespace vinci::test
