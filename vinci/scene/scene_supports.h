// SPDX-License-Identifier: Apache-2.0
// The supports of a body from the scene tree; private to scene/.
//
// Loads that are not given are those of equal springs under the weight W at the centre of mass c,
//   min Σ N_i²  over  Σ N_i = W,  Σ N_i (p_i − c) = 0,
// which for three points is equilibrium alone. They stay as they are during the motion: friction at
// the height of the table does not tip the body.
#pragma once

#include "vinci/scene/scene_shapes.h"

namespace vinci {

struct SupportSources {
  const SceneData& scene;
  const Numbers& numbers;
  const ShapeReader& read;
  const Model& model;  // with the body's shapes
};

// Reads `supports` of a body whose mass and shapes are known. Throws Impossible.
void read_supports(const SupportSources& from, const Node& node, Body& body);

}  // namespace vinci
