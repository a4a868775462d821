// SPDX-License-Identifier: Apache-2.0
// Contact points and the detector interface.
//
// Sign convention, everywhere: `normal` points from a to b; gap > 0 apart, < 0 overlapping;
// gap = normal · (point_b − point_a).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vinci/base/registry.h"
#include "vinci/model/model.h"
#include "vinci/model/state.h"

namespace vinci {

struct Contact {
  EntityKey key;  // of kind contact
  int body_a = 0, body_b = 0;
  Vector3 point_a, point_b;  // world, on the surfaces of a and b, m
  Vector3 normal;            // world, unit, from a to b
  double gap = 0.0;          // m
  int patch_point = 0;       // where a stepper lets several points stand for a contact, else 0
};

using ContactSet =
    std::vector<Contact>;  // sorted by key; reused between steps, so that it stops allocating

class CollisionDetector {
 public:
  virtual ~CollisionDetector() = default;
  // Every contact point of every pair of shapes on different bodies, at least one of them with a
  // free coordinate, whose gap is at most reach[a] + reach[b]. `reach` is, per body, how far its
  // surface may travel in the step (m), made by the stepper from velocity and step.
  virtual void detect(const Model& model, std::span<const Pose> poses,
                      std::span<const double> reach, ContactSet& contacts) = 0;
};

using DetectorRegistry = Registry<CollisionDetector>;
void add_builtin_detectors(DetectorRegistry& registry);

}  // namespace vinci
