// SPDX-License-Identifier: Apache-2.0
// What the commands of `vinci study` share: which study, where it lies, how it is run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/command.h"
#include "vinci/campaign/campaign.h"
#include "vinci/campaign/study_folder.h"
#include "vinci/study/study.h"
#include "vinci/study/study_report.h"

namespace vinci {

struct StudyFlags {
  std::string study;  // the file, or the folder in which it is run
  std::string output;
  std::vector<std::string> libraries, allowed;
};
void add_study_flags(CLI::App& subcommand, StudyFlags& flags);

// The study of a file, or of the ledger of a folder. Throws Error.
Study load_study(const StudyFlags& flags);
// Throws Error where a measure is a function in Python, which this program cannot call.
void need_no_python(const Study& study);
StudyFolder folder_of(const StudyFlags& flags);
LedgerHead head_of(const Study& study);
// Throws Error where the study has not been run, or its ledger is of another one.
Ledger ledger_to_read(const StudyFlags& flags, const Study& study);

struct WorkerFlags {
  int workers = 0;  // 0: as many as there are processors
};
void add_worker_flags(CLI::App& subcommand, WorkerFlags& flags);
int workers_of(const WorkerFlags& flags);
// "vinci study work STUDY" and its like, with what the study needs besides its file.
std::vector<std::string> command_of(const StudyFlags& flags, const Study& study,
                                    const std::string& name);
// "vinci study resume FOLDER" and its like, to be pasted into a shell.
std::string advice_of(const StudyFlags& flags, const StudyFolder& folder, const std::string& name);
CrewSettings crew_of(const StudyFlags& flags, const Study& study, int workers);

// The table and the report beside the ledger. Throws Failure.
void write_results(const StudyFlags& flags, const Study& study, const Ledger& ledger,
                   const StudyFolder& folder);
// Of a ledger, with commands that repeat cases.
StudyReport report_of(const StudyFlags& flags, const Study& study, const Ledger& ledger,
                      const StudyFolder& folder);
// Of a ledger, as `status` and others print it.
Json state_json(const Study& study, const Ledger& ledger, const StudyFolder& folder);

// One file each.
void add_study_check(CLI::App& study, Command& command);
void add_study_run(CLI::App& study, Command& command);
void add_study_resume(CLI::App& study, Command& command);
void add_study_status(CLI::App& study, Command& command);
void add_study_merge(CLI::App& study, Command& command);
void add_study_report(CLI::App& study, Command& command);
void add_study_repeat(CLI::App& study, Command& command);
void add_study_export(CLI::App& study, Command& command);
void add_study_schema(CLI::App& study, Command& command);
void add_study_work(CLI::App& study, Command& command);
void add_study_task(CLI::App& study, Command& command);

}  // namespace vinci
