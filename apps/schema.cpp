// SPDX-License-Identifier: Apache-2.0
// `vinci schema`: the JSON Schema of scene files.
#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"

namespace vinci {

void add_schema(CLI::App& app, Command& command) {
  CLI::App* subcommand = add_subcommand(app, "schema", "Print the JSON Schema of scene files.");
  subcommand->callback([&command] {
    command.action = [] {
      const std::string schema = scene_schema();
      say(stdout, "{}{}", schema, schema.ends_with('\n') ? "" : "\n");
      return exit_good;
    };
  });
}

}  // namespace vinci
