// SPDX-License-Identifier: Apache-2.0
// Bullet's rigid bodies with the default solver (10 iterations), without sleeping.
#include <btBulletDynamicsCommon.h>

#include "small/engine.h"

namespace vinci {
namespace {

btScalar single(double x) {
  return static_cast<btScalar>(x);
}

class Engine : public SmallEngine {
 public:
  explicit Engine(const SmallCase& what)
      : case_(what),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_),
        slab_(btVector3(10, 10, single(0.5))),
        box_(btVector3(single(half_edge), single(half_edge), single(half_edge))),
        ball_(single(half_edge)) {
    world_.setGravity(btVector3(single(small_gravity * std::sin(what.slope)), 0,
                                single(-small_gravity * std::cos(what.slope))));
    floor_ = make(slab_, 0.0, -0.5);
    if (what.amplitude > 0.0)
      floor_->setCollisionFlags(floor_->getCollisionFlags() |
                                btCollisionObject::CF_KINEMATIC_OBJECT);
    const double volume = what.is_round() ? 4.0 / 3.0 * M_PI * half_edge * half_edge * half_edge
                                          : 8.0 * half_edge * half_edge * half_edge;
    btCollisionShape& shape = what.is_round() ? static_cast<btCollisionShape&>(ball_) : box_;
    body_ = make(shape, block_density * volume, half_edge);
    body_->setLinearVelocity(btVector3(single(what.speed), 0, 0));
  }
  ~Engine() override {
    world_.removeRigidBody(body_.get());
    world_.removeRigidBody(floor_.get());
  }

  void step() override {
    ++steps_;
    if (case_.amplitude > 0.0) {
      btTransform place = btTransform::getIdentity();
      place.setOrigin(btVector3(single(case_.floor(steps_ * small_step)), 0, single(-0.5)));
      floor_->getMotionState()->setWorldTransform(place);
    }
    world_.stepSimulation(single(small_step), 0);  // one step, no parts
  }
  double place() const override {
    return static_cast<double>(body_->getWorldTransform().getOrigin().x());
  }

 private:
  std::unique_ptr<btRigidBody> make(btCollisionShape& shape, double mass, double height) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shape.calculateLocalInertia(single(mass), inertia);
    btTransform place = btTransform::getIdentity();
    place.setOrigin(btVector3(0, 0, single(height)));
    states_[mass > 0.0 ? 1 : 0].setWorldTransform(place);
    btRigidBody::btRigidBodyConstructionInfo info(single(mass), &states_[mass > 0.0 ? 1 : 0],
                                                  &shape, inertia);
    info.m_friction = single(std::sqrt(case_.friction));  // a pair gets the product
    auto body = std::make_unique<btRigidBody>(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(body.get());
    return body;
  }

  SmallCase case_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  btBoxShape slab_, box_;
  btSphereShape ball_;
  btDefaultMotionState states_[2];
  std::unique_ptr<btRigidBody> floor_, body_;
  int steps_ = 0;
};

}  // namespace

std::unique_ptr<SmallEngine> make_small_bullet(const SmallCase& what) {
  return std::make_unique<Engine>(what);
}

}  // namespace vinci
