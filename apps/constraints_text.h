// SPDX-License-Identifier: Apache-2.0
// Constraints and machines of a model, for people and programs.
#pragma once

#include "apps/command.h"
#include "vinci/events/impact_energy.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

Json constraints_json(const Model& model);
Json machines_json(const Model& model);
// Impacts that gain energy, where motion goes through events; nothing otherwise.
std::vector<ImpactGain> gains_of(const Simulation& simulation);
void print_constraints(const Json& constraints, const Json& machines);

}  // namespace vinci
