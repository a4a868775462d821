// SPDX-License-Identifier: Apache-2.0
// Studies in worker processes: what is killed, hangs or crashes changes nothing of the others.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/campaign/faulty_disk.h"
#include "tests/campaign/synthetic.h"
#include "tests/campaign/temporary_folder.h"

extern char** environ;

namespace vinci {
namespace {

using Clock = std::chrono::steady_clock;

// The first line in which two tables differ; nothing if they are the same.
std::string difference(const std::string& table, const std::string& expected) {
  std::istringstream here(table), there(expected);
  std::string a, b;
  while (std::getline(there, b))
    if (!std::getline(here, a) || a != b) return "'" + a + "' instead of '" + b + "'";
  return table == expected ? "" : "lines at the end";
}

CampaignSettings settings_of(int workers, const std::string& kind = "good",
                             const std::string& seconds = "0") {
  CampaignSettings settings;
  settings.crew = {.command = {{SYNTHETIC_STUDY, "work", kind, seconds}, 64ULL << 20},
                   .hash = synthetic::hash,
                   .workers = workers,
                   .case_seconds = 1.0,
                   .chunk_seconds = 0.02};
  return settings;
}

std::string table_of_study(std::uint64_t cases, const CampaignSettings& settings) {
  const TemporaryFolder folder;
  Ledger ledger = synthetic::ledger_in(folder.path());
  synthetic::Rounds rounds(cases);
  EXPECT_TRUE(run_campaign(rounds, ledger, settings));
  EXPECT_EQ(ledger.done().count(), cases);
  EXPECT_TRUE(ledger.head().complete);
  return synthetic::table_of(ledger);
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Its children, as /proc tells.
std::vector<pid_t> children_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  return {std::istream_iterator<pid_t>(file), {}};
}

// The synthetic study as a program in a folder.
class Program {
 public:
  Program(const std::filesystem::path& folder, std::uint64_t cases, int workers,
          const std::string& kind, const std::string& seconds) {
    std::vector<std::string> arguments{
        SYNTHETIC_STUDY,         "run", folder.string(), std::to_string(cases),
        std::to_string(workers), kind,  seconds};
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&process_, SYNTHETIC_STUDY, nullptr, nullptr, pointers.data(), environ),
              0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (running()) kill(process_, SIGKILL);
    if (!ended_) waitpid(process_, nullptr, 0);
  }
  bool running() {
    if (!ended_ && waitpid(process_, &status_, WNOHANG) == process_) ended_ = true;
    return !ended_;
  }
  int wait() {
    if (!ended_) waitpid(process_, &status_, 0);
    ended_ = true;
    return status_;
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

struct Kills {
  int workers = 0, coordinator = 0, everything = 0;
  int all() const { return workers + coordinator + everything; }
};

// Runs the study, again and again, while the kills happen at random moments, until it is done. Its
// cases have to take twice as long as all pauses, so that it is not over before.
std::string killed_study(const TemporaryFolder& folder, std::uint64_t cases, Kills kills,
                         const std::string& kind, const std::string& seconds, double pause) {
  std::mt19937 random(7);
  const std::filesystem::path table = folder / "table.txt";
  auto program = std::make_unique<Program>(folder.path(), cases, 2, kind, seconds);
  Kills done;
  while (done.all() < kills.all()) {
    sleep_seconds(pause * std::uniform_real_distribution<double>(0.2, 1.8)(random));
    if (!program->running()) {
      if (std::filesystem::exists(table)) break;
      program = std::make_unique<Program>(folder.path(), cases, 2, kind, seconds);
    }
    const int which = static_cast<int>(random() % static_cast<unsigned>(kills.all()));
    const std::vector<pid_t> workers = children_of(program->process());
    if (which < kills.workers) {
      if (workers.empty() || done.workers == kills.workers) continue;
      kill(workers[random() % workers.size()], SIGKILL);
      ++done.workers;
    } else if (which < kills.workers + kills.coordinator) {
      if (done.coordinator == kills.coordinator) continue;
      kill(program->process(), SIGKILL);
      program->wait();
      ++done.coordinator;
    } else {
      if (done.everything == kills.everything) continue;
      kill(program->process(), SIGKILL);
      for (const pid_t worker : workers) kill(worker, SIGKILL);
      program->wait();
      ++done.everything;
    }
  }
  EXPECT_EQ(done.all(), kills.all())
      << "the study was over before it was killed so often: " << done.workers << ", "
      << done.coordinator << ", " << done.everything;
  if (!std::filesystem::exists(table)) {
    if (!program->running())
      program = std::make_unique<Program>(folder.path(), cases, 2, kind, seconds);
    EXPECT_EQ(program->wait(), 0);
  }
  return text_of(table);
}

TEST(Campaign, gives_the_same_table_with_any_number_of_workers) {
  const std::string one = table_of_study(5000, settings_of(1));
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 5000);
  EXPECT_EQ(one.find("MISSING"), std::string::npos);
  for (const int workers : {2, 8})
    EXPECT_EQ(difference(table_of_study(5000, settings_of(workers)), one), "");
}

TEST(Campaign, that_is_stopped_goes_on_to_the_same_table) {
  const std::string whole = table_of_study(3000, settings_of(2));
  const TemporaryFolder folder;
  int stops = 0;
  for (int allowed = 1;; allowed += 3) {
    Ledger ledger = synthetic::ledger_in(folder.path());
    synthetic::Rounds rounds(3000);
    CampaignSettings settings = settings_of(2);
    settings.go_on = [left = allowed]() mutable { return left-- > 0; };
    if (run_campaign(rounds, ledger, settings)) {
      EXPECT_EQ(difference(synthetic::table_of(ledger), whole), "");
      break;
    }
    ++stops;
  }
  EXPECT_GT(stops, 3);
}

TEST(Campaign, keeps_the_answers_that_are_there_when_it_is_stopped) {
  const TemporaryFolder folder;
  Ledger ledger = synthetic::ledger_in(folder.path());
  synthetic::Rounds rounds(2000);
  CampaignSettings settings = settings_of(1, "good", "0.01");
  settings.crew.chunk_seconds = 60.0;  // one chunk would take all of the time
  const auto start = Clock::now();
  settings.go_on = [&] { return Clock::now() - start < std::chrono::seconds(2); };
  EXPECT_FALSE(run_campaign(rounds, ledger, settings));
  EXPECT_GT(ledger.done().count(), 21u) << "more than the chunks that were complete";
}

void expect_bad_cases_to_be_isolated(std::uint64_t cases) {
  std::istringstream good(table_of_study(cases, settings_of(2)));
  std::istringstream bad(table_of_study(cases, settings_of(2, "bad")));
  std::string good_line, bad_line;
  std::uint64_t given_up = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    ASSERT_TRUE(std::getline(good, good_line) && std::getline(bad, bad_line));
    if (!synthetic::is_bad(number)) {
      EXPECT_EQ(good_line, bad_line);
      continue;
    }
    const bool hangs = number / 200 % 4 == 3;
    EXPECT_EQ(bad_line, fmt::format("{},{},0,0,{}", number, hangs ? 5 : 6,
                                    hangs ? "took longer than 1 s" : "ended its worker 3 times"));
    ++given_up;
  }
  EXPECT_EQ(given_up, cases / 200);
}

TEST(Campaign, isolates_cases_that_crash_hang_or_eat_memory) {
  expect_bad_cases_to_be_isolated(1600);
}

TEST(Campaign, gives_up_a_case_that_is_killed_again_and_again) {
  std::istringstream good(table_of_study(60, settings_of(2)));
  std::istringstream killed(table_of_study(60, settings_of(2, "killed")));
  std::string expected, line;
  for (std::uint64_t number = 0; number < 60; ++number) {
    ASSERT_TRUE(std::getline(good, expected) && std::getline(killed, line));
    EXPECT_EQ(line,
              number == synthetic::doomed ? "25,6,0,0,its worker was killed 6 times" : expected);
  }
}

// What a case computes or sleeps counts against its limit of time.
TEST(Campaign, ends_a_case_that_computes_for_too_long) {
  CampaignSettings settings = settings_of(2, "spinning");
  settings.crew.case_seconds = 0.3;
  std::istringstream good(table_of_study(60, settings_of(2)));
  std::istringstream spinning(table_of_study(60, settings));
  std::string expected, line;
  for (std::uint64_t number = 0; number < 60; ++number) {
    ASSERT_TRUE(std::getline(good, expected) && std::getline(spinning, line));
    EXPECT_EQ(line, number == synthetic::doomed ? "25,5,0,0,took longer than 0.3 s" : expected);
  }
}

TEST(Campaign, does_not_blame_a_case_whose_worker_was_stopped) {
  CampaignSettings settings = settings_of(2, "stopped");
  settings.crew.case_seconds = 0.3;
  const auto start = Clock::now();
  settings.go_on = [&] {
    if (Clock::now() - start > std::chrono::milliseconds(1500))
      for (const pid_t worker : children_of(getpid())) kill(worker, SIGCONT);
    return true;
  };
  EXPECT_EQ(difference(table_of_study(60, settings), table_of_study(60, settings_of(2))), "");
  EXPECT_GT(Clock::now() - start, std::chrono::milliseconds(1500));
}

// A worker that is a copy of this process: it serves cases and ends.
pid_t fork_bad(const WorkerEnds& ends) {
  const pid_t process = fork();
  if (process != 0) return process;
  try {
    serve_cases(
        [] {
          return CaseRun{synthetic::hash, [](const StudyCase& what) {
                           return synthetic::run_case(what, synthetic::Kind::bad, 0.0);
                         }};
        },
        ends);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

TEST(Campaign, isolates_bad_cases_where_workers_are_copies_of_it_too) {
  CampaignSettings copies = settings_of(3);
  copies.crew.command.arguments.clear();
  copies.crew.command.fork = fork_bad;
  EXPECT_EQ(difference(table_of_study(1000, copies), table_of_study(1000, settings_of(2, "bad"))),
            "");
}

TEST(Campaign, isolates_100_of_20000_cases) {
  expect_bad_cases_to_be_isolated(20'000);
}

TEST(Campaign, whose_parts_are_killed_again_and_again_gives_the_same_table) {
  const std::string whole = table_of_study(6000, settings_of(2));
  const TemporaryFolder folder;
  const std::string table = killed_study(folder, 6000, {20, 6, 3}, "good", "0.001", 0.03);
  EXPECT_EQ(difference(table, whole), "");
  EXPECT_EQ(synthetic::ledger_in(folder.path()).tally().done, 6000u)
      << "nothing lost, nothing twice";
}

TEST(Campaign, of_20000_cases_survives_270_kills) {
  const std::string whole = table_of_study(20'000, settings_of(2));
  const TemporaryFolder folder;
  const std::string table = killed_study(folder, 20'000, {200, 50, 20}, "good", "0.002", 0.03);
  EXPECT_EQ(difference(table, whole), "");
  EXPECT_EQ(synthetic::ledger_in(folder.path()).tally().done, 20'000u)
      << "nothing lost, nothing twice";
}

TEST(Campaign, whose_coordinator_is_killed_leaves_no_worker_behind) {
  const TemporaryFolder folder;
  Program program(folder.path(), 100'000, 2, "good", "0.01");
  std::vector<pid_t> workers;
  while ((workers = children_of(program.process())).size() < 2) sleep_seconds(0.01);
  kill(program.process(), SIGKILL);
  program.wait();
  for (const pid_t worker : workers)
    for (int i = 0; kill(worker, 0) == 0 && !text_of(fmt::format("/proc/{}/stat", worker)).empty();
         ++i) {
      // One that nobody has waited for yet is gone all the same.
      if (text_of(fmt::format("/proc/{}/stat", worker)).find(") Z") != std::string::npos) break;
      ASSERT_LT(i, 1000) << "a worker outlives its coordinator";
      sleep_seconds(0.01);
    }
}

TEST(Campaign, does_at_most_what_was_under_way_again_when_a_write_fails) {
  const std::string whole = table_of_study(200, settings_of(1));
  FaultyDisk disk;
  int failures = 0;
  for (int at = 1; at <= 120; at += 5) {
    const TemporaryFolder folder;
    disk.fail(at % 2 == 0 ? Fault::no_space : Fault::io_error, at);
    try {
      Ledger ledger = synthetic::ledger_in(folder.path());
      synthetic::Rounds rounds(200);
      run_campaign(rounds, ledger, settings_of(1));
    } catch (const Failure&) {
      ++failures;
    }
    disk.heal();
    Ledger ledger = synthetic::ledger_in(folder.path());
    synthetic::Rounds rounds(200);
    ASSERT_TRUE(run_campaign(rounds, ledger, settings_of(1)));
    EXPECT_EQ(difference(synthetic::table_of(ledger), whole), "") << at;
  }
  EXPECT_GT(failures, 10);
}

TEST(Campaign, tells_why_its_workers_cannot_begin) {
  const TemporaryFolder folder;
  Ledger ledger = synthetic::ledger_in(folder.path());
  const auto failure_of = [&](std::vector<std::string> command, const std::string& hash) {
    CampaignSettings settings = settings_of(1);
    settings.crew.command.arguments = std::move(command);
    settings.crew.hash = hash;
    synthetic::Rounds rounds(10);
    try {
      run_campaign(rounds, ledger, settings);
    } catch (const Failure& failure) {
      return std::string(failure.what());
    }
    return std::string("no failure");
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(failure_of({"no-such-program"}, synthetic::hash), "cannot be started"));
  EXPECT_TRUE(has(failure_of({"true"}, synthetic::hash), "ended before they began"));
  EXPECT_TRUE(has(failure_of({SYNTHETIC_STUDY, "work", "good", "0"}, "another"), "another study"));
  EXPECT_TRUE(has(failure_of({SYNTHETIC_STUDY, "work", "complain", "0"}, synthetic::hash),
                  "what is wrong with it"));
  EXPECT_EQ(ledger.done().count(), 0u);
}

TEST(Campaign, refuses_a_strategy_that_gives_other_rounds_than_before) {
  const TemporaryFolder folder;
  Ledger ledger = synthetic::ledger_in(folder.path());
  {
    synthetic::Rounds rounds(100);
    EXPECT_TRUE(run_campaign(rounds, ledger, settings_of(1)));
  }
  synthetic::Rounds rounds(200);
  EXPECT_THROW(run_campaign(rounds, ledger, settings_of(1)), Failure);
}

TEST(Campaign, that_is_complete_starts_no_worker) {
  const TemporaryFolder folder;
  Ledger ledger = synthetic::ledger_in(folder.path());
  synthetic::Rounds first(100), second(100);
  EXPECT_TRUE(run_campaign(first, ledger, settings_of(1)));
  CampaignSettings settings = settings_of(1);
  settings.crew.command.arguments = {"no-such-program"};
  EXPECT_TRUE(run_campaign(second, ledger, settings));
}

}  // namespace
}  // namespace vinci
