// SPDX-License-Identifier: Apache-2.0
// All that is told of a grasp, by `vinci grasp` and by the viewer: closure, quality, the forces
// that hold a wrench.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "vinci/grasp/closure.h"
#include "vinci/grasp/holding.h"
#include "vinci/grasp/quality.h"
#include "vinci/grasp/recorded_grasp.h"

namespace vinci {

struct GraspQuestion {
  QualityOptions quality;
  int directions = 16;            // of the pyramids that volumes are computed with; 0: no volumes
  std::optional<Vector6> wrench;  // to be held; none: the grasp's own, or the body's weight
};

struct GraspAnswer {
  ClosureProof proof;
  double friction_required = 0.0;
  Quality sum, each;
  std::optional<WrenchHull> inside, outside;  // none: not asked for, or too many corners
  std::optional<Vector6> wrench;
  std::array<HeldWrench, 3> held;  // by hold_objectives, where there is a wrench
};

inline constexpr std::array<LeastForces, 3> hold_objectives = {
    LeastForces::squares, LeastForces::sum_of_normals, LeastForces::largest_normal};

// Throws Error on more than most_grasp_contacts contacts and on bad numbers.
GraspAnswer answer_grasp(const NamedGrasp& named, const GraspQuestion& question);

// As JSON (docs/json.md, vinci grasp). Numbers that are not finite are null.
std::string grasp_answer_json(const NamedGrasp& named, const GraspAnswer& answer,
                              const GraspQuestion& question);

}  // namespace vinci
