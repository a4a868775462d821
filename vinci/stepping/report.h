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
#include "vinci/model/entity.h"
#include "vinci/proofs/uniqueness_verdict.h"
#include "vinci/solvers/ending.h"
#include "vinci/stepping/found_motion.h"

namespace vinci {

// The stages of a step, in order.
enum class Stage { detect, formulate, solve, advance };
inline constexpr int stage_count = 4;
using StageSeconds = std::array<double, stage_count>;
const char* to_string(Stage stage);

// What would have to act on a body besides for contact forces to balance, in world axes; of a body
// that hangs on a joint, along the freedoms of the joint.
struct Shortage {
  int body = -1;                                             // −1: there is a balance
  double force = 0.0, torque = 0.0;                          // N, N m about the centre of mass
  Vector3 along = Vector3::Zero(), about = Vector3::Zero();  // of length 1, or 0
};

struct StepReport {
  SolveReport solve;      // with impacts or several parts: the worst of them, and all iterations
  int contact_count = 0;  // in the set: may touch
  int active_count = 0;   // with an impulse
  int passes = 1;  // detections in this step (a second one when something was faster than foreseen)
  int substeps = 1;              // the stepper took these many smaller steps to the end of h
  bool coarse = false;           // of which one or more had to be longer than its rules ask for
  double penetration = 0.0;      // m, deepest overlap of the contact set at the start of the step
  double overlap = 0.0;          // m, deepest at its end
  double removed_overlap = 0.0;  // m, deepest that was taken out of positions at its end
  double added_energy = 0.0;     // J, that this gave to bodies and that they could not pay
  double element_energy = 0.0;   // J, that springs gained by lines that turned within the step
  double rebound_energy = 0.0;   // J, that rebounds gave back of what landings had taken
  int frame_iterations = 0;      // for contact frames of the end of the step (contact_frames.h)
  double frame_error = 0.0;      // m, that is left of it at most
  bool unsettled = false;        // which is more than asked for
  double frame_energy = 0.0;     // J, that normals gave to bodies by turning within the step
  double unexplained = 0.0;      // m, deepest at its end that layers do not explain, if it matters
  int passed = 0;  // parts of the step in which bodies went through each other, or too deep
  double joint_opening = 0.0;   // m or rad, that joints are open by at its end (joint_closure.h)
  double closed_opening = 0.0;  // m or rad, that positions would have left
  bool joint_impacts = false;   // with restitution, of several pairs that share a body
  // Solves that friction which depends on sliding speed asked for beyond the first, and how far its
  // coefficients are from those of the speeds, relative.
  int friction_rounds = 0;
  double friction_error = 0.0;
  StageSeconds seconds{};
  // The problem had no solution, and what was solved leaves the stabilisation of overlaps out.
  bool fell_back = false;
  int used_up = 0;            // contacts whose layer was used up, so that a rigid core bore load
  double layer_energy = 0.0;  // J, in the layers at the end of the step
  int impacts = 0;            // whose time was found in this step (impact_time.h)
  // Of steps of second order: transitions that ended a part of the step, parts that the ordinary
  // step made in their place, parts that the accuracy refused and those of the least length; and
  // the step's own estimate of its error, m.
  int cuts = 0, ordinary = 0, rejected = 0, least_steps = 0;
  double error_estimate = 0.0;
  // Of event-driven steps: events (StepOutput), the integrator's steps and evaluations of the
  // equations, and events that piled up at a time and were passed, with what did so last.
  int events = 0, integrator_steps = 0, evaluations = 0, accumulations = 0;
  EntityKey piled;
  double impact_energy = 0.0;  // J, that contacts gave to bodies by throwing them back faster
  double sinking = 0.0;        // m, deepest that contacts were on the way back to zero; no error
  // Directions in which the bodies could have moved otherwise: the motion is not unique where there
  // are any (quasi_static.h); one of them moves this body.
  int free_motions = 0, free_body = -1;
  // Of the parts of the problem that do not act on each other: those whose loads rigid bodies leave
  // open, decided by the rule of selection (load_selection.h), and those where it had no answer.
  int selected = 0, unselected = 0;
  // Whether the motion is the only one that the step allows (step_diagnosis.h).
  Uniqueness uniqueness = Uniqueness::unasked;
  int solutions = 0;               // motions that are known: 1, or more where there are several
  double solution_distance = 0.0;  // m/s, of those that differ most
  int open_loads = 0;  // forces that could be others, in as many directions, without other motion
  std::vector<FoundMotion> motions;  // of islands that have several, where they are asked for
  Ending ending = Ending::none;
  Shortage shortage;       // of Ending::no_equilibrium: the body that lacks most
  int diverged_body = -1;  // first body with a non-finite pose or velocity, or −1
};

// A step that leaves a joint open by more, in m or rad, is not certified.
inline constexpr double largest_joint_opening = 1e-9;

// Whether the step is what the method asks for: solved to `accept`, a relative residual, with all
// terms, in steps as short as asked for, and with no body inside or beyond another.
bool is_certified(const StepReport& report, double accept);

// A value of a field, for those who print it.
using ReportValue = std::variant<std::int64_t, double, bool, std::string, StageSeconds>;

// How the parts of a step, substeps and impacts, make the value of the step.
enum class OverParts : char { last, sum, largest, any, worst };  // worst: of the worst solve

struct StepField {
  using Place = std::variant<int& (*)(StepReport&), double& (*)(StepReport&),
                             bool& (*)(StepReport&), StageSeconds& (*)(StepReport&),
                             SolveStatus& (*)(StepReport&), Ending& (*)(StepReport&),
                             Uniqueness& (*)(StepReport&), const char*& (*)(StepReport&)>;
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

// Why there is no next state, with the body that lacks a force by its name; "" if there is one.
std::string ending_words(Ending ending, const Shortage& shortage, const std::string& body);

// Adds a further part of a step to the report of those before it.
void add_part(StepReport& sum, const StepReport& part);

}  // namespace vinci
