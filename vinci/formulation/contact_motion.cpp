// SPDX-License-Identifier: Apache-2.0
// Relative and prescribed velocities at a contact.
#include "vinci/formulation/contact_motion.h"

namespace vinci {
namespace {

bool turns_freely(const Body& body) {
  return body.velocity_size > 0 && !body.drives[5].prescribed;  // angles are prescribed together
}

// Displacement over the step of the point of `body` that is at `point` now, by its prescribed
// coordinates alone; m.
Vector3 prescribed_displacement(const Body& body, const Pose& now, const Pose& placed,
                                const Vector3& point) {
  if (!body.is_prescribed()) return Vector3::Zero();
  const Vector3 arm_now = now.rotation * body.mass.center;
  const Vector3 arm_placed = placed.rotation * body.mass.center;
  Vector3 shift = Vector3::Zero();
  for (int i = 0; i < 3; ++i)
    if (body.drives[i].prescribed)
      shift[i] = placed.position[i] - now.position[i] + (arm_placed[i] - arm_now[i]);
  const Vector3 arm = point - (now.position + arm_now);
  const Quaternion turn = placed.rotation * now.rotation.conjugate();
  return shift + (turn * arm - arm);
}

// Mean velocity over the step, at `point`, that the prescribed coordinates of a body give to
// something that moves with it: the exact displacement of the body's material at `center`, plus the
// exact turn about it. m/s
Vector3 carried_velocity(const Body& body, const Pose& now, const Pose& placed,
                         const Vector3& point, const Vector3& center, double h) {
  if (!body.is_prescribed()) return Vector3::Zero();
  const Quaternion turn = placed.rotation * now.rotation.conjugate();
  return (prescribed_displacement(body, now, placed, center) +
          rotation_vector(turn).cross(point - center)) /
         h;
}

}  // namespace

Vector3 relative_velocity(const Model& model, const std::vector<Pose>& poses,
                          const VectorX& velocities, const Contact& contact) {
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const Vector3 at_a = body_twist(model, velocities, contact.body_a)
                           .at(point - center_of_mass(model, poses, contact.body_a));
  const Vector3 at_b = body_twist(model, velocities, contact.body_b)
                           .at(point - center_of_mass(model, poses, contact.body_b));
  return at_b - at_a;
}

Vector3 driven_velocity(const Body& body, const Pose& now, const Pose& placed, const Vector3& point,
                        double h) {
  return prescribed_displacement(body, now, placed, point) / h;
}

Vector3 prescribed_velocity(const Model& model, const std::vector<Pose>& poses,
                            const std::vector<Pose>& placed, const Contact& contact, double h) {
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  // Both bodies are looked at in one place: the centre of the one that turns freely, otherwise the
  // contact itself.
  Vector3 center = point;
  for (const int body : {contact.body_a, contact.body_b})
    if (turns_freely(model.bodies[body])) center = center_of_mass(model, poses, body);
  const auto velocity = [&](int body) {
    return carried_velocity(model.bodies[body], poses[body], placed[body], point, center, h);
  };
  return velocity(contact.body_b) - velocity(contact.body_a);
}

}  // namespace vinci
