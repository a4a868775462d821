// SPDX-License-Identifier: Apache-2.0
// The compiled half of the package `vinci`.
#include "python/core/core.h"

PYBIND11_MODULE(_core, module) {
  using namespace vinci::python;
  module.doc() = "The compiled half of vinci; use `import vinci`.";
  module.attr("version") = VINCI_VERSION;
  // Classes before those that mention them, so that signatures name them.
  add_errors(module);
  add_portable(module);
  add_model(module);
  add_scene(module);
  add_state(module);
  add_problem(module);
  add_solve(module);
  add_plugins(module);
  add_report(module);
  add_stepping(module);
  add_impact_laws(module);
  add_simulation(module);
  add_recorder(module);
  add_recording(module);
  add_planning(module);
  add_viewing(module);
  add_grasp(module);
  add_kinematics(module);
  add_systems(module);
  add_analysis(module);
  add_certify(module);
  add_study(module);
}
