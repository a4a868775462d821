// SPDX-License-Identifier: Apache-2.0
// Models of joined bodies, made without a scene: the Puma, the trees of reference case 18, and
// random ones.
#pragma once

#include <random>
#include <string>

#include "tests/support/reference.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/recursive.h"
#include "vinci/model/model.h"

namespace vinci::test {

// A model with what moves it; `poses` of roots are given, those of the others follow.
struct JointedModel {
  Model model;
  std::vector<Pose> poses;
  VectorX positions, rates, velocities, prescribed;  // prescribed: packed accelerations

  int add_body(const MassProperties& mass, Freedom freedom = Freedom::spatial) {
    Body body;
    body.name = "body" + std::to_string(model.bodies.size());
    body.freedom = freedom;
    body.mass = mass;
    body.velocity_offset = model.velocity_count;
    body.velocity_size = velocity_entries(freedom);
    for (int i = 0; i < body.velocity_size; ++i)
      model.coordinate.push_back(body.velocity_size == 3 && i == 2 ? 5 : i);
    model.velocity_count += body.velocity_size;
    model.bodies.push_back(body);
    poses.emplace_back();
    return static_cast<int>(model.bodies.size()) - 1;
  }

  Joint& add_joint(JointKind kind, int a, int b, const Pose& frame_a, const Pose& frame_b) {
    Joint joint;
    joint.name = "joint" + std::to_string(model.joints.size());
    joint.kind = kind;
    joint.body_a = a;
    joint.body_b = b;
    joint.frame_a = frame_a;
    joint.frame_b = frame_b;
    joint.freedoms.resize(static_cast<std::size_t>(rate_count(kind)));
    joint.first_coordinate = model.joint_coordinate_count;
    joint.first_rate = model.joint_rate_count;
    model.joint_coordinate_count += position_count(kind);
    model.joint_rate_count += rate_count(kind);
    model.joints.push_back(joint);
    return model.joints.back();
  }

  // Coordinates at zero, everything at rest.
  void finish() {
    make_tree(model);
    positions.setZero(model.joint_coordinate_count);
    for (const Joint& joint : model.joints)
      if (joint.kind == JointKind::ball) positions[joint.first_coordinate] = 1.0;
    rates.setZero(model.joint_rate_count);
    velocities.setZero(model.velocity_count);
    prescribed.setZero(model.velocity_count);
  }

  void place(Tree& tree) {
    place_tree(model, positions, poses);
    tree.place(model, poses, positions);
    tree.spread_velocities(rates, velocities);
  }
};

inline Vector3 vector3(const nlohmann::json& list) {
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}
inline VectorX vector_of(const nlohmann::json& list) {
  VectorX vector(static_cast<int>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) vector[static_cast<int>(i)] = list[i].get<double>();
  return vector;
}
inline MatrixX matrix_of(const nlohmann::json& rows) {
  MatrixX matrix(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    matrix.row(static_cast<int>(i)) = vector_of(rows[i]).transpose();
  return matrix;
}

inline Quaternion turned(const Vector3& axis, double angle) {
  return exponential(angle * axis);
}
// R = Rz(yaw) Ry(pitch) Rx(roll).
inline Quaternion roll_pitch_yaw(const Vector3& angles) {
  return turned(Vector3::UnitZ(), angles.z()) * turned(Vector3::UnitY(), angles.y()) *
         turned(Vector3::UnitX(), angles.x());
}

// The Puma 560 by Denavit–Hartenberg parameters; link 1 has no mass there, and its inertia is that
// about the axis alone.
inline JointedModel puma(bool rotors) {
  const nlohmann::json given = reference("case18_trees")["parameters"]["puma"];
  JointedModel arm;
  int before = -1;
  for (std::size_t i = 0; i < 6; ++i) {
    const nlohmann::json& dh = given["dh"][i];
    MassProperties mass;
    mass.mass = given["mass"][i];
    mass.center = vector3(given["com"][i]);
    mass.inertia = vector3(given["inertia_diagonal"][i]).asDiagonal();
    const int link = arm.add_body(mass);
    const Pose reach{Vector3(dh["a"].get<double>(), 0.0, dh["d"].get<double>()),
                     turned(Vector3::UnitX(), dh["alpha"].get<double>())};
    Joint& joint = arm.add_joint(JointKind::revolute, before, link, {}, reach.inverse());
    if (rotors) joint.freedoms[0].armature = given["reflected_rotor_inertia"][i];
    before = link;
  }
  arm.finish();
  return arm;
}

// "chain" or "tree" of reference case 18.
inline JointedModel reference_tree(const std::string& name) {
  const nlohmann::json links = reference("case18_trees")["parameters"][name];
  JointedModel tree;
  for (const nlohmann::json& link : links) {
    MassProperties mass;
    mass.mass = link["mass"];
    mass.center = vector3(link["com"]);
    mass.inertia = matrix_of(link["inertia"]);
    const int body = tree.add_body(mass);
    const Pose frame{vector3(link["xyz"]), roll_pitch_yaw(vector3(link["rpy"]))};
    tree.add_joint(*joint_kind_named(link["joint"]), link["parent"].get<int>(), body, frame, {});
  }
  tree.finish();
  return tree;
}

// Random numbers for random trees.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vector3 vector(double size) {
    return {between(-size, size), between(-size, size), between(-size, size)};
  }
  VectorX vector(int count, double size) {
    VectorX result(count);
    for (int i = 0; i < count; ++i) result[i] = between(-size, size);
    return result;
  }
  Quaternion rotation() { return exponential(vector(3.0)); }
  Pose pose(double size) { return {vector(size), rotation()}; }
  Pose planar_pose_of(double size) {
    return planar_pose(between(-size, size), between(-size, size), between(-3.0, 3.0));
  }
  // A box of random sides, turned.
  MassProperties mass() {
    const Vector3 side(between(0.2, 1.0), between(0.2, 1.0), between(0.2, 1.0));
    MassProperties result;
    result.mass = between(0.5, 2.0);
    result.center = vector(0.3);
    const Matrix3 turn = rotation().toRotationMatrix();
    const Vector3 square = side.cwiseProduct(side);
    const Vector3 moments = (Vector3::Constant(square.sum()) - square) * result.mass / 12.0;
    result.inertia = turn * moments.asDiagonal() * turn.transpose();
    return result;
  }

 private:
  std::mt19937 engine_;
};

enum class Base { world, fixed, free, prescribed };

// A tree of `count` bodies that hang on earlier ones (or the base), each joint written either way
// round, with random coordinates and rates.
inline JointedModel random_tree(Dice& dice, int count, Base base, World world, bool armature) {
  JointedModel made;
  made.model.world = world;
  const bool planar = world == World::planar;
  if (planar) made.model.gravity = Vector3(0.0, -9.81, 0.0);
  const auto mass = [&] {
    MassProperties result = dice.mass();
    if (planar) result.center.z() = 0.0;
    return result;
  };
  const auto frame = [&] { return planar ? dice.planar_pose_of(0.5) : dice.pose(0.5); };
  int first = -1;
  if (base != Base::world) {
    const Freedom freedom = base == Base::fixed ? Freedom::fixed
                            : planar            ? Freedom::planar
                                                : Freedom::spatial;
    first = made.add_body(mass(), freedom);
    made.poses[0] = planar ? dice.planar_pose_of(1.0) : dice.pose(1.0);
    if (base == Base::prescribed)
      for (Drive& drive : made.model.bodies[0].drives) drive.prescribed = true;
  }
  for (int i = 0; i < count; ++i) {
    const int parent = first + dice.below(static_cast<int>(made.model.bodies.size()) - first);
    const int body = made.add_body(mass(), planar ? Freedom::planar : Freedom::spatial);
    const JointKind kind = static_cast<JointKind>(dice.below(planar ? 3 : joint_kind_count));
    Pose a = frame(), b = frame();
    if (planar && kind == JointKind::prismatic) {
      const Quaternion down = turned(Vector3::UnitY(), M_PI / 2.0);
      a.rotation = a.rotation * down;
      b.rotation = b.rotation * down;
    }
    const bool turned_round = dice.below(3) == 0;
    Joint& joint =
        made.add_joint(kind, turned_round ? body : parent, turned_round ? parent : body, a, b);
    joint.pitch = dice.between(-0.3, 0.3);
    for (JointFreedom& freedom : joint.freedoms)
      if (armature) freedom.armature = dice.between(0.0, 0.2);
  }
  made.finish();
  for (const Joint& joint : made.model.joints) {
    double* q = made.positions.data() + joint.first_coordinate;
    if (joint.kind == JointKind::ball) {
      const Quaternion r = dice.rotation();
      q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z();
    } else {
      for (int k = 0; k < rate_count(joint.kind); ++k) q[k] = dice.between(-2.0, 2.0);
    }
  }
  made.rates = dice.vector(made.model.joint_rate_count, 2.0);
  if (first >= 0) {
    const Body& root = made.model.bodies[0];
    made.velocities.head(root.velocity_size) = dice.vector(root.velocity_size, 2.0);
    if (base == Base::prescribed)
      made.prescribed.head(root.velocity_size) = dice.vector(root.velocity_size, 5.0);
  }
  return made;
}

}  // namespace vinci::test
