// SPDX-License-Identifier: Apache-2.0
// Chipmunk 7 with its defaults (10 iterations), but for the overlap that it allows: its default is
// in pixels, here it is a hundredth of a box.
#include <algorithm>
#include <array>
#include <cmath>

#include <chipmunk/chipmunk.h>

#include "step/engine.h"

namespace vinci {
namespace {

class ChipmunkEngine : public Engine {
 public:
  ChipmunkEngine(const Layout& layout, bool sleeps) : layout_(layout), space_(cpSpaceNew()) {
    cpSpaceSetGravity(space_, cpv(0.0, -gravity));
    cpSpaceSetCollisionSlop(space_, 0.01 * box_size);
    if (sleeps) cpSpaceSetSleepTimeThreshold(space_, 0.5);
    for (const PlacedBox& box : layout.fixed) add(box, cpBodyNewStatic());
    for (const PlacedBox& box : layout.boxes) {
      const double width = 2.0 * box.half_extents.x(), height = 2.0 * box.half_extents.y();
      const double mass = density * width * height;
      boxes_.push_back(add(box, cpBodyNew(mass, cpMomentForBox(mass, width, height))));
    }
  }
  ChipmunkEngine(const ChipmunkEngine&) = delete;
  ChipmunkEngine& operator=(const ChipmunkEngine&) = delete;
  ~ChipmunkEngine() override {
    for (cpShape* const shape : shapes_) cpSpaceRemoveShape(space_, shape), cpShapeFree(shape);
    for (cpBody* const body : bodies_) cpSpaceRemoveBody(space_, body), cpBodyFree(body);
    cpSpaceFree(space_);
  }

  std::string name() const override { return "Chipmunk"; }
  void step() override { cpSpaceStep(space_, layout_.step); }
  void positions(std::vector<Vector3>& centers) const override {
    centers.clear();
    for (const cpBody* const body : boxes_) {
      const cpVect at = cpBodyGetPosition(body);
      centers.emplace_back(at.x, at.y, 0.0);
    }
  }
  double penetration() const override { return look().depth; }
  int contacts() const override { return look().count; }

 private:
  struct Touching {
    int count = 0;
    double depth = 0.0;  // m, the deepest
  };
  // Every pair is seen from both of its bodies, from a fixed one never.
  Touching look() const {
    Touching all;
    for (cpBody* const body : boxes_) cpBodyEachArbiter(body, &ChipmunkEngine::see, &all);
    return all;
  }
  static void see(cpBody* body, cpArbiter* pair, void* into) {
    cpBody *a = nullptr, *b = nullptr;
    cpArbiterGetBodies(pair, &a, &b);
    Touching& all = *static_cast<Touching*>(into);
    const bool twice = cpBodyGetType(a) == CP_BODY_TYPE_DYNAMIC &&
                       cpBodyGetType(b) == CP_BODY_TYPE_DYNAMIC && body == b;
    if (twice) return;
    for (int i = 0; i < cpArbiterGetCount(pair); ++i) {
      ++all.count;
      all.depth = std::max(all.depth, -cpArbiterGetDepth(pair, i));
    }
  }
  cpBody* add(const PlacedBox& box, cpBody* body) {
    bodies_.push_back(cpSpaceAddBody(space_, body));
    cpBodySetPosition(body, cpv(box.center.x(), box.center.y()));
    cpBodySetAngle(body, 2.0 * std::atan2(box.rotation.z(), box.rotation.w()));
    cpShape* const shape =
        cpBoxShapeNew(body, 2.0 * box.half_extents.x(), 2.0 * box.half_extents.y(), 0.0);
    cpShapeSetFriction(shape, std::sqrt(layout_.friction));  // a pair gets the product
    shapes_.push_back(cpSpaceAddShape(space_, shape));
    return body;
  }

  Layout layout_;
  cpSpace* space_;
  std::vector<cpBody*> bodies_, boxes_;
  std::vector<cpShape*> shapes_;
};

}  // namespace

std::unique_ptr<Engine> make_chipmunk(const Layout& layout, bool sleeps) {
  return std::make_unique<ChipmunkEngine>(layout, sleeps);
}

}  // namespace vinci
