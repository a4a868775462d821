// SPDX-License-Identifier: Apache-2.0
// Everything that can be exchanged at run time, by name. A shared library adds its own through one
// versioned entry point:
//
//   VINCI_PLUGIN(plugins) { plugins.solvers.add({"mine", "...", "", {}, make_mine}); }
#pragma once

#include <filesystem>

#include "vinci/collision/contact.h"
#include "vinci/complementarity/solver.h"
#include "vinci/stepping/impact_law.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

struct Plugins {
  DetectorRegistry detectors{"detector"};
  StepperRegistry steppers{"stepper"};
  SolverRegistry solvers{"solver"};
  ImpactLawRegistry impact_laws{"impact-law"};
};

// Grows whenever an interface that plugins see changes.
inline constexpr int plugin_interface_version = 5;

Plugins builtin_plugins();

// Throws Error naming the library and the reason: not found, not a library, no entry, wrong
// version, or what its entry threw. The library stays loaded until the process ends.
void load_plugin(Plugins& plugins, const std::filesystem::path& library);

}  // namespace vinci

#define VINCI_PLUGIN(plugins)                       \
  extern "C" int vinci_plugin_interface_version() { \
    return vinci::plugin_interface_version;         \
  }                                                 \
  extern "C" void vinci_plugin_register(vinci::Plugins& plugins)
