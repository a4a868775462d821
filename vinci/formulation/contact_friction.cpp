// SPDX-License-Identifier: Apache-2.0
// Friction laws in the terms of contacts.
#include "vinci/formulation/contact_friction.h"

namespace vinci {
namespace {

// Friction along one tangent below this share of that along the other is none: a force of its size
// is lost in the rounding of the other.
constexpr double negligible_share = 1e-12;

Vector3 axis_in_world(const FrictionAxis& axis, std::span<const Pose> poses,
                      const Contact& contact) {
  if (axis.frame == FrictionFrame::world) return axis.direction;
  const int body = axis.frame == FrictionFrame::first ? contact.body_a : contact.body_b;
  return poses[static_cast<std::size_t>(body)].rotation * axis.direction;
}

}  // namespace

FrictionPlace friction_place(std::span<const Pose> poses, const Contact& contact, double time) {
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const auto seen_by = [&](int body) -> Vector3 {
    const Pose& pose = poses[static_cast<std::size_t>(body)];
    return pose.rotation.conjugate() * (point - pose.position);
  };
  return {point, seen_by(contact.body_a), seen_by(contact.body_b), time};
}

void set_friction(std::span<const Pose> poses, const Contact& contact, const FrictionLaw& law,
                  const FrictionCoefficients& coefficients, ContactTerms& terms) {
  terms.friction = coefficients.along;
  terms.scale.setOnes();
  if (!law.axis) return;
  const auto& [along, across] = coefficients;
  const std::optional<ContactFrame> frame =
      contact_frame_along(axis_in_world(*law.axis, poses, contact), contact.normal);
  terms.friction = frame ? coefficients.largest() : across;
  if (!frame || terms.friction == 0.0) return;
  terms.frame = *frame;
  if (along <= negligible_share * across) {
    terms.frame.tangent_1 = frame->tangent_2;
    terms.frame.tangent_2 = -frame->tangent_1;
    terms.scale = {1.0, 0.0};
  } else {
    terms.scale = Vector2(along, across) / terms.friction;
    if (across <= negligible_share * along) terms.scale[1] = 0.0;
  }
}

}  // namespace vinci
