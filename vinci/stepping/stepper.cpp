// SPDX-License-Identifier: Apache-2.0
// Names of the stages, and the list of built-in steppers.
#include "vinci/stepping/stepper.h"

#include "vinci/stepping/stewart_trinkle.h"

namespace vinci {

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

void add_builtin_steppers(StepperRegistry& registry) {
  registry.add(StewartTrinkle::entry());
}

}  // namespace vinci
