// SPDX-License-Identifier: Apache-2.0
#include "tests/sweeps/law_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace vinci::test {
namespace {

// --- laws -------------------------------------------------------------------------------------

std::string coulomb(Draw& draw, LawValues& values) {
  values.friction = draw.between(0.05, 1.2);
  return fmt::format("friction: {:.17g}", values.friction);
}

std::string smooth(Draw&, LawValues&) {
  return "friction: 0";
}

std::string rough(Draw& draw, LawValues& values) {
  values.friction = decades(draw, 2.0, 100.0);
  return fmt::format("friction: {:.17g}", values.friction);
}

std::string bouncing(Draw& draw, LawValues& values) {
  values.restitution = draw.between(0.1, 1.0);
  return coulomb(draw, values) + fmt::format(", restitution: {:.17g}", values.restitution);
}

std::string running(Draw& draw, LawValues& values) {
  values.belt = decades(draw, 0.05, 10.0) * random_direction(draw, true);
  return coulomb(draw, values);
}

std::string running_and_bouncing(Draw& draw, LawValues& values) {
  values.belt = decades(draw, 0.05, 10.0) * random_direction(draw, true);
  return bouncing(draw, values);
}

std::string by_default(Draw&, LawValues&) {
  return "";
}

std::string by_anitescu_potra(Draw&, LawValues&) {
  return "stepper: anitescu-potra";
}

std::string with_pyramid(Draw& draw, LawValues& values) {
  constexpr int counts[] = {4, 6, 8, 16};
  values.directions = counts[draw.below(4)];
  return fmt::format("cone: pyramid, directions: {}, stepper: {}", values.directions,
                     draw.below(2) == 0 ? "stewart-trinkle" : "anitescu-potra");
}

std::string without_inertia(Draw&, LawValues&) {
  return "motion: first-order";
}

std::string with_box(Draw&, LawValues& values) {
  values.box = true;
  return "cone: box";
}

std::string at_impacts(Draw& draw, LawValues&) {
  return fmt::format("impact-time: {}", draw.below(2) == 0 ? "bisect" : "gap-rate");
}

std::string at_impacts_by_poisson(Draw& draw, LawValues& values) {
  return at_impacts(draw, values) + ", impact-law: poisson";
}

void judge_nothing(const Touch&, const LawValues&) {}

// --- shapes -----------------------------------------------------------------------------------

Solid one(Part part) {
  return {{std::move(part)}, {Vector3::Zero()}};
}

Solid a_sphere(Draw&, double size) {
  return one(ball(true, 0.5 * size));
}

Solid a_box(Draw& draw, double size) {
  return one(box_part(true, size * Vector3(1.0, draw.between(0.3, 1.0), draw.between(0.1, 1.0))));
}

Solid a_capsule(Draw& draw, double size) {
  return one(capsule_part(true, size, 0.5 * size * draw.between(0.1, 0.8)));
}

Solid a_cylinder(Draw& draw, double size) {
  return one(cylinder_part(0.5 * size, size * draw.between(0.1, 2.0)));
}

Solid a_polyhedron(Draw& draw, double size) {
  return one(polyhedron_part(draw, 0.6 * size));
}

// A dumb-bell, or a ball at the corner of a box.
Solid a_compound(Draw& draw, double size) {
  const Vector3 aside = 0.5 * size * random_direction(draw, true);
  const double other = draw.between(0.2, 0.5) * size;
  Part first =
      draw.below(2) == 0 ? ball(true, 0.4 * size) : box_part(true, Vector3::Constant(0.7 * size));
  return {{std::move(first), ball(true, other)}, {Vector3::Zero(), aside}};
}

// --- grounds ----------------------------------------------------------------------------------

std::string level(Draw&, Vector3& normal) {
  normal = Vector3::UnitZ();
  return "half-space: {}";
}

std::string slope(Draw& draw, Vector3& normal) {
  normal = random_direction(draw, true);
  normal.z() = 1.5;
  normal.normalize();
  return fmt::format("half-space: {{normal: {}}}", list(normal, true));
}

std::string slab(Draw&, Vector3& normal) {
  normal = Vector3::UnitZ();
  return "box: [40, 40, 0.5], position: [0, 0, -0.25]";
}

std::string log_on_its_side(Draw&, Vector3&) {
  return "cylinder: {radius: 2, height: 8}, rotation: {axis: [0, 1, 0], angle: 90 deg}, position: "
         "[0, 0, -2]";
}

std::string dome(Draw&, Vector3&) {
  return "sphere: 3, position: [0, 0, -3]";
}

}  // namespace

const std::vector<LawRow>& law_rows() {
  static const std::vector<LawRow> rows = {
      {"cone", coulomb, by_default, judge_coulomb},
      {"cone, anitescu-potra", coulomb, by_anitescu_potra, judge_coulomb},
      {"pyramid", coulomb, with_pyramid, judge_coulomb},
      {"box", coulomb, with_box, judge_coulomb},
      {"smooth", smooth, by_default, judge_coulomb},
      {"rough", rough, by_default, judge_coulomb},
      {"restitution", bouncing, by_default, judge_coulomb},
      // Newton's law may raise the energy in oblique impacts.
      {"impact time, newton", bouncing, at_impacts, judge_nothing, Acts::work},
      {"impact time, poisson", bouncing, at_impacts_by_poisson, judge_nothing},
      {"first-order", coulomb, without_inertia, judge_coulomb, Acts::damping},
      {"surface velocity", running, by_default, judge_coulomb, Acts::work},
      {"surface velocity, anitescu-potra", running, by_anitescu_potra, judge_coulomb, Acts::work},
      {"surface velocity, pyramid", running, with_pyramid, judge_coulomb, Acts::work},
      {"surface velocity, first-order", running, without_inertia, judge_coulomb, Acts::damping},
      {"surface velocity, restitution", running_and_bouncing, by_default, judge_coulomb,
       Acts::work},
  };
  return rows;
}

const std::vector<ShapeRow>& shape_rows() {
  static const std::vector<ShapeRow> rows = {
      {"sphere", a_sphere},         {"box", a_box},
      {"capsule", a_capsule},       {"cylinder", a_cylinder},
      {"polyhedron", a_polyhedron}, {"compound", a_compound},
  };
  return rows;
}

const std::vector<GroundRow>& ground_rows() {
  static const std::vector<GroundRow> rows = {
      {"half-space", level},           {"slope", slope},      {"slab", slab},
      {"log", log_on_its_side, false}, {"dome", dome, false},
  };
  return rows;
}

std::string Solid::shapes() const {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += fmt::format("{}{{{}, material: m, position: {}}}", i > 0 ? ", " : "", parts[i].shape,
                        list(places[i], true));
  return text;
}

double Solid::reach_along(const Pose& pose, const Vector3& d) const {
  const Vector3 own = pose.rotation.conjugate() * d;
  double most = -infinity;
  for (std::size_t i = 0; i < parts.size(); ++i)
    most = std::max(most, own.dot(places[i]) + parts[i].support(own));
  return d.dot(pose.position) + most;
}

// The least of f·v over all that the cone allows is −reach(v); friction has it.
void judge_coulomb(const Touch& touch, const LawValues& values) {
  const double most = values.friction * touch.normal, slip = touch.slip.norm();
  double reach = most * slip;  // N s m/s
  if (values.directions > 0) {
    const double n = values.directions;
    double along = 0.0;
    for (int j = 0; j < values.directions; ++j) {
      const double angle = 2.0 * M_PI * j / n, edge = angle + M_PI / n;
      along = std::max(along, -std::cos(angle) * touch.slip.x() - std::sin(angle) * touch.slip.y());
      EXPECT_LE(std::cos(edge) * touch.force.x() + std::sin(edge) * touch.force.y(),
                most * std::cos(M_PI / n) + touch.force_error);
    }
    reach = most * along;
  } else if (values.box) {
    EXPECT_LE(touch.force.cwiseAbs().maxCoeff(), most + touch.force_error);
    reach = most * touch.slip.lpNorm<1>();
  } else {
    EXPECT_LE(touch.force.norm(), most + touch.force_error);
  }
  EXPECT_NEAR(touch.force.dot(touch.slip), -reach,
              touch.force_error * slip + touch.slip_error * (most + touch.force.norm()));
}

}  // namespace vinci::test
