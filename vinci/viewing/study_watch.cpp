// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/study_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include <fmt/format.h>

#include "vinci/base/clock.h"
#include "vinci/base/error.h"
#include "vinci/campaign/ledger_times.h"
#include "vinci/sampling/interval.h"
#include "vinci/sampling/random.h"
#include "vinci/study/draws.h"
#include "vinci/study/study_report.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t piece = 4096;  // cases that are taken in at once

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::uint8_t byte_of(std::uint64_t value) {
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(value, 255));
}

// Of the rows alone, or of all of them.
template <class Value>
void append_bytes(std::string& bytes, const std::vector<Value>& values,
                  std::span<const std::uint64_t> rows) {
  for (const std::uint64_t row : rows)
    bytes.append(reinterpret_cast<const char*>(&values[row]), sizeof(Value));
}

// What a map shows and where its boundary lies.
Json map_of(const Study& study) {
  const StudyReport report = make_report(study, StoredResults());
  if (!report.map) return {};
  return {{"over", report.map->over},
          {"threshold", report.map->threshold > 0.0 ? Json(report.map->threshold) : Json()}};
}

}  // namespace

StudyWatch::StudyWatch(Study study, StudyFolder folder, RepeatWords repeat)
    : study_(std::move(study)), folder_(std::move(folder)), repeat_(std::move(repeat)) {
  const auto expected = make_strategy(study_)->expected();
  expected_ = expected ? std::to_string(*expected) : "null";
  map_ = json_text(map_of(study_));
  forget();
  refresh(0.0);
}

void StudyWatch::forget() {
  ++generation_;
  known_ = {};
  cases_.reset();
  numbers_.clear();
  designs_.clear();
  statuses_.clear();
  verdicts_.clear();
  last_levels_.clear();
  columns_.assign(study_.parameters().size() + study_.measures().size(), {});
  levels_.assign(study_.levels().size(), {});
}

void StudyWatch::refresh(double seconds) {
  const Stopwatch watch;
  const Ledger ledger = Ledger::to_read(folder_.ledger());
  if (ledger.head().hash != study_.hash())
    throw Error("holds another study, or this one before it was changed",
                folder_.ledger().string());
  running_ = WriterLock::is_held(folder_.lock());
  // A study that was begun anew has not what the one before had.
  for (const NumberRange& range : known_.ranges())
    if (!ledger.done().missing(range).empty()) {
      forget();
      break;
    }
  head_ = ledger.head();
  tally_ = ledger.tally();
  done_ = ledger.done().count();
  rounds_ = ledger.rounds().size();
  if (!cases_ || cases_rounds_ != rounds_) {
    cases_.emplace(study_, LedgerResults(ledger));
    cases_rounds_ = rounds_;
  }
  for (const NumberRange& range : ledger.done().ranges())
    for (const NumberRange& gap : known_.missing(range))
      for (std::uint64_t first = gap.first; first < gap.end(); first += piece) {
        take(ledger, {first, std::min(piece, gap.end() - first)});
        if (watch.seconds() > seconds) return;
      }
}

void StudyWatch::take(const Ledger& ledger, const NumberRange& range) {
  std::vector<std::vector<LevelResult>> asked;  // of each case, as its times are in their order
  ledger.read(range, [&](const CaseResult& result) {
    add(result);
    asked.push_back(result.levels);
  });
  ledger.read_seconds(range, [&](std::uint64_t number, const std::vector<double>& seconds) {
    const std::vector<LevelResult>& levels = asked[number - range.first];
    for (std::size_t i = 0; i < std::min(seconds.size(), levels.size()); ++i) {
      Level& level = levels_.at(levels[i].level);
      level.cpu_seconds += seconds[i];
      ++level.timed;
    }
  });
  known_.add(range);
}

void StudyWatch::add(const CaseResult& result) {
  const StudyCase item = cases_->at(result.number);
  numbers_.push_back(static_cast<std::uint32_t>(result.number));
  designs_.push_back(item.design);
  const std::size_t parameters = study_.parameters().size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::vector<double>& values = i < parameters ? item.values : result.measures;
    const std::size_t place = i < parameters ? i : i - parameters;
    columns_[i].push_back(place < values.size() ? static_cast<float>(values[place])
                                                : std::numeric_limits<float>::quiet_NaN());
  }
  statuses_.push_back(static_cast<std::uint8_t>(result.status));
  verdicts_.push_back(static_cast<std::uint8_t>(result.verdict));
  last_levels_.push_back(byte_of(result.level));
  for (const LevelResult& it : result.levels) {
    Level& level = levels_.at(it.level);
    if (study_.levels()[it.level].per_design) {
      if (level.answered.size() <= item.design) level.answered.resize(item.design + 1);
      if (level.answered[item.design]) continue;  // the same answer again
      level.answered[item.design] = true;
    }
    ++level.verdicts[static_cast<std::size_t>(it.verdict)];
    level.steps += it.steps;
  }
}

std::string StudyWatch::description() const {
  return description(rows());
}

std::string StudyWatch::description(std::uint64_t rows) const {
  const bool thinned = rows < this->rows();
  Json statuses = Json::object(), parameters = Json::array(), measures = Json::array(),
       levels = Json::array();
  for (int i = 0; i < case_status_count; ++i)
    statuses[to_string(static_cast<CaseStatus>(i))] = tally_.statuses[static_cast<std::size_t>(i)];
  for (const StudyParameter& it : study_.parameters())
    parameters.push_back(
        {{"name", it.name},
         {"kind", it.kind == StudyParameter::Kind::design ? "design" : "uncertain"},
         {"text", it.text}});
  for (const StudyMeasure& it : study_.measures())
    measures.push_back({{"name", it.name}, {"text", it.text}});
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const StudyLevel& level = study_.levels()[i];
    const Level& it = levels_[i];
    levels.push_back({{"name", level.name},
                      {"rejects", level.rejects},
                      {"confirms", level.confirms},
                      {"per_design", level.per_design},
                      {"unknown", it.verdicts[0]},
                      {"successes", it.verdicts[1]},
                      {"failures", it.verdicts[2]},
                      {"steps", it.steps},
                      {"timed", it.timed},
                      {"cpu_seconds", it.cpu_seconds}});
  }
  StudyProgress progress(study_);
  progress.set(
      {tally_.with(Verdict::success), tally_.with(Verdict::failure), tally_.with(Verdict::unknown)},
      tally_.statuses);
  const VerdictCounts& counts = progress.verdicts();
  const std::optional<Probability> probability = progress.probability();
  const Draws draws = draws_of(study_);
  return json_text({{"title", study_.title()},
                    {"name", folder_.path.filename().string()},
                    {"file", study_.file().string()},
                    {"folder", folder_.path.string()},
                    {"hash", study_.hash()},
                    {"kind", to_string(study_.kind())},
                    {"generation", generation_},
                    {"complete", head_.complete},
                    {"running", running_},
                    {"cases", done_},
                    {"rows", rows},
                    {"thinned", thinned},
                    {"expected", Json::parse(expected_)},
                    {"rounds", rounds_},
                    {"confidence", study_.confidence()},
                    {"cell_confidence", level_at_each(study_.confidence(), study_.looks())},
                    {"exact", study_.exact_intervals()},
                    {"success", !study_.success().empty() ? Json(study_.success())
                                : study_.has_success()    ? Json("as the geometric levels say")
                                                          : Json()},
                    {"successes", counts.successes},
                    {"failures", counts.failures},
                    {"unknown", counts.unknown},
                    {"statuses", statuses},
                    {"probability", probability ? Json{{"value", probability->value},
                                                       {"lower", probability->lower},
                                                       {"upper", probability->upper},
                                                       {"least", probability->least},
                                                       {"most", probability->most}}
                                                : Json()},
                    {"withheld", draws.reason.empty() ? Json() : Json(draws.reason)},
                    // Of a part of runs that could end at looks no interval holds.
                    {"draws", draws.per_design && !(thinned && study_.looks() > 1)},
                    {"open", may_leave_open(study_)},
                    {"repeat", {{"before", repeat_.before}, {"after", repeat_.record}}},
                    {"parameters", parameters},
                    {"measures", measures},
                    {"levels", levels},
                    {"map", Json::parse(map_)}});
}

std::string StudyWatch::report() const {
  const Ledger ledger = Ledger::to_read(folder_.ledger());
  return report_json(
      make_report(study_, LedgerResults(ledger), LedgerTimes(ledger), [this](std::uint64_t number) {
        return repeat_.before + std::to_string(number) + repeat_.after;
      }));
}

std::string StudyWatch::block(std::uint64_t first, std::uint64_t most) const {
  first = std::min(first, rows());
  std::vector<std::uint64_t> all(std::min({most, block_rows, rows() - first}));
  std::iota(all.begin(), all.end(), first);
  return block(all, first);
}

std::string StudyWatch::block(std::span<const std::uint64_t> rows, std::uint64_t first) const {
  const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const std::array<std::uint32_t, 8> header{
      0x31534e56,  // "VNS1"
      1,          generation_, word(first), word(rows.size()), word(columns_.size()), 0, 0};
  std::string bytes;
  bytes.reserve(32 + rows.size() * (11 + 4 * columns_.size()));
  bytes.append(reinterpret_cast<const char*>(header.data()), sizeof header);
  append_bytes(bytes, numbers_, rows);
  append_bytes(bytes, designs_, rows);
  for (const std::vector<float>& column : columns_) append_bytes(bytes, column, rows);
  append_bytes(bytes, statuses_, rows);
  append_bytes(bytes, verdicts_, rows);
  append_bytes(bytes, last_levels_, rows);
  return bytes;
}

// Not every so many rows: those of a Sobol sequence lie in one half of the cube.
std::vector<std::uint64_t> StudyWatch::drawn(double share) const {
  const CounterRandom random(study_.seed(), "page");
  std::vector<std::uint64_t> kept;
  for (std::uint64_t row = 0; row < rows(); ++row)
    if (share >= 1.0 || random.uniform(numbers_[row], 0) < share) kept.push_back(row);
  return kept;
}

}  // namespace vinci
