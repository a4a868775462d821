// SPDX-License-Identifier: Apache-2.0
// Constraints that a scene writes down as expressions, and the machines that switch them: for the
// event-driven stepper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vinci/base/expression.h"
#include "vinci/base/stabilisation.h"
#include "vinci/model/signal.h"

namespace vinci {

// A function of coordinates: variables of the expression are those read, in this order, then t.
// Constraints read no rates, guards may.
struct CoordinateFunction {
  Expression expression;
  std::vector<CoordinateRead> reads;
};

struct UserConstraint {
  enum class Kind {
    contact,  // h >= 0: acts where h would become negative, λ >= 0
    link      // h = 0: acts while it is switched on, with either sign
  };
  std::string name;
  Kind kind = Kind::contact;
  CoordinateFunction function;                 // h
  std::optional<Stabilisation> stabilisation;  // none: as the stepper has it
  int with = -1;          // a contact among the constraints: this link acts while that one does
  bool anchored = false;  // a link that holds h where it is when it is switched on
  int machine = -1;       // that switches it, or −1: always on
  std::vector<bool> on;   // per state of the machine
};

// States and what leads from one to the other: a guard that changes its sign as asked for, or a
// contact among the constraints that begins to act.
struct Machine {
  struct Transition {
    int from = 0, to = 0;
    CoordinateFunction guard;
    int direction = 1;  // 1: rises through 0, −1: falls
    int touched = -1;   // instead of the guard: the constraint
  };
  std::string name;
  std::vector<std::string> states;
  int initial = 0;
  std::vector<Transition> transitions;
};

}  // namespace vinci
