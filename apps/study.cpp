// SPDX-License-Identifier: Apache-2.0
// `vinci study`: what its commands share.
#include "apps/study.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "apps/text.h"
#include "vinci/base/shell.h"
#include "vinci/campaign/atomic_file.h"
#include "vinci/campaign/ledger_times.h"
#include "vinci/study/runner.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

// The file of the study that is run in a folder.
fs::path file_of(const StudyFlags& flags) {
  if (!fs::is_directory(flags.study)) return flags.study;
  const Ledger ledger = Ledger::to_read(StudyFolder{flags.study}.ledger());
  const fs::path file = ledger.head().file;
  if (!fs::exists(file))
    throw Error(
        fmt::format("its study, {}, is gone; give the file where it is now, and this folder "
                    "with --output",
                    file.string()),
        flags.study);
  return file;
}

}  // namespace

void add_study_flags(CLI::App& subcommand, StudyFlags& flags) {
  subcommand.add_option("study", flags.study, "A study (YAML), or the folder in which it is run.")
      ->type_name("")
      ->required();
  subcommand
      .add_option("-o,--output", flags.output,
                  "Folder of ledger, table and report. [runs/<study>.study]")
      ->type_name("FOLDER");
  add_plugin_flag(subcommand, flags.libraries);
  subcommand
      .add_option("--allow-path", flags.allowed,
                  "Let scenes read included files and meshes in this folder, too.")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->take_all();
}

Study load_study(const StudyFlags& flags) {
  return Study::load(file_of(flags),
                     {.plugins = plugins_of(flags.libraries),
                      .allowed = {flags.allowed.begin(), flags.allowed.end()},
                      .libraries = {flags.libraries.begin(), flags.libraries.end()}});
}

void need_no_python(const Study& study) {
  for (const StudyMeasure& measure : study.measures())
    if (measure.is_code)
      throw Error(fmt::format("is a function in Python, '{}'; accepted: to run the study from "
                              "Python, with vinci.Study",
                              measure.text),
                  "measures." + measure.name);
}

StudyFolder folder_of(const StudyFlags& flags) {
  if (!flags.output.empty()) return {flags.output};
  if (fs::is_directory(flags.study)) return {flags.study};
  return {fs::path("runs") / (fs::path(flags.study).stem().string() + ".study")};
}

LedgerHead head_of(const Study& study) {
  return {
      .hash = study.hash(), .title = study.title(), .file = fs::absolute(study.file()).string()};
}

Ledger ledger_to_read(const StudyFlags& flags, const Study& study) {
  const StudyFolder folder = folder_of(flags);
  if (!Ledger::is_begun(folder.ledger()))
    throw Error(fmt::format("the study has not been run here; begin with: vinci study run {}{}",
                            shell_word(study.file().string()),
                            flags.output.empty() ? "" : " --output " + shell_word(flags.output)),
                folder.path.string());
  Ledger ledger = Ledger::to_read(folder.ledger());
  if (ledger.head().hash != study.hash())
    throw Error(
        fmt::format("holds what another study gave (hash {}; this one has {}): the study, or "
                    "a scene that it reads, has changed",
                    ledger.head().hash, study.hash()),
        folder.ledger().string());
  return ledger;
}

void add_worker_flags(CLI::App& subcommand, WorkerFlags& flags) {
  subcommand
      .add_option("--workers", flags.workers, "Processes that run cases. [as many as processors]")
      ->type_name("INTEGER")
      ->check(CLI::Range(1, 4096).description(""));
}

int workers_of(const WorkerFlags& flags) {
  if (flags.workers > 0) return flags.workers;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::vector<std::string> command_of(const StudyFlags& flags, const Study& study,
                                    const std::string& name) {
  std::vector<std::string> command{"/proc/self/exe", "study", name,
                                   fs::absolute(study.file()).string()};
  for (const std::string& library : flags.libraries) {
    command.push_back("--plugin");
    command.push_back(library);
  }
  for (const std::string& folder : flags.allowed) {
    command.push_back("--allow-path");
    command.push_back(folder);
  }
  return command;
}

std::string advice_of(const StudyFlags& flags, const StudyFolder& folder, const std::string& name) {
  std::string line = fmt::format("vinci study {} {}", name, shell_word(folder.path.string()));
  for (const std::string& library : flags.libraries) line += " --plugin " + shell_word(library);
  for (const std::string& path : flags.allowed) line += " --allow-path " + shell_word(path);
  return line;
}

CrewSettings crew_of(const StudyFlags& flags, const Study& study, int workers) {
  CrewSettings crew;
  crew.command = {command_of(flags, study, "work"), study.limits().bytes};
  crew.hash = study.hash();
  crew.workers = workers;
  crew.case_seconds = study.limits().seconds;
  crew.lost = [study](std::uint64_t number, CaseStatus status, std::string message) {
    return lost_case(study, number, status, std::move(message));
  };
  return crew;
}

StudyReport report_of(const StudyFlags& flags, const Study& study, const Ledger& ledger,
                      const StudyFolder& folder) {
  const std::string repeat = advice_of(flags, folder, "repeat");
  return make_report(study, LedgerResults(ledger), LedgerTimes(ledger),
                     [&](std::uint64_t number) { return fmt::format("{} {}", repeat, number); });
}

void write_results(const StudyFlags& flags, const Study& study, const Ledger& ledger,
                   const StudyFolder& folder) {
  const LedgerResults results(ledger);
  AtomicFile table(folder.table());
  write_table(study, results, [&](std::string_view text) { table.write(text); });
  table.publish();
  AtomicFile report(folder.report());
  report.write(report_json(report_of(flags, study, ledger, folder)));
  report.publish();
}

Json state_json(const Study& study, const Ledger& ledger, const StudyFolder& folder) {
  const Tally& tally = ledger.tally();
  Json statuses = Json::object();
  for (std::size_t i = 0; i < tally.statuses.size(); ++i)
    statuses[to_string(static_cast<CaseStatus>(i))] = tally.statuses[i];
  const auto expected = make_strategy(study)->expected();
  return {{"title", study.title()},
          {"study", study.file().string()},
          {"hash", study.hash()},
          {"folder", folder.path.string()},
          {"complete", ledger.head().complete},
          {"rounds", ledger.rounds().size()},
          {"cases", tally.done},
          {"expected", expected ? Json(*expected) : Json()},
          {"successes", tally.with(Verdict::success)},
          {"failures", tally.with(Verdict::failure)},
          {"unknown", tally.with(Verdict::unknown)},
          {"statuses", statuses}};
}

void add_study(CLI::App& app, Command& command) {
  CLI::App* study = add_subcommand(
      app, "study", "Run a scene many times under uncertainty, and say what that shows.");
  study->require_subcommand(1);
  add_study_check(*study, command);
  add_study_run(*study, command);
  add_study_resume(*study, command);
  add_study_status(*study, command);
  add_study_merge(*study, command);
  add_study_report(*study, command);
  add_study_repeat(*study, command);
  add_study_export(*study, command);
  add_study_schema(*study, command);
  add_study_work(*study, command);
  add_study_task(*study, command);
}

}  // namespace vinci
