// SPDX-License-Identifier: Apache-2.0
// Prescribed coordinates given by code, and the memory of controllers in a state.
#include "vinci/model/motion.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/example_model.h"
#include "vinci/base/error.h"
#include "vinci/model/actuation.h"

namespace vinci {
namespace {

// t² with its derivatives; no number after a time.
class Parabola : public Motion {
 public:
  Jet at(double time) const override {
    if (time > 2.0) return {time * time, std::numeric_limits<double>::infinity(), 2.0};
    return {time * time, 2.0 * time, 2.0};
  }
};

Model driven(int coordinate) {
  Body body = example_body("arm", Freedom::planar);
  body.mass.center = Vector3(0.5, 0.0, 0.0);
  for (const int i : {0, 1, 5}) drive(body, i, true, "1");
  body.drives[static_cast<std::size_t>(coordinate)].motion = std::make_shared<Parabola>();
  return example_model({body});
}

TEST(Motion, it_stands_in_the_place_of_the_expression) {
  const Model model = driven(0);
  const Jet jet = prescribed_coordinate(model.bodies[0], 0, 1.5);
  EXPECT_EQ(jet.value, 2.25);
  EXPECT_EQ(jet.first, 3.0);
  EXPECT_EQ(jet.second, 2.0);
  EXPECT_EQ(prescribed_coordinate(model.bodies[0], 1, 1.5).value, 1.0);
}

TEST(Motion, poses_and_velocities_follow_it) {
  const Model model = driven(5);
  std::vector<Pose> poses(1);
  place_prescribed(model.bodies[0], 0.5, poses[0]);
  EXPECT_NEAR(planar_angle(poses[0].rotation), 0.25, 1e-15);
  VectorX velocities = VectorX::Zero(3);
  prescribe_velocities(model, 0.5, poses, velocities);
  EXPECT_EQ(velocities[2], 1.0);  // and the centre of mass swings about the frame
  EXPECT_NEAR(velocities[1], 0.5 * std::cos(0.25), 1e-15);
}

TEST(Motion, a_number_that_is_not_finite_is_an_error_that_names_the_coordinate) {
  const Model model = driven(5);
  try {
    prescribed_coordinate(model.bodies[0], 5, 3.0);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "arm.angle");
    EXPECT_EQ(error.message(),
              "the motion gave position 9, velocity inf, acceleration 2 at 3 s; accepted: finite "
              "numbers");
  }
}

TEST(StateControls, they_count_in_hash_and_equality_only_where_there_are_any) {
  State a;
  a.velocities = VectorX::Zero(3);
  State b = a;
  EXPECT_TRUE(a == b);
  const std::uint64_t without = hash(a);
  b.controls = VectorX::Zero(0);
  EXPECT_EQ(hash(b), without);
  b.controls = VectorX::Zero(1);
  EXPECT_NE(hash(b), without);
  EXPECT_FALSE(a == b);
  State c = b;
  c.controls[0] = -0.0;
  EXPECT_FALSE(b == c);
  EXPECT_TRUE(is_finite(c));
  c.controls[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_finite(c));
}

}  // namespace
}  // namespace vinci
