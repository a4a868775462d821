// SPDX-License-Identifier: Apache-2.0
// The Stewart–Trinkle method over the shared step.
#include "vinci/stepping/stewart_trinkle.h"

#include <limits>

#include "vinci/model/run_options.h"
#include "vinci/stepping/impact_time.h"

namespace vinci {

StewartTrinkle::StewartTrinkle(const OptionValues& options)
    : ContactStepper(options, std::numeric_limits<double>::infinity()) {}

StepperRegistry::Entry StewartTrinkle::entry() {
  const OptionTable& run = run_option_table();
  return {"stewart-trinkle",
          "Velocity-impulse time stepping with the gap in the complementarity condition: contacts "
          "that may touch "
          "within the step take part, and the step ends without penetration to first order.",
          "Stewart and Trinkle, Int. J. Numer. Meth. Engng. 39 (1996) 2673-2691",
          {*run.find("motion"), *run.find("cone"), *run.find("directions"), overlap_option(),
           smooth_option(), *run.find("contact-frames"), frame_tolerance_option(),
           frame_limit_option(), *run.find("impact-time"), impact_tolerance_option(),
           impact_speed_option(), impact_limit_option()},
          [](const OptionValues& values) {
            return with_impact_time(std::make_unique<StewartTrinkle>(values), values);
          }};
}

}  // namespace vinci
