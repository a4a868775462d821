// SPDX-License-Identifier: Apache-2.0
// Constraints and machines of a model, for people and programs.
#pragma once

#include "apps/command.h"
#include "vinci/model/model.h"

namespace vinci {

Json constraints_json(const Model& model);
Json machines_json(const Model& model);
void print_constraints(const Json& constraints, const Json& machines);

}  // namespace vinci
