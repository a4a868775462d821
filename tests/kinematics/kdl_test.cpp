// SPDX-License-Identifier: Apache-2.0
// The Puma and random chains of revolute and prismatic joints against KDL, where it is installed.
#ifdef VINCI_HAS_KDL

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "vinci/kinematics/tree_dynamics.h"

namespace vinci::test {
namespace {

KDL::Vector peer(const Vector3& v) {
  return {v.x(), v.y(), v.z()};
}
KDL::Frame peer(const Pose& pose) {
  const Quaternion& r = pose.rotation;
  return {KDL::Rotation::Quaternion(r.x(), r.y(), r.z(), r.w()), peer(pose.position)};
}

// Joints whose frame A is that of the body before: KDL's segments are a joint and what follows it.
KDL::Chain peer(const Model& model) {
  KDL::Chain chain;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Joint& joint = model.joints[i];
    const MassProperties& mass = model.bodies[i].mass;
    const Matrix3& m = mass.inertia;
    const KDL::RotationalInertia inertia(m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2));
    const bool turns = joint.kind == JointKind::revolute;
    chain.addSegment(KDL::Segment(KDL::Joint(turns ? KDL::Joint::RotZ : KDL::Joint::TransZ),
                                  peer(joint.frame_b.inverse()),
                                  KDL::RigidBodyInertia(mass.mass, peer(mass.center), inertia)));
  }
  return chain;
}

void expect_same(JointedModel& made) {
  const int count = static_cast<int>(made.model.bodies.size());
  const KDL::Chain chain = peer(made.model);
  KDL::JntArray q(count), u(count), gravity(count), coriolis(count);
  q.data = made.positions;
  u.data = made.rates;
  KDL::ChainDynParam peer_dynamics(chain, peer(made.model.gravity));
  KDL::JntSpaceInertiaMatrix mass(count);
  ASSERT_EQ(peer_dynamics.JntToMass(q, mass), 0);
  ASSERT_EQ(peer_dynamics.JntToGravity(q, gravity), 0);
  ASSERT_EQ(peer_dynamics.JntToCoriolis(q, u, coriolis), 0);
  Tree tree;
  made.place(tree);
  TreeDynamics dynamics;
  TreeMatrix own;
  dynamics.mass(tree, own);
  MatrixX dense;
  own.to_dense(dense);
  EXPECT_LT((dense - mass.data).cwiseAbs().maxCoeff(), 1e-10 * dense.cwiseAbs().maxCoeff());
  VectorX forces = VectorX::Zero(made.model.velocity_count), bias;
  add_weights(made.model, forces);
  dynamics.bias(tree, {made.velocities, made.rates, forces}, bias);
  EXPECT_LT((bias - gravity.data - coriolis.data).cwiseAbs().maxCoeff(),
            1e-10 * (1.0 + bias.cwiseAbs().maxCoeff()));
  KDL::ChainFkSolverPos_recursive forward(chain);
  KDL::Frame end;
  ASSERT_GE(forward.JntToCart(q, end), 0);
  const Pose& last = made.poses.back();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(end.p[i], last.position[i], 1e-12);
  const Matrix3 r = last.rotation.toRotationMatrix();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(end.M(i, j), r(i, j), 1e-12);
  KDL::ChainJntToJacSolver jacobians(chain);
  KDL::Jacobian jacobian(count);
  ASSERT_GE(jacobians.JntToJac(q, jacobian), 0);
  MatrixX columns;
  tree.jacobian(count - 1, last.rotation * -made.model.bodies.back().mass.center, columns);
  EXPECT_LT((columns - jacobian.data).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Kdl, puma_has_the_same_dynamics) {
  Dice dice(21);
  for (int trial = 0; trial < 100; ++trial) {
    JointedModel arm = puma(false);
    arm.positions = dice.vector(6, 3.0);
    arm.rates = dice.vector(6, 3.0);
    expect_same(arm);
  }
}

TEST(Kdl, random_chains_have_the_same_dynamics) {
  Dice dice(22);
  for (int trial = 0; trial < 200; ++trial) {
    JointedModel chain;
    const int count = 1 + dice.below(10);
    for (int i = 0; i < count; ++i) {
      const int body = chain.add_body(dice.mass());
      chain.add_joint(dice.below(3) > 0 ? JointKind::revolute : JointKind::prismatic, body - 1,
                      body, {}, dice.pose(0.5));
    }
    chain.model.gravity = dice.vector(9.81);
    chain.finish();
    chain.positions = dice.vector(count, 2.0);
    chain.rates = dice.vector(count, 2.0);
    expect_same(chain);
  }
}

}  // namespace
}  // namespace vinci::test

#endif
