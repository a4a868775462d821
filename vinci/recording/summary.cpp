// SPDX-License-Identifier: Apache-2.0
// The table of a run's summary, in the order in which people read it.
#include "vinci/recording/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/recording/event_summary.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

struct ToJson {
  Json operator()(const StageSeconds& seconds) const {
    Json stages;
    for (std::size_t i = 0; i < seconds.size(); ++i)
      stages[to_string(static_cast<Stage>(i))] = seconds[i];
    return stages;
  }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

template <auto Member>
ReportValue shown(const RunSummary& summary) {
  return summary.*Member;
}

std::string steps_words(const RunSummary&, const RunFacts& facts) {
  return fmt::format("{} of {}, {} s each: {} s simulated", facts.step, facts.total_steps,
                     short_number(facts.step_size), short_number(facts.time));
}

std::string substeps_words(const RunSummary& s, const RunFacts&) {
  if (s.substeps <= s.steps) return {};
  return fmt::format("{}, {:.1f} per step", s.substeps,
                     static_cast<double>(s.substeps) / static_cast<double>(s.steps));
}

std::string coarse_words(const RunSummary& s, const RunFacts&) {
  if (s.coarse_steps == 0) return {};
  if (s.element_energy > 0.0)
    return fmt::format("{} too long for the springs", plural(s.coarse_steps, "step"));
  return fmt::format("{}: the layers ask for shorter substeps than `most-substeps` allows",
                     plural(s.coarse_steps, "step"));
}

std::string used_up_words(const RunSummary& s, const RunFacts&) {
  if (s.used_up_steps == 0) return {};
  return fmt::format("in {}, first in step {}: the load went to the rigid core under the layer",
                     plural(s.used_up_steps, "step"), s.first_used_up);
}

std::string wall_words(const RunSummary& s, const RunFacts& facts) {
  return fmt::format("{} s, {} times real time", short_number(s.wall_seconds),
                     short_number(facts.time / std::max(s.wall_seconds, 1e-9)));
}

std::string contacts_words(const RunSummary& s, const RunFacts&) {
  return fmt::format("mean {:.1f}, most {}", s.contacts_mean(), s.contacts_max);
}

std::string residual_words(const RunSummary& s, const RunFacts& facts) {
  if (s.steps == 0) return "no step was made";
  const std::string worst =
      fmt::format("{} relative, in step {}", short_number(s.worst_residual), s.worst_residual_step);
  if (s.inexact_steps == 0)
    return fmt::format("{}; every step within {}", worst, short_number(facts.accept));
  return fmt::format("{}; {} ABOVE {}", worst, plural(s.inexact_steps, "step"),
                     short_number(facts.accept));
}

std::string penetration_words(const RunSummary& s, const RunFacts&) {
  return fmt::format("deepest {} m", short_number(s.worst_penetration));
}

std::string energy_words(const RunSummary& s, const RunFacts&) {
  return fmt::format("first {:.6g} J, last {:.6g} J", s.energy_first, s.energy_last);
}

std::string fallback_words(const RunSummary& s, const RunFacts&) {
  if (s.fallback_steps == 0) return {};
  return fmt::format("{} had no solution and left out the stabilisation",
                     plural(s.fallback_steps, "step"));
}

std::string free_words(const RunSummary& s, const RunFacts&) {
  if (s.free_steps == 0) return {};
  return fmt::format(
      "the motion of {}: nothing holds '{}' in some direction, and it took the least motion",
      plural(s.free_steps, "step"), s.free_body_name);
}

std::string chosen_words(const RunSummary& s, const RunFacts&) {
  if (s.unselected_steps == 0) return {};
  return fmt::format("by the solver in {}: the rule of selection had no answer there",
                     plural(s.unselected_steps, "step"));
}

// Nothing where the run did not ask.
std::string unique_words(const RunSummary& s, const RunFacts&) {
  const std::int64_t asked = s.unique_steps + s.several_steps + s.unknown_steps;
  if (asked == 0) return {};
  if (s.unique_steps == asked) return fmt::format("proved in every step ({})", asked);
  std::string words = fmt::format("proved in {} of {} steps", s.unique_steps, asked);
  if (s.unknown_steps > 0) words += fmt::format("; not known in {}", s.unknown_steps);
  return words;
}

std::string several_words(const RunSummary& s, const RunFacts&) {
  if (s.several_steps == 0) return {};
  std::string words = fmt::format(
      "{} more than one motion, first step {}",
      s.several_steps == 1 ? "1 step allows" : fmt::format("{} steps allow", s.several_steps),
      s.first_several);
  if (s.largest_distance > 0.0)
    words += fmt::format("; they differ by up to {} m/s", short_number(s.largest_distance));
  return words + ": the run follows one of them";
}

std::string open_words(const RunSummary& s, const RunFacts&) {
  if (s.open_load_steps == 0) return {};
  return fmt::format("in {} contact forces could be others with the same motion",
                     plural(s.open_load_steps, "step"));
}

std::string certified_words(const RunSummary& s, const RunFacts& facts) {
  if (s.certified()) return {};
  std::vector<std::string> why;
  if (s.inexact_steps > 0)
    why.push_back(fmt::format("{} not solved to {}", plural(s.inexact_steps, "step"),
                              short_number(facts.accept)));
  if (s.passed_steps > 0)
    why.push_back(fmt::format("bodies passed or overlap in {}", plural(s.passed_steps, "step")));
  if (s.unexplained_steps > 0)
    why.push_back(
        fmt::format("layers do not explain an overlap in {}", plural(s.unexplained_steps, "step")));
  if (s.open_joint_steps > 0)
    why.push_back(fmt::format("joints are open in {}", plural(s.open_joint_steps, "step")));
  if (s.unsettled_frames > 0)
    why.push_back(
        fmt::format("contact frames did not settle in {}", plural(s.unsettled_frames, "step")));
  if (s.fallback_steps > 0)
    why.push_back(fmt::format("{} without a solution", plural(s.fallback_steps, "step")));
  if (s.coarse_steps > 0) why.push_back(fmt::format("{} too long", plural(s.coarse_steps, "step")));
  if (s.diverged()) why.push_back("the run diverged");
  const std::string first =
      s.first_uncertified > 0 ? fmt::format("; first in step {}", s.first_uncertified) : "";
  return fmt::format("NO: {}{}", fmt::join(why, ", "), first);
}

std::string passed_words(const RunSummary& s, const RunFacts&) {
  if (s.passed_steps == 0) return {};
  return fmt::format(
      "in {} bodies went through each other or overlapped too deep: take a shorter step",
      plural(s.passed_steps, "step"));
}

std::string unexplained_words(const RunSummary& s, const RunFacts&) {
  if (s.unexplained_steps == 0) return {};
  return fmt::format(
      "in {} bodies end deeper in each other than their layers explain, by up to {} m, and could "
      "not be parted",
      plural(s.unexplained_steps, "step"), short_number(s.deepest_unexplained));
}

std::string opening_words(const RunSummary& s, const RunFacts&) {
  if (s.widest_closed == 0.0) return {};
  return fmt::format(
      "open by at most {} m or rad at the end of a step, once up to {} were closed in positions{}",
      short_number(s.widest_opening), short_number(s.widest_closed),
      s.open_joint_steps > 0
          ? fmt::format("; more than {} in {}", short_number(largest_joint_opening),
                        plural(s.open_joint_steps, "step"))
          : "");
}

std::string unsettled_friction_words(const RunSummary& s, const RunFacts&) {
  if (s.unsettled_friction == 0) return {};
  return fmt::format(
      "in {} no coefficient of friction was found that fits the sliding speed, by up to {} of it",
      plural(s.unsettled_friction, "step"), short_number(s.worst_friction_error));
}

// Nothing where frames are not those of the end.
std::string frame_words(const RunSummary& s, const RunFacts&) {
  if (s.frame_iterations == 0 && s.unsettled_frames == 0) return {};
  std::string words = fmt::format("of the end of the step: {:.1f} iterations per step, within {} m",
                                  static_cast<double>(s.frame_iterations) /
                                      static_cast<double>(std::max<std::int64_t>(1, s.steps)),
                                  short_number(s.worst_frame_error));
  if (s.unsettled_frames > 0)
    words += fmt::format("; {} did NOT settle", plural(s.unsettled_frames, "step"));
  return words;
}

std::string removed_words(const RunSummary& s, const RunFacts&) {
  if (s.removed_overlaps == 0) return {};
  const std::string energy =
      s.added_energy > 0.0 ? fmt::format(", which added {:.3g} J", s.added_energy) : "";
  return fmt::format("taken out of positions in {}, deepest {} m{}",
                     plural(s.removed_overlaps, "step"), short_number(s.deepest_removed), energy);
}

std::string element_words(const RunSummary& s, const RunFacts&) {
  if (s.element_energy == 0.0) return {};
  return fmt::format(
      "lines that turned within a step added {:.3g} J in all; a shorter step adds less",
      s.element_energy);
}

std::string joint_words(const RunSummary& s, const RunFacts&) {
  if (s.joint_impact_steps == 0) return {};
  return fmt::format(
      "in {} a body met several others with restitution, and the steps leave out in which order: "
      "`impact-time: bisect` finds it",
      plural(s.joint_impact_steps, "step"));
}

std::string impact_words(const RunSummary& s, const RunFacts&) {
  return s.impacts == 0 ? std::string() : fmt::format("{} whose time was found", s.impacts);
}

std::string cut_words(const RunSummary& s, const RunFacts&) {
  if (s.cuts == 0 && s.ordinary_parts == 0) return {};
  std::string words = fmt::format("{} whose time was found", s.cuts);
  if (s.ordinary_parts > 0)
    words += fmt::format(", and {} made by the ordinary step, of first order",
                         plural(s.ordinary_parts, "part"));
  return words;
}

std::string estimate_words(const RunSummary& s, const RunFacts&) {
  if (s.error_estimate <= 0.0) return {};
  std::string words = fmt::format("{:.2g} m by the run's own estimate", s.error_estimate);
  if (s.least_steps > 0)
    words +=
        fmt::format(", in which {} could not be made short enough", plural(s.least_steps, "part"));
  return words;
}

std::vector<SummaryField> all_fields() {
  using S = RunStatistics;
  using Step = const StepNote&;
  std::vector<SummaryField> fields = {
      {.name = "certified",
       .text = "Whether every step is what its method asks for: solved to `accept` with all terms, "
               "in steps as short as asked for, and no body inside or beyond another.",
       .value = [](const RunSummary& s) -> ReportValue { return s.certified(); },
       .label = "certified",
       .words = certified_words},
      {.name = "uncertified_steps",
       .text = "Steps that are not.",
       .stored = {{"uncertified_steps", &S::uncertified_steps}},
       .add =
           [](S& s, Step step) {
             if (is_certified(step.report, step.accept)) return;
             if (++s.uncertified_steps == 1) s.first_uncertified = step.step;
           },
       .value = shown<&S::uncertified_steps>},
      {.name = "first_uncertified",
       .text = "The first of them; 0 if there is none.",
       .stored = {{"first_uncertified", &S::first_uncertified}},
       .value = shown<&S::first_uncertified>},
      {.name = "steps",
       .text = "Steps done.",
       .stored = {{"steps", &S::steps}},
       .add = [](S& s, Step) { ++s.steps; },
       .value = shown<&S::steps>,
       .label = "steps",
       .words = steps_words},
      {.name = "substeps",
       .text = "Of all steps: above `steps` where the stepper took smaller ones.",
       .stored = {{"substeps_sum", &S::substeps}},
       .add = [](S& s, Step step) { s.substeps += step.report.substeps; },
       .value = shown<&S::substeps>,
       .label = "substeps",
       .words = substeps_words},
      {.name = "coarse_steps",
       .text = "Steps with a substep longer than the stepper's rules ask for.",
       .stored = {{"coarse_steps", &S::coarse_steps}},
       .add = [](S& s, Step step) { s.coarse_steps += step.report.coarse ? 1 : 0; },
       .value = shown<&S::coarse_steps>,
       .label = "coarse",
       .words = coarse_words},
      {.name = "used_up_steps",
       .text = "Steps in which the layer of a contact was used up and its rigid core bore load.",
       .stored = {{"used_up_steps", &S::used_up_steps}},
       .add =
           [](S& s, Step step) {
             if (step.report.used_up > 0 && s.used_up_steps++ == 0) s.first_used_up = step.step;
           },
       .value = shown<&S::used_up_steps>,
       .label = "layers used up",
       .words = used_up_words},
      {.name = "first_used_up",
       .text = "The first of them; 0 if there is none.",
       .stored = {{"first_used_up", &S::first_used_up}},
       .value = shown<&S::first_used_up>},
      {.name = "wall_seconds",
       .text = "Wall time of the run and its recording.",
       .unit = "s",
       .stored = {{"wall_seconds", &S::wall_seconds}},
       .value = shown<&S::wall_seconds>,
       .label = "wall time",
       .words = wall_words},
      {.name = "stage_seconds",
       .text = "Wall time by stage: detect, formulate, solve, advance.",
       .unit = "s",
       .stored = {{"stage_seconds", &S::stage_seconds}},
       .add =
           [](S& s, Step step) {
             for (std::size_t i = 0; i < s.stage_seconds.size(); ++i)
               s.stage_seconds[i] += step.report.seconds[i];
           },
       .value = shown<&S::stage_seconds>},
      {.name = "contacts_max",
       .text = "Most contacts in a step.",
       .stored = {{"contacts_max", &S::contacts_max}},
       .add =
           [](S& s, Step step) {
             s.contacts_max = std::max<std::int64_t>(s.contacts_max, step.report.contact_count);
           },
       .value = shown<&S::contacts_max>,
       .label = "contacts",
       .words = contacts_words},
      {.name = "contacts_mean",
       .text = "Contacts per step.",
       .stored = {{"contacts_sum", &S::contacts_sum}},
       .add = [](S& s, Step step) { s.contacts_sum += step.report.contact_count; },
       .value = [](const RunSummary& s) -> ReportValue { return s.contacts_mean(); }},
      {.name = "iterations_mean",
       .text = "Iterations of the solver per step.",
       .stored = {{"iterations_sum", &S::iterations_sum}},
       .add = [](S& s, Step step) { s.iterations_sum += step.report.solve.iterations; },
       .value = [](const RunSummary& s) -> ReportValue { return s.iterations_mean(); }},
      {.name = "worst_residual",
       .text = "Largest relative residual of a step.",
       .stored = {{"worst_residual", &S::worst_residual}},
       .add =
           [](S& s, Step step) {
             // A residual that is not a number is worse than any number, and stays the worst.
             const double residual = step.report.solve.residual.relative;
             if (residual <= s.worst_residual || std::isnan(s.worst_residual)) return;
             s.worst_residual = residual;
             s.worst_residual_step = step.step;
           },
       .value = shown<&S::worst_residual>,
       .label = "worst residual",
       .words = residual_words},
      {.name = "worst_residual_step",
       .text = "The step that had it.",
       .stored = {{"worst_residual_step", &S::worst_residual_step}},
       .value = shown<&S::worst_residual_step>},
      {.name = "inexact_steps",
       .text = "Steps with a residual above `accept`.",
       .stored = {{"inexact_steps", &S::inexact_steps}},
       .add =
           [](S& s, Step step) {
             s.inexact_steps += step.report.solve.residual.relative <= step.accept ? 0 : 1;
           },
       .value = shown<&S::inexact_steps>},
      {.name = "worst_penetration",
       .text = "Deepest overlap.",
       .unit = "m",
       .stored = {{"worst_penetration", &S::worst_penetration}},
       .add =
           [](S& s, Step step) {
             s.worst_penetration = std::max(s.worst_penetration, step.report.penetration);
           },
       .value = shown<&S::worst_penetration>,
       .label = "penetration",
       .words = penetration_words},
      {.name = "passed_steps",
       .text = "Steps in which bodies went through each other or overlapped too deep, however "
               "short their parts were made.",
       .stored = {{"passed_steps", &S::passed_steps}},
       .add = [](S& s, Step step) { s.passed_steps += step.report.passed > 0 ? 1 : 0; },
       .value = shown<&S::passed_steps>,
       .label = "passed",
       .words = passed_words},
      {.name = "unexplained_steps",
       .text = "Steps that end with bodies deeper in each other than their layers explain, by more "
               "than is tolerated.",
       .stored = {{"unexplained_steps", &S::unexplained_steps}},
       .add =
           [](S& s, Step step) {
             s.unexplained_steps += step.report.unexplained > 0.0 ? 1 : 0;
             s.deepest_unexplained = std::max(s.deepest_unexplained, step.report.unexplained);
           },
       .value = shown<&S::unexplained_steps>,
       .label = "unexplained",
       .words = unexplained_words},
      {.name = "deepest_unexplained",
       .text = "The deepest of them.",
       .unit = "m",
       .stored = {{"deepest_unexplained", &S::deepest_unexplained}},
       .value = shown<&S::deepest_unexplained>},
      {.name = "open_joint_steps",
       .text =
           "Steps that end with a joint open by more than 1e-9 m or rad: they are not certified.",
       .stored = {{"open_joint_steps", &S::open_joint_steps}},
       .add =
           [](S& s, Step step) {
             s.open_joint_steps += step.report.joint_opening > largest_joint_opening ? 1 : 0;
             s.widest_opening = std::max(s.widest_opening, step.report.joint_opening);
             s.widest_closed = std::max(s.widest_closed, step.report.closed_opening);
           },
       .value = shown<&S::open_joint_steps>,
       .label = "joints",
       .words = opening_words},
      {.name = "widest_opening",
       .text = "The most that a joint held by rows is open by at the end of a step, m or rad.",
       .stored = {{"widest_opening", &S::widest_opening}},
       .value = shown<&S::widest_opening>},
      {.name = "widest_closed",
       .text = "The most that a step closed in positions, m or rad.",
       .stored = {{"widest_closed", &S::widest_closed}},
       .value = shown<&S::widest_closed>},
      {.name = "friction_rounds",
       .text = "Solves beyond the first of each step that friction asked for whose coefficient "
               "depends on the sliding speed.",
       .stored = {{"friction_rounds", &S::friction_rounds}},
       .add = [](S& s, Step step) { s.friction_rounds += step.report.friction_rounds; },
       .value = shown<&S::friction_rounds>},
      {.name = "unsettled_friction",
       .text = "Steps in which these coefficients did not settle: they are not certified.",
       .stored = {{"unsettled_friction", &S::unsettled_friction}},
       .add =
           [](S& s, Step step) {
             s.unsettled_friction += step.report.friction_error > step.accept ? 1 : 0;
             s.worst_friction_error = std::max(s.worst_friction_error, step.report.friction_error);
           },
       .value = shown<&S::unsettled_friction>,
       .label = "friction",
       .words = unsettled_friction_words},
      {.name = "worst_friction_error",
       .text = "How far such a coefficient was from that of its sliding speed at most, relative.",
       .stored = {{"worst_friction_error", &S::worst_friction_error}},
       .value = shown<&S::worst_friction_error>},
      {.name = "frame_iterations",
       .text = "Iterations for contact frames of the end of steps (`contact-frames: end`).",
       .stored = {{"frame_iterations", &S::frame_iterations}},
       .add =
           [](S& s, Step step) {
             s.frame_iterations += step.report.frame_iterations;
             s.unsettled_frames += step.report.unsettled ? 1 : 0;
             s.worst_frame_error = std::max(s.worst_frame_error, step.report.frame_error);
             s.frame_energy += step.report.frame_energy;
           },
       .value = shown<&S::frame_iterations>,
       .label = "contact frames",
       .words = frame_words},
      {.name = "unsettled_frames",
       .text = "Steps in which these did not settle to `frame-tolerance`.",
       .stored = {{"unsettled_frames", &S::unsettled_frames}},
       .value = shown<&S::unsettled_frames>},
      {.name = "worst_frame_error",
       .text = "The most that was left of it in a step.",
       .unit = "m",
       .stored = {{"worst_frame_error", &S::worst_frame_error}},
       .value = shown<&S::worst_frame_error>},
      {.name = "frame_energy",
       .text = "Energy that bodies gained from normals that turned within steps.",
       .unit = "J",
       .stored = {{"frame_energy", &S::frame_energy}},
       .value = shown<&S::frame_energy>},
      {.name = "removed_overlaps",
       .text = "Steps that took an overlap out of positions.",
       .stored = {{"removed_overlaps", &S::removed_overlaps}},
       .add =
           [](S& s, Step step) {
             s.removed_overlaps += step.report.removed_overlap > 0.0 ? 1 : 0;
             s.deepest_removed = std::max(s.deepest_removed, step.report.removed_overlap);
             s.added_energy += step.report.added_energy;
           },
       .value = shown<&S::removed_overlaps>,
       .label = "overlaps",
       .words = removed_words},
      {.name = "deepest_removed",
       .text = "The deepest of them.",
       .unit = "m",
       .stored = {{"deepest_removed", &S::deepest_removed}},
       .value = shown<&S::deepest_removed>},
      {.name = "added_energy",
       .text = "Energy that this gave to bodies beyond what they paid from their motion.",
       .unit = "J",
       .stored = {{"added_energy", &S::added_energy}},
       .value = shown<&S::added_energy>},
      {.name = "element_energy",
       .text = "Energy that springs gained beyond their work: their lines turned within steps.",
       .unit = "J",
       .stored = {{"element_energy", &S::element_energy}},
       .add = [](S& s, Step step) { s.element_energy += step.report.element_energy; },
       .value = shown<&S::element_energy>,
       .label = "springs",
       .words = element_words},
      {.name = "energy_first",
       .text = "Kinetic and potential energy of the first frame, springs and layers included.",
       .unit = "J",
       .stored = {{"energy_first", &S::energy_first}},
       .value = shown<&S::energy_first>,
       .label = "energy",
       .words = energy_words},
      {.name = "energy_last",
       .text = "The same of the last frame.",
       .unit = "J",
       .stored = {{"energy_last", &S::energy_last}},
       .value = shown<&S::energy_last>},
      {.name = "fallback_steps",
       .text = "Steps solved without the stabilisation of overlaps, for want of a solution.",
       .stored = {{"fallback_steps", &S::fallback_steps}},
       .add = [](S& s, Step step) { s.fallback_steps += step.report.fell_back ? 1 : 0; },
       .value = shown<&S::fallback_steps>,
       .label = "fallback",
       .words = fallback_words},
      {.name = "free_steps",
       .text = "Steps whose motion is not unique.",
       .stored = {{"free_steps", &S::free_steps}},
       .add = [](S& s, Step step) { s.free_steps += step.report.free_motions > 0 ? 1 : 0; },
       .value = shown<&S::free_steps>,
       .label = "not unique",
       .words = free_words},
      {.name = "free_body",
       .text = "The body that could have moved otherwise, in the last of them; '' if there is none "
               "(in recordings its number, or -1).",
       .stored = {{"free_body", &S::free_body}},
       .add =
           [](S& s, Step step) {
             if (step.report.free_motions > 0) s.free_body = step.report.free_body;
           },
       .value = shown<&RunSummary::free_body_name>},
      {.name = "selected_steps",
       .text = "Steps in which rigid bodies leave loads open, decided by the rule of selection.",
       .stored = {{"selected_steps", &S::selected_steps}},
       .add = [](S& s, Step step) { s.selected_steps += step.report.selected > 0 ? 1 : 0; },
       .value = shown<&S::selected_steps>},
      {.name = "unselected_steps",
       .text = "Steps in which the rule of selection had no answer: the solver chose.",
       .stored = {{"unselected_steps", &S::unselected_steps}},
       .add = [](S& s, Step step) { s.unselected_steps += step.report.unselected > 0 ? 1 : 0; },
       .value = shown<&S::unselected_steps>,
       .label = "chosen",
       .words = chosen_words},
      {.name = "unique_steps",
       .text = "Of `diagnose`: steps whose motion is proved to be the only one.",
       .stored = {{"unique_steps", &S::unique_steps}},
       .add =
           [](S& s, Step step) {
             s.unique_steps += step.report.uniqueness == Uniqueness::unique ? 1 : 0;
           },
       .value = shown<&S::unique_steps>,
       .label = "only motion",
       .words = unique_words},
      {.name = "several_steps",
       .text = "Steps that allow several motions.",
       .stored = {{"several_steps", &S::several_steps}},
       .add =
           [](S& s, Step step) {
             if (step.report.uniqueness != Uniqueness::several) return;
             if (++s.several_steps == 1) s.first_several = step.step;
           },
       .value = shown<&S::several_steps>,
       .label = "several motions",
       .words = several_words},
      {.name = "unknown_steps",
       .text = "Steps of which neither is known.",
       .stored = {{"unknown_steps", &S::unknown_steps}},
       .add =
           [](S& s, Step step) {
             s.unknown_steps += step.report.uniqueness == Uniqueness::unknown ? 1 : 0;
           },
       .value = shown<&S::unknown_steps>},
      {.name = "first_several",
       .text = "The first step that allows several motions; 0 if there is none.",
       .stored = {{"first_several", &S::first_several}},
       .value = shown<&S::first_several>},
      {.name = "largest_distance",
       .text = "Between two motions of one step: of the body that differs most, the root of "
               "v^2 + (r w)^2, with its radius r.",
       .unit = "m/s",
       .stored = {{"largest_distance", &S::largest_distance}},
       .add =
           [](S& s, Step step) {
             s.largest_distance = std::max(s.largest_distance, step.report.solution_distance);
           },
       .value = shown<&S::largest_distance>},
      {.name = "open_load_steps",
       .text = "Steps whose contact forces could be others with the same motion, as far as the "
               "diagnosis looked.",
       .stored = {{"open_load_steps", &S::open_load_steps}},
       .add = [](S& s, Step step) { s.open_load_steps += step.report.open_loads > 0 ? 1 : 0; },
       .value = shown<&S::open_load_steps>,
       .label = "open loads",
       .words = open_words},
      {.name = "impacts",
       .text = "Impacts whose time was found.",
       .stored = {{"impacts", &S::impacts}},
       .add = [](S& s, Step step) { s.impacts += step.report.impacts; },
       .value = shown<&S::impacts>,
       .label = "impacts",
       .words = impact_words},
      {.name = "cuts",
       .text = "Transitions whose time steps of second order found.",
       .stored = {{"cuts", &S::cuts}},
       .add = [](S& s, Step step) { s.cuts += step.report.cuts; },
       .value = shown<&S::cuts>,
       .label = "transitions",
       .words = cut_words},
      {.name = "ordinary_parts",
       .text = "Parts of such steps that the ordinary step made, of first order.",
       .stored = {{"ordinary_parts", &S::ordinary_parts}},
       .add = [](S& s, Step step) { s.ordinary_parts += step.report.ordinary; },
       .value = shown<&S::ordinary_parts>},
      {.name = "rejected_parts",
       .text = "Parts that were made again shorter for the accuracy that is asked for.",
       .stored = {{"rejected_parts", &S::rejected_parts}},
       .add = [](S& s, Step step) { s.rejected_parts += step.report.rejected; },
       .value = shown<&S::rejected_parts>},
      {.name = "least_steps",
       .text = "Parts that were too short to be made shorter for it.",
       .stored = {{"least_steps", &S::least_steps}},
       .add = [](S& s, Step step) { s.least_steps += step.report.least_steps; },
       .value = shown<&S::least_steps>},
      {.name = "error_estimate",
       .text = "The run's own estimate of its error, where an accuracy is asked for: of positions, "
               "and of velocities over a second.",
       .unit = "m",
       .stored = {{"error_estimate", &S::error_estimate}},
       .add = [](S& s, Step step) { s.error_estimate += step.report.error_estimate; },
       .value = shown<&S::error_estimate>,
       .label = "error",
       .words = estimate_words},
      {.name = "joint_impact_steps",
       .text = "Steps in which a body met several others with restitution, whose order is left "
               "out; `impact-time` finds it.",
       .stored = {{"joint_impact_steps", &S::joint_impact_steps}},
       .add = [](S& s, Step step) { s.joint_impact_steps += step.report.joint_impacts ? 1 : 0; },
       .value = shown<&S::joint_impact_steps>,
       .label = "impacts at once",
       .words = joint_words},
      {.name = "ending",
       .text =
           "Why the motion model has no next state; '' if it has (in recordings 0: it has, 1: no "
           "equilibrium, 2: no motion).",
       .stored = {{"ending", &S::ending}},
       .add = [](S& s, Step step) { s.ending = static_cast<std::int64_t>(step.report.ending); },
       .value = [](const RunSummary& s) -> ReportValue { return s.ending_text(); }},
      {.name = "unbalanced_body",
       .text = "The body that lacks most where no contact forces balance; '' if there is none (in "
               "recordings its number, or -1).",
       .stored = {{"unbalanced_body", &S::unbalanced_body}},
       .add = [](S& s, Step step) { s.unbalanced_body = step.report.shortage.body; },
       .value = shown<&RunSummary::unbalanced_body_name>},
      {.name = "missing_force",
       .text =
           "The least force that, with `missing_torque`, would hold it; in recordings beside its "
           "direction, world axes.",
       .unit = "N",
       .stored = {{"missing_force", &S::missing_force}, {"missing_along", &S::missing_along}},
       .add =
           [](S& s, Step step) {
             s.missing_force = step.report.shortage.force;
             const Vector3& along = step.report.shortage.along;
             s.missing_along = {along.x(), along.y(), along.z()};
           },
       .value = shown<&S::missing_force>},
      {.name = "missing_torque",
       .text = "The torque about its centre of mass that belongs to it; in recordings beside its "
               "axis.",
       .unit = "N m",
       .stored = {{"missing_torque", &S::missing_torque}, {"missing_about", &S::missing_about}},
       .add =
           [](S& s, Step step) {
             s.missing_torque = step.report.shortage.torque;
             const Vector3& about = step.report.shortage.about;
             s.missing_about = {about.x(), about.y(), about.z()};
           },
       .value = shown<&S::missing_torque>},
      {.name = "diverged",
       .text = "Whether numbers of a body are not finite any more.",
       .value = [](const RunSummary& s) -> ReportValue { return s.diverged(); }},
      {.name = "diverged_body",
       .text = "That body; '' if there is none (in recordings its number, or -1).",
       .stored = {{"diverged_body", &S::diverged_body}},
       .add = [](S& s, Step step) { s.diverged_body = step.report.diverged_body; },
       .value = shown<&RunSummary::diverged_body_name>},
      {.name = "state_hash",
       .text = "Of the last state.",
       .value = shown<&RunSummary::state_hash>,
       .label = "state hash",
       .words = [](const RunSummary& s, const RunFacts&) { return s.state_hash; }},
  };
  const auto ending = std::find_if(fields.begin(), fields.end(), [](const SummaryField& field) {
    return std::string_view(field.name) == "ending";
  });
  const std::vector<SummaryField> events = event_summary_fields();
  fields.insert(ending, events.begin(), events.end());
  return fields;
}

}  // namespace

const std::vector<SummaryField>& summary_fields() {
  static const std::vector<SummaryField> fields = all_fields();
  return fields;
}

Hdf5Row statistics_row() {
  std::vector<Hdf5Column> columns;
  for (const SummaryField& field : summary_fields())
    columns.insert(columns.end(), field.stored.begin(), field.stored.end());
  return Hdf5Row::of<RunStatistics>(columns);
}

std::string RunStatistics::ending_text(const std::string& unbalanced) const {
  const Shortage shortage{.body = static_cast<int>(unbalanced_body),
                          .force = missing_force,
                          .torque = missing_torque,
                          .along = Vector3(missing_along.data()),
                          .about = Vector3(missing_about.data())};
  return ending_words(static_cast<Ending>(ending), shortage, unbalanced);
}

void RunStatistics::add(const StepNote& step) {
  for (const SummaryField& field : summary_fields())
    if (field.add != nullptr) field.add(*this, step);
}

std::vector<std::pair<std::string, std::string>> summary_lines(const RunSummary& summary,
                                                               const RunFacts& facts) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const SummaryField& field : summary_fields()) {
    if (field.words == nullptr) continue;
    std::string words = field.words(summary, facts);
    if (!words.empty()) lines.emplace_back(field.label, std::move(words));
  }
  return lines;
}

std::string summary_json(const RunSummary& summary) {
  Json json;
  for (const SummaryField& field : summary_fields())
    json[field.name] = std::visit(ToJson{}, field.value(summary));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vinci
