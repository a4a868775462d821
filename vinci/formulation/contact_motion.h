// SPDX-License-Identifier: Apache-2.0
// Velocities at a contact, of bodies and of what is prescribed.
//
// ∂ψ/∂t and its tangential counterparts are means over the step: the exact displacement of the
// driven body's material at the centre of mass of the body that turns freely, plus the exact turn
// about it; where both turns are prescribed, the exact displacements at the contact itself. So a
// body that sticks to a driven one is carried along without creep, whichever of its own coordinates
// are prescribed.
#pragma once

#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/model/state.h"

namespace vinci {

// From the centres of mass of both bodies to where the impulse of a contact acts, m.
struct ContactArms {
  Vector3 a, b;
};

// Velocity of b against a at the contact, m/s.
Vector3 relative_velocity(const Model& model, const std::vector<Pose>& poses,
                          const VectorX& velocities, const Contact& contact);

// Angular velocity of b against a, rad/s, and the mean over the step of the share of prescribed
// coordinates in it; `placed` as below.
Vector3 relative_turning(const Model& model, const VectorX& velocities, const Contact& contact);
Vector3 prescribed_turning(const std::vector<Pose>& poses, const std::vector<Pose>& placed,
                           const Contact& contact, double h);

// The same where the impulse acts at the ends of these arms.
Vector3 relative_velocity(const Model& model, const VectorX& velocities, const Contact& contact,
                          const ContactArms& arms);

// Velocity of b's surface against a's along the contact by which they run over their shapes
// (PlacedShape::surface_velocity), the mean from `time` on over h >= 0. m/s
Vector3 surface_velocity(const Model& model, const std::vector<Pose>& poses, const Contact& contact,
                         double time, double h);

// Mean velocity over the step of the point of a body that is at `point` now, by its prescribed
// coordinates alone. m/s
Vector3 driven_velocity(const Model& model, int body, const Pose& now, const Pose& placed,
                        const Vector3& point, double h);

// Mean velocity over the step of b against a at the contact by the prescribed coordinates alone;
// `placed` are the poses with those at the end of the step. m/s
Vector3 prescribed_velocity(const Model& model, const std::vector<Pose>& poses,
                            const std::vector<Pose>& placed, const Contact& contact, double h);
// The same for a contact at other poses than those of the start of the step, which its arms hold:
// what is carried along is carried from where it was at the start. A body whose turn alone is
// prescribed rolls off its own arm.
Vector3 prescribed_velocity(const Model& model, const std::vector<Pose>& poses,
                            const std::vector<Pose>& placed, const Contact& contact,
                            const ContactArms& arms, double h);

// Whether all of a body's translation is free.
bool moves_freely(const Model& model, int body);

}  // namespace vinci
