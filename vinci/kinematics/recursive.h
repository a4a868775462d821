// SPDX-License-Identifier: Apache-2.0
// Poses and velocities of the bodies of a tree from the motion of its root and its joints, body by
// body [Featherstone 2008]. Everything is in world axes and about points of the bodies themselves:
// only differences within a body are used, so that no digit is lost far from the origin.
#pragma once

#include <vector>

#include "vinci/kinematics/joint_motion.h"
#include "vinci/model/model.h"

namespace vinci {

// Poses of the bodies that hang on joints; those of the roots are there.
void place_tree(const Model& model, const VectorX& joint_positions, std::vector<Pose>& poses);

// How an unknown moves a body: the velocity of its centre of mass and its angular velocity for one
// unit of it.
struct BodyColumn {
  int unknown = -1;
  Twist twist;
};

// The bodies of a model at one configuration: arms and axes. place() allocates only for models that
// are larger than before.
class Tree {
 public:
  // A body that hangs on a joint. P is the origin of the joint's frame B.
  struct Link {
    int body = 0, parent = -1, joint = 0;   // parent −1: the world
    int freedoms = 0;                       // of the joint
    int first_rate = 0, first_unknown = 0;  // meaningful where there are freedoms
    Vector3 arm = Vector3::Zero();          // from P to the body's centre of mass
    Vector3 parent_arm = Vector3::Zero();   // from the parent's centre of mass to P (not world)
    JointAxes axes;                         // of the body against its parent, at P, per rate
    std::array<bool, most_freedoms> own{};  // fixed to the body, or else to its parent
  };

  // Bodies are at `poses`, those that hang on joints where joint_positions place them. The model is
  // kept by reference.
  void place(const Model& model, const std::vector<Pose>& poses, const VectorX& joint_positions);

  const Model& model() const { return *model_; }
  const std::vector<Link>& links() const { return links_; }  // those before others first
  // Per body: its link, or −1 of a root.
  int link_of(int body) const { return link_of_[static_cast<std::size_t>(body)]; }
  // Inertia about the centre of mass along world axes.
  const Matrix3& inertia(int body) const { return inertia_[static_cast<std::size_t>(body)]; }

  // Packed velocities of the bodies that hang on joints, from those of the roots and the rates.
  void spread_velocities(const VectorX& joint_rates, VectorX& velocities) const;
  // Writes the unknowns into the free entries of roots and the rates of joints, then spreads them.
  // Prescribed entries of roots are there.
  void spread_unknowns(const VectorX& unknowns, VectorX& velocities, VectorX& joint_rates) const;
  // The way back: the free entries of roots, and rates.
  void gather_unknowns(const VectorX& velocities, const VectorX& joint_rates,
                       VectorX& unknowns) const;

  // What moves a body, the joint that it hangs on first, its root's free entries last. What a
  // prescribed root adds is not among them: spread_velocities without rates has it.
  void columns(int body, std::vector<BodyColumn>& columns) const;
  // Of the point that lies `arm` (world axes) away from the body's centre of mass: rows of its
  // velocity, then those of the angular velocity; a column per unknown.
  void jacobian(int body, const Vector3& arm, MatrixX& jacobian) const;

  // Of all bodies, with the armature of the joints that something hangs on; J.
  double kinetic_energy(const VectorX& velocities, const VectorX& joint_rates) const;

 private:
  const Model* model_ = nullptr;
  std::vector<Link> links_;
  std::vector<int> link_of_;
  std::vector<Matrix3> inertia_;
};

// Of weight, zero at the origin; J.
double potential_energy(const Model& model, const std::vector<Pose>& poses);
// Adds the weights of the bodies to packed forces.
void add_weights(const Model& model, VectorX& forces);

// A body's packed velocity entries as a twist, and back (what a planar body cannot have is lost).
Twist unpacked(const Body& body, const VectorX& packed);
void pack(const Body& body, const Twist& twist, VectorX& packed);

}  // namespace vinci
