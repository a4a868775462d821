// SPDX-License-Identifier: Apache-2.0
// The friction law of a pair of surfaces at a contact: where it is, whose axis it follows, and what
// stands in the contact's rows.
#pragma once

#include <span>

#include "vinci/formulation/contact_rows.h"
#include "vinci/model/friction_law.h"

namespace vinci {

// Where the contact is and when, for the expressions of its law.
FrictionPlace friction_place(std::span<const Pose> poses, const Contact& contact, double time);

// Frame, friction and scale of the terms. Tangent 1 is the projection of the law's axis on the
// contact, or across it where there is friction across alone. Where the axis is parallel to the
// normal, all directions are across it.
void set_friction(std::span<const Pose> poses, const Contact& contact, const FrictionLaw& law,
                  const FrictionCoefficients& coefficients, ContactTerms& terms);

}  // namespace vinci
