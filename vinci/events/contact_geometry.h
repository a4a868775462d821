// SPDX-License-Identifier: Apache-2.0
// The gap of two features that meet, as a function of the motion of their bodies with all
// derivatives: a point, line, plane or rim of one body, grown by a radius, against one of another.
// Which features meet is the detector's word (collision/contact.h); how far they are the ones that
// meet is told by limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/kinematics/body_motion.h"

namespace vinci {

// What of a shape takes part in a contact, in the frame of its body.
struct ContactSide {
  enum class Kind { point, line, plane, rim };
  // Where the other side's core point has to be: direction · (x − at) >= 0.
  struct Limit {
    Vector3 at, direction;
  };
  Kind kind = Kind::point;
  Vector3 at = Vector3::Zero();          // on it; of a rim its middle
  Vector3 direction = Vector3::UnitX();  // along a line; a plane's outward normal; a rim's axis
  double radius = 0.0;                   // by which it is grown; of a rim its own
  double size = 1.0;                     // of the shape, m
  std::vector<Limit> limits = {};
};

struct ContactPair {
  Contact contact;  // as the detector has it
  ContactSide a, b;
};

// The features of a contact; why not, where a pair of them is not known here.
std::optional<ContactPair> contact_pair(const Model& model, const std::vector<Pose>& poses,
                                        const Contact& contact, std::string& why);
// Places a contact whose key and bodies are known, and that is open; false where its features are
// not known.
bool place_contact(const Model& model, const std::vector<Pose>& poses, Contact& contact);
// "" if contacts of this shape are known.
std::string why_no_contacts(const Shape& shape);
// Whether some contacts of two such shapes are known. A cylinder is known as its rims, which meet
// planes alone.
bool may_meet(const Shape& a, const Shape& b);

template <class T>
struct PairMotion {
  Series<T> gap;
  Series3<T> normal, point;  // from a to b; where they meet
  Series3<T> core_a, core_b;
};
template <class T>
PairMotion<T> pair_motion(const ContactPair& pair, const BodyMotion<T>& a, const BodyMotion<T>& b);

// The least of the limits of both sides, as a share of the size of the shapes: below 0 other
// features meet.
double least_limit(const ContactPair& pair, const Pose& a, const Pose& b);

}  // namespace vinci
