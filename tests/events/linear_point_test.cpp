// SPDX-License-Identifier: Apache-2.0
// The time at which a scene is linear, and maps that are wrong.
#include "tests/events/linear_scenes.h"

namespace vinci::test {
namespace {

// Free fall tells the time.
const std::string falling = R"(
world: planar
bodies:
  ball: {mass: 1, inertia: 1, position: [0, 0], velocity: [0.3, 0], force: {y: drag}}
)";

std::string scene(const std::string& run, const std::string& drag = "0") {
  return "parameters: {drag: " + drag + "}" + falling + run;
}

Linearization at(const std::string& yaml, double time, LinearizeOptions options = {}) {
  Simulation simulation = simulate(yaml);
  options.at = time;
  return linearize_at(simulation, options);
}

TEST(LinearPoint, an_event_driven_scene_is_linear_at_the_time_itself) {
  const std::string run = "run: {stepper: event-driven, step: 0.1, duration: 1}\n";
  for (const double time : {0.0, 0.05, 0.1, 0.30051, 0.95, 1.0}) {
    const Linearization it = at(scene(run), time);
    EXPECT_NEAR(it.time, time, 1e-15);
    EXPECT_NEAR(value_of(it.coordinates, "ball.y [m]"), -0.5 * 9.81 * time * time, 1e-7);
    EXPECT_NEAR(value_of(it.coordinates, "ball.x [m]"), 0.3 * time, 1e-7);
    EXPECT_TRUE(std::none_of(it.notes.begin(), it.notes.end(), [](const std::string& note) {
      return note.find("nearest") != std::string::npos;
    }));
  }
}

// The change acts within the step at hand, before the time.
TEST(LinearPoint, a_change_within_the_step_has_acted) {
  const std::string run =
      "changes: [{at: 0.52, set: {drag: 9.81}}]\n"
      "run: {stepper: event-driven, step: 0.1, duration: 1}\n";
  const Linearization it = at(scene(run), 0.58);
  EXPECT_NEAR(value_of(it.accelerations, "ball.y [m]"), 0.0, 1e-9);
  EXPECT_NEAR(value_of(it.rates, "ball.vy [m/s]"), -9.81 * 0.52, 1e-7);
  EXPECT_NEAR(value_of(at(scene(run), 0.51).rates, "ball.vy [m/s]"), -9.81 * 0.51, 1e-7);
}

TEST(LinearPoint, time_stepping_says_at_which_step_it_is) {
  const std::string run = "run: {step: 1 ms, duration: 2}\n";
  const Linearization between = at(scene(run), 1.00051), on = at(scene(run), 1.001);
  EXPECT_EQ(between.time, on.time);
  EXPECT_NEAR(between.time, 1.001, 1e-12);
  ASSERT_EQ(between.notes.size(), on.notes.size() + 1);
  EXPECT_NE(between.notes[0].find("1.00051"), std::string::npos) << between.notes[0];
}

TEST(LinearPoint, a_time_beyond_the_run_is_refused) {
  for (const char* const stepper : {"event-driven", "stewart-trinkle"})
    for (const double time : {1e9, 1.001, -0.001, double(NAN)}) try {
        at(scene(fmt::format("run: {{stepper: {}, step: 1 ms, duration: 1}}\n", stepper)), time);
        ADD_FAILURE() << stepper << " " << time;
      } catch (const Error& error) {
        EXPECT_NE(error.message().find("accepted: 0 to 1 s"), std::string::npos) << error.what();
      }
}

// Sampled controllers hold what they gave where the step began.
class Spring : public Controller {
 public:
  void act(const Model& model, const State& state, double, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX>) override {
    forces[model.bodies[0].velocity_offset] += -5.0 * state.poses[0].position.x();
  }
};

TEST(LinearPoint, forces_of_controllers_are_those_of_the_step_at_hand) {
  RunOverrides overrides;
  overrides.code.controllers.push_back({"spring", std::make_shared<Spring>()});
  Simulation simulation(
      Scene::parse(scene("run: {stepper: event-driven, step: 0.1, duration: 1}\n")), overrides);
  LinearizeOptions options;
  options.at = 0.37;
  const Linearization it = linearize_at(simulation, options);
  Simulation other(Scene::parse(scene("run: {stepper: event-driven, step: 0.1, duration: 1}\n")),
                   overrides);
  while (other.state().step < 3) other.step();
  EXPECT_NEAR(value_of(it.accelerations, "ball.x [m]"), -5.0 * other.state().poses[0].position.x(),
              1e-12);
}

// A step with springs, contact and friction, made, and its map.
struct Mapped {
  Simulation simulation;
  MadeStep step;
  StepMap map;

  explicit Mapped(const std::string& yaml) : simulation(simulate(yaml)) {
    while (simulation.state().step < 40) simulation.step();
    step.model = &simulation.model();
    step.before = simulation.state();
    step.h = simulation.step_size();
    step.overlaps_in_velocity = true;
    simulation.step();
    step.after = simulation.state();
    step.contacts = simulation.contacts();
    map = step_map(step, {});
  }
};

const std::string held = R"(
world: planar
materials: {wood: {friction: 0.6}}
bodies:
  slope: {freedom: fixed, shapes: [{half-plane: {angle: -0.2}, material: wood}]}
  disk: {shapes: [{circle: 0.1, material: wood}], mass: 2, inertia: 0.01, position: [0, 0.10203388]}
  post: {freedom: fixed, position: [-0.4, 0.3]}
springs:
  rope: {between: [disk, post], stiffness: 60, damping: 1, length: 0.2}
run: {step: 5 ms, duration: 1 s, cone: pyramid, solver: lemke, stepper: {name: stewart-trinkle, overlap: velocities}}
)";

TEST(LinearPoint, a_map_that_is_right_is_let_pass) {
  Mapped it(held);
  ASSERT_TRUE(it.map.limits.empty());
  EXPECT_NO_THROW(check_map(it.simulation, it.step, it.map));
  EXPECT_TRUE(it.simulation.state() == it.step.after);
}

// A stiff controller: its force is held, in the map and in the steps that it is compared with.
TEST(LinearPoint, a_map_beside_a_controller_is_that_of_the_bodies) {
  const Linearization it = at(R"(
world: planar
gravity: [0, 0]
bodies: {cart: {mass: 1, inertia: 1, velocity: [0.3, 0], force: {x: -2*v}}}
signals: {force: {expression: -4000*cart.x, drives: cart.force_x}}
run: {step: 5 ms, duration: 1 s}
)",
                              0.1);
  EXPECT_EQ(it.system.a(3, 0), 0.0);
  EXPECT_NEAR(it.system.a(3, 3), 1.0 / (1.0 + 2.0 * 5e-3), 1e-12);
}

// Every entry of the rates' rows by itself, by a hundredth of the largest of its block.
TEST(LinearPoint, a_map_that_is_wrong_is_refused) {
  Mapped it(held);
  const Eigen::Index n = it.map.system.a.rows() / 2;
  for (const Eigen::Index block : {Eigen::Index(0), n}) {
    const double size = it.map.system.a.block(n, block, n, n).cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        StepMap wrong = it.map;
        wrong.system.a(n + i, block + j) += 0.01 * size;
        EXPECT_THROW(check_map(it.simulation, it.step, wrong), Error) << i << " " << block + j;
        EXPECT_TRUE(it.simulation.state() == it.step.after);
      }
  }
}

// The step of another model, whose spring is a tenth stiffer.
TEST(LinearPoint, the_map_of_another_spring_is_refused) {
  Mapped it(held);
  std::string other = held;
  other.replace(other.find("stiffness: 60"), 13, "stiffness: 66");
  it.map.system = Mapped(other).map.system;
  EXPECT_THROW(check_map(it.simulation, it.step, it.map), Error);
}

}  // namespace
}  // namespace vinci::test
