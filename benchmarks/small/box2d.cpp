// SPDX-License-Identifier: Apache-2.0
// Box2D 2.4 at the iterations its manual suggests, without sleeping. Its polygons wear a skin: the
// block is smaller by it, and keeps its mass.
#include <box2d/box2d.h>

#include "small/engine.h"

namespace vinci {
namespace {

float single(double x) {
  return static_cast<float>(x);
}

class Engine : public SmallEngine {
 public:
  explicit Engine(const SmallCase& what)
      : case_(what),
        world_(b2Vec2(single(small_gravity * std::sin(what.slope)),
                      single(-small_gravity * std::cos(what.slope)))) {
    world_.SetAllowSleeping(false);
    b2BodyDef ground;
    ground.type = what.amplitude > 0.0 ? b2_kinematicBody : b2_staticBody;
    floor_ = world_.CreateBody(&ground);
    b2PolygonShape slab;
    slab.SetAsBox(10.0F, 0.5F, b2Vec2(0.0F, -0.5F - b2_polygonRadius), 0.0F);
    add(floor_, slab, 0.0);
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.position.Set(0.0F, single(half_edge));
    definition.linearVelocity.Set(single(what.speed), 0.0F);
    body_ = world_.CreateBody(&definition);
    if (what.is_round()) {
      b2CircleShape disc;
      disc.m_radius = single(half_edge);
      add(body_, disc, block_density);
    } else {
      const double core = half_edge - static_cast<double>(b2_polygonRadius);
      b2PolygonShape box;
      box.SetAsBox(single(core), single(core));
      add(body_, box, block_density * half_edge * half_edge / (core * core));
    }
  }

  void step() override {
    if (case_.amplitude > 0.0) {
      const double time = steps_ * small_step;
      floor_->SetLinearVelocity(
          b2Vec2(single((case_.floor(time + small_step) - case_.floor(time)) / small_step), 0.0F));
    }
    world_.Step(single(small_step), 8, 3);
    ++steps_;
  }
  double place() const override { return static_cast<double>(body_->GetPosition().x); }

 private:
  void add(b2Body* body, const b2Shape& shape, double density) {
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.friction = single(case_.friction);  // a pair gets the geometric mean
    fixture.density = single(density);
    body->CreateFixture(&fixture);
  }

  SmallCase case_;
  b2World world_;
  b2Body *floor_ = nullptr, *body_ = nullptr;  // owned by the world
  int steps_ = 0;
};

}  // namespace

std::unique_ptr<SmallEngine> make_small_box2d(const SmallCase& what) {
  return std::make_unique<Engine>(what);
}

}  // namespace vinci
