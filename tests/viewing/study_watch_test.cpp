// SPDX-License-Identifier: Apache-2.0
// A study that is looked at while it runs, when it is begun anew, and when it is another one.
#include "vinci/viewing/study_watch.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/viewing/study_example.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

nlohmann::json facts(const StudyWatch& watch) {
  return nlohmann::json::parse(watch.description());
}

template <class Value>
std::vector<Value> column(const std::string& block, std::size_t& at, std::size_t count) {
  std::vector<Value> values(count);
  std::memcpy(values.data(), block.data() + at, count * sizeof(Value));
  at += count * sizeof(Value);
  return values;
}

struct Rows {
  std::vector<std::uint32_t> header, number, design;
  std::vector<std::vector<float>> columns;
  std::vector<std::uint8_t> status, verdict, level;

  explicit Rows(const std::string& block) {
    std::size_t at = 0;
    header = column<std::uint32_t>(block, at, 8);
    const std::size_t count = header[4];
    number = column<std::uint32_t>(block, at, count);
    design = column<std::uint32_t>(block, at, count);
    for (std::uint32_t i = 0; i < header[5]; ++i)
      columns.push_back(column<float>(block, at, count));
    status = column<std::uint8_t>(block, at, count);
    verdict = column<std::uint8_t>(block, at, count);
    level = column<std::uint8_t>(block, at, count);
    EXPECT_EQ(at, block.size());
  }
};

TEST(StudyWatch, takes_in_cases_in_the_order_in_which_they_are_found) {
  const ExampleStudy it(20);
  Ledger ledger = it.writer();
  const auto strategy = make_strategy(it.study);
  std::uint64_t rounds = 0;
  ASSERT_TRUE(next_round(*strategy, ledger, rounds));
  ledger.add(ExampleStudy::answers(10, 14));
  StudyWatch watch = it.watch();
  EXPECT_EQ(watch.rows(), 4u);
  EXPECT_TRUE(facts(watch)["running"]);
  EXPECT_FALSE(facts(watch)["complete"]);
  ledger.add(ExampleStudy::answers(0, 3));
  EXPECT_EQ(watch.rows(), 4u);
  watch.refresh(10.0);
  const Rows rows(watch.block(0, 100));
  EXPECT_EQ(rows.number, (std::vector<std::uint32_t>{10, 11, 12, 13, 0, 1, 2}));
  EXPECT_EQ(Rows(watch.block(5, 1)).number, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(Rows(watch.block(7, 5)).number.empty());
  EXPECT_TRUE(Rows(watch.block(1000, 5)).number.empty());
}

TEST(StudyWatch, rows_have_parameters_measures_and_verdicts_of_their_cases) {
  const ExampleStudy it(30);
  {
    Ledger ledger = it.writer();
    it.complete(ledger);
  }
  const StudyWatch watch = it.watch();
  const Rows rows(watch.block(0, StudyWatch::block_rows));
  ASSERT_EQ(rows.number.size(), 60u);
  ASSERT_EQ(rows.columns.size(), 4u);
  const Ledger ledger = Ledger::to_read(it.run().ledger());
  const StudyCases cases(it.study, LedgerResults(ledger));
  std::uint64_t successes = 0, steps = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const StudyCase item = cases.at(i);
    const CaseResult result = ExampleStudy::answer_of(i).result;
    EXPECT_EQ(rows.design[i], item.design);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(rows.columns[k][i], static_cast<float>(item.values[k]));
      const auto measure = static_cast<float>(result.measures[k]);
      EXPECT_TRUE(rows.columns[2 + k][i] == measure ||
                  (std::isnan(measure) && std::isnan(rows.columns[2 + k][i])));
    }
    EXPECT_EQ(rows.verdict[i], static_cast<std::uint8_t>(result.verdict));
    EXPECT_EQ(rows.status[i], static_cast<std::uint8_t>(result.status));
    successes += result.verdict == Verdict::success;
    steps += result.levels[0].steps;
  }
  const nlohmann::json said = facts(watch);
  EXPECT_EQ(said["successes"], successes);
  EXPECT_EQ(said["levels"][0]["steps"], steps);
  EXPECT_EQ(said["levels"][0]["timed"], 60);
  EXPECT_DOUBLE_EQ(said["levels"][0]["cpu_seconds"], 15.0);
  EXPECT_EQ(said["statuses"]["diverged"], 12);
  EXPECT_EQ(said["expected"], 60);
  EXPECT_TRUE(said["complete"]);
  EXPECT_FALSE(said["running"]);
  const nlohmann::json report = nlohmann::json::parse(watch.report());
  // Two designs that share their draws: nothing is told over both.
  EXPECT_TRUE(said["probability"].is_null() && report["probability"].is_null());
  EXPECT_EQ(said["withheld"], report["withheld"]);
}

// Some thousand cases at once, however short the time; the rest comes with the next calls.
TEST(StudyWatch, long_ledgers_come_in_pieces) {
  const ExampleStudy it(6000);
  {
    Ledger ledger = it.writer();
    it.complete(ledger);
  }
  StudyWatch watch = it.watch();
  std::uint64_t before = 0;
  int calls = 0;
  for (; watch.is_behind(); watch.refresh(0.0), ++calls) {
    EXPECT_GT(watch.rows(), before);
    before = watch.rows();
    EXPECT_EQ(facts(watch)["cases"], 12000);
  }
  EXPECT_GT(calls, 0);
  EXPECT_EQ(watch.rows(), 12000u);
  const Rows rows(watch.block(0, StudyWatch::block_rows));
  for (std::size_t i = 0; i < rows.number.size(); ++i) ASSERT_EQ(rows.number[i], i);
}

TEST(StudyWatch, a_study_that_is_begun_anew_is_forgotten) {
  const ExampleStudy it(20);
  {
    Ledger ledger = it.writer();
    it.complete(ledger);
  }
  StudyWatch watch = it.watch();
  const std::uint32_t generation = Rows(watch.block(0, 1)).header[2];
  EXPECT_EQ(watch.rows(), 40u);
  for (const char* const ending : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(it.run().ledger().string() + ending);
  {
    Ledger ledger = it.writer();
    const auto strategy = make_strategy(it.study);
    std::uint64_t rounds = 0;
    ASSERT_TRUE(next_round(*strategy, ledger, rounds));
    ledger.add(ExampleStudy::answers(5, 8));
  }
  watch.refresh(10.0);
  EXPECT_EQ(Rows(watch.block(0, 100)).number, (std::vector<std::uint32_t>{5, 6, 7}));
  EXPECT_NE(Rows(watch.block(0, 1)).header[2], generation);
  EXPECT_EQ(facts(watch)["levels"][0]["timed"], 3);
}

TEST(StudyWatch, ledgers_that_are_not_there_or_of_others_are_refused) {
  const ExampleStudy it(20), other(21);
  EXPECT_THROW(it.watch(), Error);
  {
    Ledger ledger = it.writer();
    it.complete(ledger);
  }
  EXPECT_THROW(StudyWatch(other.study, it.run(), {}), Error);
  StudyWatch watch = it.watch();
  std::filesystem::remove(it.run().ledger());
  EXPECT_THROW(watch.refresh(1.0), Error);
}

TEST(StudyWatch, draws_a_part_of_the_cases_for_a_page) {
  const ExampleStudy it(2000);
  {
    Ledger ledger = it.writer();
    it.complete(ledger);
  }
  StudyWatch watch = it.watch();
  while (watch.is_behind()) watch.refresh(10.0);
  EXPECT_EQ(watch.drawn(1.0).size(), 4000u);
  const std::vector<std::uint64_t> kept = watch.drawn(0.25);
  EXPECT_NEAR(static_cast<double>(kept.size()), 1000.0, 120.0);
  EXPECT_EQ(kept, watch.drawn(0.25));
  const Rows rows(watch.block(kept, 7));
  EXPECT_EQ(rows.header[3], 7u);
  ASSERT_EQ(rows.number.size(), kept.size());
  int odd = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    odd += rows.number[i] % 2;
    EXPECT_EQ(rows.columns[2][i], 0.5F * static_cast<float>(rows.number[i]));
  }
  EXPECT_NEAR(odd, 0.5 * static_cast<double>(kept.size()), 80.0);
  const auto part = nlohmann::json::parse(watch.description(kept.size()));
  EXPECT_EQ(part["rows"], kept.size());
  EXPECT_EQ(part["cases"], 4000);
  EXPECT_TRUE(part["thinned"]);
  EXPECT_FALSE(facts(watch)["thinned"]);
  EXPECT_EQ(part["successes"], facts(watch)["successes"]);
  EXPECT_EQ(part["repeat"]["before"], "repeat ");
  EXPECT_EQ(nlohmann::json::parse(watch.report())["troubled"][0]["command"], "repeat 0");
}

}  // namespace
}  // namespace vinci
