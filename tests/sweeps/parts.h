// SPDX-License-Identifier: Apache-2.0
// Random convex parts that know how far they reach: a judge of their place that asks no detector.
#pragma once

#include <functional>
#include <string>

#include "tests/sweeps/random_scenes.h"
#include "vinci/base/math.h"

namespace vinci::test {

struct Part {
  std::string shape;  // kind and size, as a scene has it
  // The largest d·p of its points p in the body's frame, d of any length.
  std::function<double(const Vector3& d)> support;
};

// Of about this size, m; slender and flat ones among them.
Part random_part(Draw& draw, bool spatial, double size);

Part ball(bool spatial, double radius);
Part box_part(bool spatial, const Vector3& size);
Part capsule_part(bool spatial, double length, double radius);
Part cylinder_part(double radius, double height);
Part polyhedron_part(Draw& draw, double size);

// How far it reaches in the direction d, of length 1, from the origin of the world.
inline double reach_along(const Part& part, const Pose& pose, const Vector3& d) {
  return d.dot(pose.position) + part.support(pose.rotation.conjugate() * d);
}

// How deep two parts are in each other: the least way that parts them, m; 0: they are apart.
double overlap_of(const Part& a, const Pose& at_a, const Part& b, const Pose& at_b, bool spatial);

// "[x, y]" or "[x, y, z]".
std::string list(const Vector3& v, bool spatial);
// A turn by any angle, in space about any axis, as a scene has it.
std::string random_turn(Draw& draw, bool spatial);
Vector3 random_direction(Draw& draw, bool spatial);
// "spin: ..." up to this, rad/s.
std::string random_spin(Draw& draw, bool spatial, double most);

// Evenly in the logarithm.
double decades(Draw& draw, double low, double high);
const char* random_stepper(Draw& draw);
std::string world(bool spatial);  // a scene's first line
std::string no_gravity(bool spatial);
const char* half(bool spatial);  // a plane's name

}  // namespace vinci::test
