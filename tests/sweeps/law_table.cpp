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

std::string elliptic(Draw& draw, LawValues& values) {
  values.friction = draw.between(0.05, 1.2);
  values.across = draw.between(0.05, 1.2);
  values.axis = random_direction(draw, true);
  return fmt::format("friction: {{along: {:.17g}, across: {:.17g}, axis: {}}}", values.friction,
                     values.across, list(values.axis, true));
}

std::string static_and_kinetic(Draw& draw, LawValues& values) {
  const std::string keys = coulomb(draw, values);
  values.kinetic = values.friction * draw.between(0.2, 1.0);
  values.threshold = draw.below(2) == 0 ? 0.0 : decades(draw, 1e-3, 0.1);
  return keys + fmt::format(", kinetic-friction: {:.17g}, threshold-speed: {:.17g}", values.kinetic,
                            values.threshold);
}

std::string stribeck(Draw& draw, LawValues& values) {
  values.friction = draw.between(0.05, 1.2);
  values.kinetic = draw.between(0.05, 1.2);
  values.decay = decades(draw, 0.01, 1.0);
  return fmt::format("friction: '{:.17g} + {:.17g}*exp(-speed/{:.17g})'", values.kinetic,
                     values.friction - values.kinetic, values.decay);
}

// A coefficient of the place: stripes along the ground.
std::string striped(Draw& draw, LawValues& values) {
  values.friction = draw.between(0.3, 1.0);
  values.swing = values.friction * draw.between(0.1, 0.9);
  values.stripes = decades(draw, 1.0, 100.0);
  return fmt::format("friction: '{:.17g} + {:.17g}*sin({:.17g}*x)', of: g", values.friction,
                     values.swing, values.stripes);
}

std::string rolling(Draw& draw, LawValues& values) {
  values.rolling = decades(draw, 1e-4, 0.02);
  return coulomb(draw, values) + fmt::format(", rolling-friction: {:.17g}", values.rolling);
}

std::string torsional(Draw& draw, LawValues& values) {
  values.torsion = decades(draw, 1e-4, 0.02);
  return coulomb(draw, values) + fmt::format(", torsional-friction: {:.17g}", values.torsion);
}

std::string rolling_and_torsional(Draw& draw, LawValues& values) {
  values.torsion = decades(draw, 1e-4, 0.02);
  return rolling(draw, values) + fmt::format(", torsional-friction: {:.17g}", values.torsion);
}

// Its arm is the mean distance of the load from the middle.
std::string patch(Draw& draw, LawValues& values) {
  const double radius = decades(draw, 1e-3, 0.03);
  const int kind = draw.below(3);
  constexpr const char* names[] = {"uniform", "hertz", "ring"};
  const double arms[] = {2.0 / 3.0, 3.0 * M_PI / 16.0, 1.0};
  values.patch = radius * arms[kind];
  return coulomb(draw, values) +
         fmt::format(", patch: {{radius: {:.17g}, pressure: {}}}", radius, names[kind]);
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

std::string at_its_end(Draw& draw, LawValues&) {
  return fmt::format("contact-frames: end, stepper: {}",
                     draw.below(2) == 0 ? "stewart-trinkle" : "anitescu-potra");
}

// Stewart–Trinkle's alone: Anitescu–Potra has no gaps.
std::string with_gap_of_its_end(Draw&, LawValues&) {
  return "contact-frames: gap";
}

std::string at_drivers_end(Draw&, LawValues&) {
  return "contact-frames: driven";
}

std::string by_song_pang_kumar(Draw&, LawValues&) {
  return "stepper: song-pang-kumar";
}

std::string by_song_pang_kumar_with_pyramid(Draw&, LawValues&) {
  return "stepper: song-pang-kumar, cone: pyramid, directions: 8";
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

// The ellipse: f·v = −N √(μ₁² v₁² + μ₂² v₂²) along and across the axis.
void judge_ellipse(const Touch& touch, const LawValues& values) {
  Vector2 along(touch.axis_1.dot(values.axis), touch.axis_2.dot(values.axis));
  along.normalize();
  const Vector2 aside(-along.y(), along.x());
  const double first = values.friction * touch.normal, second = values.across * touch.normal;
  const double a = touch.force.dot(along), b = touch.force.dot(aside);
  if (values.directions > 0) {
    // The polygon of the circle, stretched: that of the unit circle for f/μ and μ v.
    const double least = std::min(values.friction, values.across);
    Touch round = touch;
    round.force = {a / values.friction, b / values.across};
    round.slip = {values.friction * touch.slip.dot(along), values.across * touch.slip.dot(aside)};
    round.force_error /= least;
    round.slip_error *= std::max(values.friction, values.across);
    LawValues unit = values;
    unit.friction = 1.0;
    judge_coulomb(round, unit);
    return;
  }
  EXPECT_LE(std::hypot(a / first, b / second), 1.0 + touch.force_error / std::min(first, second));
  const double reach = std::hypot(first * touch.slip.dot(along), second * touch.slip.dot(aside));
  EXPECT_NEAR(touch.force.dot(touch.slip), -reach,
              touch.force_error * touch.slip.norm() +
                  touch.slip_error * (std::max(first, second) + touch.force.norm()));
}

// Coulomb's law with the coefficient of the sliding speed.
void judge_speed(const Touch& touch, const LawValues& values) {
  LawValues now = values;
  const double speed = touch.slip.norm();
  if (values.decay > 0.0) {
    now.friction =
        values.kinetic + (values.friction - values.kinetic) * std::exp(-speed / values.decay);
  } else if (speed > values.threshold + touch.slip_error) {
    now.friction = values.kinetic;
  } else if (speed > values.threshold - touch.slip_error && values.threshold > 0.0) {
    return;
  }
  judge_coulomb(touch, now);
}

// Coulomb's law with the coefficient of the place at which the step began.
void judge_place(const Touch& touch, const LawValues& values) {
  LawValues now = values;
  now.friction += values.swing * std::sin(values.stripes * touch.at.x());
  judge_coulomb(touch, now);
}

// Each moment within its ball and against its turning; with a patch spin and slip share one.
void judge_moments(const Touch& touch, const LawValues& values) {
  const Vector2 about = touch.moment.tail<2>(), rolls = touch.turning.tail<2>();
  const double roll = values.rolling * touch.normal, size = 0.01;  // m, of errors
  // Polygons and polyhedra are inscribed, with corners at most so far from any direction.
  const double sides = values.directions;
  const double flat = sides > 0.0 ? std::cos(M_PI / sides) : 1.0;
  EXPECT_LE(about.norm(), roll + size * touch.force_error);
  const double about_error =
      size * touch.force_error * rolls.norm() + touch.slip_error / size * roll;
  EXPECT_LE(about.dot(rolls), -flat * roll * rolls.norm() + about_error);
  EXPECT_GE(about.dot(rolls), -roll * rolls.norm() - about_error);
  if (values.patch > 0.0) {
    const double most = values.friction * touch.normal, arm = values.patch;
    const Vector3 force(touch.force.x(), touch.force.y(), touch.moment[0] / arm);
    const Vector3 slip(touch.slip.x(), touch.slip.y(), touch.turning[0] * arm);
    EXPECT_LE(force.norm(), most + 10.0 * touch.force_error);
    if (sides > 0.0) {
      const double corner = std::cos(std::min(0.5 * M_PI, M_PI * std::sqrt(2.0) / sides));
      EXPECT_LE(force.dot(slip), -corner * most * slip.norm() +
                                     10.0 * touch.force_error * slip.norm() +
                                     touch.slip_error * most);
      return;
    }
    EXPECT_NEAR(force.dot(slip), -most * slip.norm(),
                10.0 * touch.force_error * slip.norm() + touch.slip_error * most);
    return;
  }
  judge_coulomb(touch, values);
  const double twist = values.torsion * touch.normal, spin = touch.turning[0];
  EXPECT_LE(std::abs(touch.moment[0]), twist + size * touch.force_error);
  EXPECT_NEAR(touch.moment[0] * spin, -twist * std::abs(spin),
              size * touch.force_error * std::abs(spin) + touch.slip_error / size * twist);
}

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

// |x/a|^p + |y/b|^p to the q/p, and |z/c|^q: supports are norms of the dual exponents.
Solid a_superquadric(Draw& draw, double size) {
  const Vector3 axes = 0.5 * size * Vector3(1.0, draw.between(0.3, 1.0), draw.between(0.2, 1.0));
  const double e1 = draw.between(0.2, 1.7), e2 = draw.between(0.2, 1.7);
  const auto dual = [](double x, double y, double e) {
    const double p = 2.0 / e, q = p / (p - 1.0), most = std::max(x, y);
    if (most == 0.0) return 0.0;
    return most * std::pow(std::pow(x / most, q) + std::pow(y / most, q), 1.0 / q);
  };
  return one({fmt::format("superquadric: {{axes: {}, e1: {:.17g}, e2: {:.17g}}}", list(axes, true),
                          e1, e2),
              [=](const Vector3& d) {
                const Vector3 far = axes.cwiseProduct(d.cwiseAbs());
                return dual(dual(far.x(), far.y(), e2), far.z(), e1);
              }});
}

// A closed mesh of these points; what it reaches, its corners do.
Part mesh_of(const std::vector<Vector3>& points, const char* triangles) {
  std::string text = "mesh: {vertices: [";
  for (std::size_t i = 0; i < points.size(); ++i)
    text += (i > 0 ? ", " : "") + list(points[i], true);
  return {text + "], triangles: " + triangles + "}", [points](const Vector3& d) {
            double most = -infinity;
            for (const Vector3& p : points) most = std::max(most, p.dot(d));
            return most;
          }};
}

// A block of eight corners, each of which may be moved a little, or an L.
Solid a_mesh(Draw& draw, double size) {
  std::vector<Vector3> points;
  if (draw.below(2) == 0) {
    const Vector3 half = 0.5 * size * Vector3(1.0, draw.between(0.3, 1.0), draw.between(0.2, 1.0));
    for (int i = 0; i < 8; ++i)
      points.push_back(half.cwiseProduct(Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    return one(mesh_of(points,
                       "[[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, "
                       "3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]"));
  }
  const double a = 0.5 * size, b = draw.between(0.2, 0.5) * size, c = draw.between(0.1, 0.4) * size;
  const Vector2 corners[] = {{-a, -a},         {a, -a},     {a, -a + b},
                             {-a + b, -a + b}, {-a + b, a}, {-a, a}};
  for (const double z : {-c, c})
    for (const Vector2& corner : corners) points.emplace_back(corner.x(), corner.y(), z);
  return one(
      mesh_of(points,
              "[[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4], [6, 7, 8], [6, 8, 9], [6, 9, "
              "10], [6, 10, 11], [0, 1, 7], [0, 7, 6], [1, 2, 8], [1, 8, 7], [2, 3, 9], [2, "
              "9, 8], [3, 4, 10], [3, 10, 9], [4, 5, 11], [4, 11, 10], [5, 0, 6], [5, 6, 11]]"));
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

// Triangulated ground: flat, as an open mesh and as a height field, and with hills.
std::string triangles(Draw&, Vector3& normal) {
  normal = Vector3::UnitZ();
  return "mesh: {vertices: [[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0], [0.013, -0.021, 0]], "
         "triangles: [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]}";
}

std::string flat_field(Draw&, Vector3& normal) {
  normal = Vector3::UnitZ();
  return "height-field: {size: [9, 9], function: 0*x, points: [31, 31]}";
}

std::string hills(Draw& draw, Vector3&) {
  return fmt::format(
      "height-field: {{size: [9, 9], function: 0.05*cos({}*x)*cos(3*y) - 0.05, "
      "points: [31, 31]}}",
      draw.between(2.0, 5.0));
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
      {"ellipse", elliptic, by_default, judge_ellipse},
      {"ellipse, anitescu-potra", elliptic, by_anitescu_potra, judge_ellipse},
      {"ellipse, pyramid", elliptic, with_pyramid, judge_ellipse},
      {"place", striped, by_default, judge_place},
      {"static and kinetic", static_and_kinetic, by_default, judge_speed},
      {"static and kinetic, anitescu-potra", static_and_kinetic, by_anitescu_potra, judge_speed},
      {"static and kinetic, pyramid", static_and_kinetic, with_pyramid, judge_speed},
      {"stribeck", stribeck, by_default, judge_speed},
      {"rolling friction", rolling, by_default, judge_moments},
      {"torsional friction", torsional, by_default, judge_moments},
      {"rolling and torsional friction, anitescu-potra", rolling_and_torsional, by_anitescu_potra,
       judge_moments},
      {"rolling and torsional friction, pyramid", rolling_and_torsional, with_pyramid,
       judge_moments},
      {"patch", patch, by_default, judge_moments},
      {"patch, pyramid", patch, with_pyramid, judge_moments},
      {"patch, anitescu-potra", patch, by_anitescu_potra, judge_moments},
      {"frames at the end", coulomb, at_its_end, judge_coulomb, Acts::nothing, true},
      {"gaps of the end", coulomb, with_gap_of_its_end, judge_coulomb, Acts::nothing, true},
      {"frames of drivers at the end", coulomb, at_drivers_end, judge_coulomb, Acts::nothing, true},
      {"layers", coulomb, by_song_pang_kumar, judge_coulomb, Acts::layers},
      {"layers, pyramid", coulomb, by_song_pang_kumar_with_pyramid, judge_coulomb, Acts::layers},
      {"layers, ellipse", elliptic, by_song_pang_kumar, judge_ellipse, Acts::layers},
      {"smooth layers", smooth, by_song_pang_kumar, judge_coulomb, Acts::layers},
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
      {"sphere", a_sphere},
      {"box", a_box},
      {"capsule", a_capsule},
      {"cylinder", a_cylinder},
      {"polyhedron", a_polyhedron},
      {"compound", a_compound},
      {"mesh", a_mesh},
      {"superquadric", a_superquadric},
  };
  return rows;
}

const std::vector<GroundRow>& ground_rows() {
  static const std::vector<GroundRow> rows = {
      {"half-space", level},           {"slope", slope},        {"slab", slab},
      {"log", log_on_its_side, false}, {"dome", dome, false},   {"mesh", triangles},
      {"height field", flat_field},    {"hills", hills, false},
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
