// SPDX-License-Identifier: Apache-2.0
// The ledger: rows are there or not, whatever fails.
#include "vinci/campaign/ledger.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/campaign/faulty_disk.h"
#include "tests/campaign/synthetic.h"
#include "tests/campaign/temporary_folder.h"

namespace vinci {
namespace {

constexpr std::uint64_t cases = 300, chunk = 5;
const LedgerHead head{synthetic::hash, "a study"};

CaseAnswer answer_of(std::uint64_t number) {
  CaseAnswer answer;
  try {
    answer = synthetic::run_case(synthetic::case_of(number), synthetic::Kind::good, 0.0);
  } catch (const Error& error) {
    answer.result.status = CaseStatus::failed;
    answer.result.message = error.what();
  }
  answer.result.number = number;
  return answer;
}

std::vector<CaseAnswer> answers_of(const NumberRange& range) {
  std::vector<CaseAnswer> answers;
  for (std::uint64_t number = range.first; number < range.end(); ++number)
    answers.push_back(answer_of(number));
  return answers;
}

// Does what is missing, chunk by chunk; the numbers of the chunks done.
std::vector<std::uint64_t> go_on(Ledger& ledger) {
  std::vector<std::uint64_t> done;
  for (const NumberRange& gap : ledger.done().missing({0, cases}))
    for (std::uint64_t first = gap.first; first < gap.end(); first += chunk) {
      ledger.add(answers_of({first, std::min(chunk, gap.end() - first)}));
      done.push_back(first);
    }
  ledger.set_complete();
  return done;
}

std::string undisturbed_table() {
  const TemporaryFolder folder;
  Ledger ledger = Ledger::to_write(folder / "study.sqlite", head);
  go_on(ledger);
  return synthetic::table_of(ledger);
}

TEST(Ledger, gives_back_results_and_seconds_in_the_order_of_their_numbers) {
  const TemporaryFolder folder;
  Ledger ledger = Ledger::to_write(folder / "study.sqlite", head);
  ledger.add(answers_of({20, 10}));
  ledger.add(answers_of({0, 7}));
  ledger.add(answers_of({7, 13}));
  for (const NumberRange range : {NumberRange{0, 30}, NumberRange{5, 9}, NumberRange{19, 2},
                                  NumberRange{29, 5}, NumberRange{7, 0}}) {
    std::vector<std::uint64_t> numbers, timed;
    ledger.read(range, [&](const CaseResult& result) { numbers.push_back(result.number); });
    ledger.read_seconds(
        range, [&](std::uint64_t number, const std::vector<double>&) { timed.push_back(number); });
    std::vector<std::uint64_t> expected;
    for (std::uint64_t n = range.first; n < std::min<std::uint64_t>(range.end(), 30); ++n)
      expected.push_back(n);
    EXPECT_EQ(numbers, expected);
    EXPECT_EQ(timed, expected);
  }
  EXPECT_EQ(ledger.tally().done, 30u);
  EXPECT_EQ(ledger.tally().with(CaseStatus::failed), 1u);
}

TEST(Ledger, tells_how_many_cases_wait_for_the_others_of_their_round) {
  const TemporaryFolder folder;
  Ledger ledger = Ledger::to_write(folder / "study.sqlite", head);
  ledger.add_round({0, 10});
  ledger.add_round({10, 100});
  ledger.add(answers_of({0, 10}));
  ledger.add(answers_of({30, 7}));
  const LedgerResults results(ledger);
  EXPECT_EQ(results.size(), 10u);
  EXPECT_EQ(results.waiting(), 7u);
}

TEST(Ledger, takes_no_case_twice) {
  const TemporaryFolder folder;
  Ledger ledger = Ledger::to_write(folder / "study.sqlite", head);
  ledger.add(answers_of({0, 10}));
  EXPECT_THROW(ledger.add(answers_of({9, 3})), Error);
  EXPECT_EQ(ledger.done().count(), 10u);
}

TEST(Ledger, is_written_by_one_only_and_read_meanwhile) {
  const TemporaryFolder folder;
  Ledger ledger = Ledger::to_write(folder / "study.sqlite", head);
  EXPECT_TRUE(WriterLock::is_held(folder / "study.lock"));
  EXPECT_THROW(Ledger::to_write(folder / "study.sqlite", head), Failure);
  ledger.add(answers_of({0, 10}));
  const Ledger reader = Ledger::to_read(folder / "study.sqlite");
  ledger.add(answers_of({10, 10}));
  EXPECT_EQ(synthetic::table_of(reader).size(),
            synthetic::table_of(Ledger::to_read(folder / "study.sqlite")).size() -
                (synthetic::table_of(ledger).size() - synthetic::table_of(reader).size()));
  EXPECT_EQ(reader.done().count(), 10u);
  EXPECT_EQ(Ledger::to_read(folder / "study.sqlite").done().count(), 20u);
}

TEST(Ledger, of_another_study_is_refused_and_left_as_it_is) {
  const TemporaryFolder folder;
  { Ledger::to_write(folder / "study.sqlite", head).add(answers_of({0, 10})); }
  EXPECT_THROW(Ledger::to_write(folder / "study.sqlite", {"another", "another"}), Error);
  EXPECT_EQ(Ledger::to_read(folder / "study.sqlite").done().count(), 10u);
}

// At each of its calls that write, those included with which log and ledger become one file.
TEST(Ledger, of_other_functions_is_refused_and_says_which) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "study.sqlite";
  LedgerHead with = head;
  with.functions = "tilt=1 way=2";
  static_cast<void>(Ledger::to_write(file, with));
  EXPECT_EQ(Ledger::to_write(file, with).head().functions, "tilt=1 way=2");
  for (const char* other : {"tilt=1 way=3", "tilt=1", "", "tilt=1 way=2 more=3"}) {
    LedgerHead changed = head;
    changed.functions = other;
    try {
      static_cast<void>(Ledger::to_write(file, changed));
      ADD_FAILURE() << other;
    } catch (const Error& error) {
      const std::string name =
          std::string(other).find("more") == std::string::npos ? "'way'" : "'more'";
      EXPECT_NE(error.message().find("another function"), std::string::npos);
      EXPECT_NE(error.message().find(name), std::string::npos) << error.message();
    }
  }
}

TEST(Ledger, whose_writer_is_killed_at_any_moment_is_read_and_continued) {
  const FaultyDisk disk;
  for (const LedgerJournal journal : {LedgerJournal::log, LedgerJournal::rollback})
    for (int at = 1; at <= 80; ++at) {
      const TemporaryFolder folder;
      const std::filesystem::path file = folder / "study.sqlite";
      const pid_t child = fork();
      if (child == 0) {
        FaultyDisk::fail(Fault::death, at);
        {
          Ledger ledger = Ledger::to_write(file, head, journal);
          ledger.add(answers_of({0, 10}));
          ledger.add(answers_of({10, 10}));
        }
        _exit(0);
      }
      waitpid(child, nullptr, 0);
      try {
        EXPECT_EQ(Ledger::to_read(file).done().count() % 10, 0u) << at;
      } catch (const Failure& failure) {
        ADD_FAILURE() << at << ": " << failure.what();
      } catch (const Error&) {
        EXPECT_LT(at, 40) << "it has not begun";
      }
      Ledger ledger = Ledger::to_write(file, head);
      for (const NumberRange& gap : ledger.done().missing({0, 20})) ledger.add(answers_of(gap));
      EXPECT_EQ(ledger.tally().done, 20u);
    }
}

TEST(Ledger, knows_where_its_study_has_gone) {
  const TemporaryFolder folder;
  LedgerHead moved = head;
  { Ledger::to_write(folder / "study.sqlite", head); }
  moved.file = "elsewhere/study.yaml";
  { Ledger::to_write(folder / "study.sqlite", moved); }
  EXPECT_EQ(Ledger::to_read(folder / "study.sqlite").head().file, moved.file);
}

TEST(Ledger, is_one_file_once_its_writer_has_ended) {
  const TemporaryFolder folder;
  { Ledger::to_write(folder / "study.sqlite", head).add(answers_of({0, 10})); }
  EXPECT_FALSE(std::filesystem::exists(folder / "study.sqlite-wal"));
  EXPECT_THROW(Ledger::to_read(folder / "nothing.sqlite"), Error);
}

TEST(Ledger, whose_bytes_are_damaged_is_an_error_and_not_another_result) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "study.sqlite";
  {
    Ledger ledger = Ledger::to_write(file, head);
    go_on(ledger);
  }
  const std::string table = undisturbed_table();
  const auto size = static_cast<std::size_t>(std::filesystem::file_size(file));
  int errors = 0;
  for (std::size_t at = 0; at < size; at += 97) {
    const std::filesystem::path copy = folder / "copy.sqlite";
    std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream stream(copy, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(static_cast<std::streamoff>(at));
      const int byte = stream.get();
      stream.seekp(static_cast<std::streamoff>(at));
      stream.put(static_cast<char>(byte ^ 0x10));
    }
    try {
      const Ledger ledger = Ledger::to_read(copy);
      const std::string read = synthetic::table_of(ledger);
      // Rows may be gone from where SQLite looks for them; those that are there are right.
      const bool all = ledger.done().ranges() == std::vector<NumberRange>{{0, cases}};
      EXPECT_TRUE(!all || read == table || read.find("MISSING") != std::string::npos) << at;
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 50);
}

class LedgerOnAFaultyDisk : public testing::TestWithParam<std::tuple<Fault, bool, LedgerJournal>> {
};

// Each of the first 300 calls that write fails in a run of its own; then the study is resumed.
TEST_P(LedgerOnAFaultyDisk, loses_at_most_the_chunk_that_was_being_written) {
  const std::string table = undisturbed_table();
  const auto [fault, lasts, journal] = GetParam();
  FaultyDisk disk;
  int failures = 0;
  for (int at = 1; at <= 300; ++at) {
    const TemporaryFolder folder;
    std::uint64_t acknowledged = 0;
    disk.fail(fault, at, lasts);
    try {
      Ledger ledger = Ledger::to_write(folder / "study.sqlite", head, journal);
      for (std::uint64_t first = 0; first < cases; first += chunk) {
        ledger.add(answers_of({first, chunk}));
        acknowledged = first + chunk;
      }
      ledger.set_complete();
    } catch (const Failure&) {
      ++failures;
    }
    ASSERT_TRUE(disk.has_failed()) << at;
    disk.heal();
    Ledger ledger = Ledger::to_write(folder / "study.sqlite", head, journal);
    const std::uint64_t there = ledger.done().count();
    ASSERT_GE(there, acknowledged) << at << ": what was acknowledged is there";
    ASSERT_LE(there, acknowledged + chunk) << at;
    go_on(ledger);
    ASSERT_EQ(synthetic::table_of(ledger), table) << at;
    ASSERT_EQ(ledger.tally().done, cases);
  }
  EXPECT_GT(failures, 200);
}

INSTANTIATE_TEST_SUITE_P(
    of_every_kind, LedgerOnAFaultyDisk,
    testing::Combine(testing::Values(Fault::no_space, Fault::io_error, Fault::short_write),
                     testing::Bool(),
                     testing::Values(LedgerJournal::log, LedgerJournal::rollback)));

}  // namespace
}  // namespace vinci
