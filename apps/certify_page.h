// SPDX-License-Identifier: Apache-2.0
// The viewer with the bodies of a certified step, and over them as ghosts those that move along a
// motion that the step leaves open.
#pragma once

#include <filesystem>

#include "vinci/simulation/certify.h"
#include "vinci/viewing/page.h"

namespace vinci {

inline constexpr double ghost_duration = 2.0, ghost_step = 0.02;  // s

// A motion to show, and whether it goes back as well. Free motions; without any, what tells the
// other motions of the step from its own.
std::vector<FreeMotion> shown_motions(const StepCertificate& certificate);

// `still` is a simulation of the same scene with ghost_step and ghost_duration, `state` that at the
// end of the certified step.
PageResult write_certificate_page(const std::filesystem::path& out,
                                  const StepCertificate& certificate, const State& state,
                                  Simulation& still, const PageOptions& options);

}  // namespace vinci
