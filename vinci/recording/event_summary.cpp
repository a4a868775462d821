// SPDX-License-Identifier: Apache-2.0
// The rows about events in the table of a run's summary.
#include "vinci/recording/event_summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/recording/event_names.h"

namespace vinci {
namespace {

template <auto Member>
ReportValue event_value(const RunSummary& summary) {
  return summary.*Member;
}

// "37: 12 touches, 12 releases, 12 partings, 1 transition".
std::string event_words(const RunSummary& s, const RunFacts&) {
  if (s.events == 0) return {};
  std::string words;
  const auto add = [&](std::int64_t count, const char* one, const char* several) {
    if (count > 0)
      words +=
          fmt::format("{} {} {}", words.empty() ? ":" : ",", count, count == 1 ? one : several);
  };
  add(s.touches, "touch", "touches");
  add(s.releases, "release", "releases");
  add(s.partings, "parting", "partings");
  add(s.slides, "begins to slide", "begin to slide");
  add(s.sticks, "comes to stick", "come to stick");
  add(s.transitions, "transition", "transitions");
  return fmt::format("{}{}", s.events, words);
}

std::string integrator_words(const RunSummary& s, const RunFacts&) {
  if (s.integrator_steps == 0) return {};
  return fmt::format("{}, {}, {:.1f} per step of the run", plural(s.integrator_steps, "step"),
                     plural(s.evaluations, "evaluation"),
                     static_cast<double>(s.integrator_steps) /
                         static_cast<double>(std::max<std::int64_t>(1, s.steps)));
}

std::string piled_words(const RunSummary& s, const RunFacts&) {
  if (s.accumulations == 0) return {};
  const std::string last = s.piled_name.empty() ? "" : fmt::format(" (last: {})", s.piled_name);
  return fmt::format("events piled up {}{} and were passed: what piles up acts from then on",
                     plural(s.accumulations, "time"), last);
}

std::string impact_energy_words(const RunSummary& s, const RunFacts&) {
  if (s.impact_energy <= 0.0) return {};
  return fmt::format("contacts ADDED {} J by throwing bodies back faster than they came",
                     short_number(s.impact_energy));
}

std::string sinking_words(const RunSummary& s, const RunFacts&) {
  if (s.deepest_sinking == 0.0) return {};
  return fmt::format("{} m deep at most, while constraints brought contacts back to zero",
                     short_number(s.deepest_sinking));
}

void count_event(RunStatistics& s, EventKind kind) {
  using S = RunStatistics;
  constexpr std::int64_t S::*counts[] = {&S::touches, &S::releases, &S::partings,
                                         &S::slides,  &S::sticks,   &S::transitions};
  if (const auto at = static_cast<std::size_t>(kind); at < std::size(counts)) ++(s.*counts[at]);
}

}  // namespace

std::vector<SummaryField> event_summary_fields() {
  using S = RunStatistics;
  using Step = const StepNote&;
  return {
      {.name = "events",
       .text = "Changes of what acts, of event-driven steps.",
       .stored = {{"events", &S::events}},
       .add =
           [](S& s, Step step) {
             s.events += step.report.events;
             for (const StepEvent& event : step.events)
               count_event(s, event_kind(event, *step.model));
           },
       .value = event_value<&S::events>,
       .label = "events",
       .words = event_words},
      {.name = "touches",
       .text = "Of these, contacts that began to act.",
       .stored = {{"touches", &S::touches}},
       .value = event_value<&S::touches>},
      {.name = "releases",
       .text = "Contacts that ceased to act while they were still inside.",
       .stored = {{"releases", &S::releases}},
       .value = event_value<&S::releases>},
      {.name = "partings",
       .text = "Contacts that left and were free.",
       .stored = {{"partings", &S::partings}},
       .value = event_value<&S::partings>},
      {.name = "slides",
       .text = "Contacts that stuck and began to slide.",
       .stored = {{"slides", &S::slides}},
       .value = event_value<&S::slides>},
      {.name = "sticks",
       .text = "Contacts that slid and came to stick.",
       .stored = {{"sticks", &S::sticks}},
       .value = event_value<&S::sticks>},
      {.name = "transitions",
       .text = "Machines that changed their state, and links that were switched on or off.",
       .stored = {{"transitions", &S::transitions}},
       .value = event_value<&S::transitions>},
      {.name = "integrator_steps",
       .text = "Steps of the integrator between events.",
       .stored = {{"integrator_steps", &S::integrator_steps}},
       .add = [](S& s, Step step) { s.integrator_steps += step.report.integrator_steps; },
       .value = event_value<&S::integrator_steps>,
       .label = "integrator",
       .words = integrator_words},
      {.name = "evaluations",
       .text = "How often it evaluated the equations.",
       .stored = {{"evaluations", &S::evaluations}},
       .add = [](S& s, Step step) { s.evaluations += step.report.evaluations; },
       .value = event_value<&S::evaluations>},
      {.name = "accumulations",
       .text = "How often events piled up at a time and were passed.",
       .stored = {{"accumulations", &S::accumulations}},
       .add =
           [](S& s, Step step) {
             s.accumulations += step.report.accumulations;
             if (step.report.accumulations > 0) s.piled = key_words(step.report.piled);
           },
       .value = event_value<&S::accumulations>,
       .label = "piled up",
       .words = piled_words},
      {.name = "piled",
       .text = "What did so last; '' if nothing did (in recordings its key).",
       .stored = {{"piled", &S::piled}},
       .value = event_value<&RunSummary::piled_name>},
      {.name = "impact_energy",
       .text = "Energy that event-driven contacts gave to bodies by throwing them back faster than "
               "they came.",
       .unit = "J",
       .stored = {{"impact_energy", &S::impact_energy}},
       .add = [](S& s, Step step) { s.impact_energy += step.report.impact_energy; },
       .value = event_value<&S::impact_energy>,
       .label = "added energy",
       .words = impact_energy_words},
      {.name = "deepest_sinking",
       .text = "How deep event-driven contacts were at most while their constraints brought them "
               "back to zero.",
       .unit = "m",
       .stored = {{"deepest_sinking", &S::deepest_sinking}},
       .add =
           [](S& s, Step step) {
             s.deepest_sinking = std::max(s.deepest_sinking, step.report.sinking);
           },
       .value = event_value<&S::deepest_sinking>,
       .label = "sinking",
       .words = sinking_words},
  };
}

}  // namespace vinci
