// SPDX-License-Identifier: Apache-2.0
#include "vinci/stepping/repetition.h"

#include <algorithm>

namespace vinci {
namespace {

// Nobody looks at single steps, or gives them forces.
bool is_alone(const StepContext& context) {
  const StepInput& in = context.in;
  return in.before == nullptr && in.controllers.empty() && !in.held_forces && !in.witness &&
         !in.diagnosis;
}

}  // namespace

bool is_timeless(const Model& model) {
  constexpr std::size_t time = 0;  // the variable of a drive
  const auto reads_time = [](const Drive& drive) {
    return drive.motion || drive.expression.uses(time);
  };
  return model.joints.empty() && model.constraints.empty() && model.machines.empty() &&
         !model.conveys && !model.friction_laws &&
         std::none_of(model.bodies.begin(), model.bodies.end(), [&](const Body& body) {
           return std::any_of(body.drives.begin(), body.drives.end(), reads_time);
         });
}

// A change of the model or of the state leaves no contacts ahead.
bool Repetition::holds(const StepContext& context, const State& start, const State& state,
                       double h) const {
  return known_ && model_ == context.in.model && h_ == h && is_alone(context) &&
         !context.work.ahead.poses.empty() && context.out.contacts.size() == contacts_ &&
         same_but_time(state, start);
}

void Repetition::note(const StepContext& context, const State& start, const State& end, double h,
                      const StepReport& report) {
  known_ = report.ending == Ending::none && report.diverged_body < 0 && is_alone(context) &&
           same_but_time(start, end) && is_timeless(*context.in.model);
  if (!known_) return;
  model_ = context.in.model;
  h_ = h;
  contacts_ = context.out.contacts.size();
  report_ = report;
  report_.seconds = {};
}

}  // namespace vinci
