// SPDX-License-Identifier: Apache-2.0
// What the sweep over laws and shapes draws from: a row per law, per shape and per ground. A row
// that is added is swept, judged and counted.
#pragma once

#include <string>
#include <vector>

#include "tests/sweeps/parts.h"
#include "vinci/simulation/simulation.h"

namespace vinci::test {

// The numbers of a law, as its scene has them.
struct LawValues {
  double friction = 0.0;
  double restitution = 0.0;
  int directions = 0;                   // of a pyramid; 0: the exact cone
  bool box = false;                     // each tangent by itself
  Vector3 belt = Vector3::Zero();       // m/s, of the ground's surface
  double across = 0.0;                  // of an ellipse, whose axis has `friction`
  Vector3 axis = Vector3::Zero();       // in the world
  double rolling = 0.0, torsion = 0.0;  // m
  double patch = 0.0;                   // m, the arm of a patch
  // Of the sliding speed: `friction` up to the threshold, m/s, and `kinetic` beyond, or from the
  // one to the other by exp(-speed/decay).
  double kinetic = -1.0, threshold = 0.0, decay = 0.0;
  double swing = 0.0, stripes = 0.0;  // of the place: friction + swing sin(stripes x), 1/m
};

// One contact of one step, as the step left it: what a law is judged by.
struct Touch {
  Vector3 axis_1 = Vector3::UnitX(), axis_2 = Vector3::UnitY();  // of force and slip
  double normal = 0.0;                                           // N s
  Vector2 force = Vector2::Zero();                               // N s along the tangents
  Vector2 slip = Vector2::Zero();                                // m/s, of b against a
  // Of contacts with moments, about the normal and the tangents: N m s and rad/s.
  Vector3 moment = Vector3::Zero(), turning = Vector3::Zero();
  double force_error = 0.0;      // N s, of what a certified step may leave
  double slip_error = 0.0;       // m/s
  Vector3 at = Vector3::Zero();  // midway, where the step began, m
};

// What acts besides weight and contact.
enum class Acts {
  nothing,  // energy cannot grow
  layers,   // nor that of bodies and layers that yield
  work,     // belts, and laws that may give energy
  damping,  // without inertia
};

struct LawRow {
  const char* name;
  // Keys of the surface between part and ground, and keys of the run; both may be empty.
  std::string (*surface)(Draw& draw, LawValues& values);
  std::string (*run)(Draw& draw, LawValues& values);
  // Asks whether the friction of a contact is what the law says.
  void (*judge)(const Touch& touch, const LawValues& values);
  Acts acts = Acts::nothing;
  bool at_end = false;  // gaps and points of contacts are those at the end of a step
};

// Several convex parts that are one body.
struct Solid {
  std::vector<Part> parts;
  std::vector<Vector3> places;  // in the frame of the body, m
  std::string shapes() const;   // as a scene has it
  double reach_along(const Pose& pose, const Vector3& d) const;
};

struct ShapeRow {
  const char* name;
  Solid (*make)(Draw& draw, double size);  // of about this size, m
};

struct GroundRow {
  const char* name;
  std::string (*shape)(Draw& draw, Vector3& normal);
  bool flat = true;  // a plane through the origin that parts may not pass
};

const std::vector<LawRow>& law_rows();
const std::vector<ShapeRow>& shape_rows();
const std::vector<GroundRow>& ground_rows();

// Coulomb's law between parts, whatever holds at the ground.
void judge_coulomb(const Touch& touch, const LawValues& values);

}  // namespace vinci::test
