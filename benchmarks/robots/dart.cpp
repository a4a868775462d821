// SPDX-License-Identifier: Apache-2.0
// DART with its defaults: semi-implicit Euler, contacts as a boxed linear complementarity problem
// by Dantzig's method; its own detector, which knows balls and boxes.
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/simulation/World.hpp>

#include "robots/engine.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

Eigen::Isometry3d isometry(const Pose& pose) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = pose.rotation.toRotationMatrix();
  result.translation() = pose.position;
  return result;
}

class DartRobot : public RobotEngine {
 public:
  DartRobot(const RobotCase& robot, double step)
      : world_(dart::simulation::World::create()),
        robot_(dart::dynamics::Skeleton::create("robot")) {
    const Model& model = *robot.model;
    world_->setTimeStep(step);
    world_->setGravity(model.gravity);
    nodes_.assign(model.bodies.size(), nullptr);
    // A body that bears others is made before them.
    for (const int b : model.tree_order) hang(robot, b);
    world_->addSkeleton(robot_);
    if (robot.object >= 0) add_object(robot);
    for (const Joint& joint : model.joints) {
      if (joint.kind == JointKind::fixed) continue;
      dart::dynamics::Joint* own = nodes_[static_cast<std::size_t>(joint.body_b)]->getParentJoint();
      joints_.push_back({own, joint.freedoms.front().position, joint.freedoms.front().velocity,
                         motor_effort(joint)});
    }
    DartRobot::reset();
  }

  std::string name() const override { return "DART"; }
  void reset() override {
    for (const Place& joint : joints_) {
      joint.joint->setPosition(0, joint.start);
      joint.joint->setVelocity(0, joint.speed);
      joint.joint->setForce(0, joint.effort);
    }
    if (object_) {
      object_->setPositions(object_start_);
      object_->setVelocities(Eigen::VectorXd::Zero(6));
    }
  }
  void step() override { world_->step(false); }
  void read(RobotState& state) const override {
    state.positions.resize(static_cast<Eigen::Index>(joints_.size()));
    state.rates.resize(state.positions.size());
    for (Eigen::Index i = 0; i < state.positions.size(); ++i) {
      state.positions[i] = joints_[static_cast<std::size_t>(i)].joint->getPosition(0);
      state.rates[i] = joints_[static_cast<std::size_t>(i)].joint->getVelocity(0);
    }
    if (!object_) return;
    const Eigen::Isometry3d& pose = object_->getBodyNode(0)->getTransform();
    state.object = {pose.translation(), Quaternion(pose.linear())};
  }
  double start_energy() override {
    reset();
    const Eigen::VectorXd rates = robot_->getVelocities();
    double energy = 0.5 * rates.dot(robot_->getMassMatrix() * rates);
    for (const dart::dynamics::BodyNode* node : nodes_)
      if (node) energy -= node->getMass() * world_->getGravity().dot(node->getCOM());
    return energy;
  }
  void start_accelerations(VectorX& accelerations) override {
    reset();
    robot_->computeForwardDynamics();
    accelerations.resize(static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t i = 0; i < joints_.size(); ++i)
      accelerations[static_cast<Eigen::Index>(i)] = joints_[i].joint->getAcceleration(0);
  }
  void loads(std::vector<ContactLoad>& loads) const override {
    loads.clear();
    for (const dart::collision::Contact& contact : world_->getLastCollisionResult().getContacts()) {
      const double normal = contact.force.dot(contact.normal);
      loads.push_back({normal, (contact.force - normal * contact.normal).norm()});
    }
  }

 private:
  struct Place {
    dart::dynamics::Joint* joint;
    double start, speed, effort;
  };

  static void set_mass(const Body& body, dart::dynamics::BodyNode& node) {
    const Matrix3& i = body.mass.inertia;
    node.setInertia(dart::dynamics::Inertia(body.mass.mass, body.mass.center, i));
  }

  void add_shapes(const RobotCase& robot, int b) {
    if (robot.object < 0) return;
    const Model& model = *robot.model;
    const Body& body = model.bodies[static_cast<std::size_t>(b)];
    for (int s = body.first_shape; s < body.first_shape + body.shape_count; ++s) {
      const PlacedShape& placed = model.shapes[static_cast<std::size_t>(s)];
      dart::dynamics::ShapePtr shape;
      if (const auto* ball = std::get_if<Sphere>(&placed.shape))
        shape = std::make_shared<dart::dynamics::SphereShape>(ball->radius);
      else
        shape = std::make_shared<dart::dynamics::BoxShape>(
            2.0 * std::get<Box>(placed.shape).half_extents);
      auto* node = nodes_[static_cast<std::size_t>(b)]
                       ->createShapeNodeWith<dart::dynamics::CollisionAspect,
                                             dart::dynamics::DynamicsAspect>(shape);
      node->setRelativeTransform(isometry(placed.offset));
      node->getDynamicsAspect()->setFrictionCoeff(
          model.surface(placed.material, placed.material).friction);
    }
  }

  template <class Kind>
  dart::dynamics::BodyNode* hung(dart::dynamics::BodyNode* parent, const Joint& joint,
                                 const Pose& frame, const std::string& name) {
    typename Kind::Properties properties;
    properties.mName = joint.name;
    properties.mAxis = Vector3::UnitZ();
    properties.mT_ParentBodyToJoint = isometry(frame);
    properties.mT_ChildBodyToJoint = isometry(joint.frame_b);
    auto [own, node] = robot_->createJointAndBodyNodePair<Kind>(
        parent, properties, dart::dynamics::BodyNode::AspectProperties(name));
    const JointFreedom& freedom = joint.freedoms.front();
    if (freedom.is_limited()) {
      own->setPositionLowerLimit(0, freedom.lower);
      own->setPositionUpperLimit(0, freedom.upper);
      own->setLimitEnforcement(true);
    }
    return node;
  }

  void hang(const RobotCase& robot, int b) {
    const Model& model = *robot.model;
    const Joint& joint = model.joints[static_cast<std::size_t>(model.tree_joint[b])];
    const JointBase base = base_of(model, joint);
    if (joint.body_b != b) throw Error("hangs the other way round", joint.name);
    auto* parent = base.body < 0 ? nullptr : nodes_[static_cast<std::size_t>(base.body)];
    const Body& body = model.bodies[static_cast<std::size_t>(b)];
    nodes_[static_cast<std::size_t>(b)] =
        joint.kind == JointKind::prismatic
            ? hung<dart::dynamics::PrismaticJoint>(parent, joint, base.frame, body.name)
            : hung<dart::dynamics::RevoluteJoint>(parent, joint, base.frame, body.name);
    set_mass(body, *nodes_[static_cast<std::size_t>(b)]);
    add_shapes(robot, b);
  }

  void add_object(const RobotCase& robot) {
    const Body& body = robot.model->bodies[static_cast<std::size_t>(robot.object)];
    object_ = dart::dynamics::Skeleton::create("object");
    auto [joint, node] = object_->createJointAndBodyNodePair<dart::dynamics::FreeJoint>();
    nodes_[static_cast<std::size_t>(robot.object)] = node;
    set_mass(body, *node);
    add_shapes(robot, robot.object);
    object_start_ = dart::dynamics::FreeJoint::convertToPositions(isometry(body.initial_pose));
    world_->getConstraintSolver()->setCollisionDetector(
        dart::collision::DARTCollisionDetector::create());
    world_->addSkeleton(object_);
  }

  dart::simulation::WorldPtr world_;
  dart::dynamics::SkeletonPtr robot_, object_;
  std::vector<dart::dynamics::BodyNode*> nodes_;  // per body
  std::vector<Place> joints_;
  Eigen::VectorXd object_start_;
};

std::unique_ptr<RobotEngine> usual(const RobotCase& robot, double step) {
  return std::make_unique<DartRobot>(robot, step);
}

}  // namespace

std::vector<EngineMaker> dart_engines(const RobotCase&) {
  return {usual};
}

}  // namespace vinci
