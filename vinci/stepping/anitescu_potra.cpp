// SPDX-License-Identifier: Apache-2.0
// The Anitescu–Potra method over the shared step.
#include "vinci/stepping/anitescu_potra.h"

#include "vinci/model/run_options.h"
#include "vinci/stepping/impact_time.h"

namespace vinci {

AnitescuPotra::AnitescuPotra(const OptionValues& options)
    : ContactStepper(options, options.real("touch")),
      stabilisation_(options.real("stabilisation")) {}

StepperRegistry::Entry AnitescuPotra::entry() {
  const OptionTable& run = run_option_table();
  return {"anitescu-potra",
          "Velocity-impulse time stepping at the level of velocities: contacts that touch take "
          "part, and a part of their overlap is closed in every step. Its problems have a solution "
          "where those of stewart-trinkle may have none.",
          "Anitescu and Potra, Nonlinear Dynamics 14 (1997) 231-247",
          {*run.find("motion"),
           *run.find("cone"),
           *run.find("directions"),
           overlap_option(),
           smooth_option(),
           *run.find("contact-frames"),
           frame_tolerance_option(),
           frame_limit_option(),
           // Nothing is closed below it, so bodies may hover by as much; above it a contact begins
           // a step later, as an overlap. The size of surface roughness, far above rounding.
           {"touch", "Gap up to which two bodies count as touching.", 1e-6, "m", 0.0, 1e3},
           {"stabilisation", "Share γ of an overlap that is closed in a step.", 0.2, "", 0.0, 1.0},
           *run.find("impact-time"),
           impact_tolerance_option(),
           impact_speed_option(),
           impact_limit_option()},
          [](const OptionValues& values) {
            return with_impact_time(std::make_unique<AnitescuPotra>(values), values);
          }};
}

ImpactTerms AnitescuPotra::normal_terms(const ImpactState& contact, double h) const {
  const double closing = stabilisation_ * std::min(contact.gap, 0.0) / h;
  const double rebound = -contact.restitution * contact.velocity;
  const bool bounces = contact.velocity < 0.0 && rebound > -contact.change;
  return {bounces ? std::min(closing, -rebound) : closing, 0.0};
}

}  // namespace vinci
