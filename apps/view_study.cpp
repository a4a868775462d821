// SPDX-License-Identifier: Apache-2.0
#include "apps/view_study.h"

#include <filesystem>

#include "apps/study.h"

namespace vinci {

namespace fs = std::filesystem;

bool is_study_run(const std::string& file) {
  const fs::path path = file;
  if (!fs::is_directory(path)) return path.extension() == ".sqlite";
  return path.extension() == ".study" || fs::exists(StudyFolder{path}.ledger());
}

StudyToView study_to_view(const std::string& file, const std::vector<std::string>& libraries,
                          const std::vector<std::string>& allowed) {
  const fs::path folder =
      fs::is_directory(file) ? fs::path(file) : fs::absolute(file).parent_path();
  StudyFlags flags;
  flags.study = folder.string();
  flags.libraries = libraries;
  flags.allowed = allowed;
  const Study study = load_study(flags);
  // Where the server stands may change; where the study lies does not.
  const std::string output = fs::absolute(folder).string();
  const std::string repeat = advice_of(flags, {folder}, "repeat") + " ";
  return {StudyWatch(study, {folder}, {repeat, "", " --record case.h5"}),
          [flags, study, output](std::uint64_t number, const fs::path& recording) {
            std::vector<std::string> command = command_of(flags, study, "repeat");
            for (const std::string& word :
                 {std::to_string(number), std::string("--record"), recording.string(),
                  std::string("--output"), output, std::string("--json")})
              command.push_back(word);
            return command;
          }};
}

}  // namespace vinci
