// SPDX-License-Identifier: Apache-2.0
// Relative and prescribed velocities at a contact.
#include "vinci/formulation/contact_motion.h"

#include <cmath>

#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

bool turns_freely(const Body& body) {
  return body.velocity_size > 0 && !body.drives[5].prescribed;  // angles are prescribed together
}

// Whether prescribed coordinates move it: its own, or those of the body that it hangs on.
bool is_carried(const Model& model, int body) {
  while (!model.tree_joint.empty() && body >= 0 && model.tree_joint[body] >= 0)
    body = parent_body(model, body);
  return body >= 0 && model.bodies[body].velocity_size > 0 && model.bodies[body].is_prescribed();
}

bool hangs_on_joint(const Model& model, int body) {
  return !model.tree_joint.empty() && model.tree_joint[body] >= 0;
}

int free_translations(const Model& model, int body) {
  const Body& own = model.bodies[body];
  if (hangs_on_joint(model, body)) return own.freedom == Freedom::planar ? 2 : 3;
  int count = 0;
  for (int i = own.velocity_offset; i < own.velocity_offset + own.velocity_size; ++i)
    count += model.free_index[i] >= 0 && model.coordinate[i] < 3 ? 1 : 0;
  return count;
}

// Displacement over the step of the point of `body` that is at `point` now, by its prescribed
// coordinates alone; m.
Vector3 prescribed_displacement(const Model& model, int b, const Pose& now, const Pose& placed,
                                const Vector3& point) {
  if (!is_carried(model, b)) return Vector3::Zero();
  const Body& body = model.bodies[b];
  const bool whole = hangs_on_joint(model, b);
  const Vector3 arm_now = now.rotation * body.mass.center;
  const Vector3 arm_placed = placed.rotation * body.mass.center;
  Vector3 shift = Vector3::Zero();
  for (int i = 0; i < 3; ++i)
    if (whole || body.drives[i].prescribed)
      shift[i] = placed.position[i] - now.position[i] + (arm_placed[i] - arm_now[i]);
  const Vector3 arm = point - (now.position + arm_now);
  const Quaternion turn = placed.rotation * now.rotation.conjugate();
  return shift + (turn * arm - arm);
}

// Mean velocity over the step, at `point`, that the prescribed coordinates of a body give to
// something that moves with it: the exact displacement of the body's material at `center`, plus the
// exact turn about it. m/s
Vector3 carried_velocity(const Model& model, int body, const Pose& now, const Pose& placed,
                         const Vector3& point, const Vector3& center, double h) {
  if (!is_carried(model, body)) return Vector3::Zero();
  const Quaternion turn = placed.rotation * now.rotation.conjugate();
  return (prescribed_displacement(model, body, now, placed, center) +
          rotation_vector(turn).cross(point - center)) /
         h;
}

// The mean of a shape's surface velocity by Gauss's rule of three points; along axes of the world.
Vector3 running_velocity(const PlacedShape& shape, const Pose& pose, double time, double h) {
  const double node = std::sqrt(0.6);
  Vector3 mean = Vector3::Zero();
  for (std::size_t i = 0; i < shape.surface_velocity.size(); ++i) {
    const auto at = [&](double place) {
      const double values[] = {time + 0.5 * (1.0 + place) * h};
      return shape.surface_velocity[i].value(values);
    };
    mean[static_cast<int>(i)] =
        h > 0.0 ? (5.0 * (at(-node) + at(node)) + 8.0 * at(0.0)) / 18.0 : at(-1.0);
  }
  return pose.rotation * (shape.offset.rotation * mean);
}

}  // namespace

Vector3 surface_velocity(const Model& model, const std::vector<Pose>& poses, const Contact& contact,
                         double time, double h) {
  if (!model.conveys) return Vector3::Zero();
  const Vector3 velocity =
      running_velocity(model.shapes[contact.key.shape_b()], poses[contact.body_b], time, h) -
      running_velocity(model.shapes[contact.key.shape_a()], poses[contact.body_a], time, h);
  return velocity - contact.normal.dot(velocity) * contact.normal;
}

Vector3 relative_velocity(const Model& model, const std::vector<Pose>& poses,
                          const VectorX& velocities, const Contact& contact) {
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const Vector3 at_a = body_twist(model, velocities, contact.body_a)
                           .at(point - center_of_mass(model, poses, contact.body_a));
  const Vector3 at_b = body_twist(model, velocities, contact.body_b)
                           .at(point - center_of_mass(model, poses, contact.body_b));
  return at_b - at_a;
}

Vector3 relative_turning(const Model& model, const VectorX& velocities, const Contact& contact) {
  return body_twist(model, velocities, contact.body_b).angular -
         body_twist(model, velocities, contact.body_a).angular;
}

Vector3 prescribed_turning(const std::vector<Pose>& poses, const std::vector<Pose>& placed,
                           const Contact& contact, double h) {
  const auto turning = [&](int body) -> Vector3 {
    return rotation_vector(placed[body].rotation * poses[body].rotation.conjugate()) / h;
  };
  return turning(contact.body_b) - turning(contact.body_a);
}

Vector3 relative_velocity(const Model& model, const VectorX& velocities, const Contact& contact,
                          const ContactArms& arms) {
  return body_twist(model, velocities, contact.body_b).at(arms.b) -
         body_twist(model, velocities, contact.body_a).at(arms.a);
}

Vector3 driven_velocity(const Model& model, int body, const Pose& now, const Pose& placed,
                        const Vector3& point, double h) {
  return prescribed_displacement(model, body, now, placed, point) / h;
}

Vector3 prescribed_velocity(const Model& model, const std::vector<Pose>& poses,
                            const std::vector<Pose>& placed, const Contact& contact, double h) {
  if (!is_carried(model, contact.body_a) && !is_carried(model, contact.body_b))
    return Vector3::Zero();
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  // Both bodies are looked at in one place: the centre of the one that turns freely, otherwise the
  // contact itself.
  Vector3 center = point;
  for (const int body : {contact.body_a, contact.body_b})
    if (turns_freely(model.bodies[body])) center = center_of_mass(model, poses, body);
  const auto velocity = [&](int body) {
    return carried_velocity(model, body, poses[body], placed[body], point, center, h);
  };
  return velocity(contact.body_b) - velocity(contact.body_a);
}

Vector3 prescribed_velocity(const Model& model, const std::vector<Pose>& poses,
                            const std::vector<Pose>& placed, const Contact& contact,
                            const ContactArms& arms, double h) {
  const auto arm = [&](int body) { return body == contact.body_a ? arms.a : arms.b; };
  int turning = -1, moving = -1;
  for (const int body : {contact.body_a, contact.body_b}) {
    if (turns_freely(model.bodies[body])) turning = body;
    if (free_translations(model, body) > 0) moving = body;
  }
  const auto velocity = [&](int body) -> Vector3 {
    const Pose &now = poses[body], &end = placed[body];
    if (!is_carried(model, body)) return Vector3::Zero();
    const int of = free_translations(model, body) > 0 ? body : turning;
    if (of >= 0) {
      const Vector3 center = center_of_mass(model, poses, of);
      return carried_velocity(model, body, now, end, center + arm(of), center, h);
    }
    const int carried = moving >= 0 ? moving : body;
    const Vector3 point = center_of_mass(model, poses, carried) + arm(carried);
    return prescribed_displacement(model, body, now, end, point) / h;
  };
  return velocity(contact.body_b) - velocity(contact.body_a);
}

bool moves_freely(const Model& model, int body) {
  const int axes = model.bodies[body].freedom == Freedom::planar ? 2 : 3;
  return free_translations(model, body) == axes;
}

}  // namespace vinci
