// SPDX-License-Identifier: Apache-2.0
// Simulations that begin anew with other parameters.
#include <gtest/gtest.h>

#include "vinci/base/hash.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

std::uint64_t hash_of_run(Simulation& simulation, int steps) {
  Hash hash;
  for (int i = 0; i < steps && !simulation.finished(); ++i) {
    simulation.step();
    const State& state = simulation.state();
    hash.add(state.time);
    for (const Pose& pose : state.poses) {
      for (int k = 0; k < 3; ++k) hash.add(pose.position[k]);
      for (int k = 0; k < 4; ++k) hash.add(pose.rotation.coeffs()[k]);
    }
    for (const double velocity : state.velocities) hash.add(velocity);
    for (const SolvedContact& contact : simulation.contacts()) hash.add(contact.impulse[0]);
  }
  return hash.value();
}

TEST(Restart, runs_bit_for_bit_as_a_simulation_that_is_made_with_the_parameters) {
  const std::string root = VINCI_SOURCE_DIR;
  for (const char* name : {"sliding_block", "stack", "four_bar", "spring_slider", "dropped_rod",
                           "changing_friction", "compliant_bounce", "gripper"}) {
    const Scene scene = Scene::load(root + "/scenes/" + name + ".yaml");
    ASSERT_FALSE(scene.parameters().empty()) << name;
    RunOverrides other;
    const auto& [parameter, value] = *scene.parameters().begin();
    other.parameters[parameter] = 1.01 * value;
    Simulation fresh(scene), changed(scene, other), again(scene);
    const std::uint64_t first = hash_of_run(fresh, 40), second = hash_of_run(changed, 40);
    hash_of_run(again, 17);
    again.restart(other.parameters);
    EXPECT_EQ(again.state().step, 0) << name;
    EXPECT_EQ(again.parameters().at(parameter), 1.01 * value) << name;
    EXPECT_EQ(hash_of_run(again, 40), second) << name;
    again.set_parameter(parameter, value);
    again.restart({});
    EXPECT_EQ(again.model_version(), fresh.model_version()) << name;
    EXPECT_EQ(hash_of_run(again, 40), first) << name;
  }
}

TEST(Restart, follows_choices_of_the_run_that_depend_on_parameters) {
  const Scene scene = Scene::parse(R"(
world: planar
parameters: {h: 1 ms, tolerance: 1e-8}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  ball: {shapes: [{circle: 0.1}], mass: 1, position: [0, 0.1]}
run: {step: h, duration: 50*h, solver: {name: gauss-seidel, tolerance: tolerance}}
)");
  RunOverrides other;
  other.parameters = {{"h", 2e-3}, {"tolerance", 1e-4}};
  Simulation fresh(scene), changed(scene, other), again(scene);
  EXPECT_EQ(changed.step_size(), 2e-3);
  EXPECT_EQ(changed.total_steps(), 50);
  EXPECT_EQ(changed.plugin_options().at("solver").real("tolerance"), 1e-4);
  const std::uint64_t first = hash_of_run(fresh, 30), second = hash_of_run(changed, 30);
  EXPECT_NE(first, second);
  hash_of_run(again, 7);
  again.restart(other.parameters);
  EXPECT_EQ(again.step_size(), 2e-3);
  EXPECT_EQ(again.options().real("accept"), changed.options().real("accept"));
  EXPECT_EQ(hash_of_run(again, 30), second);
  again.restart({});
  EXPECT_EQ(again.options().real("accept"), fresh.options().real("accept"));
  EXPECT_EQ(hash_of_run(again, 30), first);
  // Who is given says so over the scene.
  other.options["step"] = "0.5 ms";
  EXPECT_EQ(Simulation(scene, other).step_size(), 5e-4);
}

TEST(Restart, refuses_what_the_constructor_refuses) {
  const Scene scene = Scene::parse(R"(
world: planar
parameters: {mass: 1}
bodies: {ball: {shapes: [{circle: 0.1}], mass: mass}}
)");
  Simulation simulation(scene);
  std::string by_constructor, by_restart;
  try {
    RunOverrides overrides;
    overrides.parameters["mass"] = -1.0;
    const Simulation refused(scene, overrides);
  } catch (const Error& error) {
    by_constructor = error.what();
  }
  try {
    simulation.restart({{"mass", -1.0}});
  } catch (const Error& error) {
    by_restart = error.what();
  }
  EXPECT_FALSE(by_constructor.empty());
  EXPECT_EQ(by_constructor, by_restart);
}

}  // namespace
}  // namespace vinci
