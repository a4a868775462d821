// SPDX-License-Identifier: Apache-2.0
// A whole step, from the detector to the new state, takes nothing from the heap once settled.
#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

std::string stack_of_five(bool planar) {
  std::string yaml = fmt::format(
      "world: {}\nmaterials: {{wood: {{friction: 0.5}}}}\nbodies:\n"
      "  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: wood}}]}}\n",
      planar ? "planar" : "spatial", planar ? "half-plane" : "half-space");
  for (int i = 0; i < 5; ++i)
    yaml += fmt::format(
        "  box-{}: {{shapes: [{{box: [{}], material: wood, density: 500}}], position: [{}, {}]}}\n",
        i, planar ? "0.2, 0.1" : "0.2, 0.2, 0.1", planar ? "0" : "0, 0", 0.05 + 0.1 * i);
  return yaml + "run: {step: 1 ms, duration: 1}\n";
}

class Allocations : public testing::TestWithParam<bool> {};

TEST_P(Allocations, a_settled_step_of_a_stack_makes_none) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  Simulation simulation = simulate(stack_of_five(GetParam()));
  // Long enough for the solver to have been called again after its first answer.
  for (int i = 0; i < 300; ++i) simulation.step();
  ASSERT_EQ(simulation.report().contact_count, GetParam() ? 10 : 20);
  const std::size_t before = allocations();
  ASSERT_GT(before, 100u);  // those of building the simulation: the counter counts
  for (int i = 0; i < 300; ++i) simulation.step();
  EXPECT_EQ(allocations() - before, 0u);
  EXPECT_LE(simulation.report().solve.residual.relative, 1e-10);
}

// Boxes that rock on soft corners: contacts come and go, and substeps with them.
TEST(AllocationsOfLayers, a_settled_step_of_soft_boxes_makes_none) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  std::string yaml = stack_of_five(true);
  yaml.replace(yaml.find("friction: 0.5"), 13, "friction: 0.5, stiffness: 1e6, damping: 1000");
  RunOverrides soft;
  soft.options["stepper"] = "song-pang-kumar";
  soft.plugin_options = {{{"stepper", "points"}, "2"}, {{"stepper", "width"}, "0.01"}};
  Simulation simulation = simulate(yaml, soft);
  for (int i = 0; i < 150; ++i) simulation.step();
  const std::size_t before = allocations();
  for (int i = 0; i < 100; ++i) simulation.step();
  EXPECT_EQ(allocations() - before, 0u);
  EXPECT_LE(simulation.report().solve.residual.relative, 1e-10);
  EXPECT_EQ(simulation.state().memory.impulses.size(), 20u);
}

// An ellipse that rocks: every step iterates.
TEST(AllocationsOfFrames, a_settled_step_that_iterates_for_its_end_makes_none) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  for (const char* form : {"driven", "gap", "end"}) {
    Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 2}}
bodies:
  floor: {shapes: [{half-plane: {}, material: m}], motion: {x: 0.01*sin(9*t), y: 0, angle: 0.02*sin(5*t)}}
  egg: {shapes: [{superellipse: {axes: [0.2, 0.1], exponent: 2}, material: m}], mass: 1, position: [0, 0.11], angle: 0.3}
run: {step: 2 ms, duration: 2}
)",
                                     chosen({{"contact-frames", form}}));
    for (int i = 0; i < 300; ++i) simulation.step();
    const std::size_t before = allocations();
    for (int i = 0; i < 300; ++i) simulation.step();
    EXPECT_EQ(allocations() - before, 0u) << form;
    EXPECT_EQ(simulation.report().frame_iterations > 0, form != std::string("driven"));
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Allocations, testing::Bool(), [](const auto& world) {
  return std::string(world.param ? "planar" : "spatial");
});

}  // namespace
}  // namespace vinci::test
