// SPDX-License-Identifier: Apache-2.0
// Every stepper × motion model × cone × solver, in the plane and on a table, on the same gallery:
// each agrees with its reference, or says why it has no meaning (docs/models.md).
#include <gtest/gtest.h>

#include "tests/simulation/models_gallery.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

const char* const motions[] = {"dynamic", "first-order", "quasi-static"};
const char* const cones[] = {"quadratic", "pyramid"};

struct Choice {
  std::string stepper, motion, cone, solver;

  RunOverrides overrides() const {
    RunOverrides result;
    result.options = {{"stepper", stepper},
                      {"motion", motion},
                      {"cone", cone},
                      {"solver", solver},
                      {"directions", std::to_string(gallery_directions)}};
    return result;
  }
};

TEST(Explore, all) {
  const Plugins plugins = builtin_plugins();
  for (const bool table : {false, true})
    for (const GalleryScene& scene : table ? table_gallery() : planar_gallery())
      for (const std::string& stepper : plugins.steppers.names())
        for (std::size_t m = 0; m < 3; ++m)
          for (const char* cone : cones)
            for (const std::string& solver : plugins.solvers.names()) {
              const Choice choice{stepper, motions[m], cone, solver};
              const auto motion = static_cast<MotionModel>(m);
              try {
                Simulation s = simulate(scene.yaml, choice.overrides());
                double worst = 0.0;
                while (!s.finished()) {
                  const StepReport& r = s.step();
                  if (r.ending == Ending::none) worst = std::max(worst, r.solve.residual.relative);
                }
                const double error = scene.error(s, motion), bound = scene.tolerance(s, motion);
                const bool ends = s.report().ending != Ending::none;
                const bool expected = motion == MotionModel::quasi_static && scene.unbalanced;
                fmt::print("{} {:35} {:16} {:12} {:9} {:20} error {:.2e} of {:.2e} residual {:.1e} {}\n",
                           worst > 1e-10 || ends != expected || (!ends && error > bound) ? "BAD" : "ok ",
                           scene.name, stepper, motions[m], cone, solver, error, bound, worst,
                           to_string(s.report().ending));
              } catch (const Error& e) {
                fmt::print("NO  {} {} {} {} {}\n", stepper, motions[m], cone, solver, e.what());
              }
            }
}

}  // namespace
}  // namespace vinci::test
