// SPDX-License-Identifier: Apache-2.0
// ODE with its quick stepper (20 sweeps), Coulomb's friction as a pyramid, and its own defaults of
// error reduction and softness.
#include <algorithm>
#include <array>

#include <ode/ode.h>

#include "step/engine.h"

namespace vinci {
namespace {

class OdeEngine : public Engine {
 public:
  OdeEngine(const Layout& layout, bool sleeps) : layout_(layout) {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    joints_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0.0, 0.0, -gravity);
    dWorldSetAutoDisableFlag(world_, sleeps ? 1 : 0);
    for (const PlacedBox& box : layout.fixed) place(add_shape(box), box);
    for (const PlacedBox& box : layout.boxes) {
      const dGeomID shape = add_shape(box);
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      const Vector3 edges = 2.0 * box.half_extents;
      dMassSetBox(&mass, density, edges.x(), edges.y(), edges.z());
      dBodySetMass(body, &mass);
      dGeomSetBody(shape, body);
      place(shape, box);
      bodies_.push_back(body);
    }
  }
  OdeEngine(const OdeEngine&) = delete;
  OdeEngine& operator=(const OdeEngine&) = delete;
  ~OdeEngine() override {
    dJointGroupDestroy(joints_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  std::string name() const override { return "ODE"; }
  void step() override {
    deepest_ = 0.0;
    contacts_ = 0;
    dJointGroupEmpty(joints_);
    dSpaceCollide(space_, this, &OdeEngine::meet);
    dWorldQuickStep(world_, layout_.step);
  }
  void positions(std::vector<Vector3>& centers) const override {
    centers.clear();
    for (const dBodyID body : bodies_) {
      const dReal* const at = dBodyGetPosition(body);
      centers.emplace_back(at[0], at[1], at[2]);
    }
  }
  double penetration() const override { return deepest_; }
  int contacts() const override { return contacts_; }

 private:
  dGeomID add_shape(const PlacedBox& box) {
    const Vector3 edges = 2.0 * box.half_extents;
    return dCreateBox(space_, edges.x(), edges.y(), edges.z());
  }
  static void place(dGeomID shape, const PlacedBox& box) {
    const dQuaternion rotation = {box.rotation.w(), box.rotation.x(), box.rotation.y(),
                                  box.rotation.z()};
    dGeomSetPosition(shape, box.center.x(), box.center.y(), box.center.z());
    dGeomSetQuaternion(shape, rotation);
  }
  static void meet(void* self, dGeomID a, dGeomID b) { static_cast<OdeEngine*>(self)->join(a, b); }
  void join(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    const auto acts = [](dBodyID body) { return body && dBodyIsEnabled(body); };
    if (!acts(body_a) && !acts(body_b)) return;
    constexpr int most = 8;
    std::array<dContact, most> points;
    const int count = dCollide(a, b, most, &points[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dContact& point = points[static_cast<std::size_t>(i)];
      point.surface.mode = dContactApprox1;
      point.surface.mu = layout_.friction;
      dJointAttach(dJointCreateContact(world_, joints_, &point), body_a, body_b);
      deepest_ = std::max(deepest_, point.geom.depth);
      ++contacts_;
    }
  }

  Layout layout_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID joints_;
  std::vector<dBodyID> bodies_;  // owned by the world
  double deepest_ = 0.0;
  int contacts_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_ode(const Layout& layout, bool sleeps) {
  return std::make_unique<OdeEngine>(layout, sleeps);
}

}  // namespace vinci
