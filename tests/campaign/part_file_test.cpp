// SPDX-License-Identifier: Apache-2.0
// Parts of studies in files of a folder.
#include "vinci/campaign/part_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/campaign/synthetic.h"
#include "tests/campaign/temporary_folder.h"
#include "vinci/campaign/atomic_file.h"

namespace vinci {
namespace {

std::vector<CaseAnswer> numbered_answers(const NumberRange& range) {
  std::vector<CaseAnswer> answers;
  for (std::uint64_t number = range.first; number < range.end(); ++number) {
    CaseAnswer answer;
    answer.result.number = number;
    answer.result.measures = {static_cast<double>(synthetic::mixed(number))};
    answer.cpu_seconds = {0.5};
    answers.push_back(answer);
  }
  return answers;
}

TEST(TaskFile, gives_back_its_cases) {
  const TemporaryFolder folder;
  TaskFile task{synthetic::hash, {}};
  for (std::uint64_t number = 7; number < 10'000; ++number)
    task.cases.push_back(synthetic::case_of(number));
  write_task(folder / "task", task);
  const TaskFile read = read_task(folder / "task");
  EXPECT_EQ(read.hash, task.hash);
  ASSERT_EQ(read.cases.size(), task.cases.size());
  for (std::size_t i = 0; i < read.cases.size(); ++i) {
    EXPECT_EQ(read.cases[i].number, task.cases[i].number);
    EXPECT_EQ(read.cases[i].values, task.cases[i].values);
  }
  std::filesystem::resize_file(folder / "task", 100'000);
  EXPECT_THROW(read_task(folder / "task"), Error);
}

TEST(Parts, are_merged_once_whatever_their_order) {
  const TemporaryFolder folder;
  for (const NumberRange range : {NumberRange{20, 10}, NumberRange{0, 10}, NumberRange{5, 20}}) {
    PartWriter writer(folder.path(), fmt::format("task-{}", range.first), synthetic::hash);
    writer.add(numbered_answers(range));
    writer.flush();
  }
  Ledger ledger = synthetic::ledger_in(folder.path());
  ledger.add(numbered_answers({8, 4}));
  const Merged merged = merge_parts(folder.path(), ledger);
  EXPECT_EQ(merged.cases, 26u);
  EXPECT_EQ(merged.files, 3u);
  EXPECT_EQ(ledger.done().ranges(), (std::vector<NumberRange>{{0, 30}}));
  std::uint64_t next = 0;
  ledger.read({0, 30}, [&](const CaseResult& result) {
    EXPECT_EQ(result.number, next);
    EXPECT_EQ(result.measures.at(0), static_cast<double>(synthetic::mixed(next++)));
  });
  EXPECT_EQ(merge_parts(folder.path(), ledger).files, 0u);
}

TEST(Parts, that_are_damaged_are_put_aside_and_those_of_another_study_refused) {
  const TemporaryFolder folder;
  PartWriter first(folder.path(), "first", synthetic::hash);
  first.add(numbered_answers({0, 10}));
  first.flush();
  PartWriter second(folder.path(), "second", synthetic::hash);
  second.add(numbered_answers({10, 10}));
  second.flush();
  std::filesystem::resize_file(folder / "first-000000.part", 100);
  Ledger ledger = synthetic::ledger_in(folder.path());
  const Merged merged = merge_parts(folder.path(), ledger);
  EXPECT_EQ(merged.damaged, std::vector<std::string>{"first-000000.part"});
  EXPECT_EQ(ledger.done().ranges(), (std::vector<NumberRange>{{10, 10}}));
  PartWriter strange(folder.path(), "strange", "another study");
  strange.add(numbered_answers({0, 10}));
  strange.flush();
  EXPECT_THROW(merge_parts(folder.path(), ledger), Failure);
}

TEST(AtomicFile, appears_complete_or_not_at_all) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "table.csv");
    file.write(std::string(200'000, 'x'));
    EXPECT_FALSE(std::filesystem::exists(folder / "table.csv"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  AtomicFile file(folder / "table.csv");
  file.write("all");
  file.publish();
  EXPECT_EQ(file_bytes(folder / "table.csv"), "all");
  EXPECT_THROW(AtomicFile(folder / "no" / "table.csv"), Failure);
}

}  // namespace
}  // namespace vinci
