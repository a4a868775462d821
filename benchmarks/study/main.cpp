// SPDX-License-Identifier: Apache-2.0
// benchmark-study: what a study costs around its cases: cases that do nothing at all, and
// simulations of a scene with one body and no step; wall time per case, processor time per case of
// coordinator and workers, memory of the coordinator, and the time of table and report.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "vinci/base/clock.h"
#include "vinci/campaign/atomic_file.h"
#include "vinci/campaign/campaign.h"
#include "vinci/campaign/ledger_times.h"
#include "vinci/campaign/worker.h"
#include "vinci/study/runner.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

constexpr double allowed_microseconds = 50.0, allowed_megabytes = 512.0;

constexpr const char* scene = R"(world: planar
parameters: {x: 0}
bodies:
  point: {shapes: [{circle: 0.1}], mass: 1, position: [x, 0]}
run: {step: 1 ms, duration: 1 ms}
)";

std::string study_text(std::uint64_t cases) {
  return fmt::format(R"(scene: scene.yaml
uncertain: {{x: {{uniform: [0, 1]}}}}
measures: {{x_end: {{end: point.x}}}}
success: x_end > 0.5
sample: {{count: {}}}
)",
                     cases);
}

double processor_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// The cases of one round, which do nothing.
class OneRound : public Strategy {
 public:
  explicit OneRound(std::uint64_t count) : count_(count) {}
  std::optional<Round> next(const ResultSource&) override {
    if (given_) return std::nullopt;
    given_ = true;
    return Round{0, count_, [](std::uint64_t number) {
                   return StudyCase{number, 0, number, {0.5, 0.25}};
                 }};
  }
  std::optional<std::uint64_t> expected() const override { return count_; }

 private:
  std::uint64_t count_;
  bool given_ = false;
};

CaseAnswer nothing(const StudyCase& item) {
  CaseAnswer answer;
  answer.result.number = item.number;
  answer.result.verdict = item.values[0] > 0.3 ? Verdict::success : Verdict::failure;
  answer.result.measures = {item.values[1]};
  answer.cpu_seconds = {0.0};
  return answer;
}

struct Settings {
  std::uint64_t cases = 1'000'000;
  int workers = 2;
  fs::path folder;
};

CrewSettings crew_of(const Settings& settings, std::string hash, const std::string& what) {
  CrewSettings crew;
  crew.command.arguments = {"/proc/self/exe", "--work", what};
  crew.hash = std::move(hash);
  crew.workers = settings.workers;
  return crew;
}

// Whether it is within what is allowed: by processor time, which other work does not lengthen.
bool tell(const char* name, std::uint64_t cases, double wall, double coordinator, double workers) {
  const double each = 1e6 / static_cast<double>(cases);
  fmt::print(
      "{:24} {:10} cases  {:7.2f} us of wall time each; processor: {:.2f} us coordinator, "
      "{:.2f} us workers; {:.0f} MB\n",
      name, cases, each * wall, each * coordinator, each * workers, peak_megabytes());
  return each * (coordinator + workers) <= allowed_microseconds &&
         peak_megabytes() < allowed_megabytes;
}

bool run(const char* name, Strategy& strategy, Ledger& ledger, const Settings& settings,
         const CrewSettings& crew) {
  const Stopwatch wall;
  const double self = processor_seconds(RUSAGE_SELF), others = processor_seconds(RUSAGE_CHILDREN);
  CampaignSettings campaign;
  campaign.crew = crew;
  run_campaign(strategy, ledger, campaign);
  return tell(name, settings.cases, wall.seconds(), processor_seconds(RUSAGE_SELF) - self,
              processor_seconds(RUSAGE_CHILDREN) - others);
}

bool run_nothing(const Settings& settings) {
  Ledger ledger = Ledger::to_write(settings.folder / "nothing.sqlite", {"nothing", "nothing"});
  OneRound round(settings.cases);
  return run("cases that do nothing", round, ledger, settings,
             crew_of(settings, "nothing", "nothing"));
}

bool run_scene(const Settings& settings) {
  std::ofstream(settings.folder / "scene.yaml") << scene;
  const fs::path file = settings.folder / "study.yaml";
  std::ofstream(file) << study_text(settings.cases);
  const Study study = Study::load(file);
  Ledger ledger = Ledger::to_write(settings.folder / "scene.sqlite", {study.hash(), "scene"});
  const auto strategy = make_strategy(study);
  const bool good = run("simulations of one step", *strategy, ledger, settings,
                        crew_of(settings, study.hash(), file.string()));
  const LedgerResults results(ledger);
  Stopwatch watch;
  AtomicFile table(settings.folder / "table.csv");
  write_table(study, results, [&](std::string_view text) { table.write(text); });
  table.publish();
  const double table_seconds = watch.lap();
  const StudyReport report = make_report(study, results, LedgerTimes(ledger));
  fmt::print("table {:.1f} s, report {:.1f} s, ledger {} MB; {:.0f} MB of memory at most\n",
             table_seconds, watch.lap(), fs::file_size(settings.folder / "scene.sqlite") >> 20,
             peak_megabytes());
  return good && report.cases == settings.cases && peak_megabytes() < allowed_megabytes;
}

void work(const std::string& what) {
  serve_cases([&]() -> CaseRun {
    if (what == "nothing") return {"nothing", nothing};
    auto runner = std::make_shared<CaseRunner>(Study::load(what));
    return {runner->study().hash(), [runner](const StudyCase& item) { return runner->run(item); }};
  });
}

int benchmark(int count, char** values) {
  CLI::App app{"What a study costs around its cases.", "benchmark-study"};
  Settings settings;
  bool quick = false;
  std::string what;
  app.add_flag("--quick", quick, "A twentieth of the cases.");
  app.add_option("--cases", settings.cases, "[1000000]");
  app.add_option("--workers", settings.workers, "[2]");
  app.add_option("--work", what)->group("");
  CLI11_PARSE(app, count, values);
  if (!what.empty()) {
    work(what);
    return 0;
  }
  if (quick) settings.cases /= 20;
  std::string folder = (fs::temp_directory_path() / "benchmark-study-XXXXXX").string();
  settings.folder = mkdtemp(folder.data());
  const bool nothing_is_good = run_nothing(settings);
  const bool scene_is_good = run_scene(settings);
  fs::remove_all(settings.folder);
  if (nothing_is_good && scene_is_good) return 0;
  fmt::print("beyond {} us of processor time or {} MB\n", allowed_microseconds, allowed_megabytes);
  return 1;
}

}  // namespace
}  // namespace vinci

int main(int count, char** values) {
  return vinci::benchmark(count, values);
}
