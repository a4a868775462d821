// SPDX-License-Identifier: Apache-2.0
// The table of the run's options.
#include "vinci/model/run_options.h"

namespace vinci {

const OptionTable& run_option_table() {
  static const OptionTable table{
      {"stepper", "Time-stepping method; `vinci list steppers` shows them.",
       std::string("stewart-trinkle")},
      {"motion",
       "Motion model: dynamic; first-order, where the inertia is read as damping and forces make "
       "velocities; quasi-static, where forces balance at every instant; dqc and dlc, the "
       "quasi-static models of Trinkle, Berard and Pang as their paper states them, with drivers "
       "predicted along their tangents: Model-DQC has the quadratic cone, Model-DLC a pyramid or a "
       "box.",
       std::string("dynamic"),
       "",
       0,
       0,
       {"dynamic", "first-order", "quasi-static", "dqc", "dlc"}},
      {"coordinates",
       "How joints hold: reduced, bodies move by the coordinates of the joints that they hang on, "
       "and rows close loops; maximal, every body moves by itself and rows hold every joint.",
       std::string("reduced"),
       "",
       0,
       0,
       {"reduced", "maximal"}},
      {"cone",
       "Friction cone: the exact quadratic one; an inscribed pyramid; a box around it, which "
       "limits friction along each of two tangents by itself.",
       std::string("quadratic"),
       "",
       0,
       0,
       {"quadratic", "pyramid", "box"}},
      {"directions",
       "Sides of the friction pyramid of a spatial contact; direction 0 lies along the projection "
       "of "
       "world x (world y where the normal is within 45 degrees of x), the others follow at equal "
       "angles. A planar contact has 2.",
       8L, "", 3, 256},
      {"contact-frames",
       "Where in a step gaps, normals and points of contacts are taken: start, at its start; "
       "driven, with the prescribed bodies where they will be at its end; gap, gaps at its end and "
       "the rest at its start; end, all at its end. The last two iterate. For stewart-trinkle, and "
       "anitescu-potra without gap.",
       std::string("start"),
       "",
       0,
       0,
       {"start", "driven", "gap", "end"}},
      {"impact-time",
       "How the time of an impact is found: none, impacts are part of the steps; bisect, by "
       "backing "
       "up to it; gap-rate, by cutting the step to what the rate of the gap allows. Needs motion "
       "dynamic.",
       std::string("none"),
       "",
       0,
       0,
       {"none", "bisect", "gap-rate"}},
      {"impact-law",
       "Law that an impact obeys whose time is found; `vinci list impact-laws` shows them.",
       std::string("newton")},
      {"detector", "Collision detector; `vinci list detectors` shows them.", std::string("exact")},
      {"solver", "Complementarity solver; `vinci list solvers` shows them.", std::string("auto")},
      {"step", "Time step h.", 1e-3, "s", 1e-12, 1e3},
      {"duration", "Simulated time.", 1.0, "s", 0.0, 1e9},
      {"output-interval",
       "Simulated time between recorded frames, rounded to whole steps; 0 records every step.", 0.0,
       "s", 0.0, 1e9},
      {"accept",
       "Largest relative residual of a step that counts as exactly solved; steps above it are "
       "counted and reported. Unless it is set: ten times a tolerance that is asked of the solver, "
       "but not less than this.",
       1e-10, "", 0.0, 1.0},
      {"strict",
       "End the run at the first step that is not certified; the program then ends with exit code "
       "1.",
       false},
      {"diagnose",
       "Whether a step asks if its motion is the only one: off; flag, it says unique, several or "
       "unknown; all, the motions that were found are recorded besides.",
       std::string("off"),
       "",
       0,
       0,
       {"off", "flag", "all"}},
      {"threads",
       "Threads on which parts of a step that do not act on each other are solved side by side. "
       "The "
       "results are the same bits with any number of them.",
       1L, "", 1, 256},
      {"seed", "Seed of everything random; recorded with the run.", 0L, "", 0, 9.0e15},
  };
  return table;
}

}  // namespace vinci
