// SPDX-License-Identifier: Apache-2.0
// Rows of contacts: Jacobians against finite differences, momentum balance, pyramid structure.
#include <random>

#include <gtest/gtest.h>

#include "vinci/formulation/free_motion.h"
#include "vinci/formulation/problem_builder.h"

namespace vinci {
namespace {

// Two free bodies with off-origin centres of mass, one contact between them.
struct Pair {
  Model model;
  std::vector<Pose> poses;
  Contact contact;
};

Pair random_pair(World world, std::mt19937_64& random) {
  std::normal_distribution<double> gauss;
  const auto vector = [&] { return Vector3(gauss(random), gauss(random), gauss(random)); };
  const bool planar = world == World::planar;
  Pair pair;
  pair.model.world = world;
  pair.model.bodies.resize(2);
  const int size = planar ? 3 : 6;
  for (int b = 0; b < 2; ++b) {
    Body& body = pair.model.bodies[b];
    body.freedom = planar ? Freedom::planar : Freedom::spatial;
    body.velocity_offset = size * b;
    body.velocity_size = size;
    body.mass.center = vector();
    if (planar) body.mass.center.z() = 0.0;
    for (int i = 0; i < size; ++i) {
      pair.model.free_index.push_back(size * b + i);
      pair.model.coordinate.push_back(planar && i == 2 ? 5 : i);
    }
    Pose pose{vector(), exponential(vector())};
    if (planar) pose = planar_pose(gauss(random), gauss(random), gauss(random));
    pair.poses.push_back(pose);
  }
  pair.model.velocity_count = pair.model.free_count = 2 * size;
  Vector3 normal = vector(), point = vector();
  if (planar) normal.z() = point.z() = 0.0;
  pair.contact.body_b = 1;
  pair.contact.normal = normal.normalized();
  pair.contact.point_a = point;
  pair.contact.gap = 0.01;
  pair.contact.point_b = point + 0.01 * pair.contact.normal;
  return pair;
}

ContactTerms terms_for(const Pair& pair, double friction) {
  ContactTerms terms;
  terms.frame = contact_frame(pair.model.world, pair.contact.normal);
  terms.friction = friction;
  return terms;
}

void write(const Pair& pair, const ContactTerms& terms, ComplementarityProblem& problem) {
  const ContactSet contacts{pair.contact};
  ProblemBuilder builder;
  builder.begin(pair.model, pair.poses, {});
  builder.add(contacts, {&terms, 1});
  builder.finish(problem);
}

class ContactRows : public testing::TestWithParam<World> {};

TEST_P(ContactRows, jacobian_is_the_rate_of_the_relative_displacement) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> gauss;
  for (int trial = 0; trial < 100; ++trial) {
    const Pair pair = random_pair(GetParam(), random);
    const ContactTerms terms = terms_for(pair, 0.5);
    ComplementarityProblem problem;
    write(pair, terms, problem);
    VectorX velocity(pair.model.free_count);
    for (double& v : velocity) v = gauss(random);
    VectorX rate = VectorX::Zero(problem.rows());
    problem.J.multiply_add(velocity.data(), rate.data());

    // The midpoint as a material point of each body, moved by central differences.
    const double h = 1e-5;
    const Vector3 point = 0.5 * (pair.contact.point_a + pair.contact.point_b);
    Vector3 relative = Vector3::Zero();
    for (int b = 0; b < 2; ++b) {
      const Vector3 local = pair.poses[b].to_local(point);
      const Twist twist = body_twist(pair.model, velocity, b);
      const Vector3 moved = advanced(pair.model.bodies[b], pair.poses[b], twist, h) * local -
                            advanced(pair.model.bodies[b], pair.poses[b], twist, -h) * local;
      relative += (b == 1 ? 1.0 : -1.0) * moved / (2.0 * h);
    }
    EXPECT_NEAR(rate[0], terms.frame.normal.dot(relative), 1e-7);
    EXPECT_NEAR(rate[1], terms.frame.tangent_1.dot(relative), 1e-7);
    if (GetParam() == World::spatial) {
      EXPECT_NEAR(rate[2], terms.frame.tangent_2.dot(relative), 1e-7);
    }
  }
}

TEST_P(ContactRows, impulses_leave_linear_and_angular_momentum_of_the_pair_unchanged) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> gauss;
  for (int trial = 0; trial < 100; ++trial) {
    const Pair pair = random_pair(GetParam(), random);
    const ContactTerms terms = terms_for(pair, 0.5);
    ComplementarityProblem problem;
    write(pair, terms, problem);
    VectorX lambda(problem.rows());
    for (double& value : lambda) value = gauss(random);
    VectorX push = VectorX::Zero(pair.model.free_count);
    problem.J.multiply_transposed_add(lambda.data(), push.data());
    Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
    for (int b = 0; b < 2; ++b) {
      const Twist part = body_twist(pair.model, push, b);  // reads force and torque here
      linear += part.linear;
      angular +=
          part.angular + (pair.poses[b] * pair.model.bodies[b].mass.center).cross(part.linear);
    }
    EXPECT_LT(linear.norm(), 1e-13);
    EXPECT_LT(angular.norm(), 1e-13 * 10.0);
  }
}

TEST_P(ContactRows, pyramid_impulse_adds_up_and_frictionless_contacts_have_one_row) {
  const World world = GetParam();
  const ConeForm pyramid{Cone::pyramid, 6};
  EXPECT_EQ(contact_row_count(world, pyramid, 0.0), 1);
  EXPECT_EQ(contact_row_count(world, {}, 0.0), 1);
  const int rows = contact_row_count(world, pyramid, 0.5);
  EXPECT_EQ(rows, world == World::planar ? 4 : 8);
  VectorX lambda = VectorX::Zero(rows);
  lambda[0] = 2.0;
  lambda[2] = 0.25;  // second direction
  const Vector3 impulse = contact_impulse(world, pyramid, lambda);
  EXPECT_EQ(impulse[0], 2.0);
  if (world == World::planar) {
    EXPECT_EQ(impulse[1], -0.25);
  } else {
    EXPECT_NEAR(impulse[1], 0.25 * std::cos(M_PI / 3.0), 1e-16);
    EXPECT_NEAR(impulse[2], 0.25 * std::sin(M_PI / 3.0), 1e-16);
  }
}

INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, ContactRows,
                         testing::Values(World::planar, World::spatial), [](const auto& variant) {
                           return variant.param == World::planar ? "planar" : "spatial";
                         });

}  // namespace
}  // namespace vinci
