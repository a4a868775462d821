// SPDX-License-Identifier: Apache-2.0
#include "vinci/simulation/run_settings.h"

#include "vinci/model/run_options.h"

namespace vinci {

RunSettings& RunSettings::set(const std::string& option, const OptionValue& value) {
  OptionValues(run_option_table()).set(option, value);
  overrides_.options[option] = to_string(value);
  return *this;
}

RunSettings& RunSettings::set(const std::string& kind, const std::string& option,
                              const OptionValue& value) {
  overrides_.plugin_options[{kind, option}] = to_string(value);
  return *this;
}

RunSettings& RunSettings::parameter(const std::string& name, double value) {
  overrides_.parameters[name] = value;
  return *this;
}

}  // namespace vinci
