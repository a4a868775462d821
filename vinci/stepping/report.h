// SPDX-License-Identifier: Apache-2.0
// What a step reports. Its fields are described once, in step_fields(): recordings, tables, Python
// and the manual take names, texts and units from there.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "vinci/complementarity/solver.h"
#include "vinci/solvers/ending.h"

namespace vinci {

// The stages of a step, in order.
enum class Stage { detect, formulate, solve, advance };
inline constexpr int stage_count = 4;
using StageSeconds = std::array<double, stage_count>;
const char* to_string(Stage stage);

struct StepReport {
  SolveReport solve;      // with impacts or several parts: the worst of them, and all iterations
  int contact_count = 0;  // in the set: may touch
  int active_count = 0;   // with an impulse
  int passes = 1;  // detections in this step (a second one when something was faster than foreseen)
  int substeps = 1;          // the stepper took these many smaller steps to the end of h
  bool coarse = false;       // of which one or more had to be longer than its rules ask for
  double penetration = 0.0;  // m, deepest overlap of the contact set at the start of the step
  StageSeconds seconds{};
  // The problem had no solution, and what was solved leaves the stabilisation of overlaps out.
  bool fell_back = false;
  int used_up = 0;            // contacts whose layer was used up, so that a rigid core bore load
  double layer_energy = 0.0;  // J, in the layers at the end of the step
  int impacts = 0;            // whose time was found in this step (impact_time.h)
  // Directions in which the bodies could have moved otherwise: the motion is not unique where there
  // are any (quasi_static.h); one of them moves this body.
  int free_motions = 0, free_body = -1;
  Ending ending = Ending::none;
  int diverged_body = -1;  // first body with a non-finite pose or velocity, or −1
};

// A value of a field, for those who print it.
using ReportValue = std::variant<std::int64_t, double, bool, std::string, StageSeconds>;

// How the parts of a step, substeps and impacts, make the value of the step.
enum class OverParts : char { last, sum, largest, any, worst };  // worst: of the worst solve

struct StepField {
  using Place =
      std::variant<int& (*)(StepReport&), double& (*)(StepReport&), bool& (*)(StepReport&),
                   StageSeconds& (*)(StepReport&), SolveStatus& (*)(StepReport&),
                   Ending& (*)(StepReport&), const char*& (*)(StepReport&)>;
  const char* name;  // in Python
  Place place;
  const char* text;
  const char* unit = "";
  OverParts over_parts = OverParts::last;
  const char* column = nullptr;  // of `frames` in recordings and of steps.csv; null: not recorded
  bool wide = false;             // recorded with 64 bits

  ReportValue value(const StepReport& report) const;  // enumerations as words
};
// What a place of a field holds, for those who only read.
template <class Value>
const Value& at(Value& (*place)(StepReport&), const StepReport& report) {
  return place(const_cast<StepReport&>(report));
}

const std::vector<StepField>& step_fields();

// Adds a further part of a step to the report of those before it.
void add_part(StepReport& sum, const StepReport& part);

}  // namespace vinci
