// SPDX-License-Identifier: Apache-2.0
#include "vinci/simulation/run_settings.h"

#include <gtest/gtest.h>

namespace vinci {
namespace {

const char* const falling = R"(
world: spatial
parameters: {height: 1}
bodies: {ball: {shapes: [{sphere: 0.1}], position: [0, 0, height]}}
)";

TEST(RunSettings, are_those_of_texts) {
  RunSettings settings;
  settings.set("step", 1e-4).set("duration", 0.5).set("solver", std::string("lemke"));
  settings.set("solver", "tolerance", 1e-9).parameter("height", 3.0);
  settings.set("cone", std::string("pyramid"));
  const Simulation simulation(Scene::parse(falling), settings);
  EXPECT_EQ(simulation.step_size(), 1e-4);
  EXPECT_EQ(simulation.total_steps(), 5000);
  EXPECT_EQ(simulation.options().text("solver"), "lemke");
  EXPECT_EQ(simulation.plugin_options().at("solver").real("tolerance"), 1e-9);
  EXPECT_EQ(simulation.state().poses[0].position.z(), 3.0);
}

TEST(RunSettings, refuse_at_once_what_no_option_takes) {
  RunSettings settings;
  EXPECT_THROW(settings.set("stepp", 1e-4), Error);
  EXPECT_THROW(settings.set("step", std::string("short")), Error);
  EXPECT_THROW(settings.set("step", -1.0), Error);
}

}  // namespace
}  // namespace vinci
