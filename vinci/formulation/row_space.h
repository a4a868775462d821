// SPDX-License-Identifier: Apache-2.0
// What the rows of a step have in common.
#pragma once

#include <span>

#include "vinci/formulation/friction_cone.h"
#include "vinci/kinematics/recursive.h"

namespace vinci {

struct RowSpace {
  const Model& model;
  std::span<const Pose> poses;
  ConeForm form = {};
  const Tree* tree = nullptr;  // at the poses, of a model in which bodies hang on joints
};

}  // namespace vinci
