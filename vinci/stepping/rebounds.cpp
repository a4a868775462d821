// SPDX-License-Identifier: Apache-2.0
#include "vinci/stepping/rebounds.h"

#include <algorithm>

#include "vinci/formulation/free_motion.h"

namespace vinci {

namespace {

// Whether another contact is between other bodies, and one that moves is in both.
bool meets_elsewhere(const Model& model, const Contact& contact, const EntityKey& other) {
  const int a = model.shapes[other.shape_a()].body, b = model.shapes[other.shape_b()].body;
  const auto shared = [&](int body) {
    return model.bodies[body].velocity_size > 0 && (body == a || body == b);
  };
  const bool same =
      (contact.body_a == a && contact.body_b == b) || (contact.body_a == b && contact.body_b == a);
  return !same && (shared(contact.body_a) || shared(contact.body_b));
}

}  // namespace

bool has_joint_impacts(const Model& model, std::span<const EntityKey> struck,
                       const std::vector<SolvedContact>& contacts) {
  if (struck.empty()) return false;
  return std::any_of(contacts.begin(), contacts.end(), [&](const SolvedContact& solved) {
    const EntityKey& key = solved.contact.key;
    if (!(solved.impulse[0] > 0.0) ||
        !(model.surface_between(key.shape_a(), key.shape_b()).restitution > 0.0))
      return false;
    return std::any_of(struck.begin(), struck.end(), [&](const EntityKey& other) {
      return meets_elsewhere(model, solved.contact, other);
    });
  });
}

double energy_of_change(const Model& model, std::span<const Pose> poses,
                        const StepVelocities& step) {
  double sum = 0.0;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) continue;
    const Twist after = body_twist(model, step.after, b);
    const Vector3 shift = after.linear - body_twist(model, step.before, b).linear;
    const VectorX& spins = body.freedom == Freedom::spatial ? step.foreseen : step.before;
    const Vector3 turn = after.angular - body_twist(model, spins, b).angular;
    sum += 0.5 * (body.mass.mass * shift.squaredNorm() +
                  turn.dot(world_inertia(body, poses[b].rotation) * turn));
  }
  return sum;
}

}  // namespace vinci
