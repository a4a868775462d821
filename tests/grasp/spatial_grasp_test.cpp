// SPDX-License-Identifier: Apache-2.0
// Grasps in space: reference case 25, closed forms, and pyramids within and around the cones.
#include <gtest/gtest.h>

#include "tests/grasp/spatial_grasps.h"
#include "vinci/base/error.h"
#include "vinci/grasp/closure.h"
#include "vinci/grasp/holding.h"
#include "vinci/grasp/quality.h"
#include "vinci/pivoting/linear_program.h"

namespace vinci::test {
namespace {

constexpr LeastForces objectives[] = {LeastForces::squares, LeastForces::sum_of_normals,
                                      LeastForces::largest_normal};
constexpr ForceLimit limits[] = {ForceLimit::sum, ForceLimit::each};

Vector6 reference_wrench(const nlohmann::json& file) {
  Vector6 wrench;
  for (int i = 0; i < 6; ++i) wrench[i] = file["parameters"]["external_wrench"][i].get<double>();
  return wrench;
}

TEST(SpatialGrasp, closure_and_margins_of_the_reference_are_met) {
  const nlohmann::json file = reference("case25_spatial_grasps");
  int closed = 0, open = 0;
  for (const auto& [name, expected] : file["expected"].items()) {
    const Grasp grasp = reference_grasp(expected, file["parameters"]["rho"].get<double>());
    const ClosureProof proof = prove_closure(grasp);
    EXPECT_TRUE(proof.proved) << name;
    EXPECT_EQ(proof.closed, expected["force_closure"].get<bool>()) << name;
    EXPECT_EQ(force_closure(grasp), proof.closed);
    EXPECT_NEAR(proof.margin, expected["cone_margin"].get<double>(), 1e-10) << name;
    const double dual = expected["dual_margin"];
    if (proof.closed) {
      ++closed;
      EXPECT_EQ(proof.rank, 6);
      EXPECT_TRUE(check_balance(grasp, proof.loads).proves);
      // The reference's own search stopped up to 3e-8 above the minimum.
      const Quality quality = grasp_quality(grasp, ForceLimit::sum);
      EXPECT_NEAR(quality.upper, dual, 1e-7) << name;
      EXPECT_LT(quality.upper, dual + 1e-11) << name;
      EXPECT_TRUE(quality.settled && quality.lower > 0.999 * dual - 1e-7) << name;
      continue;
    }
    ++open;
    EXPECT_NEAR(proof.push, dual, 1e-10) << name;
    EXPECT_NEAR(push_along(grasp, proof.direction), proof.push, 1e-15);
    // Where a value is least to 1e-12 its place is known to the root of that.
    for (int i = 0; i < 6; ++i) {
      const double entry = expected["wrench_direction_not_resisted_or_marginal"][i];
      EXPECT_NEAR(proof.direction[i] / (i < 3 ? 1.0 : grasp.length), entry, 1e-5) << name;
    }
  }
  EXPECT_EQ(closed, 6);
  EXPECT_EQ(open, 4);
}

TEST(SpatialGrasp, hulls_of_sixteen_directions_are_those_of_the_reference) {
  const nlohmann::json file = reference("case25_spatial_grasps");
  for (const auto& [name, expected] : file["expected"].items()) {
    const Grasp grasp = reference_grasp(expected, file["parameters"]["rho"].get<double>());
    const WrenchHull hull = wrench_hull(grasp, 16);
    const double epsilon = expected["epsilon_16"], volume = expected["hull_volume_16"];
    EXPECT_EQ(hull.has_origin, expected["origin_in_hull_16"].get<bool>()) << name;
    EXPECT_NEAR(hull.radius, epsilon, 1e-12 * epsilon) << name;
    EXPECT_NEAR(hull.volume, volume, 1e-11 * volume) << name;
    EXPECT_GT(wrench_hull(grasp, 16, true).volume, volume);
  }
}

TEST(SpatialGrasp, least_forces_of_the_reference_hold_and_open_grasps_refuse_with_a_proof) {
  const nlohmann::json file = reference("case25_spatial_grasps");
  const Vector6 wrench = reference_wrench(file);
  for (const auto& [name, expected] : file["expected"].items()) {
    const Grasp grasp = reference_grasp(expected, file["parameters"]["rho"].get<double>());
    const HeldWrench squares = hold(grasp, wrench, LeastForces::squares);
    const HeldWrench sum = hold(grasp, wrench, LeastForces::sum_of_normals);
    if (!expected.contains("hold")) {
      for (const HeldWrench& refused : {squares, sum}) {
        EXPECT_EQ(refused.status, HeldWrench::Status::impossible) << name;
        EXPECT_LE(push_along(grasp, refused.direction), 1e-10) << name;
        EXPECT_GT(refused.against, 0.1) << name;
      }
      continue;
    }
    ASSERT_EQ(squares.status, HeldWrench::Status::held) << name;
    ASSERT_EQ(sum.status, HeldWrench::Status::held) << name;
    const auto& hold = expected["hold"];
    for (std::size_t i = 0; i < grasp.contacts.size(); ++i)
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(squares.loads[i].force[k], hold["least_squares_forces"][i][k].get<double>(),
                    1e-12 * squares.value)
            << name;
    const double half = hold["half_sum_of_squares"], least = hold["minimal_sum_of_normal_forces"];
    EXPECT_NEAR(squares.value, half, 1e-12 * half) << name;
    EXPECT_NEAR(sum.value, least, 2e-10 * least) << name;
    for (const HeldWrench& held : {squares, sum}) {
      EXPECT_LT(held.gap, 1e-12) << name;
      EXPECT_LT(held.imbalance, 1e-12) << name;
      EXPECT_GT(held.least_margin, -1e-12) << name;
    }
  }
}

// Two opposite fingers cannot hold a torque about the line through them; with torsion κ they can.
// The least of max h_i over unit directions is met where only that line turns, κ/R, or where one
// finger's point stands still: μ/√(2 + μ²). With each force limited, 2κ/√(R² + κ²), √2 μ/√(1 + 2μ²)
// or 1.
TEST(SpatialGrasp, two_fingers_on_a_sphere_hold_it_if_and_only_if_they_are_soft) {
  constexpr double radius = 0.04;
  const std::vector<Vector3> ends = {{1, 0, 0}, {-1, 0, 0}};
  const Grasp hard = on_sphere(ends, radius, 0.5);
  const ClosureProof open = prove_closure(hard);
  EXPECT_FALSE(open.closed);
  EXPECT_TRUE(open.proved);
  EXPECT_EQ(open.rank, 5);
  EXPECT_NEAR(std::abs(open.direction[3]), radius, 1e-12);
  EXPECT_NEAR(open.push, 0.0, 1e-12);
  EXPECT_EQ(friction_required(hard), infinity);
  for (const double friction : {0.1, 0.5, 1.0})
    for (const double share : {0.02, 0.2, 0.5, 2.0}) {  // κ/R
      const Grasp soft = on_sphere(ends, radius, friction, {.torsion = share * radius});
      EXPECT_TRUE(prove_closure(soft).closed);
      EXPECT_EQ(friction_required(soft), 0.0);
      const double sum = std::min(share, friction / std::sqrt(2.0 + friction * friction));
      const double each =
          std::min({2.0 * share / std::sqrt(1.0 + share * share),
                    std::sqrt(2.0) * friction / std::sqrt(1.0 + 2.0 * friction * friction), 1.0});
      for (const ForceLimit limit : limits) {
        const Quality quality = grasp_quality(soft, limit);
        const double exact = limit == ForceLimit::sum ? sum : each;
        EXPECT_NEAR(quality.upper, exact, 1e-9) << friction << " " << share;
        EXPECT_TRUE(quality.settled);
        EXPECT_LE(quality.lower, exact + 1e-12);
        EXPECT_GT(quality.lower, (1.0 - 1.01e-3) * exact);
      }
    }
}

TEST(SpatialGrasp, two_soft_fingers_carry_a_weight_with_forces_known_in_closed_form) {
  constexpr double friction = 0.4, weight = 3.0;
  const Grasp grasp = on_sphere({{1, 0, 0}, {-1, 0, 0}}, 0.04, friction, {.torsion = 0.002});
  Vector6 down = Vector6::Zero(), along = Vector6::Zero(), spin = Vector6::Zero();
  down[2] = -weight;
  along[0] = weight;
  spin[3] = 0.001;
  const double each = 0.5 * weight / friction;
  const HeldWrench squares = hold(grasp, down, LeastForces::squares);
  EXPECT_NEAR(squares.value, each * each * (1.0 + friction * friction), 1e-11);
  EXPECT_NEAR(hold(grasp, down, LeastForces::sum_of_normals).value, 2.0 * each, 1e-11);
  EXPECT_NEAR(hold(grasp, down, LeastForces::largest_normal).value, each, 1e-11);
  // Pushed along their line, one finger bears all.
  for (const LeastForces least : {LeastForces::sum_of_normals, LeastForces::largest_normal})
    EXPECT_NEAR(hold(grasp, along, least).value, weight, 1e-10);
  const HeldWrench one = hold(grasp, along, LeastForces::squares);
  EXPECT_NEAR(one.loads[0].force[0], weight, 1e-9);
  EXPECT_NEAR(one.loads[1].force.norm(), 0.0, 1e-9);
  // A torque about the line: κ f_n of both.
  const HeldWrench turned = hold(grasp, spin, LeastForces::sum_of_normals);
  EXPECT_NEAR(turned.value, 0.001 / 0.002, 1e-11);
  // About z from finger 0 is along −z: turned back.
  EXPECT_NEAR(turned.loads[0].moment[0] - turned.loads[1].moment[0], 0.001, 1e-12);
}

// The forces of largest margin are equal at all contacts by symmetry, and without friction balance.
TEST(SpatialGrasp, three_at_120_degrees_and_a_tetrahedron_close_with_any_friction) {
  const double s = std::sqrt(3.0);
  const std::vector<Vector3> three = {{2, 0, 0}, {-1, s, 0}, {-1, -s, 0}};
  const std::vector<Vector3> four = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  for (const auto& directions : {three, four}) {
    const double count = static_cast<double>(directions.size());
    for (const double friction : {1e-3, 0.1, 0.7}) {
      const Grasp grasp = on_sphere(directions, 0.04, friction);
      const ClosureProof proof = prove_closure(grasp);
      EXPECT_TRUE(proof.closed);
      EXPECT_NEAR(proof.margin, friction / count, 1e-12);
      EXPECT_NEAR(proof.least_margin, friction / count, 1e-12);
    }
    EXPECT_EQ(friction_required(on_sphere(directions, 0.04, 0.0)), 0.0);
    const ClosureProof slippery = prove_closure(on_sphere(directions, 0.04, 0.0));
    EXPECT_FALSE(slippery.closed);
    EXPECT_TRUE(slippery.proved);
    EXPECT_EQ(slippery.rank, directions.size() == 3 ? 2 : 3);
  }
}

// Three fingers on a circle of latitude φ: their cones reach over the equator if μ > tan φ.
TEST(SpatialGrasp, fingers_above_the_equator_close_above_the_tangent_of_the_latitude) {
  for (const double latitude : {0.1, 0.4, 0.8}) {
    std::vector<Vector3> directions;
    for (int k = 0; k < 3; ++k)
      directions.emplace_back(std::cos(latitude) * std::cos(2.0 * M_PI * k / 3.0),
                              std::cos(latitude) * std::sin(2.0 * M_PI * k / 3.0),
                              std::sin(latitude));
    const double needed = std::tan(latitude);
    EXPECT_NEAR(friction_required(on_sphere(directions, 0.04, 0.0)), needed,
                1e-7 * (1.0 + needed * needed));
    EXPECT_TRUE(force_closure(on_sphere(directions, 0.04, needed + 1e-6)));
    const ClosureProof below = prove_closure(on_sphere(directions, 0.04, needed - 1e-6));
    EXPECT_FALSE(below.closed);
    EXPECT_TRUE(below.proved);
    EXPECT_NEAR(below.direction[2], 1.0, 1e-5);
  }
}

// Closed by weights of a pyramid's edges, all at least s > 0, that balance.
bool closed_by_edges(const Grasp& grasp, int directions, bool outside) {
  const GraspMap map = grasp_map(grasp);
  std::vector<VectorX> edges;
  for (const ContactCone& contact : map.contacts)
    for (const VectorX& edge : contact.corners(directions, outside)) edges.push_back(edge);
  const int count = static_cast<int>(edges.size());
  // Its dual is small: the largest s such that some |y|_∞ <= 1 has edge·y <= −s ... is 0 where the
  // grasp is closed; a face of the cube at a time, so that y is not 0.
  for (int axis = 0; axis < map.dimension; ++axis)
    for (const double side : {1.0, -1.0}) {
      LinearProgram program;
      program.reset(map.dimension + 1);
      VectorX row = VectorX::Zero(map.dimension + 1);
      row[axis] = 1.0;
      program.add_equality(row, side);
      for (int i = 0; i < map.dimension; ++i)
        for (const double sign : {1.0, -1.0}) {
          row.setZero();
          row[i] = sign;
          program.add_at_least(row, -1.0);
        }
      for (int i = 0; i < count; ++i) {
        row.head(map.dimension) = -edges[static_cast<std::size_t>(i)];
        row[map.dimension] = -1.0;
        program.add_at_least(row, 0.0);
      }
      VectorX x;
      row.setZero();
      row[map.dimension] = 1.0;
      if (program.maximise(row, x) == LinearProgram::Status::optimal && x[map.dimension] >= -1e-9)
        return false;
    }
  return true;
}

TEST(SpatialGrasp, random_verdicts_lie_between_pyramids_within_and_around_the_cones) {
  std::mt19937_64 random(25);
  int closed = 0, open = 0, between = 0;
  for (int round = 0; round < 150; ++round) {
    const Grasp grasp = random_grasp(random);
    const ClosureProof proof = prove_closure(grasp);
    EXPECT_TRUE(proof.proved) << round << " " << proof.margin;
    const bool inside = closed_by_edges(grasp, 12, false),
               around = closed_by_edges(grasp, 12, true);
    EXPECT_TRUE(!inside || proof.closed) << round;
    EXPECT_TRUE(around || !proof.closed) << round;
    proof.closed ? ++closed : ++open;
    between += inside != around;
  }
  EXPECT_GT(closed, 30);
  EXPECT_GT(open, 30);
  EXPECT_LT(between, 15);
}

TEST(SpatialGrasp, every_random_verdict_has_a_proof_that_holds) {
  std::mt19937_64 random(26);
  int closed = 0, open = 0;
  for (int round = 0; round < 3000; ++round) {
    const Grasp grasp = random_grasp(random);
    const ClosureProof proof = prove_closure(grasp);
    ASSERT_TRUE(proof.proved) << round << " margin " << proof.margin;
    if (proof.closed) {
      ++closed;
      EXPECT_GT(proof.margin, 0.0);
      EXPECT_TRUE(check_balance(grasp, proof.loads).proves);
      EXPECT_LT(proof.imbalance, 1e-12);
      EXPECT_NEAR(proof.least_margin, proof.margin, 1e-9);
      // The opposite is not to be had: loads that prove closure let no direction go.
      for (int k = 0; k < 3; ++k) {
        Vector6 direction;
        direction << random_vector(random), grasp.length * random_vector(random);
        EXPECT_GT(push_along(grasp, direction), 0.0);
      }
    } else {
      ++open;
      EXPECT_TRUE(proof.rank < 6 || proof.margin <= 1e-9) << proof.margin;
      EXPECT_LE(push_along(grasp, proof.direction), 1e-9);
    }
  }
  EXPECT_GT(closed, 500);
  EXPECT_GT(open, 500);
}

// The least sum of normal forces against the weakest direction is 1/ε, and of the largest in the
// other limit; no other direction takes more. That is the worst wrench.
TEST(SpatialGrasp, the_weakest_direction_takes_the_largest_forces) {
  std::mt19937_64 random(27);
  int tried = 0;
  for (int round = 0; round < 300 && tried < 12; ++round) {
    const Grasp grasp = random_grasp(random);
    if (grasp.contacts.size() > 4 || !force_closure(grasp)) continue;
    ++tried;
    for (const ForceLimit limit : limits) {
      const LeastForces least =
          limit == ForceLimit::sum ? LeastForces::sum_of_normals : LeastForces::largest_normal;
      const Quality quality = grasp_quality(grasp, limit, {.tolerance = 1e-2});
      ASSERT_TRUE(quality.settled);
      const HeldWrench worst = hold(grasp, -quality.weakest, least);
      ASSERT_EQ(worst.status, HeldWrench::Status::held);
      EXPECT_NEAR(worst.value * quality.upper, 1.0, 1e-7) << round;
      for (int k = 0; k < 20; ++k) {
        Vector6 wrench;
        wrench << random_vector(random), random_vector(random);
        wrench.normalize();
        wrench.tail<3>() *= grasp.length;
        const HeldWrench other = hold(grasp, wrench, least);
        ASSERT_EQ(other.status, HeldWrench::Status::held);
        EXPECT_LE(other.value, 1.0 / quality.lower);
        EXPECT_LT(other.gap, 1e-8);
      }
    }
  }
  EXPECT_EQ(tried, 12);
}

TEST(SpatialGrasp, exact_quality_lies_between_those_of_pyramids_and_below_every_sample) {
  std::mt19937_64 random(28);
  int tried = 0;
  for (int round = 0; round < 300 && tried < 10; ++round) {
    Grasp grasp = random_grasp(random);
    for (GraspContact& contact : grasp.contacts) contact.moments = {};
    if (grasp.contacts.size() > 4 || !force_closure(grasp)) continue;
    ++tried;
    const Quality exact = grasp_quality(grasp, ForceLimit::sum);
    EXPECT_LE(wrench_hull(grasp, 8).radius, exact.upper * (1.0 + 1e-9));
    EXPECT_GE(wrench_hull(grasp, 8, true).radius, exact.lower * (1.0 - 1e-9));
    const double each = grasp_quality(grasp, ForceLimit::each).upper;
    EXPECT_GE(each, exact.lower);
    const double pyramids = grasp_quality(grasp, ForceLimit::each, {.directions = 12}).lower;
    EXPECT_LE(pyramids, each * (1.0 + 1e-9));
    EXPECT_GT(pyramids, 0.7 * each);
    for (int k = 0; k < 2000; ++k) {
      Vector6 y;
      y << random_vector(random), random_vector(random);
      y.normalize();
      y.tail<3>() *= grasp.length;
      EXPECT_GE(push_along(grasp, y), exact.lower);
    }
  }
  EXPECT_EQ(tried, 10);
}

TEST(SpatialGrasp, answers_do_not_depend_on_place_turn_and_size_or_the_verdict_on_the_centre) {
  std::mt19937_64 random(29);
  for (int round = 0; round < 60; ++round) {
    const Grasp grasp = random_grasp(random);
    const Pose pose = {5.0 * random_vector(random), exponential(random_vector(random))};
    const double scale = 3.0;
    const Grasp other = moved(grasp, pose, scale);
    const ClosureProof a = prove_closure(grasp), b = prove_closure(other);
    EXPECT_EQ(a.closed, b.closed);
    if (std::isfinite(a.margin) || std::isfinite(b.margin)) {
      EXPECT_NEAR(a.margin, b.margin, 1e-9 * (1.0 + std::abs(a.margin)));
    }
    Grasp shifted = grasp;
    shifted.center += Vector3(0.02, -0.01, 0.03);
    shifted.length = 0.02;
    EXPECT_EQ(prove_closure(shifted).closed, a.closed);
    Vector6 wrench, turned;
    wrench << random_vector(random), 0.05 * random_vector(random);
    turned << pose.rotation * wrench.head<3>(), scale * (pose.rotation * wrench.tail<3>());
    for (const LeastForces least : objectives) {
      const HeldWrench x = hold(grasp, wrench, least), y = hold(other, turned, least);
      EXPECT_EQ(x.status, y.status) << round;
      if (a.closed) {
        EXPECT_EQ(x.status, HeldWrench::Status::held) << round;
      }
      EXPECT_NEAR(x.value, y.value, 1e-8 * (1.0 + std::abs(x.value))) << round;
    }
    if (a.closed && round < 20) {
      const double before = grasp_quality(grasp, ForceLimit::sum).upper;
      EXPECT_NEAR(grasp_quality(other, ForceLimit::sum).upper, before, 1e-9);
    }
  }
}

TEST(SpatialGrasp, a_planar_grasp_has_the_same_proof_as_its_edges_and_its_hull_the_same_radius) {
  std::mt19937_64 random(30);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int closed = 0;
  for (int round = 0; round < 300; ++round) {
    Grasp grasp;
    grasp.world = World::planar;
    for (int i = 0; i < 2 + round % 4; ++i) {
      const Vector2 outward(unit(random), unit(random));
      grasp.contacts.push_back(planar_contact(0.1 * outward.normalized(), -outward, 0.5));
    }
    const ClosureProof proof = prove_closure(grasp);
    EXPECT_TRUE(proof.proved);
    EXPECT_EQ(proof.closed, force_closure(grasp)) << round << " " << proof.margin;
    if (!proof.closed) continue;
    ++closed;
    // Both edges are the whole cone in the plane.
    const Quality quality = grasp_quality(grasp, ForceLimit::sum, {.tolerance = 1e-4});
    const double radius = wrench_hull(grasp, 4).radius;
    EXPECT_NEAR(quality.upper, radius, 1e-9) << round;
    EXPECT_GT(quality.lower, (1.0 - 1.1e-4) * radius);
  }
  EXPECT_GT(closed, 60);
}

// Three pairs on a box, each pair on opposite faces and off its middle, as in a pinwheel about each
// axis: twelve fingers without friction.
TEST(SpatialGrasp, twelve_fingers_without_friction_close_and_six_never_do) {
  Grasp grasp;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {1.0, -1.0})
      for (const double off : {0.4, -0.4}) {
        Vector3 point = Vector3::Zero();
        point[axis] = side;
        point[(axis + 1) % 3] = off;
        point[(axis + 2) % 3] = 0.3 * side * off;
        grasp.contacts.push_back({.position = point, .normal = -side * Vector3::Unit(axis)});
      }
  const ClosureProof proof = prove_closure(grasp);
  EXPECT_TRUE(proof.closed);
  EXPECT_GT(proof.least_margin, 0.0);
  EXPECT_EQ(friction_required(grasp), 0.0);
  grasp.contacts.resize(6);
  EXPECT_FALSE(prove_closure(grasp).closed);
  EXPECT_TRUE(prove_closure(grasp).proved);
}

TEST(SpatialGrasp, patches_hold_less_than_friction_and_torsion_by_themselves) {
  const std::vector<Vector3> ends = {{1, 0, 0}, {-1, 0, 0}};
  constexpr double radius = 0.04, friction = 0.5, arm = 0.01;
  const Grasp patch = on_sphere(ends, radius, friction, {.radius = arm});
  const Grasp apart = on_sphere(ends, radius, friction, {.torsion = friction * arm});
  EXPECT_TRUE(prove_closure(patch).closed);
  // Alone a torque about the line takes the same of both, together with a weight a patch takes
  // more.
  Vector6 wrench = Vector6::Zero();
  wrench[3] = 0.003;
  const double alone = hold(patch, wrench, LeastForces::sum_of_normals).value;
  EXPECT_NEAR(alone, 0.003 / (friction * arm), 1e-10);
  EXPECT_NEAR(hold(apart, wrench, LeastForces::sum_of_normals).value, alone, 1e-10);
  wrench[2] = -0.2;
  EXPECT_NEAR(hold(patch, wrench, LeastForces::sum_of_normals).value,
              std::hypot(0.003 / arm, 0.2) / friction, 1e-10);
  EXPECT_NEAR(hold(apart, wrench, LeastForces::sum_of_normals).value, alone, 1e-10);
  EXPECT_LE(grasp_quality(patch, ForceLimit::sum).upper,
            grasp_quality(apart, ForceLimit::sum).upper + 1e-12);
  EXPECT_LE(wrench_hull(patch, 8).radius, grasp_quality(patch, ForceLimit::sum).upper);
  EXPECT_GE(wrench_hull(patch, 8, true).radius, grasp_quality(patch, ForceLimit::sum).lower);
}

TEST(SpatialGrasp, degenerate_grasps_are_open_with_a_proof_and_hold_what_they_can) {
  const Grasp none;
  EXPECT_FALSE(prove_closure(none).closed);
  EXPECT_TRUE(prove_closure(none).proved);
  EXPECT_EQ(grasp_quality(none, ForceLimit::sum).upper, 0.0);
  EXPECT_TRUE(wrench_hull(none, 8).flat);
  Vector6 down = Vector6::Zero();
  down[2] = -2.0;
  EXPECT_EQ(hold(none, down, LeastForces::squares).status, HeldWrench::Status::impossible);
  EXPECT_EQ(hold(none, Vector6::Zero(), LeastForces::squares).status, HeldWrench::Status::held);

  Grasp one = on_sphere({{0, 0, -1}}, 0.04, 0.5);
  EXPECT_TRUE(prove_closure(one).proved);
  EXPECT_EQ(prove_closure(one).margin, -infinity);
  EXPECT_NEAR(hold(one, down, LeastForces::sum_of_normals).value, 2.0, 1e-10);
  EXPECT_EQ(hold(one, -down, LeastForces::sum_of_normals).status, HeldWrench::Status::impossible);

  // A plate on three feet: parallel normals.
  for (const double friction : {0.0, 0.6}) {
    Grasp feet;
    for (const Vector3& p : {Vector3(1, 0, 0), Vector3(-1, 1, 0), Vector3(-1, -1, 0)})
      feet.contacts.push_back({.position = p, .normal = Vector3::UnitZ(), .friction = friction});
    const ClosureProof proof = prove_closure(feet);
    EXPECT_FALSE(proof.closed);
    EXPECT_TRUE(proof.proved);
    EXPECT_NEAR(hold(feet, down, LeastForces::sum_of_normals).value, 2.0, 1e-9);
    Vector6 aside = down;
    aside[0] = 1.0;  // within the cone of 0.6
    EXPECT_EQ(hold(feet, aside, LeastForces::squares).status,
              friction > 0.0 ? HeldWrench::Status::held : HeldWrench::Status::impossible);
    aside[0] = 1.3;
    EXPECT_EQ(hold(feet, aside, LeastForces::squares).status, HeldWrench::Status::impossible);
  }
}

TEST(SpatialGrasp, bad_numbers_are_refused_by_name) {
  const auto message = [](const auto& change) {
    Grasp grasp = on_sphere({{1, 0, 0}, {-1, 0, 0}}, 0.04, 0.5);
    change(grasp);
    try {
      prove_closure(grasp);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const double nan = std::nan("");
  const auto has = [&](const std::string& text, const auto& change) {
    EXPECT_NE(message(change).find(text), std::string::npos) << message(change);
  };
  has("contacts[1].position", [&](Grasp& g) { g.contacts[1].position.y() = nan; });
  has("contacts[0].normal", [&](Grasp& g) { g.contacts[0].normal.setZero(); });
  has("contacts[0].normal", [&](Grasp& g) { g.contacts[0].normal.x() = infinity; });
  has("contacts[0].friction", [&](Grasp& g) { g.contacts[0].friction = -1.0; });
  has("contacts[0].friction", [&](Grasp& g) { g.contacts[0].friction_2 = nan; });
  has("contacts[0].torsion", [&](Grasp& g) { g.contacts[0].moments.torsion = nan; });
  has("contacts[0].tangent", [&](Grasp& g) { g.contacts[0].tangent = Vector3(2, 0, 0); });
  has("contacts[0].radius", [&](Grasp& g) { g.contacts[0].moments = {0.0, 1.0, 1.0}; });
  has("center", [&](Grasp& g) { g.center.z() = nan; });
  has("length", [&](Grasp& g) { g.length = -1.0; });
  has("up to 64", [&](Grasp& g) { g.contacts.resize(65, g.contacts[0]); });
  const Grasp grasp = on_sphere({{1, 0, 0}, {-1, 0, 0}}, 0.04, 0.5);
  EXPECT_THROW(hold(grasp, Vector6::Constant(nan), LeastForces::squares), Error);
  EXPECT_THROW(wrench_hull(grasp, 2), Error);
  EXPECT_THROW(wrench_hull(grasp, 4000), Error);
  EXPECT_THROW(grasp_quality(grasp, ForceLimit::sum, {.tolerance = 0.0}), Error);
}

}  // namespace
}  // namespace vinci::test
