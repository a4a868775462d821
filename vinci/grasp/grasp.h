// SPDX-License-Identifier: Apache-2.0
// Fingers on a body, in the plane and in space. A contact gives every force of its exact friction
// cone, and moments where it has any (model/contact_moments.h); its wrench is (f, p × f / ℓ), with
// p from the centre of the grasp and the length ℓ that makes torques comparable with forces. In the
// plane wrenches have three entries (f_x, f_y, τ_z/ℓ), in space six.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/model/contact_moments.h"
#include "vinci/model/model.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

struct GraspContact {
  Vector3 position = Vector3::Zero();     // m
  Vector3 normal = Vector3::Zero();       // into the body; its length does not matter
  double friction = 0.0;                  // μ along the tangent
  std::optional<double> friction_2 = {};  // across it; none: the same
  ContactMoments moments = {};
  Vector3 tangent = Vector3::Zero();  // what of it is across the normal; 0: one is chosen
};

struct Grasp {
  World world = World::spatial;
  std::vector<GraspContact> contacts;
  Vector3 center = Vector3::Zero();  // m: wrenches are taken about it
  double length = 0.0;               // m, ℓ; 0: the largest distance of a contact from the centre
};

inline constexpr std::size_t most_grasp_contacts = 64;

// Two numbers a vector; z and what turns about it make no difference.
GraspContact planar_contact(const Vector2& position, const Vector2& normal, double friction = 0.0);

// Whether the contacts balance every wrench on the body. The boundary counts as open: in the plane
// a grasp that is within 1e-12 (relative) of it is not closed, in space within 1e-9
// (closure.h gives the proof). All functions of a grasp throw Error on numbers that are not finite,
// normals of no length, negative friction, and more than 64 contacts.
bool force_closure(const Grasp& grasp);

// The smallest friction that serves: with μ above it at all contacts the grasp is closed, below it
// is not. 0 where any friction does, or none is needed; infinity where no friction does. The
// contacts' own friction is not looked at; their moments stay. In the plane to rounding, in space
// to 1e-7.
double friction_required(const Grasp& grasp);

// The loaded contacts of a body in a step, its supports on the table left out; with `others` only
// those with bodies for which it says so.
struct LoadedContact {
  const SolvedContact* solved = nullptr;
  int other = 0;          // the body that touches it
  bool is_first = false;  // the body is a of the contact
};
std::vector<LoadedContact> loaded_contacts(std::span<const SolvedContact> contacts, int body,
                                           const std::vector<char>& others = {});

// As a grasp about the body's centre of mass.
Grasp grasp_of(const Model& model, const State& state, std::span<const SolvedContact> contacts,
               int body, const std::vector<char>& others = {});

}  // namespace vinci
