// SPDX-License-Identifier: Apache-2.0
// Chipmunk with its defaults (10 iterations); its slop, which is made for pixels, is 0.1 mm.
#include <chipmunk/chipmunk.h>

#include "small/engine.h"

namespace vinci {
namespace {

class Engine : public SmallEngine {
 public:
  explicit Engine(const SmallCase& what) : case_(what), space_(cpSpaceNew()) {
    cpSpaceSetGravity(
        space_, cpv(small_gravity * std::sin(what.slope), -small_gravity * std::cos(what.slope)));
    cpSpaceSetCollisionSlop(space_, 1e-4);
    floor_ =
        cpSpaceAddBody(space_, what.amplitude > 0.0 ? cpBodyNewKinematic() : cpBodyNewStatic());
    ground_ = cpSpaceAddShape(space_, cpBoxShapeNew2(floor_, cpBBNew(-10.0, -1.0, 10.0, 0.0), 0.0));
    cpShapeSetFriction(ground_, 1.0);  // a pair gets the product
    const double side = 2.0 * half_edge;
    const double mass = what.is_round() ? block_density * M_PI * half_edge * half_edge
                                        : block_density * side * side;
    const double inertia = what.is_round() ? cpMomentForCircle(mass, 0.0, half_edge, cpvzero)
                                           : cpMomentForBox(mass, side, side);
    body_ = cpSpaceAddBody(space_, cpBodyNew(mass, inertia));
    cpBodySetPosition(body_, cpv(0.0, half_edge));
    cpBodySetVelocity(body_, cpv(what.speed, 0.0));
    shape_ = cpSpaceAddShape(space_, what.is_round() ? cpCircleShapeNew(body_, half_edge, cpvzero)
                                                     : cpBoxShapeNew(body_, side, side, 0.0));
    cpShapeSetFriction(shape_, what.friction);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() override {
    for (cpShape* shape : {ground_, shape_}) {
      cpSpaceRemoveShape(space_, shape);
      cpShapeFree(shape);
    }
    for (cpBody* body : {floor_, body_}) {
      cpSpaceRemoveBody(space_, body);
      cpBodyFree(body);
    }
    cpSpaceFree(space_);
  }

  void step() override {
    if (case_.amplitude > 0.0) {
      const double time = steps_ * small_step;
      cpBodySetVelocity(
          floor_, cpv((case_.floor(time + small_step) - case_.floor(time)) / small_step, 0.0));
    }
    cpSpaceStep(space_, small_step);
    ++steps_;
  }
  double place() const override { return cpBodyGetPosition(body_).x; }

 private:
  SmallCase case_;
  cpSpace* space_;
  cpBody *floor_ = nullptr, *body_ = nullptr;
  cpShape *ground_ = nullptr, *shape_ = nullptr;
  int steps_ = 0;
};

}  // namespace

std::unique_ptr<SmallEngine> make_small_chipmunk(const SmallCase& what) {
  return std::make_unique<Engine>(what);
}

}  // namespace vinci
