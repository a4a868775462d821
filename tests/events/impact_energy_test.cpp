// SPDX-License-Identifier: Apache-2.0
// Impacts that gain energy, against the closed form of those without damping: what presses with g
// lets go at the height h₁ with α₀ h₁ = g and has gained g²/(2 α₀) per kg, at every speed.
#include "vinci/events/impact_energy.h"

#include <cmath>

#include <gtest/gtest.h>

#include "vinci/scene/scene.h"

namespace vinci {
namespace {

std::vector<ImpactGain> gains_of(const std::string& more) {
  return impact_gains(
      *Scene::parse(
           "world: planar\n"
           "materials: {rubber: {impact: {damping: 0, stiffness: 25}}, felt: {}}\n"
           "bodies: {ball: {shapes: [{circle: 0.1, material: felt}], position: [0, 2]}}\n" +
           more)
           .compile(),
      0.01);
}

TEST(ImpactEnergy, without_damping_it_is_that_of_the_closed_form) {
  const auto gains = gains_of(
      "constraints:\n"
      "  floor: {at-least-zero: ball.y, damping: 0, stiffness: 25}\n"
      "  ring: {at-least-zero: ball.x^2 + ball.y^2 - 1, damping: 0, stiffness: 25}\n");
  ASSERT_EQ(gains.size(), 2u);
  EXPECT_EQ(gains[0].what, "constraint 'floor'");
  EXPECT_NEAR(gains[0].gain, 9.81 * 9.81 / 50.0, 1e-6);
  // h'' of a ball that falls at y = 2 is 2 y y'' = -4 g.
  EXPECT_NEAR(gains[1].gain, 16.0 * 9.81 * 9.81 / 50.0, 1e-5);
  EXPECT_NE(text_of(gains[0]).find("constraint 'floor': an impact at"), std::string::npos);
  EXPECT_NE(text_of(gains[0]).find("gains 1.92 J per kg"), std::string::npos) << text_of(gains[0]);
}

TEST(ImpactEnergy, little_damping_gains_less_and_enough_damping_nothing) {
  const auto gain = [](const std::string& damping) {
    const auto gains = gains_of("constraints: {floor: {at-least-zero: ball.y, damping: " + damping +
                                ", stiffness: 25}}\n");
    return gains.empty() ? 0.0 : gains[0].gain;
  };
  // Without damping 1.92; with α₁ = 0.5 a damped sine that leaves at about 2.4 m/s.
  EXPECT_GT(gain("0.5"), 0.6);
  EXPECT_LT(gain("0.5"), 1.0);
  EXPECT_EQ(gain("1"), 0.0);  // all that leave lose more than that
  EXPECT_EQ(gain("10"), 0.0);
}

TEST(ImpactEnergy, what_does_not_press_gains_nothing) {
  EXPECT_TRUE(gains_of("constraints:\n"
                       "  ceiling: {at-least-zero: 3 - ball.y, damping: 0, stiffness: 25}\n"
                       "  wall: {at-least-zero: 1 - ball.x, damping: 0, stiffness: 25}\n"
                       "  own: {at-least-zero: ball.y}\n"
                       "  link: {zero: ball.angle, damping: 0, stiffness: 25}\n")
                  .empty());
}

TEST(ImpactEnergy, of_materials_only_pairs_on_shapes_count) {
  EXPECT_TRUE(gains_of("").empty());
  const auto gains = impact_gains(
      *Scene::parse("world: planar\n"
                    "gravity: [0, -2]\n"
                    "materials: {rubber: {impact: {damping: 0, stiffness: [100, 0]}}, felt: {}}\n"
                    "bodies:\n"
                    "  ball: {shapes: [{circle: 0.1, material: rubber}], position: [0, 2]}\n"
                    "  floor: {freedom: fixed, shapes: [{half-plane: {}, material: felt}]}\n")
           .compile(),
      0.01);
  ASSERT_EQ(gains.size(), 1u);  // there is no other rubber
  EXPECT_EQ(gains[0].what, "materials 'rubber' and 'felt'");
  EXPECT_NEAR(gains[0].gain, 4.0 / 200.0, 1e-8);
}

TEST(ImpactEnergy, a_restitution_alone_rebounds_with_the_time_scale_of_the_stepper) {
  const auto model = Scene::parse(
                         "world: planar\n"
                         "materials: {steel: {restitution: 1}}\n"
                         "bodies:\n"
                         "  a: {shapes: [{circle: 0.1, material: steel}], position: [0, 2]}\n"
                         "  b: {shapes: [{circle: 0.1, material: steel}]}\n")
                         .compile();
  const auto gains = impact_gains(*model, 0.02);
  ASSERT_EQ(gains.size(), 1u);
  EXPECT_NEAR(gains[0].gain, 0.5 * std::pow(9.81 * 0.02, 2), 1e-8);
}

}  // namespace
}  // namespace vinci
