// SPDX-License-Identifier: Apache-2.0
// The ledger of a study: which cases are done and what came out, in a file of SQLite.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vinci/campaign/answer_sink.h"
#include "vinci/campaign/database.h"
#include "vinci/campaign/number_ranges.h"
#include "vinci/campaign/writer_lock.h"
#include "vinci/study/strategy.h"

namespace vinci {

// How many cases came to what.
struct Tally {
  std::array<std::uint64_t, 7> statuses{};  // by CaseStatus
  std::array<std::uint64_t, 3> verdicts{};  // by Verdict
  std::uint64_t done = 0;
  void add(const CaseResult& result);
  void add(const Tally& other);
  std::uint64_t with(CaseStatus status) const { return statuses[static_cast<std::size_t>(status)]; }
  std::uint64_t with(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
  bool operator==(const Tally&) const = default;
};

// Whose ledger it is.
struct LedgerHead {
  std::string hash;              // what makes a study the same
  std::string title, file = {};  // of the study, for people and for those who find the ledger
  // What tells the functions apart that are measures without a file: "name=digits name=digits".
  std::string functions = {};
  bool complete = false;  // no round is missing
};

// How SQLite keeps what is half done apart: in a log beside the file, which has readers while it is
// written and makes no commit wait for the disk, but needs memory that all processes share; or in a
// journal, for folders that lie on another machine.
enum class LedgerJournal { fitting, log, rollback };

// One process writes it, any number read it, also while it is written. A row of it holds the
// answers of some cases in a row, and is there or not, whatever ends the process that writes it.
class Ledger : public AnswerSink {
 public:
  // Makes the ledger where there is none. Throws Error if the one that is there belongs to another
  // study, or to other functions as measures, Failure if another process writes it or it cannot be
  // written.
  static Ledger to_write(const std::filesystem::path& file, const LedgerHead& head,
                         LedgerJournal journal = LedgerJournal::fitting);
  // Whether there is one. Who was killed when it began has left a file without one.
  static bool is_begun(const std::filesystem::path& file);
  // Throws Error if there is none.
  static Ledger to_read(const std::filesystem::path& file);
  Ledger(Ledger&&) noexcept = default;
  ~Ledger() override;

  const LedgerHead& head() const { return head_; }
  // Throws Error if the measures were other functions than these.
  void need_functions(const std::string& functions) const;
  const NumberRanges& done() const { return done_; }
  const Tally& tally() const { return tally_; }
  const std::vector<NumberRange>& rounds() const { return rounds_; }

  // Throws Error if one of the cases is there already.
  void add(std::span<const CaseAnswer> answers) override;
  void add_round(const NumberRange& round);
  void set_complete();

  // In the order of their numbers. Throws Error if a row is damaged.
  void read(const NumberRange& range, const std::function<void(const CaseResult&)>& visit) const;
  // Seconds that each level took.
  void read_seconds(
      const NumberRange& range,
      const std::function<void(std::uint64_t number, const std::vector<double>&)>& visit) const;

 private:
  explicit Ledger(const std::filesystem::path& file) : file_(file) {}
  bool has_tables() const;
  void make_tables(const LedgerHead& head);
  void load();
  void note_file(const std::string& study_file);

  std::filesystem::path file_;
  std::unique_ptr<WriterLock> lock_;  // of a ledger that is written
  std::unique_ptr<Database> database_;
  LedgerHead head_;
  NumberRanges done_;
  Tally tally_;
  std::vector<NumberRange> rounds_;
};

// The results of the first cases of a ledger, for strategies and reports.
class LedgerResults : public ResultSource {
 public:
  LedgerResults(const Ledger& ledger, std::uint64_t size) : ledger_(ledger), size_(size) {}
  // Those of all rounds that are complete.
  explicit LedgerResults(const Ledger& ledger);
  std::uint64_t size() const override { return size_; }
  std::uint64_t waiting() const override { return waiting_; }
  void read(std::uint64_t first, std::uint64_t count,
            const std::function<void(const CaseResult&)>& visit) const override;

 private:
  const Ledger& ledger_;
  std::uint64_t size_ = 0, waiting_ = 0;
};

}  // namespace vinci
