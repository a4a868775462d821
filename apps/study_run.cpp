// SPDX-License-Identifier: Apache-2.0
// `vinci study run` and `vinci study resume`: the cases of a study, here or on a cluster.
#include <filesystem>

#include <fmt/format.h>

#include "apps/stop_signal.h"
#include "apps/study.h"
#include "apps/study_line.h"
#include "apps/study_slurm.h"
#include "apps/text.h"
#include "vinci/campaign/ledger_times.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

struct RunStudyFlags {
  StudyFlags study;
  WorkerFlags workers;
  StudySlurmFlags slurm;
  bool overwrite = false, quiet = false;
};

// Files of a study that is to begin anew.
void clear(const StudyFolder& folder) {
  if (!fs::exists(folder.ledger())) {
    if (!fs::is_empty(folder.path))
      throw Error("is not the folder of a study, and nothing else is overwritten",
                  folder.path.string());
    return;
  }
  const WriterLock lock(folder.lock());
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    fs::remove(folder.ledger().string() + ending);
  fs::remove(folder.table());
  fs::remove(folder.report());
  fs::remove_all(folder.parts());
}

void prepare(const RunStudyFlags& flags, const StudyFolder& folder) {
  std::error_code code;
  const bool exists = fs::exists(folder.path, code);
  if (exists && flags.overwrite)
    clear(folder);
  else if (exists && !flags.slurm.wanted && Ledger::is_begun(folder.ledger()))
    throw Error(fmt::format("exists already; give --overwrite to replace it, another place with "
                            "--output, or continue with: {}",
                            advice_of(flags.study, folder, "resume")),
                folder.path.string());
  fs::create_directories(folder.path, code);
  if (code) throw Failure("cannot be created: " + code.message(), folder.path.string());
}

// Once all is done: what came out, as files and in words.
void finish(const RunStudyFlags& flags, const Study& study, const Ledger& ledger,
            const StudyFolder& folder, const Command& command) {
  write_results(flags.study, study, ledger, folder);
  if (command.json || flags.quiet) return;
  say(stdout, "{}", report_words(report_of(flags.study, study, ledger, folder)));
  say(stdout, "table {}\n", folder.table().string());
}

int perform(const RunStudyFlags& flags, const Study& study, const StudyFolder& folder,
            const Command& command) {
  listen_for_stop();
  Ledger ledger = Ledger::to_write(folder.ledger(), head_of(study));
  const auto strategy = make_strategy(study);
  bool complete = false;
  Json cluster;
  if (flags.slurm.wanted) {
    const SlurmState state =
        run_on_slurm(flags.slurm, flags.study, study, folder, ledger, *strategy, command);
    complete = state.complete;
    cluster = state.json;
  } else {
    StudyLine line(study, ledger.tally(), !flags.quiet);
    CampaignSettings settings;
    settings.crew = crew_of(flags.study, study, workers_of(flags.workers));
    settings.go_on = [] { return !stop_wanted(); };
    settings.progress = [&](const CampaignProgress& progress) { line.update(progress); };
    complete = run_campaign(*strategy, ledger, settings);
  }
  if (complete) finish(flags, study, ledger, folder, command);
  const bool stopped = !complete && stop_wanted();
  const int code = stopped ? exit_stopped() : exit_good;
  if (command.json) {
    Json json = {{"ok", code == exit_good}, {"exit_code", code}, {"interrupted", stopped}};
    json.update(state_json(study, ledger, folder));
    json["table"] = complete ? Json(folder.table().string()) : Json();
    json["report"] = complete ? Json(folder.report().string()) : Json();
    if (flags.slurm.wanted) json.update(cluster);
    print(json);
  } else if (stopped) {
    say(stderr, "stopped after {}; continue with: {}\n",
        plural(static_cast<std::int64_t>(ledger.tally().done), "case"),
        advice_of(flags.study, folder, "resume"));
  }
  return code;
}

// A disk that is full, or the like, takes nothing of what was there before.
int perform_with_advice(const RunStudyFlags& flags, const Study& study, const StudyFolder& folder,
                        const Command& command) {
  try {
    return perform(flags, study, folder, command);
  } catch (const Failure& failure) {
    if (!fs::exists(folder.ledger())) throw;
    throw Failure(fmt::format("{}; what was done is kept: continue with: {}", failure.message(),
                              advice_of(flags.study, folder, "resume")),
                  failure.where());
  }
}

int run_study(const RunStudyFlags& flags, const Command& command) {
  const Study study = load_study(flags.study);
  need_no_python(study);
  const StudyFolder folder = folder_of(flags.study);
  prepare(flags, folder);
  return perform_with_advice(flags, study, folder, command);
}

int resume_study(const RunStudyFlags& flags, const Command& command) {
  const Study study = load_study(flags.study);
  need_no_python(study);
  const StudyFolder folder = folder_of(flags.study);
  // What would make an empty one, or is of another study, is told before anything is written.
  ledger_to_read(flags.study, study);
  return perform_with_advice(flags, study, folder, command);
}

}  // namespace

void add_study_run(CLI::App& study, Command& command) {
  auto flags = std::make_shared<RunStudyFlags>();
  CLI::App* subcommand = add_subcommand(study, "run", "Run all cases of a study.");
  add_study_flags(*subcommand, flags->study);
  add_worker_flags(*subcommand, flags->workers);
  subcommand->add_flag("--overwrite", flags->overwrite, "Begin anew where it was run already.");
  subcommand->add_flag("--quiet", flags->quiet, "No progress line and no report.");
  add_json_flag(*subcommand, command);
  add_slurm_flags(*subcommand, flags->slurm);
  subcommand->callback([flags, subcommand, &command] {
    command.action = [flags, subcommand, &command] {
      return with_flags(*subcommand, [&] { return run_study(*flags, command); });
    };
  });
}

void add_study_resume(CLI::App& study, Command& command) {
  auto flags = std::make_shared<RunStudyFlags>();
  CLI::App* subcommand =
      add_subcommand(study, "resume", "Continue a study that was stopped or killed.");
  add_study_flags(*subcommand, flags->study);
  add_worker_flags(*subcommand, flags->workers);
  subcommand->add_flag("--quiet", flags->quiet, "No progress line and no report.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return resume_study(*flags, command); };
  });
}

}  // namespace vinci
