// SPDX-License-Identifier: Apache-2.0
// The compiled scene: immutable numbers that detectors and steppers read. Made from a Scene by
// compile() (scene.h), or again whenever a parameter changes; a State outlives such a change.
//
// Generalised velocity: each body contributes 0 (fixed), 3 (planar: vx, vy, ωz) or 6 (spatial: vx
// vy vz ωx ωy ωz) packed entries: velocity of the centre of mass and angular velocity, world axes.
// An entry is free (force-controlled, an unknown of the step) or prescribed (a function of time).
#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vinci/base/expression.h"
#include "vinci/base/math.h"
#include "vinci/geometry/mass.h"
#include "vinci/geometry/shape.h"
#include "vinci/model/constraint.h"
#include "vinci/model/contact_moments.h"
#include "vinci/model/joint.h"

namespace vinci {

class Motion;  // motion.h

enum class World { planar, spatial };
enum class Freedom { fixed, planar, spatial };
const char* to_string(World world);
// As scenes and recordings spell it, and back; nothing where it is none.
const char* to_string(Freedom freedom);
std::optional<Freedom> freedom_named(const std::string& name);
int velocity_entries(Freedom freedom);  // packed ones: 0, 3 or 6

// Coordinates of a body, in this order everywhere: x, y, z, roll, pitch, yaw. A planar body has x,
// y and yaw (called angle in scenes).
inline constexpr int coordinate_count = 6;
// As scenes spell it.
const char* coordinate_name(Freedom freedom, int coordinate);

// How one coordinate is driven. Variables of the expression: t (prescribed and force), q and v
// (force only: the coordinate's own position and velocity; for rotations of a spatial body q is not
// available).
struct Drive {
  bool prescribed = false;
  Expression expression;  // position in m or rad if prescribed, else force in N or torque in N m
  std::shared_ptr<const Motion> motion = nullptr;  // if prescribed by code: instead of it
};

// A point of a planar body on which it lies on the plane of motion. Its load does not move the
// body, the friction that it allows does.
struct Support {
  Vector3 point = Vector3::Zero();  // body frame, m
  double load = 0.0;                // N, on the plane
  double friction = 0.0;            // Coulomb coefficient μ
  double viscosity = 0.0;           // N s/m: the force −c v
};

struct Body {
  std::string name;
  Freedom freedom = Freedom::spatial;
  MassProperties
      mass;  // body frame; zero mass for fixed and fully prescribed bodies that gave none
  std::array<Drive, coordinate_count> drives;
  Pose initial_pose;        // of the body frame
  Twist initial_twist;      // of the centre of mass
  int velocity_offset = 0;  // first packed velocity entry
  int velocity_size = 0;    // 0, 3 or 6
  int first_shape = 0, shape_count = 0;
  double bounding_radius = 0.0;  // about the centre of mass, m; infinity for unbounded shapes
  std::vector<Support> supports;

  bool is_prescribed() const;  // any coordinate prescribed
};

struct PlacedShape {
  Shape shape;
  Pose offset;  // in the body frame
  int body = 0;
  int material = 0;
  double half_thickness = std::numeric_limits<double>::infinity();  // as shape.h has it, m
  // How far a layer on it can be pressed in until its rigid core is met, m; 0 of a rigid material.
  double layer_depth = infinity;
  // m/s at which its surface runs over it, as that of a belt, along the shape's axes; functions of
  // time. None: not at all.
  std::vector<Expression> surface_velocity = {};
};

// The massless visco-elastic skin of a material at a contact, for steppers that let bodies deform
// there: force = K δ + D dδ/dt, δ along the contact's normal (> 0 pressed in) and tangent,
//   K = [stiffness coupling; coupling tangential_stiffness], positive definite,
//   D = diag(damping, tangential_damping).
struct Layer {
  double stiffness = 0.0;                // N/m, > 0
  double damping = 0.0;                  // N s/m
  double tangential_stiffness = 0.0;     // N/m, > 0
  double tangential_damping = 0.0;       // N s/m
  double coupling = 0.0;                 // N/m
  std::optional<double> thickness = {};  // m; none: by the shape (PlacedShape::layer_depth)
};

struct Material {
  std::string name;
  std::optional<Layer> layer = {};  // none: rigid
};

struct FrictionLaw;  // friction_law.h

// Friction and restitution of a pair of materials.
struct Surface {
  double friction = 0.0;     // Coulomb coefficient μ; of a law: at rest, along, at the origin
  double restitution = 0.0;  // Newton coefficient e in [0, 1]
  std::shared_ptr<const FrictionLaw> law = nullptr;  // null: μ says it all
  ContactMoments moments = {};                       // beside friction: rolling, torsion
  // Of event-driven motion: how a contact that acts is driven to zero (none: as the stepper has
  // it), and whether it sticks whatever that takes.
  std::optional<Stabilisation> impact = {};
  bool never_slides = false;
};

// A frame fixed to a body that has a name of its own: a tool, or a link that became part of a body.
struct NamedFrame {
  std::string name;
  int body = 0;
  Pose pose;  // in the body's frame
};

class Element;                // element.h
class ControllerDescription;  // controller.h

struct Model {
  std::string title;
  World world = World::spatial;
  Vector3 gravity = Vector3(0.0, 0.0, -9.81);  // m/s²
  std::vector<Body> bodies;
  std::vector<PlacedShape> shapes;  // sorted by body
  std::vector<Material> materials;
  std::vector<Surface> surfaces;  // materials × materials, symmetric
  std::map<std::string, double> parameters;
  std::vector<std::shared_ptr<const Element>> elements;  // what acts between bodies (element.h)
  std::vector<Joint> joints;
  std::vector<Coupling> couplings;  // of joint coordinates
  std::vector<UserConstraint> constraints;
  std::vector<Machine> machines;
  std::vector<NamedFrame> frames;
  // That the scene names, in the order in which they act (controller.h).
  std::vector<std::shared_ptr<const ControllerDescription>> controllers;
  // Pairs of bodies that never touch by declaration, sorted, a < b.
  std::vector<std::pair<int, int>> excluded_pairs;

  int velocity_count = 0;      // packed entries
  int free_count = 0;          // unknowns u of a step
  bool drags = false;          // a force depends on a velocity
  bool conveys = false;        // the surface of a shape runs
  bool friction_laws = false;  // a surface has one
  // Packed entry -> unknown, or −1 if prescribed or if the body hangs on a joint.
  std::vector<int> free_index;
  std::vector<int> coordinate;  // packed entry -> 0..5
  int joint_coordinate_count = 0, joint_rate_count = 0;
  // Reduced coordinates: bodies that hang on a joint move with the body before it and by the rates
  // of that joint; none of their packed entries is free. Maximal coordinates: there are none.
  std::vector<int> tree_joint;  // per body: the joint that it hangs on, as b or a, or −1
  std::vector<int> tree_order;  // the bodies that hang on joints, those before others first
  std::vector<int> rate_index;  // joint rate -> unknown, or −1 of a joint that nothing hangs on

  // Of two shapes.
  const Surface& surface_between(std::uint32_t shape_a, std::uint32_t shape_b) const {
    return surface(shapes[shape_a].material, shapes[shape_b].material);
  }
  const Surface& surface(int material_a, int material_b) const {
    return surfaces[static_cast<std::size_t>(material_a) * materials.size() + material_b];
  }
  // Whether an unknown moves the body: an entry of its own is free, or it hangs on a joint.
  bool is_moved(int body) const;
  int find_body(const std::string& name) const;  // −1 if there is none
};

}  // namespace vinci
