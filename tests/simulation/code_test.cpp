// SPDX-License-Identifier: Apache-2.0
// Controllers and motions given by code, and what a run keeps when they fail.
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/runs.h"
#include "vinci/recording/recorder.h"
#include "vinci/recording/recording.h"
#include "vinci/recording/replay.h"

namespace vinci::test {
namespace {

// A wall that pushes a block along the floor, and a ball above them.
std::string scene(const std::string& wall = "0.2*sin(5*t)") {
  return fmt::format(R"(
world: planar
parameters: {{mu: 0.3}}
materials: {{m: {{friction: mu}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  wall:
    shapes: [{{box: [0.1, 0.4], material: m, position: [-0.05, 0.25]}}]
    motion: {{x: {}, y: 0, angle: 0}}
  block: {{shapes: [{{box: [0.2, 0.1], material: m}}], mass: 2, position: [0.13, 0.05]}}
  ball: {{shapes: [{{circle: 0.1, material: m}}], mass: 1, position: [1, 1]}}
exclude: [[wall, floor]]
changes: [{{at: 0.1, set: {{mu: 0.5}}}}]
run: {{step: 1 ms, duration: 0.3}}
)",
                     wall);
}

class Swing : public Motion {
 public:
  Jet at(double time) const override {
    if (time > fails_after) throw std::runtime_error("the motion fails");
    static const Expression swing = Expression::parse("0.2*sin(5*t)", names());
    const std::array<Jet, 1> variables{Jet{time, 1.0, 0.0}};
    return swing.jet(variables);
  }
  static std::span<const std::string> names() {
    static const std::array<std::string, 1> list{"t"};
    return list;
  }
  double fails_after = 1e9;
};

// Drives the ball to a height by proportional and integral action; fails when told.
class Lift : public Controller {
 public:
  int memory_size() const override { return 1; }
  void act(const Model& model, const State& state, double h, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX> memory) override {
    const int ball = model.find_body("ball");
    const double error = 2.0 - state.poses[static_cast<std::size_t>(ball)].position.y();
    memory[0] += h * error;
    forces[model.bodies[static_cast<std::size_t>(ball)].velocity_offset + 1] +=
        20.0 * error + 5.0 * memory[0];
    if (state.time >= fails_after - 1e-9) throw std::runtime_error("the controller fails");
    if (state.time >= spoils_after - 1e-9) forces[0] = std::nan("");
  }
  double fails_after = 1e9, spoils_after = 1e9;
};

RunOverrides with(std::shared_ptr<Controller> controller) {
  RunOverrides overrides;
  overrides.code.controllers.push_back({"lift", std::move(controller)});
  return overrides;
}

RunOverrides with_motion(std::shared_ptr<const Motion> motion, const std::string& body = "wall",
                         const std::string& coordinate = "x") {
  RunOverrides overrides;
  overrides.code.motions[{body, coordinate}] = std::move(motion);
  return overrides;
}

std::string refusal(const RunOverrides& overrides) {
  try {
    simulate(scene(), overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

void run(Simulation& simulation) {
  while (!simulation.finished()) simulation.step();
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("vinci-code-{}", ::testing::UnitTest::GetInstance()->random_seed() +
                                               static_cast<int>(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};
using RecordedCode = Folder;

TEST(Code, a_motion_in_code_gives_the_bits_of_the_same_expression) {
  Simulation written = simulate(scene());
  Simulation coded = simulate(scene("0"), with_motion(std::make_shared<Swing>()));
  run(written);  // past a change of parameters, which compiles the model anew
  run(coded);
  EXPECT_EQ(hash(written.state()), hash(coded.state()));
  EXPECT_TRUE(written.state() == coded.state());
}

TEST(Code, the_initial_state_follows_a_motion) {
  class Away : public Motion {
   public:
    Jet at(double time) const override { return {-1.0 + 3.0 * time, 3.0, 0.0}; }
  };
  Simulation simulation = simulate(scene(), with_motion(std::make_shared<Away>()));
  EXPECT_EQ(position(simulation, "wall").x(), -1.0);
  EXPECT_EQ(twist(simulation, "wall").linear.x(), 3.0);
}

TEST(Code, a_motion_for_something_else_is_refused_with_what_the_scene_would_need) {
  const auto swing = std::make_shared<Swing>();
  EXPECT_EQ(refusal(with_motion(swing, "wal")),
            "wal.x: the motion is for a body that the scene does not have (did you mean 'wall'?)");
  EXPECT_EQ(refusal(with_motion(swing, "block")),
            "block.x: the scene does not prescribe this coordinate, so no motion can replace it; "
            "prescribed of this body: none; to prescribe it write `motion: {x: 0}` in the scene's "
            "bodies.block");
  EXPECT_NE(refusal(with_motion(swing, "wall", "z")).find("prescribed of this body: x, y, angle"),
            std::string::npos);
  EXPECT_EQ(refusal(with_motion(nullptr)), "wall.x: is no motion");
  EXPECT_EQ(refusal(with(nullptr)), "lift: is no controller");
}

TEST(Code, a_controller_holds_a_ball_where_gravity_and_its_force_meet) {
  const auto lift = std::make_shared<Lift>();
  Simulation simulation = simulate(scene(), with(lift));
  ASSERT_EQ(simulation.state().controls.size(), 1);
  simulation.step();
  // m v = h (−m g + 20 (2 − 1) + 5 h (2 − 1)), and the integral h (2 − 1).
  const double h = 1e-3;
  EXPECT_NEAR(twist(simulation, "ball").linear.y(), h * (-9.81 + 20.0 + 5.0 * h), 1e-15);
  EXPECT_EQ(simulation.state().controls[0], h);
}

TEST(Code, forces_on_prescribed_coordinates_are_ignored) {
  class Push : public Controller {
   public:
    void act(const Model& model, const State&, double, Eigen::Ref<VectorX> forces,
             Eigen::Ref<VectorX> memory) override {
      EXPECT_EQ(memory.size(), 0);
      forces[model.bodies[static_cast<std::size_t>(model.find_body("wall"))].velocity_offset] = 1e6;
    }
  };
  Simulation free = simulate(scene()), pushed = simulate(scene(), with(std::make_shared<Push>()));
  run(free);
  run(pushed);
  EXPECT_EQ(hash(free.state()), hash(pushed.state()));
}

TEST(Code, memory_belongs_to_the_state) {
  Simulation whole = simulate(scene(), with(std::make_shared<Lift>()));
  for (int i = 0; i < 150; ++i) whole.step();
  const State middle = whole.state();
  run(whole);
  Simulation second = simulate(scene(), with(std::make_shared<Lift>()));
  second.set_state(middle);
  run(second);
  EXPECT_EQ(hash(second.state()), hash(whole.state()));

  State other = middle;
  other.controls[0] = std::nextafter(other.controls[0], 1.0);
  EXPECT_NE(hash(other), hash(middle));
  EXPECT_FALSE(other == middle);
  other.controls[0] = std::nan("");
  EXPECT_FALSE(is_finite(other));
  EXPECT_THROW(second.set_state(other), Error);
  other.controls.resize(0);
  try {
    second.set_state(other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the state belongs to other controllers: it has 0 numbers of their memory, those "
                 "of this simulation have 1");
  }
}

// State, report and contacts of the step before, and the run may go on.
void expect_untouched(Simulation& simulation, const std::string& message) {
  const State before = simulation.state();
  const std::size_t contacts = simulation.contacts().size();
  const int active = simulation.report().active_count;
  ASSERT_GT(contacts, 0u);
  try {
    simulation.step();
    FAIL() << "no exception";
  } catch (const std::exception& error) {
    EXPECT_EQ(error.what(), message);
  }
  EXPECT_TRUE(simulation.state() == before);
  EXPECT_EQ(simulation.contacts().size(), contacts);
  EXPECT_EQ(simulation.report().active_count, active);
}

TEST(Code, an_exception_in_a_controller_leaves_the_step_before) {
  const auto lift = std::make_shared<Lift>();
  lift->fails_after = 0.05;
  Simulation simulation = simulate(scene(), with(lift));
  while (simulation.state().step < 50) simulation.step();
  expect_untouched(simulation, "the controller fails");
  lift->fails_after = 1e9;
  run(simulation);
  Simulation undisturbed = simulate(scene(), with(std::make_shared<Lift>()));
  run(undisturbed);
  EXPECT_EQ(hash(simulation.state()), hash(undisturbed.state()));
}

TEST(Code, a_force_that_is_no_number_is_an_error_that_names_it) {
  const auto lift = std::make_shared<Lift>();
  lift->spoils_after = 0.05;
  Simulation simulation = simulate(scene(), with(lift));
  while (simulation.state().step < 50) simulation.step();
  expect_untouched(simulation,
                   "lift: the controller gave the force nan on wall.x at 0.05 s; accepted: finite "
                   "numbers");
}

// −c v on the ball, with its damping told or not.
class Damper : public Controller {
 public:
  Damper(double c, double told) : c_(c), told_(told) {}
  void act(const Model& model, const State& state, double, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX>) override {
    const int entry = model.bodies[0].velocity_offset;
    forces[entry] -= c_ * state.velocities[entry];
  }
  void damp(const Model& model, const State&, double, Eigen::Ref<VectorX> damping) override {
    damping[model.bodies[0].velocity_offset] += told_;
  }

 private:
  double c_, told_;
};

Simulation damped_ball(const std::string& force, const std::string& options,
                       const RunOverrides& overrides = {}) {
  return simulate(
      fmt::format("world: planar\ngravity: [0, 0]\nbodies:\n  ball: {{shapes: [{{circle: 0.1}}], "
                  "mass: 2, velocity: [3, 0]{}}}\nrun: {{step: 0.1, duration: 2{}}}\n",
                  force, options),
      overrides);
}

// m (v⁺ − v) = −h c v⁺, so v falls by 1/(1 + h c/m) per step; held forces would grow from h c/m = 2
// on.
TEST(Code, a_controller_that_tells_its_damping_takes_energy_at_any_step) {
  for (const double c : {1.0, 100.0, 1e6})
    for (const char* options : {"", ", impact-time: bisect", ", stepper: anitescu-potra"}) {
      Simulation told = damped_ball("", options, with(std::make_shared<Damper>(c, c)));
      Simulation written = damped_ball(fmt::format(", force: {{x: '-{}*v'}}", c), options);
      double before = 3.0, ratio = 1.0 + 0.1 * c / 2.0;
      for (int i = 0; i < 20; ++i) {
        told.step();
        const double v = twist(told, "ball").linear.x();
        // f and c v are rounded in units of the velocity before.
        ASSERT_NEAR(v, before / ratio, 1e-15 * before) << c << options;
        before = v;
      }
      while (!written.finished()) written.step();
      // The share of that rounding in a step, over all steps.
      ASSERT_NEAR(before, twist(written, "ball").linear.x(), 20 * 1e-15 * ratio * before)
          << c << options;
    }
  Simulation held = damped_ball("", "", with(std::make_shared<Damper>(100.0, 0.0)));
  held.step();
  EXPECT_NEAR(twist(held, "ball").linear.x(), 3.0 * (1.0 - 0.1 * 100.0 / 2.0), 1e-12);
}

TEST(Code, a_damping_below_zero_is_an_error_that_names_it) {
  Simulation simulation = damped_ball("", "", with(std::make_shared<Damper>(1.0, -1.0)));
  try {
    simulation.step();
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "lift: the controller gave the damping -1 for ball.x at 0 s; accepted: finite "
                 "numbers, not negative");
  }
}

TEST(Code, an_exception_in_a_motion_leaves_the_step_before) {
  const auto swing = std::make_shared<Swing>();
  swing->fails_after = 0.0505;
  Simulation simulation = simulate(scene("0"), with_motion(swing));
  while (simulation.state().step < 50) simulation.step();
  expect_untouched(simulation, "the motion fails");
}

TEST(Code, a_motion_that_is_no_number_is_an_error_that_names_it) {
  class Lost : public Motion {
   public:
    Jet at(double time) const override {
      return time < 0.0505 ? Jet{0.0, 0.0, 0.0} : Jet{std::nan(""), 0.0, 0.0};
    }
  };
  Simulation simulation = simulate(scene(), with_motion(std::make_shared<Lost>()));
  while (simulation.state().step < 50) simulation.step();
  expect_untouched(simulation,
                   "wall.x: the motion gave position nan, velocity 0, acceleration 0 at 0.051 s; "
                   "accepted: finite numbers");
}

// Fails after it has changed what it was given.
class BadStepper : public TimeStepper {
 public:
  std::string why_not(const Model&) const override { return {}; }
  ComplementarityProblem probe(const Model&) const override { return {}; }
  StepReport step(StepContext&, State& state, double h) override {
    state.velocities.setConstant(7.0);
    state.poses[1].position.x() += 1.0;
    ++state.step;
    state.time += h;
    state.memory.impulses.resize(3);
    if (state.step == 3) throw std::runtime_error("the stepper fails");
    return {};
  }
};

class BadSolver : public Solver {
 public:
  std::string why_not(const ComplementarityProblem&) const override { return {}; }
  SolveReport solve(const ComplementarityProblem&, Solution&) override {
    throw std::runtime_error("the solver fails");
  }
};

std::shared_ptr<const Plugins> extended(bool stepper) {
  Plugins plugins = builtin_plugins();
  if (stepper)
    plugins.steppers.add(
        {.name = "bad",
         .text = "",
         .reference = "",
         .options = {},
         .make = [](const OptionValues&) { return std::make_unique<BadStepper>(); },
         .is_code = true});
  else
    plugins.solvers.add({.name = "bad",
                         .text = "",
                         .reference = "",
                         .options = {},
                         .make = [](const OptionValues&) { return std::make_unique<BadSolver>(); },
                         .is_code = true});
  return std::make_shared<const Plugins>(std::move(plugins));
}

TEST(Code, an_exception_in_a_stepper_or_solver_leaves_the_step_before) {
  for (const bool stepper : {true, false}) {
    RunOverrides overrides;
    overrides.options[stepper ? "stepper" : "solver"] = "bad";
    Simulation simulation(Scene::parse(scene()), overrides, extended(stepper));
    EXPECT_EQ(simulation.code_names(),
              std::vector<std::string>{stepper ? "stepper bad" : "solver bad"});
    for (int i = 0; stepper && i < 2; ++i) simulation.step();
    const State before = simulation.state();
    EXPECT_THROW(simulation.step(), std::runtime_error);
    EXPECT_TRUE(simulation.state() == before);
    EXPECT_EQ(simulation.state().step, stepper ? 2 : 0);
  }
}

TEST(Code, a_stepper_that_asks_no_controllers_is_an_error) {
  RunOverrides overrides = with(std::make_shared<Lift>());
  overrides.options["stepper"] = "bad";
  Simulation simulation(Scene::parse(scene()), overrides, extended(true));
  try {
    simulation.step();
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "bad: takes no forces of controllers; a stepper gets its forces from "
                 "step_forces()");
  }
  EXPECT_EQ(simulation.state().step, 0);
}

TEST_F(RecordedCode, a_recording_says_it_and_continues_with_the_same_code_alone) {
  Simulation whole = simulate(scene(), with(std::make_shared<Lift>()));
  run(whole);
  {
    Simulation first = simulate(scene(), with(std::make_shared<Lift>()));
    Recorder recorder(file("run.h5"), first);
    while (first.state().step < 120) first.step(), recorder.after_step(first);
    recorder.finish(first);
  }
  {
    const Recording recording(file("run.h5"));
    EXPECT_NE(recording.options_json().find(R"("code":["controller lift"])"), std::string::npos);
    EXPECT_EQ(recording.state(120).controls.size(), 1);
    EXPECT_NE(recording.state(120).controls[0], 0.0);
  }
  Simulation without = simulate(scene());
  EXPECT_THROW(Recorder::resume(file("run.h5"), without), Error);
  Simulation second = simulate(scene(), with(std::make_shared<Lift>()));
  {
    Recorder recorder = Recorder::resume(file("run.h5"), second);
    EXPECT_EQ(second.state().step, 120);
    while (!second.finished()) second.step(), recorder.after_step(second);
    recorder.finish(second);
  }
  EXPECT_EQ(hash(second.state()), hash(whole.state()));
  const Recording recording(file("run.h5"));
  EXPECT_EQ(hash(recording.state(300)), hash(whole.state()));
  Simulation again = simulate(scene(), with(std::make_shared<Lift>()));
  replay_step(recording, 200, again);
  EXPECT_EQ(hash(again.state()), hash(recording.state(200)));
}

TEST_F(RecordedCode, a_run_that_fails_leaves_a_complete_recording) {
  const auto lift = std::make_shared<Lift>();
  lift->fails_after = 0.055;
  Simulation simulation = simulate(scene(), [&] {
    RunOverrides overrides = with(lift);
    overrides.options["output-interval"] = "0.01";
    return overrides;
  }());
  Recorder recorder(file("run.h5"), simulation);
  EXPECT_THROW(while (true)(simulation.step(), recorder.after_step(simulation)),
               std::runtime_error);
  recorder.finish(simulation);
  const Recording recording(file("run.h5"));
  EXPECT_TRUE(recording.finished());
  ASSERT_EQ(recording.frames(), 7);  // steps 0, 10, ..., 50, and the last whole one
  EXPECT_EQ(recording.info(6).step, 55);
  EXPECT_TRUE(recording.state(6) == simulation.state());
  EXPECT_EQ(static_cast<int>(recording.contacts(std::int64_t{6}).size()),
            recording.info(6).report.contact_count);
}

TEST_F(RecordedCode, without_controllers_there_is_no_table_of_theirs) {
  Simulation simulation = simulate(scene());
  Recorder recorder(file("plain.h5"), simulation);
  recorder.finish(simulation);
  const Recording recording(file("plain.h5"));
  EXPECT_EQ(recording.options_json().find("\"code\""), std::string::npos);
  EXPECT_EQ(recording.state(0).controls.size(), 0);
  std::ifstream bytes(file("plain.h5"), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(bytes)), {});
  EXPECT_EQ(text.find("controls"), std::string::npos);
}

TEST(Code, a_step_that_is_interrupted_is_not_done) {
  Simulation simulation = simulate(scene(), [] {
    RunOverrides overrides;
    overrides.options["solver"] = "gauss-seidel";
    return overrides;
  }());
  while (simulation.state().step < 10) simulation.step();
  State before = simulation.state();
  before.memory.clear();  // without a guess there is something to iterate
  simulation.set_state(before);
  bool wanted = true;
  simulation.stop_when([&]() -> bool {
    if (wanted) throw std::runtime_error("interrupted");
    return false;
  });
  // Asked 20 ms later at the earliest, in one of the steps from then on.
  State last;
  EXPECT_THROW(
      {
        while (true) {
          last = simulation.state();
          simulation.step();
          simulation.set_state(before);
        }
      },
      std::runtime_error);
  EXPECT_TRUE(simulation.state() == last);
  wanted = false;
  EXPECT_EQ(simulation.step().solve.status, SolveStatus::solved);
}

}  // namespace
}  // namespace vinci::test
