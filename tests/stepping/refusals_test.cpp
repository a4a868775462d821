// SPDX-License-Identifier: Apache-2.0
// What time-stepping methods do not obey they refuse by name, with what is accepted.
#include <gtest/gtest.h>

#include "vinci/scene/scene.h"
#include "vinci/stepping/stepper.h"

namespace vinci {
namespace {

std::string refusal(const std::string& stepper, const std::string& more) {
  StepperRegistry registry("stepper");
  add_builtin_steppers(registry);
  const auto method = registry.make(stepper);
  return method->why_not(
      *Scene::parse("world: planar\n"
                    "materials: {rubber: {friction: 1, stiffness: 1e4, rolls: true}, "
                    "steel: {friction: 1, stiffness: 1e4}}\n"
                    "bodies:\n"
                    "  ball: {shapes: [{circle: 0.1, material: steel}], position: [0, 1]}\n" +
                    more)
           .compile());
}

TEST(StepperRefusals, constraints_machines_and_rolling_are_for_motion_through_events) {
  for (const std::string stepper : {"stewart-trinkle", "anitescu-potra", "song-pang-kumar"}) {
    EXPECT_EQ(refusal(stepper, ""), "") << stepper;  // a material that no shape has
    const std::string constrained = refusal(stepper, "constraints: {a: {zero: ball.x}}\n");
    EXPECT_NE(constrained.find("constraint 'a' of the scene"), std::string::npos) << constrained;
    EXPECT_NE(constrained.find("accepted: 'stepper: event-driven'"), std::string::npos);
    const std::string switched = refusal(
        stepper, "machines: {m: {states: [a, b], transitions: [{from: a, to: b, rises: ball.x}]}}");
    EXPECT_NE(switched.find("machine 'm' of the scene"), std::string::npos) << switched;
    const std::string rolling = refusal(
        stepper, "  floor: {freedom: fixed, shapes: [{half-plane: {}, material: rubber}]}\n");
    EXPECT_NE(rolling.find("(`rolls`)"), std::string::npos) << rolling;
  }
}

}  // namespace
}  // namespace vinci
