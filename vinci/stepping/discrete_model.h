// SPDX-License-Identifier: Apache-2.0
// The quasi-static models of [Trinkle 2005] as the paper states them. Model-DQC: equations 1, 20 to
// 23, the quadratic cone. Model-DLC: equations 24 to 26, a linear cone; the pyramid of eq. 13 has
// any number of directions and is a diamond with four of them, eq. 33 is a box.
//
// They differ from `motion: quasi-static` in one term: b_n, b_t and b_o have ∂ψ/∂t h, the velocity
// of drivers at the start of the step, in place of the displacement that drivers make in it. So a
// driver that slows down has its load overtake it by h² times half of its acceleration.
#pragma once

#include <string>
#include <vector>

#include "vinci/base/options.h"
#include "vinci/formulation/friction_cone.h"
#include "vinci/formulation/supports.h"
#include "vinci/model/state.h"

namespace vinci {

enum class DiscreteModel : char { none, dqc, dlc };
DiscreteModel discrete_model_of(const OptionValues& options);  // of `motion`

// "" if the model goes with this cone and a method that has the gaps in its rows.
std::string why_not_discrete(DiscreteModel model, const ConeForm& form, bool has_gaps);

inline bool predicts_drivers(DiscreteModel model) {
  return model != DiscreteModel::none;
}
// Packed velocities of what is prescribed at the time of the state, 0 for what is free.
void predict_drivers(const Model& model, const State& state, VectorX& velocities);
// The same for the points where bodies lie on the table.
void predict_supports(const Model& model, const State& state, const VectorX& driven,
                      std::vector<SupportPoint>& supports);

}  // namespace vinci
