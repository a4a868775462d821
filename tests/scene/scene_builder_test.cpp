// SPDX-License-Identifier: Apache-2.0
#include "vinci/scene/scene_builder.h"

#include <gtest/gtest.h>

namespace vinci {
namespace {

SceneBuilder block_on_floor() {
  SceneBuilder builder(World::spatial);
  builder.parameters().set("mu", 0.1 + 0.2).set("half", "mu/2");
  builder.material("wood").set("friction", "half");
  builder.body("floor").set("freedom", "fixed");
  builder.shape("floor", "half-space", {}).set("material", "wood");
  SceneItem& block = builder.body("block");
  builder.shape("block", "box", {1, 2, 3}).set("material", "wood").set("density", 500);
  builder.shape("block", "sphere", 0.5).set("position", Vector3(0.0, 0.0, 2.0));
  block.set("position", {0, 0, "3/2"}).set("spin", {0.25, 0, 0});
  builder.run().set("step", 1e-3);
  return builder;
}

TEST(SceneBuilder, gives_the_model_of_the_same_scene_in_a_file) {
  const Scene built = block_on_floor().build();
  const Scene written = Scene::parse(R"(
world: spatial
parameters: {mu: 0.30000000000000004, half: mu/2}
materials: {wood: {friction: half}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: wood}]}
  block:
    shapes: [{box: [1, 2, 3], material: wood, density: 500}, {sphere: 0.5, position: [0, 0, 2]}]
    position: [0, 0, 3/2]
    spin: [0.25, 0, 0]
run: {step: 1e-3}
)");
  const auto one = built.compile(), other = written.compile();
  ASSERT_EQ(one->bodies.size(), 2u);
  for (std::size_t b = 0; b < 2; ++b) {
    const Body &mine = one->bodies[b], &its = other->bodies[b];
    EXPECT_EQ(mine.name, its.name);
    EXPECT_EQ(mine.mass.mass, its.mass.mass);
    EXPECT_EQ(mine.mass.inertia, its.mass.inertia);
    EXPECT_EQ(mine.initial_pose.position, its.initial_pose.position);
    EXPECT_EQ(mine.initial_twist.angular, its.initial_twist.angular);
  }
  EXPECT_EQ(one->shapes.size(), other->shapes.size());
  EXPECT_EQ(one->parameters, other->parameters);
  EXPECT_EQ(one->surface_between(0, 1).friction, other->surface_between(0, 1).friction);
  EXPECT_EQ(built.run().values, written.run().values);
}

TEST(SceneBuilder, says_all_mistakes_with_their_keys) {
  SceneBuilder builder = block_on_floor();
  builder.body("block").set("colour", "red");
  builder.material("wood").set("friction", -1);
  try {
    builder.build("mine");
    FAIL() << "an unknown key was taken";
  } catch (const SceneError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("bodies.block.colour"), std::string::npos) << text;
  }
}

TEST(SceneBuilder, keeps_texts_as_they_are) {
  SceneBuilder builder = block_on_floor();
  const std::string title = "a \"block\" \\ on: {a} #floor, µ = 1";
  builder.root().set("title", title);
  EXPECT_EQ(builder.build().title(), title);
}

TEST(SceneBuilder, a_key_that_is_set_twice_has_its_last_value) {
  SceneBuilder builder = block_on_floor();
  builder.parameters().set("mu", 0.5);
  EXPECT_EQ(builder.build().parameters().at("half"), 0.25);
}

TEST(SceneBuilder, refuses_keys_of_numbers_and_entries_of_maps) {
  SceneItem number = 1.0, map = SceneItem().set("a", 1);
  EXPECT_THROW(number.set("a", 1), Error);
  EXPECT_THROW(map.add(1), Error);
}

}  // namespace
}  // namespace vinci
