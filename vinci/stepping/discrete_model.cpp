// SPDX-License-Identifier: Apache-2.0
// Model-DQC and Model-DLC: their cones, and drivers along their tangents.
#include "vinci/stepping/discrete_model.h"

#include "vinci/model/actuation.h"

namespace vinci {

DiscreteModel discrete_model_of(const OptionValues& options) {
  const std::string& name = options.text("motion");
  if (name == "dqc") return DiscreteModel::dqc;
  return name == "dlc" ? DiscreteModel::dlc : DiscreteModel::none;
}

std::string why_not_discrete(DiscreteModel model, const ConeForm& form, bool has_gaps) {
  if (model == DiscreteModel::none) return {};
  if (!has_gaps)
    return "the models dqc and dlc have the gap of every contact in their rows; accepted: stepper "
           "stewart-trinkle";
  if (model == DiscreteModel::dqc && has_directions(form))
    return "Model-DQC has the quadratic cone; accepted: 'cone: quadratic', or 'motion: dlc' for "
           "linear cones";
  if (model == DiscreteModel::dlc && !has_directions(form))
    return "Model-DLC has a linear cone; accepted: 'cone: pyramid' (a diamond with 'directions: "
           "4'), 'cone: box', or 'motion: dqc' for the quadratic cone";
  return {};
}

void predict_drivers(const Model& model, const State& state, VectorX& velocities) {
  velocities.setZero(model.velocity_count);
  prescribe_velocities(model, state.time, state.poses, velocities);
}

void predict_supports(const Model& model, const State& state, const VectorX& driven,
                      std::vector<SupportPoint>& supports) {
  for (SupportPoint& support : supports) {
    const Vector3 arm = support.point - center_of_mass(model, state.poses, support.body);
    support.prescribed = body_twist(model, driven, support.body).at(arm).head<2>();
  }
}

}  // namespace vinci
