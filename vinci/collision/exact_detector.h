// SPDX-License-Identifier: Apache-2.0
// The built-in detector "exact": broad phase, then the planar or the spatial narrow phase.
#pragma once

#include "vinci/collision/broad_phase.h"
#include "vinci/collision/contact.h"
#include "vinci/collision/narrow_phase.h"
#include "vinci/collision/planar.h"
#include "vinci/collision/planar_curve.h"

namespace vinci {

class ExactDetector : public CollisionDetector {
 public:
  void detect(const Model& model, std::span<const Pose> poses, std::span<const double> reach,
              ContactSet& contacts) override;

 private:
  void place_shapes(const Model& model, std::span<const Pose> poses, std::span<const double> reach);
  void pair_unbounded(const Model& model, std::span<const double> reach);
  void collide(const Model& model, int shape_a, int shape_b, double margin);
  const PlanarOutline& outline(const Model& model, int shape);

  BroadPhase broad_phase_;
  std::vector<BroadPhase::Item> items_;     // bounded shapes
  std::vector<int> unbounded_;              // the other shapes
  std::vector<char> movable_;               // body has a free coordinate
  std::vector<Pose> shape_poses_;           // world
  std::vector<std::pair<int, int>> pairs_;  // of shapes
  std::vector<PlanarOutline> outlines_;     // by shape, made where needed
  std::vector<char> outlined_;
  PlanarCollider planar_;
  CurveCollider curves_;
  SpatialWorkspace spatial_;
  std::vector<ContactPoint> points_;
};

}  // namespace vinci
