// SPDX-License-Identifier: Apache-2.0
// Box2D 2.4 at the iterations its manual suggests (8 for velocities, 3 for positions). Its polygons
// wear a skin; the boxes are made smaller by it, so that their outer surface is the one of the
// layout, and keep the layout's mass.
#include <algorithm>
#include <cmath>

#include <box2d/box2d.h>

#include "step/engine.h"

namespace vinci {
namespace {

class Box2dEngine : public Engine {
 public:
  Box2dEngine(const Layout& layout, bool sleeps)
      : step_(static_cast<float>(layout.step)),
        friction_(static_cast<float>(layout.friction)),
        world_(b2Vec2(0.0F, -static_cast<float>(gravity))) {
    world_.SetAllowSleeping(sleeps);
    for (const PlacedBox& box : layout.fixed) add(box, b2_staticBody);
    for (const PlacedBox& box : layout.boxes) boxes_.push_back(add(box, b2_dynamicBody));
  }

  std::string name() const override { return "Box2D"; }
  void step() override { world_.Step(step_, 8, 3); }
  void positions(std::vector<Vector3>& centers) const override {
    centers.clear();
    for (const b2Body* box : boxes_)
      centers.emplace_back(box->GetPosition().x, box->GetPosition().y, 0.0);
  }
  double penetration() const override {
    double deepest = 0.0;
    for (const b2Contact* contact = world_.GetContactList(); contact;
         contact = contact->GetNext()) {
      b2WorldManifold manifold;
      contact->GetWorldManifold(&manifold);
      for (int i = 0; i < contact->GetManifold()->pointCount; ++i)
        deepest = std::max(deepest, -static_cast<double>(manifold.separations[i]));
    }
    return deepest;
  }
  int contacts() const override {
    int count = 0;
    for (const b2Contact* contact = world_.GetContactList(); contact; contact = contact->GetNext())
      count += contact->GetManifold()->pointCount;
    return count;
  }

 private:
  b2Body* add(const PlacedBox& box, b2BodyType type) {
    b2BodyDef definition;
    definition.type = type;
    definition.position.Set(static_cast<float>(box.center.x()), static_cast<float>(box.center.y()));
    definition.angle = static_cast<float>(2.0 * std::atan2(box.rotation.z(), box.rotation.w()));
    b2Body* body = world_.CreateBody(&definition);
    const Vector3 core = box.half_extents.array() - static_cast<double>(b2_polygonRadius);
    b2PolygonShape shape;
    shape.SetAsBox(static_cast<float>(core.x()), static_cast<float>(core.y()));
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.friction = friction_;  // a pair gets the geometric mean
    fixture.density =
        static_cast<float>(density * box.half_extents.head<2>().prod() / core.head<2>().prod());
    body->CreateFixture(&fixture);
    return body;
  }

  float step_, friction_;
  b2World world_;
  std::vector<b2Body*> boxes_;  // owned by the world
};

}  // namespace

std::unique_ptr<Engine> make_box2d(const Layout& layout, bool sleeps) {
  return std::make_unique<Box2dEngine>(layout, sleeps);
}

}  // namespace vinci
