// SPDX-License-Identifier: Apache-2.0
// Ends of patches and tangents that are carried along.
#include "vinci/stepping/layer_axes.h"

#include <random>

#include <gtest/gtest.h>

namespace vinci::test {
namespace {

class Ends {
 public:
  void add(double x, double y, double near = 1.0) {
    places_.push_back({x, y});
    near_.push_back(near);
  }
  const std::vector<double>& shares() {
    shares_.resize(places_.size());
    ends_.share_out(places_, near_, shares_);
    return shares_;
  }
  // Mean of the places and their squares by shares.
  Vector2 middle() {
    Vector2 sum = Vector2::Zero();
    shares();
    for (std::size_t i = 0; i < places_.size(); ++i) sum += shares_[i] * places_[i];
    return sum;
  }
  Matrix2 square() {
    const Vector2 center = middle();
    Matrix2 sum = Matrix2::Zero();
    for (std::size_t i = 0; i < places_.size(); ++i)
      sum += shares_[i] * (places_[i] - center) * (places_[i] - center).transpose();
    return sum;
  }

 private:
  std::vector<Vector2> places_;
  std::vector<double> near_, shares_;
  PatchEnds ends_;
};

TEST(PatchEnds, corners_have_their_exterior_angle_and_all_else_nothing) {
  Ends rectangle;
  rectangle.add(0.0, 0.0), rectangle.add(3.0, 0.0), rectangle.add(3.0, 1.0);
  rectangle.add(0.0, 1.0), rectangle.add(1.0, 1.0), rectangle.add(2.0, 0.3);
  rectangle.add(3.0, 1.0), rectangle.add(0.0, 0.5);
  const std::vector<double> wanted = {0.25, 0.25, 0.25, 0.25, 0.0, 0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_DOUBLE_EQ(rectangle.shares()[i], wanted[i]);
  Ends triangle;  // of 30, 60 and 90 degrees
  triangle.add(0.0, 0.0), triangle.add(std::sqrt(3.0), 0.0), triangle.add(0.0, 1.0);
  EXPECT_NEAR(triangle.shares()[0], 90.0 / 360.0, 1e-15);
  EXPECT_NEAR(triangle.shares()[1], 150.0 / 360.0, 1e-15);
  EXPECT_NEAR(triangle.shares()[2], 120.0 / 360.0, 1e-15);
  Ends row;
  for (const double s : {0.3, -0.2, 0.1, 0.7, 0.7}) row.add(2.0 * s, -s);
  EXPECT_EQ(row.shares(), (std::vector<double>{0.0, 0.5, 0.0, 0.5, 0.0}));
  Ends point;
  point.add(1.0, 2.0), point.add(1.0, 2.0);
  EXPECT_EQ(point.shares(), (std::vector<double>{1.0, 0.0}));
}

// A body that is cut into slices, at any angle: middle and squares stay the same.
TEST(PatchEnds, do_not_depend_on_how_many_points_describe_a_patch) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  for (int round = 0; round < 200; ++round) {
    const double angle = 7.0 * any(engine), w = 0.1 + any(engine), d = 0.01 + any(engine);
    const Vector2 ex(std::cos(angle), std::sin(angle)), ey(-ex.y(), ex.x());
    Ends whole, cut;
    const auto add = [&](Ends& to, double x, double y) {
      const Vector2 place = 5.0 * ey + x * ex + y * ey;
      to.add(place.x(), place.y());
    };
    for (const double x : {0.0, w})
      for (const double y : {0.0, d}) add(whole, x, y);
    const int n = 2 + round % 5;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j) add(cut, w * i / n, d * j / n);
    EXPECT_LE((whole.middle() - cut.middle()).norm(), 1e-6);
    EXPECT_LE((whole.square() - cut.square()).norm(), 1e-6);
    // Springs of a quarter at the corners.
    const Matrix2 wanted = 0.25 * (w * w * ex * ex.transpose() + d * d * ey * ey.transpose());
    EXPECT_LE((whole.square() - wanted).norm(), 1e-12);
  }
}

TEST(PatchEnds, change_without_jumps_as_points_come_into_the_patch_and_move) {
  double before = -1.0;
  for (double near = 0.0; near <= 1.0; near += 1e-3) {
    Ends ends;
    ends.add(0.0, 0.0), ends.add(1.0, 0.0), ends.add(0.5, 0.8, near);
    const double now = ends.square().trace();
    if (before >= 0.0) {
      EXPECT_LE(std::abs(now - before), 2e-3);
    }
    before = now;
  }
  // A triangle that becomes a row.
  for (const double height : {1e-2, 1e-4, 1e-7, 1e-10, 1e-14, 0.0}) {
    Ends ends;
    ends.add(0.0, 0.0), ends.add(1.0, 0.0), ends.add(0.3, height);
    EXPECT_NEAR(ends.square().trace(), 0.25, height + 1e-12) << height;
  }
}

TEST(LayerAxes, are_carried_by_the_least_rotation_and_back) {
  std::mt19937 engine(3);
  std::normal_distribution<double> any;
  for (int round = 0; round < 200; ++round) {
    const auto random = [&] {
      return Vector3(any(engine), any(engine), any(engine)).normalized().eval();
    };
    const ContactFrame a = contact_frame(World::spatial, random());
    const ContactFrame b = contact_frame(World::spatial, random());
    const Matrix2 there = carried(a, b);
    EXPECT_LE((carried(b, a) * there - Matrix2::Identity()).norm(), 1e-9);
    // By Rodrigues' rotation about the common perpendicular.
    const Quaternion turn = Quaternion::FromTwoVectors(a.normal, b.normal);
    const Vector3 moved = turn * a.tangent_1;
    EXPECT_NEAR(there(0, 0), b.tangent_1.dot(moved), 1e-9);
    EXPECT_NEAR(there(1, 0), b.tangent_2.dot(moved), 1e-9);
  }
}

}  // namespace
}  // namespace vinci::test
