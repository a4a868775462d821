// SPDX-License-Identifier: Apache-2.0
// `vinci export`: a recording as tables.
#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"

namespace vinci {
namespace {

struct ExportFlags {
  std::string recording, folder;
};

int run_export(const ExportFlags& flags, const Command& command) {
  const Recording recording(flags.recording);
  const std::vector<std::string> files = export_csv(recording, flags.folder);
  if (command.json)
    print({{"ok", true},
           {"recording", flags.recording},
           {"frames", recording.frames()},
           {"folder", flags.folder},
           {"files", files}});
  else
    say(stdout, "{}: {} in {}\n", flags.folder, plural(recording.frames(), "frame"),
        fmt::join(files, ", "));
  return exit_good;
}

}  // namespace

void add_export(CLI::App& app, Command& command) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* subcommand = add_subcommand(
      app, "export", "Write a recording's states, steps and contacts as CSV tables.");
  subcommand->add_option("recording", flags->recording, "The recording (RUN.h5).")
      ->type_name("")
      ->required();
  subcommand->add_option("--csv", flags->folder, "Folder for the tables; created.")
      ->type_name("FOLDER")
      ->required();
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_export(*flags, command); };
  });
}

}  // namespace vinci
