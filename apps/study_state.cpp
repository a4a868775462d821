// SPDX-License-Identifier: Apache-2.0
// `vinci study check`, `status`, `report` and `export`: what a study asks, how far it is, what it
// shows.
#include <fmt/format.h>

#include "apps/study.h"
#include "apps/study_line.h"
#include "apps/study_slurm.h"
#include "apps/text.h"
#include "vinci/campaign/atomic_file.h"
#include "vinci/campaign/ledger_times.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_columns.h"
#include "vinci/study/study_report.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

std::string kind_of(StudyParameter::Kind kind) {
  return kind == StudyParameter::Kind::design ? "design" : "uncertain";
}

int check_study(const StudyFlags& flags, const Command& command) {
  const Study study = load_study(flags);
  const auto expected = make_strategy(study)->expected();
  if (!command.json) {
    say(stdout, "{}: {}\n", study.title(), to_string(study.kind()));
    for (const StudyParameter& parameter : study.parameters())
      say(stdout, "  {} {}: {}\n", kind_of(parameter.kind), parameter.name, parameter.text);
    for (const StudyMeasure& measure : study.measures())
      say(stdout, "  measure {}: {}{}\n", measure.name, measure.text,
          measure.is_code ? ", a function in Python: the study runs from Python only" : "");
    if (!study.success().empty()) say(stdout, "  success: {}\n", study.success());
    for (const StudyLevel& level : study.levels())
      say(stdout, "  level {}{}{}{}\n", level.name, level.rejects ? ", rejects" : "",
          level.confirms ? ", confirms" : "", level.per_design ? ", once a design" : "");
    say(stdout, "  {}\n",
        expected ? "at most " + plural(static_cast<std::int64_t>(*expected), "case")
                 : "as many cases as it takes");
    return exit_good;
  }
  Json parameters = Json::array(), measures = Json::array(), levels = Json::array();
  for (const StudyParameter& parameter : study.parameters())
    parameters.push_back(
        {{"name", parameter.name}, {"kind", kind_of(parameter.kind)}, {"text", parameter.text}});
  for (const StudyMeasure& measure : study.measures())
    measures.push_back(
        {{"name", measure.name}, {"text", measure.text}, {"python", measure.is_code}});
  for (const StudyLevel& level : study.levels())
    levels.push_back({{"name", level.name},
                      {"rejects", level.rejects},
                      {"confirms", level.confirms},
                      {"per_design", level.per_design}});
  print({{"ok", true},
         {"exit_code", exit_good},
         {"title", study.title()},
         {"study", study.file().string()},
         {"hash", study.hash()},
         {"kind", to_string(study.kind())},
         {"parameters", parameters},
         {"measures", measures},
         {"success", study.success().empty() ? Json() : Json(study.success())},
         {"levels", levels},
         {"expected", expected ? Json(*expected) : Json()}});
  return exit_good;
}

int show_status(const StudyFlags& flags, const Command& command) {
  const Study study = load_study(flags);
  const StudyFolder folder = folder_of(flags);
  const Ledger ledger = ledger_to_read(flags, study);
  const bool running = WriterLock::is_held(folder.lock());
  Json json = {{"ok", true}, {"exit_code", exit_good}};
  json.update(state_json(study, ledger, folder));
  json["running"] = running;
  json["missing"] = missing_cases(ledger);
  if (command.json) {
    print(json);
    return exit_good;
  }
  const char* state = ledger.head().complete ? "complete" : running ? "running" : "not complete";
  say(stdout, "{}: {}\n  {}\n", study.title(), state, words_of(study, ledger.tally()));
  for (const auto& [name, count] : json["statuses"].items())
    if (count.get<std::uint64_t>() > 0) say(stdout, "  {}: {}\n", name, count.get<std::uint64_t>());
  if (!ledger.head().complete && !running)
    say(stdout, "continue with: {}\n", advice_of(flags, folder, "resume"));
  return exit_good;
}

// Cases of a round that is not complete say nothing yet: which of them are done is chance.
std::string waiting_words(std::uint64_t cases) {
  return fmt::format("{} of a round that is not complete: they count when it is",
                     plural(static_cast<std::int64_t>(cases), "case"));
}

int show_report(const StudyFlags& flags, const Command& command) {
  const Study study = load_study(flags);
  const Ledger ledger = ledger_to_read(flags, study);
  const StudyReport report = report_of(flags, study, ledger, folder_of(flags));
  if (!command.json) {
    say(stdout, "{}", report_words(report));
    return exit_good;
  }
  Json json = {{"ok", true}, {"exit_code", exit_good}};
  json.update(Json::parse(report_json(report)));
  print(json);
  return exit_good;
}

struct ExportStudyFlags {
  StudyFlags study;
  std::string csv, hdf5;
  bool overwrite = false;
};

int export_study(const ExportStudyFlags& flags, const Command& command) {
  if (flags.csv.empty() && flags.hdf5.empty())
    throw Error("give --csv FILE or --hdf5 FILE", "vinci study export");
  const Study study = load_study(flags.study);
  const Ledger ledger = ledger_to_read(flags.study, study);
  const LedgerResults results(ledger);
  if (results.size() == 0)
    throw Error(ledger.tally().done == 0
                    ? "no case is done: there is nothing to export"
                    : "no round is complete: there is nothing to export, but " +
                          waiting_words(ledger.tally().done),
                folder_of(flags.study).path.string());
  for (const std::string& file : {flags.csv, flags.hdf5})
    if (!file.empty() && !flags.overwrite && fs::exists(file))
      throw Error("exists already; give --overwrite to replace it", file);
  std::vector<std::string> files;
  if (!flags.csv.empty()) {
    AtomicFile file(flags.csv);
    write_table(study, results, [&](std::string_view text) { file.write(text); });
    file.publish();
    files.push_back(flags.csv);
  }
  if (!flags.hdf5.empty()) {
    write_columns(study, columns_of(study, results), flags.hdf5);
    files.push_back(flags.hdf5);
  }
  if (command.json)
    print({{"ok", true}, {"exit_code", exit_good}, {"cases", results.size()}, {"files", files}});
  else
    say(stdout, "{}: {}\n", fmt::join(files, ", "),
        plural(static_cast<std::int64_t>(results.size()), "case"));
  return exit_good;
}

// A command that needs no flags but those of all.
void add_simple(CLI::App& study, Command& command, const char* name, const char* text,
                int (*action)(const StudyFlags&, const Command&)) {
  auto flags = std::make_shared<StudyFlags>();
  CLI::App* subcommand = add_subcommand(study, name, text);
  add_study_flags(*subcommand, *flags);
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, action, &command] {
    command.action = [flags, action, &command] { return action(*flags, command); };
  });
}

}  // namespace

void add_study_check(CLI::App& study, Command& command) {
  add_simple(study, command, "check", "Check a study and say what it asks.", check_study);
}

void add_study_status(CLI::App& study, Command& command) {
  add_simple(study, command, "status", "Say how far a study is, also while it runs.", show_status);
}

void add_study_report(CLI::App& study, Command& command) {
  add_simple(study, command, "report", "Say what the complete rounds of a study show.",
             show_report);
}

void add_study_schema(CLI::App& study, Command& command) {
  CLI::App* subcommand = add_subcommand(study, "schema", "Print the JSON Schema of study files.");
  subcommand->callback([&command] {
    command.action = [] {
      const std::string schema = study_schema();
      say(stdout, "{}{}", schema, schema.ends_with('\n') ? "" : "\n");
      return exit_good;
    };
  });
}

void add_study_export(CLI::App& study, Command& command) {
  auto flags = std::make_shared<ExportStudyFlags>();
  CLI::App* subcommand =
      add_subcommand(study, "export", "Write the table of a study as CSV or HDF5.");
  add_study_flags(*subcommand, flags->study);
  subcommand->add_option("--csv", flags->csv, "A table of text.")->type_name("FILE");
  subcommand->add_option("--hdf5", flags->hdf5, "A file with a list for each column.")
      ->type_name("FILE");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace files that exist.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return export_study(*flags, command); };
  });
}

}  // namespace vinci
