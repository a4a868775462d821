// SPDX-License-Identifier: Apache-2.0
// `vinci study repeat`: one case again, by itself, and recorded where that is wanted.
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "apps/stop_signal.h"
#include "apps/study.h"
#include "apps/text.h"
#include "vinci/campaign/case_bytes.h"
#include "vinci/study/runner.h"
#include "vinci/study/strategies.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

struct RepeatFlags {
  StudyFlags study;
  std::uint64_t number = 0;
  std::string recording;
  bool overwrite = false;
};

// The case, and its result in the ledger. Cases of the first round need no ledger.
struct Repeated {
  StudyCase item;
  std::optional<CaseResult> before;
};

Repeated case_of(const RepeatFlags& flags, const Study& study) {
  if (!fs::exists(folder_of(flags.study).ledger()))
    return {StudyCases(study, StoredResults()).at(flags.number), std::nullopt};
  const Ledger ledger = ledger_to_read(flags.study, study);
  Repeated repeated{StudyCases(study, LedgerResults(ledger)).at(flags.number), std::nullopt};
  ledger.read({flags.number, 1}, [&](const CaseResult& result) { repeated.before = result; });
  return repeated;
}

std::string bytes_of(const CaseResult& result) {
  ByteWriter to;
  write(to, result);
  return to.take();
}

Json json_of(const Study& study, const StudyCase& item, const CaseResult& result) {
  Json parameters = Json::object(), measures = Json::object(), levels = Json::array();
  for (std::size_t i = 0; i < study.parameters().size(); ++i)
    parameters[study.parameters()[i].name] = item.values[i];
  for (std::size_t i = 0; i < study.measures().size() && i < result.measures.size(); ++i)
    measures[study.measures()[i].name] = result.measures[i];
  for (const LevelResult& level : result.levels)
    levels.push_back({{"name", study.levels()[level.level].name},
                      {"status", to_string(level.status)},
                      {"verdict", to_string(level.verdict)},
                      {"steps", level.steps}});
  return {{"case", item.number},
          {"design", item.design},
          {"sample", item.sample},
          {"parameters", parameters},
          {"status", to_string(result.status)},
          {"verdict", to_string(result.verdict)},
          {"measures", measures},
          {"levels", levels},
          {"message", result.message}};
}

int repeat_case(const RepeatFlags& flags, const Command& command) {
  const Study study = load_study(flags.study);
  need_no_python(study);
  const Repeated repeated = case_of(flags, study);
  CaseRunner runner(study);
  listen_for_stop();
  runner.stop_when([] { return stop_wanted(); });
  CaseAnswer answer;
  try {
    answer = flags.recording.empty()
                 ? runner.run(repeated.item)
                 : runner.record(repeated.item, flags.recording, flags.overwrite);
  } catch (const CaseRunner::Stopped&) {
    return exit_stopped();
  }
  Json json = json_of(study, repeated.item, answer.result);
  const bool known = repeated.before.has_value();
  const bool same = known && bytes_of(*repeated.before) == bytes_of(answer.result);
  if (command.json) {
    Json all = {{"ok", true}, {"exit_code", exit_good}};
    all.update(json);
    all["same"] = known ? Json(same) : Json();
    all["recording"] = flags.recording.empty() ? Json() : Json(flags.recording);
    print(all);
    return exit_good;
  }
  say(stdout, "case {} (design {}, sample {}): {}, {}\n", repeated.item.number,
      repeated.item.design, repeated.item.sample, to_string(answer.result.status),
      to_string(answer.result.verdict));
  for (const auto& [name, value] : json["parameters"].items())
    say(stdout, "  {} = {}\n", name, value.get<double>());
  for (const auto& [name, value] : json["measures"].items())
    say(stdout, "  {}: {}\n", name, short_number(value.get<double>()));
  for (const auto& level : json["levels"])
    say(stdout, "  {}: {}, {}, {}\n", level["name"].get<std::string>(),
        level["status"].get<std::string>(), level["verdict"].get<std::string>(),
        plural(level["steps"].get<std::int64_t>(), "step"));
  if (!answer.result.message.empty()) say(stdout, "  {}\n", answer.result.message);
  if (known) say(stdout, same ? "the same as in the study\n" : "the study has another result\n");
  if (!flags.recording.empty()) say(stdout, "recorded in {}\n", flags.recording);
  return exit_good;
}

}  // namespace

void add_study_repeat(CLI::App& study, Command& command) {
  auto flags = std::make_shared<RepeatFlags>();
  CLI::App* subcommand = add_subcommand(study, "repeat", "Run one case of a study again.");
  add_study_flags(*subcommand, flags->study);
  // A plain conversion takes -1 for the greatest number, and nothing for 0.
  const CLI::Validator whole(
      [](const std::string& text) -> std::string {
        std::uint64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [stopped, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && stopped == end) return "";
        return fmt::format("'{}' is no number of a case; accepted: a whole number, 0 or more",
                           escaped(text));
      },
      "");
  subcommand->add_option("case", flags->number, "Its number.")
      ->type_name("")
      ->required()
      ->check(whole);
  subcommand->add_option("--record", flags->recording, "Record it, for vinci view.")
      ->type_name("RUN.h5");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace a recording that exists.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return repeat_case(*flags, command); };
  });
}

}  // namespace vinci
