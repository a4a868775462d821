// SPDX-License-Identifier: Apache-2.0
// How a run went, over all its steps. Its numbers are described once, in summary_fields(): the
// recorder gathers and stores them by that table; JSON, Python, the viewer and the words of `vinci
// run` and `vinci info` come from it.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vinci/stepping/stepper.h"
#include "vinci/storage/hdf5_table.h"

namespace vinci {

// A step that is taken into the statistics.
struct StepNote {
  const StepReport& report;
  std::int64_t step = 0;  // how many there are with it
  double accept = 0.0;    // relative residual up to which it counts as exact
  // Of event-driven steps, with the model that says what they are.
  std::span<const StepEvent> events = {};
  const Model* model = nullptr;
};

// Gathered step by step; a row of the table `summary` in recordings.
struct RunStatistics {
  std::int64_t steps = 0;
  std::int64_t substeps = 0;      // of all steps: above `steps` where the stepper took smaller ones
  std::int64_t coarse_steps = 0;  // with a substep longer than the stepper's rules ask for
  std::int64_t inexact_steps = 0;                             // residual above `accept`
  std::int64_t uncertified_steps = 0, first_uncertified = 0;  // is_certified(); 0: none
  std::int64_t passed_steps = 0;        // in which bodies went through each other, or too deep
  std::int64_t unexplained_steps = 0;   // in which bodies overlap by more than layers explain
  double deepest_unexplained = 0.0;     // m
  std::int64_t open_joint_steps = 0;    // that end with joints open by more than is tolerated
  double widest_opening = 0.0;          // m or rad, of joints at the end of steps
  double widest_closed = 0.0;           // m or rad, that was closed in positions
  std::int64_t friction_rounds = 0;     // solves that friction which depends on speed asked for
  std::int64_t unsettled_friction = 0;  // in which its coefficients did not settle
  double worst_friction_error = 0.0;    // relative
  std::int64_t frame_iterations = 0;    // for contact frames of the end of steps
  std::int64_t unsettled_frames = 0;    // in which these did not settle
  double worst_frame_error = 0.0;       // m
  double frame_energy = 0.0;            // J, that turning normals gave to bodies
  std::int64_t removed_overlaps = 0;    // steps that took an overlap out of positions
  double deepest_removed = 0.0;         // m
  double added_energy = 0.0;            // J, by this
  double element_energy = 0.0;          // J, that springs gained by lines that turned within a step
  double worst_residual = 0.0;          // relative
  std::int64_t used_up_steps = 0, first_used_up = 0;  // in which a rigid core under a layer bore
  std::int64_t worst_residual_step = 0;
  double worst_penetration = 0.0;  // m
  std::int64_t contacts_max = 0, contacts_sum = 0, iterations_sum = 0;
  double energy_first = 0.0, energy_last = 0.0;  // J
  double wall_seconds = 0.0;
  StageSeconds stage_seconds{};
  std::int64_t fallback_steps = 0;    // solved without stabilisation, for want of a solution
  std::int64_t free_steps = 0;        // whose motion is not unique
  std::int64_t selected_steps = 0;    // with loads that the rule of selection decided
  std::int64_t unselected_steps = 0;  // in which it had no answer
  std::int64_t free_body = -1;        // that could have moved otherwise, in the last of them
  // Of `diagnose`: steps whose motion is the only one, one of several, or neither is known.
  std::int64_t unique_steps = 0, several_steps = 0, unknown_steps = 0;
  std::int64_t first_several = 0;       // 0: none
  double largest_distance = 0.0;        // m/s, of motions of one step
  std::int64_t open_load_steps = 0;     // with forces that could be others
  std::int64_t impacts = 0;             // whose time was found
  std::int64_t joint_impact_steps = 0;  // with impacts of several pairs, whose order is left out
  // Of steps of second order (StepReport); the estimate of the error of the run is a sum, m.
  std::int64_t cuts = 0, ordinary_parts = 0, rejected_parts = 0, least_steps = 0;
  double error_estimate = 0.0;
  // Of event-driven steps: changes of what acts, by their kinds (EventKind).
  std::int64_t events = 0;
  std::int64_t touches = 0, releases = 0, partings = 0, slides = 0, sticks = 0, transitions = 0;
  std::int64_t integrator_steps = 0, evaluations = 0;
  std::int64_t accumulations = 0;        // events that piled up and were passed
  std::array<std::uint32_t, 4> piled{};  // key_words() of what did so last
  double impact_energy = 0.0;            // J, that contacts added by throwing bodies back
  double deepest_sinking = 0.0;          // m, on the way of constraints back to zero
  std::int64_t ending = 0;               // Ending: why there is no next state by the motion model
  std::int64_t unbalanced_body = -1;     // where no contact forces balance
  double missing_force = 0.0, missing_torque = 0.0;        // N, N m: the least that would hold it
  std::array<double, 3> missing_along{}, missing_about{};  // their directions, world axes
  std::int64_t diverged_body = -1;

  void add(const StepNote& step);  // one more, by the table
  bool diverged() const { return diverged_body >= 0; }
  bool certified() const { return uncertified_steps == 0 && !diverged(); }
  double contacts_mean() const { return mean(contacts_sum); }
  double iterations_mean() const { return mean(iterations_sum); }
  // Why there is no next state, or ""; with the name of the unbalanced body.
  std::string ending_text(const std::string& unbalanced) const;

 private:
  double mean(std::int64_t sum) const {
    return static_cast<double>(sum) / (steps > 0 ? static_cast<double>(steps) : 1.0);
  }
};

// With what the numbers of a recording alone do not say.
struct RunSummary : RunStatistics {
  std::string free_body_name, unbalanced_body_name, diverged_body_name;  // "" if there is none
  std::string piled_name;                                                // likewise
  std::string state_hash;                                                // of the last state

  std::string ending_text() const { return RunStatistics::ending_text(unbalanced_body_name); }
};

// What the words about a run need beside its summary.
struct RunFacts {
  std::int64_t step = 0, total_steps = 0;            // reached, and meant to be
  double time = 0.0, step_size = 0.0, accept = 0.0;  // s, s, relative
};

struct SummaryField {
  const char* name;  // in JSON and Python
  const char* text;
  const char* unit = "";
  // The column that keeps it; without one it follows from others.
  std::vector<Hdf5Column> stored = {};
  void (*add)(RunStatistics&,
              const StepNote&) = nullptr;  // takes a step in; null: the recorder sets it
  ReportValue (*value)(const RunSummary&);
  // A line about it, or "" where there is nothing to tell; null: other lines tell of it.
  const char* label = "";
  std::string (*words)(const RunSummary&, const RunFacts&) = nullptr;
};

const std::vector<SummaryField>& summary_fields();
Hdf5Row statistics_row();

// What there is to tell of a run, line by line: {"worst residual", "3e-13 relative, in step 4;
// ..."}.
std::vector<std::pair<std::string, std::string>> summary_lines(const RunSummary& summary,
                                                               const RunFacts& facts);
// One JSON object. Numbers that are not finite are null.
std::string summary_json(const RunSummary& summary);

}  // namespace vinci
