// SPDX-License-Identifier: Apache-2.0
// Superellipses and implicit curves: support points, bounds, mass, outlines, and what is refused.
#include "vinci/geometry/curve.h"

#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/mass.h"

namespace vinci {
namespace {

using std::numbers::pi;

ImplicitCurve implicit(const std::string& text, std::optional<Vector2> inside = {}) {
  const std::vector<std::string> names{"x", "y"};
  return make_implicit_curve(Expression::parse(text, names), inside);
}

std::string refusal(const std::string& text, std::optional<Vector2> inside = {}) {
  try {
    implicit(text, inside);
  } catch (const Error& error) {
    return error.message();
  }
  return "accepted";
}

std::string superellipse_text(const Superellipse& s) {
  const auto number = [](double v) { return std::to_string(v); };
  return "abs(x/" + number(s.axes.x()) + ")^" + number(s.exponent) + " + abs(y/" +
         number(s.axes.y()) + ")^" + number(s.exponent) + " - 1";
}

double level(const Superellipse& s, const Vector2& p) {
  return std::pow(std::abs(p.x() / s.axes.x()), s.exponent) +
         std::pow(std::abs(p.y() / s.axes.y()), s.exponent);
}

TEST(Superellipse, support_points_lie_on_the_curve_and_nothing_lies_farther) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> angle(-pi, pi), unit(0.0, 1.0);
  for (int i = 0; i < 2000; ++i) {
    const double ratio = std::pow(1e3, unit(random) - 0.5), n = std::pow(50.0, unit(random));
    const Superellipse s = make_superellipse({ratio, 1.0 / ratio}, i % 20 == 0 ? 1.0 : n);
    const double a = angle(random);
    const Vector2 direction(std::cos(a), std::sin(a)), point = support_point(s, direction);
    EXPECT_NEAR(level(s, point), 1.0, 1e-13 * s.exponent);
    for (int k = 0; k < 20; ++k) {  // the curve by its own parameter
      const double t = angle(random);
      const Vector2 other(
          s.axes.x() *
              std::copysign(std::pow(std::abs(std::cos(t)), 2.0 / s.exponent), std::cos(t)),
          s.axes.y() *
              std::copysign(std::pow(std::abs(std::sin(t)), 2.0 / s.exponent), std::sin(t)));
      EXPECT_LE(direction.dot(other - point), 1e-14 * s.axes.maxCoeff());
    }
  }
}

TEST(Superellipse, is_a_rhombus_an_ellipse_and_nearly_a_box) {
  const Vector2 slope(0.6, 0.8);
  EXPECT_EQ(support_point(make_superellipse({2.0, 1.0}, 1.0), slope), Vector2(2.0, 0.0));
  EXPECT_EQ(support_point(make_superellipse({1.0, 2.0}, 1.0), slope), Vector2(0.0, 2.0));
  const Vector2 ellipse = support_point(make_superellipse({2.0, 1.0}, 2.0), slope);
  const double h = std::hypot(2.0 * 0.6, 0.8);
  EXPECT_NEAR(ellipse.x(), 4.0 * 0.6 / h, 1e-15);
  EXPECT_NEAR(ellipse.y(), 0.8 / h, 1e-15);
  const Vector2 box = support_point(make_superellipse({2.0, 1.0}, 1000.0), slope);
  EXPECT_NEAR(box.x(), 2.0, 2e-3);
  EXPECT_NEAR(box.y(), 1.0, 1e-3);
  EXPECT_EQ(bounding_radius(make_superellipse({2.0, 1.0}, 1.5)), 2.0);
  EXPECT_NEAR(bounding_radius(make_superellipse({3.0, 4.0}, 1000.0)), 5.0, 1e-2);
}

TEST(Superellipse, closed_mass_is_that_of_rhombus_ellipse_and_box) {
  const auto mass = [](double n) {
    return mass_properties(make_superellipse({2.0, 1.0}, n), 3.0, Extent::planar);
  };
  EXPECT_NEAR(mass(1.0).mass, 3.0 * 4.0, 1e-14);
  EXPECT_NEAR(mass(1.0).planar_inertia(), 12.0 * (4.0 + 1.0) / 6.0, 1e-13);
  EXPECT_NEAR(mass(2.0).mass, 3.0 * 2.0 * pi, 1e-13);
  EXPECT_NEAR(mass(2.0).planar_inertia(), 6.0 * pi * (4.0 + 1.0) / 4.0, 1e-12);
  EXPECT_NEAR(mass(1000.0).mass, 24.0, 1e-3);
  EXPECT_NEAR(mass(1000.0).planar_inertia(), 24.0 * 5.0 / 3.0, 1e-3);
  EXPECT_EQ(mass(7.0).center, Vector3::Zero());
}

TEST(ImplicitCurve, mass_by_quadrature_is_the_closed_one) {
  for (const double n : {1.0, 1.5, 2.0, 3.0, 8.0, 50.0})
    for (const double ratio : {1.0, 0.3, 20.0}) {
      const Superellipse s = make_superellipse({1.5, 1.5 * ratio}, n);
      const MassProperties closed = mass_properties(s, 2.0, Extent::planar);
      const MassProperties found =
          mass_properties(implicit(superellipse_text(s)), 2.0, Extent::planar);
      EXPECT_NEAR(found.mass, closed.mass, 1e-12 * closed.mass) << n << " " << ratio;
      EXPECT_NEAR(found.planar_inertia(), closed.planar_inertia(), 1e-12 * closed.planar_inertia());
      EXPECT_LT(found.center.norm(), 1e-13 * s.axes.maxCoeff());
    }
}

TEST(ImplicitCurve, mass_of_a_cut_disk_far_from_its_origin) {
  // The disk below y = 1/2: area and centre of the segment in closed form.
  const ImplicitCurve cut = implicit("max((x-3)^2 + (y+2)^2 - 1, y + 1.5)", Vector2(3.0, -2.0));
  const MassProperties found = mass_properties(cut, 1.0, Extent::planar);
  const double half = std::acos(0.5), segment = half - 0.5 * std::sqrt(0.75);
  const double lever = 2.0 / 3.0 * std::pow(std::sin(half), 3);
  EXPECT_NEAR(found.mass, pi - segment, 1e-12);
  EXPECT_NEAR(found.center.x(), 3.0, 1e-12);
  EXPECT_NEAR(found.center.y(), -2.0 - lever / (pi - segment), 1e-12);
}

TEST(ImplicitCurve, mass_agrees_with_its_outline_as_a_polygon) {
  for (const char* text : {"exp(x) + exp(-x) + y^2 - 4", "x^4 + y^4 + x*y - 1",
                           "x^2 + y^2 - 1 + 0.016*cos(8*atan2(y,x))"}) {
    const ImplicitCurve curve = implicit(text);
    const MassProperties exact = mass_properties(curve, 1.0, Extent::planar);
    double errors[2];
    for (const int i : {0, 1}) {
      const auto points = outline_points(curve, i == 0 ? 256 : 512);
      const MassProperties polygon = mass_properties(make_polygon(points), 1.0, Extent::planar);
      errors[i] = exact.mass - polygon.mass;
      EXPECT_GT(errors[i], 0.0) << text;  // inscribed
      EXPECT_NEAR(polygon.planar_inertia(), exact.planar_inertia(), 5e-4 * exact.planar_inertia());
    }
    EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.4) << text;  // second order
  }
}

TEST(ImplicitCurve, support_points_are_those_of_the_superellipse) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> angle(-pi, pi);
  for (const double n : {1.0, 1.3, 2.0, 4.0, 20.0}) {
    const Superellipse s = make_superellipse({1.25, 0.5}, n);
    const ImplicitCurve curve = implicit(superellipse_text(s));
    EXPECT_NEAR(bounding_radius(curve), bounding_radius(s), 1e-11);
    for (int i = 0; i < 500; ++i) {
      const double a = angle(random);
      const Vector2 direction(std::cos(a), std::sin(a));
      const Vector2 wanted = support_point(s, direction), found = support_point(curve, direction);
      EXPECT_NEAR(direction.dot(found), direction.dot(wanted), 1e-12) << n << " at " << a;
      EXPECT_NEAR(level(s, found), 1.0, 1e-11 * n);
    }
  }
}

TEST(ImplicitCurve, corners_and_straight_sides_are_exact) {
  const ImplicitCurve box = implicit("max(abs(x) - 1, abs(y) - 0.5)");
  EXPECT_LT((support_point(box, {0.6, 0.8}) - Vector2(1.0, 0.5)).norm(), 1e-12);
  EXPECT_LT((support_point(box, {-1e-3, -1.0}) - Vector2(-1.0, -0.5)).norm(), 1e-12);
  const ImplicitCurve cut = implicit("max(x^2 + y^2 - 1, y - 0.5)");
  EXPECT_LT((support_point(cut, {0.6, 0.8}) - Vector2(std::sqrt(0.75), 0.5)).norm(), 1e-12);
  EXPECT_LT((support_point(cut, {0.6, -0.8}) - Vector2(0.6, -0.8)).norm(), 1e-14);
}

TEST(ImplicitCurve, boxes_touch_the_curve_at_any_angle) {
  const ImplicitCurve curve = implicit("x^2/4 + y^2 - 1");
  for (const double angle : {0.0, 0.3, 1.2, 2.9}) {
    const Box3 box = bounding_box(curve, planar_pose(1.0, 2.0, angle));
    const double wide = std::hypot(2.0 * std::cos(angle), std::sin(angle));
    const double high = std::hypot(2.0 * std::sin(angle), std::cos(angle));
    EXPECT_NEAR(box.lower.x(), 1.0 - wide, 1e-14);
    EXPECT_NEAR(box.upper.x(), 1.0 + wide, 1e-14);
    EXPECT_NEAR(box.lower.y(), 2.0 - high, 1e-14);
    EXPECT_NEAR(box.upper.y(), 2.0 + high, 1e-14);
  }
}

TEST(ImplicitCurve, small_far_and_slender_ones_are_found) {
  EXPECT_NEAR(implicit("x^2 + (y-3)^2 - 1e-4").area, 1e-4 * pi, 1e-15);
  EXPECT_NEAR(implicit("(x-2000)^2 + (y-3)^2 - 1").area, pi, 1e-11);
  EXPECT_NEAR(implicit("(x-7e5)^2 + y^2 - 1", Vector2(7e5, 0.1)).area, pi, 1e-8);
  EXPECT_NEAR(implicit("(x/1000)^2 + y^2 - 1").area, 1000.0 * pi, 1e-9);
  EXPECT_NEAR(implicit("1e-6*(x^2 + y^2 - 1)").area, pi, 1e-12);
}

TEST(ImplicitCurve, what_is_not_a_convex_body_is_refused_with_its_place) {
  const auto says = [](const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
  };
  for (const char* text : {"x^2 + y^2 + 1", "0", "1", "sqrt(x - 2)", "0*x/0"})
    EXPECT_TRUE(says(refusal(text), "no point was found")) << text << ": " << refusal(text);
  for (const char* text : {"x^2 - 1", "-1", "x", "x^2 - y"})
    EXPECT_TRUE(says(refusal(text), "has no end")) << text << ": " << refusal(text);
  EXPECT_TRUE(says(refusal("x^2*y^2 - 1"), "not convex near (")) << refusal("x^2*y^2 - 1");
  EXPECT_TRUE(says(refusal("x^2 + y^2 - 1 + 0.1*cos(8*atan2(y,x))"), "not convex near ("));
  EXPECT_TRUE(says(refusal("max(x^2 + y^2 - 1, 0.25 - (x-1)^2 - y^2)"), "not convex near ("));
  EXPECT_TRUE(says(refusal("min(x^2 + y^2 - 1, (x-5)^2 + y^2 - 1)"), "one convex set"));
  EXPECT_TRUE(says(refusal("(x^2 + y^2 - 1)^3"), "gradient"));
  EXPECT_TRUE(says(refusal("-exp(-x^2 - y^2)"), "gradient"));  // 0 only where it underflows
  EXPECT_TRUE(says(refusal("floor(x^2 + y^2) - 0.5"), "jumps"));
  EXPECT_TRUE(says(refusal("log(2 - x^2 - y^2) - 1"), "not finite"))
      << refusal("log(2 - x^2 - y^2) - 1");
  EXPECT_TRUE(says(refusal("x^2 + y^2 - 1", Vector2(2.0, 0.0)), "point inside"));
  EXPECT_TRUE(says(refusal("x^2 + y^2 - 1", Vector2(NAN, 0.0)), "point inside"));
}

TEST(Superellipse, impossible_numbers_are_refused) {
  EXPECT_THROW(make_superellipse({1.0, 1.0}, 0.99), Error);
  EXPECT_THROW(make_superellipse({1.0, 1.0}, NAN), Error);
  EXPECT_THROW(make_superellipse({1.0, 1.0}, 1001.0), Error);
  EXPECT_THROW(make_superellipse({0.0, 1.0}, 2.0), Error);
  EXPECT_THROW(make_superellipse({1.0, -1.0}, 2.0), Error);
  EXPECT_THROW(make_superellipse({INFINITY, 1.0}, 2.0), Error);
}

TEST(Outline, points_stand_close_where_the_curve_bends) {
  const Superellipse s = make_superellipse({1.0, 0.2}, 12.0);
  const auto points = outline_points(s, 128);
  ASSERT_EQ(points.size(), 128u);
  double worst = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector2 &p = points[i], &q = points[(i + 1) % points.size()];
    EXPECT_NEAR(level(s, p), 1.0, 1e-12);
    const Vector2 outward = Vector2((q - p).y(), -(q - p).x()).normalized();
    worst = std::max(worst, outward.dot(support_point(s, outward) - p));
  }
  EXPECT_LT(worst, 2e-4);
  EXPECT_EQ(mass_properties(make_polygon(points), 1.0, Extent::planar).mass > 0.0, true);
}

}  // namespace
}  // namespace vinci
