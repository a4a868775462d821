// SPDX-License-Identifier: Apache-2.0
// What is told where a motion cannot go on: which constraint or coordinate it is, and what to do.
#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/hybrid/mode_integrator.h"

namespace vinci {
namespace {

// 1/s: how fast the law of a constraint drives it to zero.
double rate_of(const Stabilisation& stabilisation) {
  const double spring = stabilisation.springs.empty() ? 0.0 : stabilisation.springs.front();
  return spring > 0.0 ? std::sqrt(spring) : stabilisation.damping;
}

// An acceleration of a constraint that nothing asks for but where its expression has a pole.
constexpr double wild = 1e9;

}  // namespace

void HybridMotion::give_up(const std::string& why) const {
  throw Failure(fmt::format("at {:.9g} s {}", state_.time, why));
}

std::string HybridMotion::why_nothing_fits(std::size_t first_event) const {
  const auto listed = [&](const std::vector<int>& list) {
    std::string names;
    for (const int i : list) names += (names.empty() ? "" : ", ") + name(i);
    return names;
  };
  const std::vector<int>& active = equations_.active();
  if (!are_determined_)
    return "the forces are not determined; " +
           (active.empty() ? "none act, a coordinate has no mass" : "what acts: " + listed(active));
  if (!are_forces_fine()) {
    if (const int idle = equations_.idle_constraint(); idle >= 0)
      return "nothing can move as the constraint asks: " + name(idle);
    return "the constraints that act contradict each other: " + listed(equations_.entangled());
  }
  std::vector<int> changed;
  for (std::size_t i = first_event; i < events_.size(); ++i)
    if (events_[i].constraint >= 0) changed.push_back(events_[i].constraint);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  const bool rub = std::any_of(changed.begin(), changed.end(), [&](int i) {
    return system_.constraints()[i].kind == ConstraintKind::friction;
  });
  return "no states of these constraints fit each other: " + listed(changed) +
         (rub ? "; rigid bodies that rub may have no motion (Painlevé's paradox): less friction, "
                "or "
                "a stepper that knows impulses, gets past it"
              : "; without friction there should be some: are masses or lengths of very different "
                "sizes?");
}

// What it was that the integrator could not follow.
void HybridMotion::integrator_gave_up(const std::string& why, int worst) {
  std::string text = "the integrator gave up: " + why;
  SystemFrame<double>& frame = equations_.frame();
  equations_.set(state_, inputs_);
  frame.accelerations.setZero();
  frame.multipliers.setZero();
  system_.evaluate(frame);
  int wildest = -1, stiffest = -1;
  double most = wild, fastest = 0.0;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    if (!acts(state_.mode.states[i])) continue;
    const Series<double>& gap = frame.gaps[i];
    const double asked = std::abs(gap.value) + std::abs(gap.first) + std::abs(gap.second);
    const double size = std::isfinite(asked) ? std::abs(gap.second) : infinity;
    if (size > most) most = size, wildest = i;
    if (const double rate = rate_of(system_.constraints()[i].stabilisation); rate > fastest)
      fastest = rate, stiffest = i;
  }
  if (wildest >= 0) {
    give_up(
        fmt::format("{}; {} becomes singular: its second derivative by time is {:.2g} there, "
                    "and its expression should stay away from its poles",
                    text, name(wildest), most));
  }
  const int n = system_.coordinate_count();
  if (worst >= 0 && worst < 2 * n) {
    const std::vector<std::string> names = system_.coordinate_names();
    text += fmt::format("; what it follows least is {}{}", worst < n ? "" : "the rate of ",
                        names[static_cast<std::size_t>(worst % n)]);
  }
  if (stiffest >= 0)
    text += fmt::format("; {} acts most stiffly, with a time scale of {:.2g} s", name(stiffest),
                        1.0 / fastest);
  give_up(text + "; longer time scales, softer springs or a coarser `accuracy` need fewer steps");
}

}  // namespace vinci
