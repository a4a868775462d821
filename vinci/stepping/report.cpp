// SPDX-License-Identifier: Apache-2.0
// The table of a step's fields, in the order in which steps.csv has those that are recorded.
#include "vinci/stepping/report.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "vinci/base/words.h"

namespace vinci {
namespace {

// A member of the report, or a member of a member.
template <auto... Path>
auto& member(StepReport& report) {
  return (report.*....*Path);
}

// Worse first: what failed, then what has the larger residual.
bool is_worse(const SolveReport& a, const SolveReport& b) {
  const bool failed_a = a.status != SolveStatus::solved, failed_b = b.status != SolveStatus::solved;
  if (failed_a != failed_b) return failed_a;
  return a.residual.relative > b.residual.relative;
}

template <class Value>
void add_value(Value& to, const Value& before, OverParts rule) {
  if constexpr (std::is_same_v<Value, StageSeconds>) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += before[i];
  } else if constexpr (std::is_same_v<Value, bool>) {
    to = to || before;
  } else if constexpr (std::is_arithmetic_v<Value>) {
    to = rule == OverParts::sum ? before + to : std::max(before, to);
  } else if constexpr (std::is_same_v<Value, Uniqueness>) {
    to = std::max(before, to);
  }
}

}  // namespace

const char* to_string(FoundState state) {
  constexpr const char* words[] = {"open", "sticks", "slides"};
  return words[static_cast<int>(state)];
}

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::detect:
      return "detect";
    case Stage::formulate:
      return "formulate";
    case Stage::solve:
      return "solve";
    case Stage::advance:
      return "advance";
  }
  return "";
}

bool is_certified(const StepReport& report, double accept) {
  return report.solve.residual.relative <= accept && !report.fell_back && !report.coarse &&
         !report.unsettled && report.passed == 0 && report.unexplained == 0.0 &&
         report.joint_opening <= largest_joint_opening && report.diverged_body < 0;
}

const std::vector<StepField>& step_fields() {
  using R = StepReport;
  static const std::vector<StepField> fields = {
      {.name = "status",
       .place = member<&R::solve, &SolveReport::status>,
       .text = "Of the solve: 'solved', 'inaccurate', 'no solution', 'limit' or 'refused'; 0 to 4 "
               "in recordings.",
       .over_parts = OverParts::worst,
       .column = "status"},
      {.name = "contacts",
       .place = member<&R::contact_count>,
       .text = "Contacts that may touch.",
       .column = "contacts"},
      {.name = "active",
       .place = member<&R::active_count>,
       .text = "Contacts with an impulse.",
       .column = "active"},
      {.name = "iterations",
       .place = member<&R::solve, &SolveReport::iterations>,
       .text = "Of the solver.",
       .over_parts = OverParts::sum,
       .column = "iterations"},
      {.name = "passes",
       .place = member<&R::passes>,
       .text = "Detections in the step.",
       .over_parts = OverParts::sum,
       .column = "passes"},
      {.name = "residual",
       .place = member<&R::solve, &SolveReport::residual, &Residual::relative>,
       .text = "Relative residual that the judge measured.",
       .over_parts = OverParts::worst,
       .column = "relative_residual"},
      {.name = "velocity_residual",
       .place = member<&R::solve, &SolveReport::residual, &Residual::velocity>,
       .text = "The residual as a velocity.",
       .unit = "m/s",
       .over_parts = OverParts::worst,
       .column = "velocity_residual"},
      {.name = "impulse_residual",
       .place = member<&R::solve, &SolveReport::residual, &Residual::impulse>,
       .text = "The residual as an impulse.",
       .unit = "N s",
       .over_parts = OverParts::worst,
       .column = "impulse_residual"},
      {.name = "penetration",
       .place = member<&R::penetration>,
       .text = "Deepest overlap at the start of the step.",
       .unit = "m",
       .over_parts = OverParts::largest,
       .column = "penetration"},
      {.name = "overlap",
       .place = member<&R::overlap>,
       .text = "Deepest overlap at the end of the step; of layers, what they do not explain.",
       .unit = "m",
       .column = "overlap"},
      {.name = "unexplained",
       .place = member<&R::unexplained>,
       .text = "The part of it that layers do not explain where this is more than tolerated: the "
               "step is not certified.",
       .unit = "m",
       .over_parts = OverParts::largest,
       .column = "unexplained"},
      {.name = "removed_overlap",
       .place = member<&R::removed_overlap>,
       .text = "Deepest overlap that was taken out of positions at the end of the step.",
       .unit = "m",
       .over_parts = OverParts::largest,
       .column = "removed_overlap"},
      {.name = "added_energy",
       .place = member<&R::added_energy>,
       .text = "Energy that this gave to bodies beyond what they paid from their motion.",
       .unit = "J",
       .over_parts = OverParts::sum,
       .column = "added_energy"},
      {.name = "element_energy",
       .place = member<&R::element_energy>,
       .text = "Energy that springs gained beyond their work: their lines turned within the step.",
       .unit = "J",
       .over_parts = OverParts::sum,
       .column = "element_energy"},
      {.name = "rebound_energy",
       .place = member<&R::rebound_energy>,
       .text =
           "Energy that rebounds gave back to bodies: their landings took it in the step before.",
       .unit = "J",
       .over_parts = OverParts::sum,
       .column = "rebound_energy"},
      {.name = "frame_iterations",
       .place = member<&R::frame_iterations>,
       .text = "Iterations for contact frames of the end of the step (`contact-frames: end`).",
       .over_parts = OverParts::sum,
       .column = "frame_iterations"},
      {.name = "frame_error",
       .place = member<&R::frame_error>,
       .text = "How far the poses at which contacts were taken, and the end of the step, are at "
               "most from those where both are one.",
       .unit = "m",
       .over_parts = OverParts::largest,
       .column = "frame_error"},
      {.name = "unsettled",
       .place = member<&R::unsettled>,
       .text = "Whether this is more than `frame-tolerance`: the step is not certified.",
       .over_parts = OverParts::any,
       .column = "unsettled"},
      {.name = "frame_energy",
       .place = member<&R::frame_energy>,
       .text = "Energy that bodies gained from normals that turned within the step.",
       .unit = "J",
       .over_parts = OverParts::sum,
       .column = "frame_energy"},
      {.name = "passed",
       .place = member<&R::passed>,
       .text = "Parts of the step in which bodies went through each other or overlapped too deep, "
               "however short they were made.",
       .over_parts = OverParts::sum,
       .column = "passed"},
      {.name = "joint_opening",
       .place = member<&R::joint_opening>,
       .text =
           "By how much a joint that rows hold together is open at the end of the step, in m or "
           "rad: a step with more than 1e-9 is not certified.",
       .over_parts = OverParts::largest,
       .column = "joint_opening"},
      {.name = "closed_opening",
       .place = member<&R::closed_opening>,
       .text = "By how much it would have been open, in m or rad, had positions not been closed.",
       .over_parts = OverParts::largest,
       .column = "closed_opening"},
      {.name = "joint_impacts",
       .place = member<&R::joint_impacts>,
       .text = "Whether a body met several others in the step with restitution: their order within "
               "the step is left out.",
       .over_parts = OverParts::any,
       .column = "joint_impacts"},
      {.name = "friction_rounds",
       .place = member<&R::friction_rounds>,
       .text = "Solves beyond the first that friction asked for whose coefficient depends on the "
               "sliding speed.",
       .over_parts = OverParts::sum,
       .column = "friction_rounds"},
      {.name = "friction_error",
       .place = member<&R::friction_error>,
       .text = "How far coefficients of friction are from those of the sliding speeds at the end "
               "of the step, relative; a step that does not settle is not certified.",
       .over_parts = OverParts::largest,
       .column = "friction_error"},
      {.name = "seconds",
       .place = member<&R::seconds>,
       .text = "Wall time by stage: detect, formulate, solve, advance.",
       .unit = "s",
       .over_parts = OverParts::sum,
       .column = "seconds"},
      {.name = "fell_back",
       .place = member<&R::fell_back>,
       .text = "The problem had no solution; solved without the stabilisation of overlaps.",
       .over_parts = OverParts::any,
       .column = "fell_back"},
      {.name = "free_motions",
       .place = member<&R::free_motions>,
       .text = "Directions in which the bodies could have moved otherwise: above 0 the motion is "
               "not unique.",
       .column = "free_motions"},
      {.name = "selected",
       .place = member<&R::selected>,
       .text = "Islands whose loads rigid bodies leave open, decided by the rule of selection.",
       .over_parts = OverParts::largest,
       .column = "selected"},
      {.name = "unselected",
       .place = member<&R::unselected>,
       .text = "Islands for which the rule of selection gave no answer: the solver's stands.",
       .over_parts = OverParts::largest,
       .column = "unselected"},
      {.name = "substeps",
       .place = member<&R::substeps>,
       .text = "Smaller steps that the stepper took within this one.",
       .column = "substeps",
       .wide = true},
      {.name = "impacts",
       .place = member<&R::impacts>,
       .text = "Impacts in the step whose time was found (`impact_time`).",
       .column = "impacts",
       .wide = true},
      {.name = "cuts",
       .place = member<&R::cuts>,
       .text = "Of a step of second order: transitions whose time was found, which ended a part of "
               "it.",
       .over_parts = OverParts::sum,
       .column = "cuts",
       .wide = true},
      {.name = "ordinary",
       .place = member<&R::ordinary>,
       .text =
           "Of a step of second order: parts of it that the ordinary step made, of first order.",
       .over_parts = OverParts::sum,
       .column = "ordinary",
       .wide = true},
      {.name = "rejected",
       .place = member<&R::rejected>,
       .text = "Parts of the step that were made again shorter for the accuracy that is asked for.",
       .over_parts = OverParts::sum,
       .column = "rejected",
       .wide = true},
      {.name = "least_steps",
       .place = member<&R::least_steps>,
       .text = "Parts of the step that were too short to be made shorter for the accuracy.",
       .over_parts = OverParts::sum,
       .column = "least_steps",
       .wide = true},
      {.name = "error_estimate",
       .place = member<&R::error_estimate>,
       .text = "The error of the step by its own estimate: of positions, and of velocities over a "
               "second.",
       .unit = "m",
       .over_parts = OverParts::sum,
       .column = "error_estimate"},
      {.name = "events",
       .place = member<&R::events>,
       .text = "Of an event-driven step: changes of what acts, each with its time.",
       .over_parts = OverParts::sum,
       .column = "events",
       .wide = true},
      {.name = "integrator_steps",
       .place = member<&R::integrator_steps>,
       .text = "Steps of the integrator between events.",
       .over_parts = OverParts::sum,
       .column = "integrator_steps",
       .wide = true},
      {.name = "evaluations",
       .place = member<&R::evaluations>,
       .text = "How often the integrator evaluated the equations.",
       .over_parts = OverParts::sum,
       .column = "evaluations",
       .wide = true},
      {.name = "accumulations",
       .place = member<&R::accumulations>,
       .text = "How often events piled up at a time and were passed: the contact sticks from then "
               "on.",
       .over_parts = OverParts::sum,
       .column = "accumulations",
       .wide = true},
      {.name = "impact_energy",
       .place = member<&R::impact_energy>,
       .text = "Energy that event-driven contacts gave to bodies by throwing them back faster than "
               "they came.",
       .unit = "J",
       .over_parts = OverParts::sum,
       .column = "impact_energy"},
      {.name = "sinking",
       .place = member<&R::sinking>,
       .text = "How deep event-driven contacts were at most while their constraint brought them "
               "back to zero: part of the model, no error.",
       .unit = "m",
       .over_parts = OverParts::largest,
       .column = "sinking"},
      {.name = "used_up",
       .place = member<&R::used_up>,
       .text = "Contacts whose layer was used up in the step: the rigid core under it bore load.",
       .over_parts = OverParts::largest,
       .column = "used_up",
       .wide = true},
      {.name = "layer_energy",
       .place = member<&R::layer_energy>,
       .text = "Energy in the layers of contacts at the end of the step, a part of the potential.",
       .unit = "J",
       .column = "layer_energy"},
      {.name = "uniqueness",
       .place = member<&R::uniqueness>,
       .text =
           "Whether the motion is the only one that the step allows: 'unique' where that is "
           "proved, 'several' where others were found, 'unknown' otherwise; '' where `diagnose` "
           "does not ask. 0 to 3 in recordings: not asked, unique, unknown, several.",
       .over_parts = OverParts::largest,
       .column = "uniqueness"},
      {.name = "solutions",
       .place = member<&R::solutions>,
       .text = "Motions of the step that are known: above 1 where there are several.",
       .over_parts = OverParts::largest,
       .column = "solutions"},
      {.name = "solution_distance",
       .place = member<&R::solution_distance>,
       .text = "How far apart those are that differ most: of the body that differs most, the root "
               "of v^2 + (r w)^2, with its radius r.",
       .unit = "m/s",
       .over_parts = OverParts::largest,
       .column = "solution_distance"},
      {.name = "open_loads",
       .place = member<&R::open_loads>,
       .text = "Directions in which contact forces could be others with the same motion, as far as "
               "the diagnosis looked.",
       .over_parts = OverParts::largest,
       .column = "open_loads"},
      {.name = "coarse",
       .place = member<&R::coarse>,
       .text = "Whether a substep had to be longer than the stepper's rules ask for."},
      {.name = "free_body",
       .place = member<&R::free_body>,
       .text = "Number of a body that one of the free motions moves, or -1."},
      {.name = "ending",
       .place = member<&R::ending>,
       .text = "Why the motion model has no next state, in words; '' where it has one."},
      {.name = "unbalanced_body",
       .place = member<&R::shortage, &Shortage::body>,
       .text = "Number of the body that lacks most where no contact forces balance, or -1."},
      {.name = "missing_force",
       .place = member<&R::shortage, &Shortage::force>,
       .text = "The least force that, with `missing_torque`, would hold it.",
       .unit = "N"},
      {.name = "missing_torque",
       .place = member<&R::shortage, &Shortage::torque>,
       .text = "The torque about its centre of mass that belongs to it.",
       .unit = "N m"},
      {.name = "diverged_body",
       .place = member<&R::diverged_body>,
       .text = "Number of the first body whose numbers are not finite, or -1."},
      {.name = "solver",
       .place = member<&R::solve, &SolveReport::solver>,
       .text = "Who gave the answer.",
       .over_parts = OverParts::worst},
      {.name = "note",
       .place = member<&R::solve, &SolveReport::note>,
       .text = "What the solver has to say of it.",
       .over_parts = OverParts::worst},
  };
  return fields;
}

std::string ending_words(Ending ending, const Shortage& shortage, const std::string& body) {
  if (ending != Ending::no_equilibrium || shortage.body < 0) return to_string(ending);
  constexpr double negligible = 1e-6;  // of the other, in SI units
  const auto amount = [](double size, const char* unit, const char* where, const Vector3& axis) {
    const auto component = [](double x) {  // −0 is shown as 0
      return short_number(std::abs(x) < 1e-3 ? 0.0 : x);
    };
    return fmt::format("{} {} more {} ({}, {}, {})", short_number(size), unit, where,
                       component(axis.x()), component(axis.y()), component(axis.z()));
  };
  std::string needs;
  if (shortage.force > negligible * shortage.torque)
    needs = amount(shortage.force, "N", "along", shortage.along);
  if (shortage.torque > negligible * shortage.force)
    needs +=
        (needs.empty() ? "" : " and ") + amount(shortage.torque, "N m", "about", shortage.about);
  return fmt::format("no equilibrium: '{}' needs {}; without inertia there is no motion", body,
                     needs);
}

ReportValue StepField::value(const StepReport& report) const {
  return std::visit(
      [&](auto where) -> ReportValue {
        const auto& held = at(where, report);
        using Value = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Value, int>)
          return std::int64_t{held};
        else if constexpr (std::is_enum_v<Value>)
          return std::string(to_string(held));
        else if constexpr (std::is_pointer_v<Value>)
          return std::string(held);
        else
          return held;
      },
      place);
}

void add_part(StepReport& sum, const StepReport& part) {
  StepReport before = std::exchange(sum, part);
  if (!before.motions.empty()) {
    for (FoundMotion& motion : sum.motions) motion.part += before.motions.back().part + 1;
    before.motions.insert(before.motions.end(), sum.motions.begin(), sum.motions.end());
    sum.motions.swap(before.motions);
  }
  if (is_worse(before.solve, part.solve)) sum.solve = before.solve;
  sum.solve.iterations = part.solve.iterations;
  if (part.accumulations == 0) sum.piled = before.piled;
  for (const StepField& field : step_fields())
    if (field.over_parts != OverParts::last && field.over_parts != OverParts::worst)
      std::visit([&](auto place) { add_value(place(sum), at(place, before), field.over_parts); },
                 field.place);
}

}  // namespace vinci
