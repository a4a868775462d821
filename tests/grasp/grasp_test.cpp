// SPDX-License-Identifier: Apache-2.0
// Force closure, squeeze and push functions: reference case 16, and second ways to the same
// answers.
#include "vinci/grasp/grasp.h"

#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "tests/grasp/grasp_cases.h"
#include "vinci/base/error.h"
#include "vinci/grasp/closure.h"
#include "vinci/grasp/grasp_functions.h"
#include "vinci/pivoting/linear_program.h"

namespace vinci::test {
namespace {

using Contacts = std::vector<GraspContact>;

Grasp planar(const Contacts& contacts) {
  return {.world = World::planar, .contacts = contacts};
}

Grasp planar(Contacts contacts, double friction) {
  for (GraspContact& contact : contacts) contact.friction = friction;
  return planar(contacts);
}

// The second way: weights of the edges, all of them at least s, that balance and sum to 1; closed
// if the largest s is positive and the wrenches have rank three.
bool closed_by_linear_program(const Grasp& grasp) {
  const Contacts& contacts = grasp.contacts;
  MatrixX wrenches(3, 2 * static_cast<int>(contacts.size()));
  int column = 0;
  for (const GraspContact& contact : contacts)
    for (const double side : {1.0, -1.0}) {
      const Vector2 n = contact.normal.head<2>().normalized(), t(-n.y(), n.x());
      const Vector2 f = n + side * contact.friction * t;
      const Vector2 p = 10.0 * contact.position.head<2>();
      wrenches.col(column++) = Vector3(f.x(), f.y(), p.x() * f.y() - p.y() * f.x());
    }
  LinearProgram program;
  program.reset(column + 1);
  VectorX row = VectorX::Zero(column + 1);
  for (int i = 0; i < 3; ++i) {
    row.head(column) = wrenches.row(i);
    program.add_equality(row, 0.0);
  }
  row.setOnes();
  row[column] = 0.0;
  program.add_equality(row, 1.0);
  for (int k = 0; k < column; ++k) {
    row.setZero();
    row[k] = 1.0;
    row[column] = -1.0;
    program.add_at_least(row, 0.0);
  }
  row.setZero();
  row[column] = 1.0;
  VectorX x;
  if (program.maximise(row, x) != LinearProgram::Status::optimal) return false;
  return x[column] > 1e-9 && Eigen::FullPivLU<MatrixX>(wrenches).rank() == 3;
}

// Two contacts: the line between them must lie within both cones, or within both of the opposite
// ones (fingers that spread).
double required_by_two(const Contacts& contacts) {
  const Vector2 chord = (contacts[1].position - contacts[0].position).head<2>();
  const Vector2 n0 = contacts[0].normal.head<2>().normalized();
  const Vector2 n1 = contacts[1].normal.head<2>().normalized();
  const double along0 = chord.dot(n0), along1 = -chord.dot(n1);
  if (along0 * along1 <= 0.0) return std::numeric_limits<double>::infinity();
  return std::max(std::abs(n0.x() * chord.y() - n0.y() * chord.x()) / std::abs(along0),
                  std::abs(n1.x() * chord.y() - n1.y() * chord.x()) / std::abs(along1));
}

void expect_row(const Contacts& contacts, const nlohmann::json& row) {
  const Grasp grasp = planar(contacts, row["mu"].get<double>());
  const bool expected = row["force_closure"];
  EXPECT_EQ(force_closure(grasp), expected) << row;
  EXPECT_EQ(closed_by_linear_program(grasp), expected) << row;
  const ClosureProof proof = prove_closure(grasp);
  EXPECT_TRUE(proof.proved) << row;
  EXPECT_EQ(proof.closed, expected) << row;
  // The reference has 15 digits; ours are met to rounding of the cosines of its angles.
  EXPECT_NEAR(friction_required(grasp), row["mu_required"].get<double>(), 4e-15 * 4.0) << row;
  EXPECT_NEAR(required_by_two(contacts), row["mu_required"].get<double>(), 4e-15 * 4.0) << row;
}

TEST(Grasp, two_fingers_on_a_disc_hold_it_if_half_the_angle_is_within_the_cone) {
  const auto disc = expected_grasps()["disc_two_fingers"];
  const double radius = disc["R"];
  for (const auto& row : disc["rows"]) {
    Contacts contacts;
    const double delta = row["delta_deg"].get<double>() * M_PI / 180.0;
    for (const double angle : {0.0, M_PI - delta}) {
      const Vector2 outward(std::cos(angle), std::sin(angle));
      contacts.push_back(planar_contact(radius * outward, -outward));
    }
    expect_row(contacts, row);
  }
}

TEST(Grasp, two_fingers_on_a_quadrilateral_as_the_reference_says) {
  const auto quad = expected_grasps()["quadrilateral_two_fingers"];
  const std::vector<Vector2> vertices = vertices_of(quad);
  for (const auto& row : quad["rows"]) {
    Contacts contacts;
    for (const char* name : {"contact1", "contact2"}) {
      const int edge = row[name][0];
      const Vector2 tail = vertices[edge], along = vertices[(edge + 1) % 4] - tail;
      contacts.push_back(planar_contact(tail + row[name][1].get<double>() * along,
                                        Vector2(-along.y(), along.x())));
    }
    expect_row(contacts, row);
  }
}

TEST(Grasp, random_grasps_agree_with_the_linear_program_above_and_below_what_is_required) {
  std::mt19937_64 random(16);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int finite = 0, none = 0;
  for (int round = 0; round < 300; ++round) {
    Contacts contacts(2 + round % 5);
    for (GraspContact& contact : contacts) {
      const Vector2 outward = Vector2(unit(random), unit(random));
      const Vector2 tilt(0.3 * unit(random), 0.3 * unit(random));
      contact = planar_contact(0.1 * outward.normalized(), -outward.normalized() + tilt);
    }
    const double required = friction_required(planar(contacts));
    if (std::isinf(required)) {
      ++none;
      EXPECT_FALSE(closed_by_linear_program(planar(contacts, 1e3)));
      continue;
    }
    ++finite;
    // The program decides to 1e-9, on weights that fall with the distance from the limit.
    EXPECT_TRUE(closed_by_linear_program(planar(contacts, required * (1 + 1e-6) + 1e-6)));
    EXPECT_TRUE(force_closure(planar(contacts, required * (1 + 1e-6) + 1e-6)));
    if (required > 1e-6) {
      EXPECT_FALSE(closed_by_linear_program(planar(contacts, required * (1 - 1e-6))));
      EXPECT_FALSE(force_closure(planar(contacts, required * (1 - 1e-9))));
    }
    if (contacts.size() == 2) {
      EXPECT_NEAR(required, required_by_two(contacts), 1e-12 * (1.0 + required * required));
    }
  }
  EXPECT_GT(finite, 100);
  EXPECT_GT(none, 5);
}

TEST(Grasp, four_frictionless_fingers_may_close_but_three_never_do) {
  Contacts four = {planar_contact({0.1, 0.05}, {-1, 0}), planar_contact({-0.1, -0.05}, {1, 0}),
                   planar_contact({0.05, 0.1}, {0, -1}), planar_contact({-0.05, -0.1}, {0, 1})};
  EXPECT_TRUE(force_closure(planar(four)));
  EXPECT_EQ(friction_required(planar(four)), 0.0);
  // With two of them on the other side of the middle all four turn it the same way.
  std::swap(four[2].position.x(), four[3].position.x());
  EXPECT_FALSE(force_closure(planar(four)));
  EXPECT_NEAR(friction_required(planar(four)), 0.5, 1e-15);
  four.pop_back();
  EXPECT_FALSE(force_closure(planar(four)));
  EXPECT_FALSE(force_closure(planar({})));
  EXPECT_TRUE(std::isinf(friction_required(planar({}))));
}

TEST(Grasp, fingers_that_touch_from_one_side_hold_nothing_at_any_friction) {
  const Grasp pushing =
      planar({planar_contact({-0.1, 0.0}, {0, 1}), planar_contact({0.1, 0.0}, {0, 1})});
  EXPECT_TRUE(std::isinf(friction_required(pushing)));
}

TEST(Grasp, bad_contacts_are_refused_by_name) {
  const double nan = std::nan("");
  const auto message = [](const Contacts& contacts) {
    try {
      friction_required(planar(contacts));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({planar_contact({nan, 0}, {1, 0}, 0)}).find("contacts[0].position"),
            std::string::npos);
  EXPECT_NE(message({planar_contact({0, 0}, {0, 0}, 0)}).find("contacts[0].normal"),
            std::string::npos);
  EXPECT_NE(message({planar_contact({0, 0}, {1, 0}, -1)}).find("contacts[0].friction"),
            std::string::npos);
  EXPECT_NE(message(Contacts(65, planar_contact({0, 0}, {1, 0}))).find("up to 64"),
            std::string::npos);
}

// The reference rounds degrees to 1e-13, and has 2e-13 of them as its own error.
constexpr double angle_tolerance = 1e-14, length_tolerance = 1e-15;

TEST(JawFunctions, minima_maxima_and_transfer_of_the_reference_are_met) {
  for (const char* name : {"squeeze_rect_80x40", "squeeze_quad", "squeeze_triangle"}) {
    const auto part = expected_grasps()[name];
    const std::vector<Vector2> vertices = vertices_of(part);
    const JawFunction squeeze = squeeze_function(vertices), push = push_function(vertices);
    const auto expect_list = [&](const std::vector<JawFunction::Extremum>& found,
                                 const nlohmann::json& rows) {
      ASSERT_EQ(found.size(), rows.size()) << name;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(found[i].angle, rows[i][0].get<double>() * degree, angle_tolerance) << name;
        EXPECT_NEAR(found[i].value, rows[i][1].get<double>(), length_tolerance) << name;
      }
    };
    expect_list(squeeze.maxima(), part["diameter_maxima_deg_m"]);
    expect_list(squeeze.minima(), part["stable_orientations_deg_m"]);
    expect_list(push.minima(), part["push_stable_edges"]);
    for (std::size_t i = 0; i < push.minima().size(); ++i)
      EXPECT_EQ(push.minima()[i].edge, part["push_stable_edges"][i][2].get<int>()) << name;
    ASSERT_EQ(push.maxima().size(), part["push_radius_maxima_deg"].size());
    for (std::size_t i = 0; i < push.maxima().size(); ++i)
      EXPECT_NEAR(push.maxima()[i].angle, part["push_radius_maxima_deg"][i].get<double>() * degree,
                  angle_tolerance);
    for (const auto& row : part["transfer"]) {
      const double start = row["initial_deg"].get<double>() * degree;
      const double squeezed = squeeze.outcome(start), pushed = push.outcome(start);
      EXPECT_LT(turn(squeezed, row["squeeze_final_deg"].get<double>() * degree, M_PI),
                angle_tolerance);
      EXPECT_NEAR(squeeze.value(squeezed), row["jaw_gap"].get<double>(), length_tolerance);
      EXPECT_LT(turn(pushed, row["push_final_deg"].get<double>() * degree, 2.0 * M_PI),
                angle_tolerance);
      EXPECT_LT(
          turn(squeeze.outcome(pushed), row["push_then_squeeze_deg"].get<double>() * degree, M_PI),
          angle_tolerance);
    }
  }
}

// The second way: go downhill on the function itself, sampled from the vertices.
TEST(JawFunctions, outcomes_of_random_polygons_are_those_of_going_downhill) {
  std::mt19937_64 random(160);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int round = 0; round < 40; ++round) {
    std::vector<Vector2> vertices;
    const int count = 3 + round % 7;
    for (int i = 0; i < count; ++i) {  // star-shaped: often not convex
      const double angle = 2.0 * M_PI * (i + 0.8 * unit(random)) / count;
      vertices.push_back((0.02 + 0.05 * unit(random)) * Vector2(std::cos(angle), std::sin(angle)));
    }
    Vector2 center = Vector2::Zero();
    for (const Vector2& v : vertices) center += v / count;
    for (const bool squeezes : {true, false}) {
      const JawFunction function =
          squeezes ? squeeze_function(vertices) : push_function(vertices, center);
      const auto sampled = [&](double angle) {
        const Vector2 u(std::cos(angle), std::sin(angle));
        double high = -1.0, low = 1.0;
        for (const Vector2& v : vertices) {
          high = std::max(high, (v - center).dot(u));
          low = std::min(low, (v - center).dot(u));
        }
        return squeezes ? high - low : high;
      };
      for (int k = 0; k < 20; ++k) {
        const double start = function.period() * unit(random);
        EXPECT_NEAR(function.value(start), sampled(start), 1e-15);
        constexpr double step = 1e-3;
        const double side = sampled(start + 1e-7) < sampled(start - 1e-7) ? step : -step;
        double angle = start;
        while (sampled(angle + side) < sampled(angle)) angle += side;
        EXPECT_LT(turn(function.outcome(start), angle, function.period()), 2.0 * step);
      }
    }
  }
}

TEST(JawFunctions, an_edge_is_named_by_its_first_vertex_either_way_round) {
  const std::vector<Vector2> left = {{0, 0}, {0.08, 0}, {0.03, 0.06}};
  const std::vector<Vector2> right(left.rbegin(), left.rend());
  const JawFunction a = push_function(left), b = push_function(right);
  ASSERT_EQ(a.minima().size(), b.minima().size());
  for (std::size_t i = 0; i < a.minima().size(); ++i) {
    const int first = a.minima()[i].edge, reversed = b.minima()[i].edge;
    EXPECT_EQ(reversed, 2 - (first + 1) % 3);  // begins at what was its end
  }
}

TEST(JawFunctions, a_part_on_a_maximum_stays_and_bad_parts_are_refused) {
  const std::vector<Vector2> box = {{0, 0}, {0.08, 0}, {0.08, 0.04}, {0, 0.04}};
  const JawFunction squeeze = squeeze_function(box);
  EXPECT_EQ(squeeze.outcome(squeeze.maxima()[0].angle), squeeze.maxima()[0].angle);
  EXPECT_EQ(squeeze.outcome(-0.1), 0.0);
  EXPECT_THROW(squeeze_function(std::vector<Vector2>{{0, 0}, {1, 0}}), Error);
  EXPECT_THROW(squeeze_function(std::vector<Vector2>{{0, 0}, {1, 0}, {2, 0}}), Error);
  EXPECT_THROW(push_function(box, Vector2(1, 1)), Error);
  EXPECT_THROW(squeeze.outcome(std::nan("")), Error);
}

}  // namespace
}  // namespace vinci::test
