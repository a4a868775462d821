// SPDX-License-Identifier: Apache-2.0
// Constraints that a scene writes down as expressions, and the machines that switch them; private
// to scene/.
#pragma once

#include "vinci/model/state.h"
#include "vinci/scene/scene_data.h"

namespace vinci {

inline constexpr std::size_t max_constraints = 1000, max_machines = 1000;
inline constexpr std::size_t max_machine_states = 1000;  // and transitions

inline constexpr std::size_t max_coordinates_read = 200;  // by one expression

// The sections `constraints` and `machines`.
std::vector<SceneKey> constraint_sections();

// Adds both to the model, of which all else is there. Sections whose numbers are right, or null.
// False after a mistake.
bool read_constraints(const Node* constraints, const Node* machines, const SceneData& scene,
                      const Numbers& numbers, Mistakes& mistakes, Model& model);

// Names of states that stand twice or are none, and `initial` that there is not; for machines that
// may have other mistakes.
void check_machine_states(const Node* machines, Mistakes& mistakes);

// What the constraints say where the run begins (scene_constraint_start.cpp): mistakes where one
// cannot be obeyed at all.
void check_constraint_start(const Node* constraints, const Node* machines, const Model& model,
                            Mistakes& mistakes);

// What is odd about constraints and machines of a model that has no mistakes, with places.
std::vector<std::string> constraint_notes(const SceneData& scene, const Model& model);

}  // namespace vinci
