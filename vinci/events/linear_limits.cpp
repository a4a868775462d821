// SPDX-License-Identifier: Apache-2.0
#include "vinci/events/linear_limits.h"

#include <cmath>

#include "vinci/base/error.h"
#include "vinci/events/kinks.h"
#include "vinci/hybrid/equations.h"
#include "vinci/hybrid/linearise.h"

namespace vinci {
namespace {

constexpr double bearing_share = 1e-9;  // of the largest force: no force
constexpr double still = 1e-7;          // m/s

// How v' and the further states change; a mode that has no linear system is like no other.
bool moves_alike(const ModelSystem& system, const HybridState& a, const HybridState& b,
                 const VectorX& inputs) {
  const Eigen::Index size = 2 * system.coordinate_count() + system.extra_count();
  try {
    const LinearSystem one = linearise(system, a, inputs), other = linearise(system, b, inputs);
    const auto same = [&](const MatrixX& left, const MatrixX& right) {
      return (left - right).lpNorm<Eigen::Infinity>() <=
             1e-9 * (1.0 + left.lpNorm<Eigen::Infinity>());
    };
    return same(one.a.topLeftCorner(size, size), other.a.topLeftCorner(size, size)) &&
           same(one.b.topRows(size), other.b.topRows(size));
  } catch (const Error&) {
    return false;
  }
}

bool is_on(const Constraint& constraint, const HybridState& state) {
  return constraint.machine < 0 ||
         constraint.on[static_cast<std::size_t>(
             state.machines[static_cast<std::size_t>(constraint.machine)])];
}

// The other state of a contact, with its friction.
HybridState turned(const ModelSystem& system, HybridState state, int contact) {
  const auto at = static_cast<std::size_t>(contact);
  const bool on = !acts(state.mode.states[at]);
  state.mode.states[at] = on ? ContactState::contact : ContactState::free;
  const auto& constraints = system.constraints();
  for (std::size_t i = 0; i < constraints.size(); ++i)
    if (constraints[i].with == contact)
      state.mode.states[i] = !on ? ContactState::free
                             : constraints[i].kind == ConstraintKind::friction
                                 ? ContactState::sticking
                                 : ContactState::contact;
  return state;
}

}  // namespace

std::vector<std::string> mode_limits(const ModelSystem& system, const HybridState& state,
                                     const VectorX& inputs, const VectorX& tolerances) {
  ModeEquations equations(system);
  equations.set(state, inputs);
  if (!equations.solve(state.mode)) return {};
  const VectorX forces = equations.frame().multipliers;
  const double nothing =
      bearing_share * (forces.size() > 0 ? forces.lpNorm<Eigen::Infinity>() : 0.0);
  std::vector<std::string> limits;
  const auto& constraints = system.constraints();
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& constraint = constraints[i];
    const auto k = static_cast<Eigen::Index>(i);
    const Series<double>& gap = equations.frame().gaps[k];
    const ContactState now = state.mode.states[i];
    if (!is_on(constraint, state)) continue;
    if (constraint.kind == ConstraintKind::contact) {
      const bool bears = acts(now) && std::abs(forces[k]) > nothing;
      const bool is_open = !acts(now) && (gap.value > tolerances[k] || gap.first > still);
      if (bears || is_open ||
          moves_alike(system, state, turned(system, state, static_cast<int>(i)), inputs))
        continue;
      limits.push_back(constraint.name + " touches without force");
    } else if (constraint.kind == ConstraintKind::friction && !constraint.second &&
               !constraint.never_slides) {
      const bool two = i + 1 < constraints.size() && constraints[i + 1].second;
      const double slip =
          two ? std::hypot(gap.first, equations.frame().gaps[k + 1].first) : std::abs(gap.first);
      const double force = two ? std::hypot(forces[k], forces[k + 1]) : std::abs(forces[k]);
      const double bound =
          constraint.bound +
          (constraint.with < 0 ? 0.0 : constraint.coefficient * forces[constraint.with]);
      if (!(bound > nothing)) continue;
      if (now == ContactState::sticking && force >= bound * (1.0 - bearing_share))
        limits.push_back(constraint.name + " is at its bound, but does not slide");
      else if (now == ContactState::sliding && slip <= still)
        limits.push_back(constraint.name + " begins to slide");
    }
  }
  return limits;
}

std::vector<std::string> law_kinks(const ModelSystem& system, const HybridState& state,
                                   const VectorX& inputs) {
  const int n = system.coordinate_count(), k = system.extra_count(), in = system.input_count();
  ModeEquations equations(system);
  KinkQuestion question;
  const auto lists = {system.coordinate_names(), system.rate_names(), system.extra_names()};
  for (const auto& list : lists)
    question.columns.insert(question.columns.end(), list.begin(), list.end());
  for (int j = 0; j < in; ++j) question.columns.push_back("input " + std::to_string(j + 1));
  for (const auto& list : {system.rate_names(), system.extra_names()})
    for (const std::string& name : list) question.rows.push_back("the rate of " + name);
  question.point.resize(2 * n + k + in);
  question.point << state.positions, state.velocities, state.extras, inputs;
  question.scales = question.point.cwiseAbs();
  const auto at_least = [&](int first, int count, double least) {
    question.scales.segment(first, count) =
        question.scales.segment(first, count).cwiseMax(least).eval();
  };
  at_least(0, n, 1e-2);  // m, rad
  at_least(n, n, 0.1);
  at_least(2 * n, k + in, 1.0);
  question.values = [&](const VectorX& point) {
    HybridState there = state;
    there.positions = point.head(n);
    there.velocities = point.segment(n, n);
    there.extras = point.segment(2 * n, k);
    equations.set(there, point.tail(in));
    VectorX values = VectorX::Constant(n + k, std::nan(""));
    try {
      if (!equations.solve(there.mode)) return values;
    } catch (const Error&) {
      return values;  // outside of the domain of a law
    }
    values << equations.frame().accelerations, equations.frame().extra_rates;
    return values;
  };
  question.values(question.point);
  double largest = equations.frame().accelerations.size() > 0
                       ? equations.frame().accelerations.lpNorm<Eigen::Infinity>()
                       : 0.0;
  for (int i = 0; i < static_cast<int>(system.constraints().size()); ++i)
    largest = std::max(largest, std::abs(equations.frame().multipliers[i]) *
                                    std::max(1.0, equations.mobility(state.mode, i)));
  question.noise = 1e4 * machine_epsilon * (1.0 + largest);
  return kinks(question);
}

}  // namespace vinci
