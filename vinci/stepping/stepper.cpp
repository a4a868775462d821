// SPDX-License-Identifier: Apache-2.0
// The list of built-in steppers.
#include "vinci/stepping/stepper.h"

#include <algorithm>

#include "vinci/stepping/anitescu_potra.h"
#include "vinci/stepping/second_order.h"
#include "vinci/stepping/song_pang_kumar.h"
#include "vinci/stepping/stewart_trinkle.h"

namespace vinci {

bool equal_poses(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Pose& x, const Pose& y) {
    return x.position == y.position && x.rotation.coeffs() == y.rotation.coeffs();
  });
}

const char* to_string(ConstraintState state) {
  switch (state) {
    case ConstraintState::free:
      return "free";
    case ConstraintState::frictionless:
      return "contact";
    case ConstraintState::sticking:
      return "sticking";
    case ConstraintState::sliding:
      return "sliding";
    case ConstraintState::ballistic:
      return "ballistic";
  }
  return "";
}

void TimeStepper::prepare(StepContext&, State&) {}

std::string TimeStepper::why_not_law(const Model&, const ImpactLaw&, const Solver&) const {
  return "its steps do not find the times of impacts, and apply no impact law; accepted: "
         "stewart-trinkle or anitescu-potra with 'impact-time: bisect' or 'gap-rate'";
}

void add_builtin_steppers(StepperRegistry& registry) {
  registry.add(StewartTrinkle::entry());
  registry.add(AnitescuPotra::entry());
  registry.add(SongPangKumar::entry());
  registry.add(SecondOrder::entry());
}

}  // namespace vinci
