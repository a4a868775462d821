// SPDX-License-Identifier: Apache-2.0
// What the caller sets over a scene, as values of their own types: checked against the tables of
// options when it is set.
#pragma once

#include <string>

#include "vinci/simulation/simulation.h"

namespace vinci {

class RunSettings {
 public:
  // An option of the run, as in set("step", 1e-4). Throws Error where there is none of this name,
  // or its value has another type or is out of its bounds.
  RunSettings& set(const std::string& option, const OptionValue& value);
  // An option of the plugin of a kind, as in set("solver", "tolerance", 1e-8); which plugin that
  // is, and whether it has the option, is known when a simulation is made.
  RunSettings& set(const std::string& kind, const std::string& option, const OptionValue& value);
  RunSettings& parameter(const std::string& name, double value);

  operator const RunOverrides&() const { return overrides_; }

 private:
  RunOverrides overrides_;
};

}  // namespace vinci
