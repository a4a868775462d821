// SPDX-License-Identifier: Apache-2.0
// Names of what controllers remember.
#include "vinci/model/controller.h"

namespace vinci {

std::vector<std::string> control_columns(const std::vector<NamedController>& controllers) {
  std::vector<std::string> columns;
  for (const NamedController& item : controllers) {
    std::vector<std::string> own = item.controller->memory_columns();
    if (own.empty())
      for (int i = 0; i < item.controller->memory_size(); ++i)
        own.push_back("memory_" + std::to_string(i) + " [1]");
    for (const std::string& column : own) columns.push_back(item.name + "." + column);
  }
  return columns;
}

}  // namespace vinci
