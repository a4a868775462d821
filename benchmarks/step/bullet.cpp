// SPDX-License-Identifier: Apache-2.0
// Bullet's rigid bodies with the default solver (sequential impulses, 10 iterations). Its box shape
// takes the margin off inside, so that the outer surface is the layout's.
#include <algorithm>
#include <cmath>

#include <btBulletDynamicsCommon.h>

#include "step/engine.h"

namespace vinci {
namespace {

btVector3 to_bullet(const Vector3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

class BulletEngine : public Engine {
 public:
  BulletEngine(const Layout& layout, bool sleeps)
      : layout_(layout),
        sleeps_(sleeps),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    world_.setGravity(to_bullet({0.0, 0.0, -gravity}));
    for (const PlacedBox& box : layout.fixed) add(box, 0.0);
    for (const PlacedBox& box : layout.boxes) add(box, density * 8.0 * box.half_extents.prod());
    first_ = layout.fixed.size();
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  std::string name() const override { return "Bullet"; }
  // No substeps: one step of the given length.
  void step() override { world_.stepSimulation(static_cast<btScalar>(layout_.step), 0); }
  void positions(std::vector<Vector3>& centers) const override {
    centers.clear();
    for (std::size_t i = first_; i < bodies_.size(); ++i) {
      const btVector3& p = bodies_[i]->getWorldTransform().getOrigin();
      centers.emplace_back(p.x(), p.y(), p.z());
    }
  }
  double penetration() const override {
    double deepest = 0.0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold* manifold = manifold_at(i);
      for (int k = 0; k < manifold->getNumContacts(); ++k)
        deepest =
            std::max(deepest, -static_cast<double>(manifold->getContactPoint(k).getDistance()));
    }
    return deepest;
  }
  int contacts() const override {
    int count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
      count += manifold_at(i)->getNumContacts();
    return count;
  }

 private:
  const btPersistentManifold* manifold_at(int index) const {
    return dispatcher_.getManifoldByIndexInternal(index);
  }
  void add(const PlacedBox& box, double mass) {
    shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(box.half_extents)));
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shapes_.back()->calculateLocalInertia(static_cast<btScalar>(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr,
                                                  shapes_.back().get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(to_bullet(box.center));
    const Quaternion& q = box.rotation;
    info.m_startWorldTransform.setRotation(
        {static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()), static_cast<btScalar>(q.z()),
         static_cast<btScalar>(q.w())});
    info.m_friction =
        static_cast<btScalar>(std::sqrt(layout_.friction));  // a pair gets the product
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    if (!sleeps_) bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  Layout layout_;
  bool sleeps_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btBoxShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t first_ = 0;  // index of the first box among the bodies
};

}  // namespace

std::unique_ptr<Engine> make_bullet(const Layout& layout, bool sleeps) {
  return std::make_unique<BulletEngine>(layout, sleeps);
}

}  // namespace vinci
