// SPDX-License-Identifier: Apache-2.0
// A study that simulates nothing, as a program: it can be killed like any.
//   synthetic_study run FOLDER CASES WORKERS KIND SECONDS    good, bad or killed cases, each so
//                                                            long; table.txt is there at the end
//   synthetic_study work KIND SECONDS                        a worker of it
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/campaign/synthetic.h"

namespace {

using namespace vinci;

int run(const std::vector<std::string>& arguments) {
  const std::filesystem::path folder = arguments.at(1);
  Ledger ledger = synthetic::ledger_in(folder);
  synthetic::Rounds rounds(std::stoull(arguments.at(2)));
  CampaignSettings settings;
  settings.crew = {
      .command = {{"/proc/self/exe", "work", arguments.at(4), arguments.at(5)}, 64ULL << 20},
      .hash = synthetic::hash,
      .workers = std::stoi(arguments.at(3)),
      .case_seconds = 1.0,
      .chunk_seconds = 0.02};
  if (!run_campaign(rounds, ledger, settings)) return 1;
  const std::filesystem::path partial = folder / "table.partial";
  std::ofstream(partial) << synthetic::table_of(ledger);
  std::filesystem::rename(partial, folder / "table.txt");
  return 0;
}

void work(const std::vector<std::string>& arguments) {
  serve_cases([&] {
    if (arguments.at(1) == "complain") throw Error("what is wrong with it");
    const std::string& word = arguments.at(1);
    const synthetic::Kind kind = word == "bad"        ? synthetic::Kind::bad
                                 : word == "killed"   ? synthetic::Kind::killed
                                 : word == "stopped"  ? synthetic::Kind::stopped
                                 : word == "spinning" ? synthetic::Kind::spinning
                                                      : synthetic::Kind::good;
    return CaseRun{synthetic::hash,
                   [kind, seconds = std::stod(arguments.at(2))](const StudyCase& what) {
                     return synthetic::run_case(what, kind, seconds);
                   }};
  });
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  try {
    if (arguments.at(0) == "run") return run(arguments);
    work(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
