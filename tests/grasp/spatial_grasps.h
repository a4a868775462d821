// SPDX-License-Identifier: Apache-2.0
// Grasps in space for the tests: reference case 25, fingers on a sphere, random ones.
#pragma once

#include <random>

#include "tests/support/reference.h"
#include "vinci/grasp/grasp.h"

namespace vinci::test {

inline Vector3 vector_of(const nlohmann::json& numbers) {
  return {numbers[0].get<double>(), numbers[1].get<double>(), numbers[2].get<double>()};
}

inline Grasp reference_grasp(const nlohmann::json& expected, double length) {
  Grasp grasp;
  grasp.center = vector_of(expected["com"]);
  grasp.length = length;
  for (const auto& contact : expected["contacts"])
    grasp.contacts.push_back({.position = vector_of(contact["point"]),
                              .normal = vector_of(contact["inward_normal"]),
                              .friction = expected["mu"].get<double>(),
                              .tangent = vector_of(contact["tangent_t"])});
  return grasp;
}

// Fingers on a sphere of this radius about the origin, which is ℓ too.
inline Grasp on_sphere(const std::vector<Vector3>& directions, double radius, double friction,
                       const ContactMoments& moments = {}) {
  Grasp grasp;
  grasp.length = radius;
  for (const Vector3& direction : directions)
    grasp.contacts.push_back({.position = radius * direction.normalized(),
                              .normal = -direction,
                              .friction = friction,
                              .moments = moments});
  return grasp;
}

inline Vector3 random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double x = normal(random), y = normal(random);
  return {x, y, normal(random)};
}

// Two to six contacts on a lump about the origin, one in five with torsion.
inline Grasp random_grasp(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Grasp grasp;
  const int count = 2 + static_cast<int>(5.0 * unit(random));
  const double friction = 0.05 + 0.9 * unit(random);
  const double torsion = unit(random) < 0.2 ? 0.01 : 0.0;
  for (int i = 0; i < count; ++i) {
    const Vector3 outward = random_vector(random).normalized();
    grasp.contacts.push_back({.position = (0.03 + 0.03 * unit(random)) * outward,
                              .normal = -outward + 0.3 * random_vector(random),
                              .friction = friction,
                              .moments = {.torsion = torsion}});
  }
  grasp.center = 0.01 * random_vector(random);
  grasp.length = 0.05;
  return grasp;
}

inline Grasp moved(Grasp grasp, const Pose& pose, double scale = 1.0) {
  for (GraspContact& contact : grasp.contacts) {
    contact.position = pose * Vector3(scale * contact.position);
    contact.normal = pose.rotation * contact.normal;
    contact.tangent = pose.rotation * contact.tangent;
    contact.moments.torsion *= scale;
    contact.moments.rolling *= scale;
    contact.moments.radius *= scale;
  }
  grasp.center = pose * Vector3(scale * grasp.center);
  grasp.length *= scale;
  return grasp;
}

}  // namespace vinci::test
