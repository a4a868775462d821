// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/ledger.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/vfs.h>

#include "vinci/base/error.h"
#include "vinci/campaign/case_bytes.h"
#include "vinci/campaign/frame.h"

namespace vinci {
namespace {

constexpr const char* format = "1";

// Answers are stored as one blob a chunk, behind its checksum; what takes part in no table of
// results, because it depends on the machine, lies apart.
constexpr const char* tables = R"(
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE rounds (number INTEGER PRIMARY KEY, first INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE TABLE chunks (first INTEGER PRIMARY KEY, size INTEGER NOT NULL, tally BLOB NOT NULL,
                     results BLOB NOT NULL);
CREATE TABLE timings (first INTEGER PRIMARY KEY, seconds BLOB NOT NULL);
)";

std::string tally_bytes(const Tally& tally) {
  ByteWriter to;
  for (const std::uint64_t count : tally.statuses) to.number(count);
  for (const std::uint64_t count : tally.verdicts) to.number(count);
  return to.take();
}

Tally read_tally(std::string_view bytes, std::uint64_t size) {
  ByteReader from(bytes);
  Tally tally;
  for (std::uint64_t& count : tally.statuses) count = from.number();
  for (std::uint64_t& count : tally.verdicts) count = from.number();
  tally.done = size;
  return tally;
}

std::string with_checksum(const std::string& bytes) {
  ByteWriter to;
  to.word(checksum(bytes));
  return to.take() + bytes;
}

// Behind the checksum, which must be right.
ByteReader checked(std::string_view bytes) {
  ByteReader head(bytes);
  const std::uint64_t expected = head.word();
  bytes.remove_prefix(8);
  if (checksum(bytes) != expected) throw Error("its checksum is wrong");
  return ByteReader(bytes);
}

// Whether a folder lies on a file system that several machines share.
bool is_remote(const std::filesystem::path& folder) {
  struct statfs status {};
  if (statfs(folder.empty() ? "." : folder.c_str(), &status) != 0) return false;
  // NFS, SMB, CIFS, SMB 2, FUSE, Lustre, GPFS, Ceph, BeeGFS, AFS
  constexpr std::array<std::uint32_t, 10> remote{0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                                 0x65735546, 0x0bd00bd0, 0x47504653, 0x00c36400,
                                                 0x19830326, 0x5346414f};
  const auto type = static_cast<std::uint32_t>(status.f_type);
  return std::find(remote.begin(), remote.end(), type) != remote.end();
}

// Rows that hold a number of the range: the one that begins before it may reach into it.
constexpr const char* rows_of_range =
    "SELECT first, size, results FROM chunks WHERE first < ?2 AND first >= "
    "coalesce((SELECT max(first) FROM chunks WHERE first <= ?1), 0) ORDER BY first";
constexpr const char* seconds_of_range =
    "SELECT first, (SELECT size FROM chunks WHERE chunks.first = timings.first), seconds "
    "FROM timings WHERE first < ?2 AND first >= "
    "coalesce((SELECT max(first) FROM timings WHERE first <= ?1), 0) ORDER BY first";

// Every value of the rows whose number lies in the range.
template <class Read, class Visit>
void read_rows(const Database& database, const char* command, const NumberRange& range,
               const std::string& file, const Read& read_value, const Visit& visit) {
  Statement rows(database, command);
  rows.set(1, range.first).set(2, range.end());
  while (rows.row()) {
    const std::uint64_t first = rows.number(0), size = rows.number(1);
    const auto damaged = [&](const Error& error) {
      return Error(fmt::format("the row of cases {} to {} is damaged: {}", first, first + size - 1,
                               error.message()),
                   file);
    };
    std::optional<ByteReader> bytes;
    try {
      bytes = checked(rows.bytes(2));
    } catch (const Error& error) {
      throw damaged(error);
    }
    for (std::uint64_t number = first; number < std::min(first + size, range.end()); ++number) {
      decltype(read_value(*bytes)) value;
      try {
        value = read_value(*bytes);
      } catch (const Error& error) {
        throw damaged(error);
      }
      if (number >= range.first) visit(number, value);
    }
  }
}

}  // namespace

void Tally::add(const CaseResult& result) {
  ++statuses[static_cast<std::size_t>(result.status)];
  ++verdicts[static_cast<std::size_t>(result.verdict)];
  ++done;
}

void Tally::add(const Tally& other) {
  for (std::size_t i = 0; i < statuses.size(); ++i) statuses[i] += other.statuses[i];
  for (std::size_t i = 0; i < verdicts.size(); ++i) verdicts[i] += other.verdicts[i];
  done += other.done;
}

Ledger Ledger::to_write(const std::filesystem::path& file, const LedgerHead& head,
                        LedgerJournal journal) {
  Ledger ledger(file);
  std::filesystem::path lock = file;
  ledger.lock_ = std::make_unique<WriterLock>(lock.replace_extension(".lock"));
  ledger.database_ = std::make_unique<Database>(file, Database::Mode::write);
  Database& database = *ledger.database_;
  const bool log = journal == LedgerJournal::log ||
                   (journal == LedgerJournal::fitting && !is_remote(file.parent_path()));
  database.execute(log ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE");
  // What a power failure takes are whole rows at the end, which are then done again.
  database.execute("PRAGMA synchronous = NORMAL");
  if (!ledger.has_tables()) ledger.make_tables(head);
  ledger.load();
  if (ledger.head_.hash != head.hash)
    throw Error(
        fmt::format("holds another study ('{}', hash {}; this one has {}): what a study says, "
                    "or a scene that it reads, has changed; give --overwrite to begin anew, "
                    "or another --output",
                    ledger.head_.title, ledger.head_.hash, head.hash),
        file.string());
  ledger.need_functions(head.functions);
  ledger.note_file(head.file);
  return ledger;
}

void Ledger::need_functions(const std::string& functions) const {
  if (functions == head_.functions) return;
  const auto words_of = [](const std::string& text) {
    std::istringstream from(text);
    return std::set<std::string>(std::istream_iterator<std::string>(from), {});
  };
  const std::set<std::string> ours = words_of(head_.functions), theirs = words_of(functions);
  std::vector<std::string> differing;
  std::set_symmetric_difference(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                                std::back_inserter(differing));
  std::set<std::string> names;
  for (const std::string& word : differing)
    names.insert("'" + word.substr(0, word.find('=')) + "'");
  throw Error(fmt::format("holds numbers of another function {}: its code, or what it refers to, "
                          "has changed; begin anew, or give another folder",
                          fmt::join(names, ", ")),
              file_.string());
}

bool Ledger::is_begun(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return false;
  Ledger ledger(file);
  ledger.database_ = std::make_unique<Database>(file, Database::Mode::read);
  return ledger.has_tables();
}

Ledger Ledger::to_read(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) throw Error("there is no such ledger", file.string());
  Ledger ledger(file);
  ledger.database_ = std::make_unique<Database>(file, Database::Mode::read);
  if (!ledger.has_tables()) throw Error("is empty: its study has not begun", file.string());
  // What is read belongs together, also if there are more rows a moment later.
  ledger.database_->execute("BEGIN");
  ledger.load();
  return ledger;
}

Ledger::~Ledger() {
  // Of one file that can be read where nothing can be written. If others read it now, its log
  // stays.
  if (lock_ && database_) database_->attempt("PRAGMA journal_mode = DELETE");
}

bool Ledger::has_tables() const {
  Statement names(*database_, "SELECT count(*) FROM sqlite_master WHERE name = 'study'");
  return names.row() && names.number(0) > 0;
}

void Ledger::make_tables(const LedgerHead& head) {
  Transaction transaction(*database_);
  database_->execute(tables);
  Statement facts(*database_, "INSERT INTO study VALUES (?1, ?2)");
  facts.set(1, "format").set(2, format).run();
  facts.set(1, "hash").set(2, head.hash).run();
  facts.set(1, "title").set(2, head.title).run();
  facts.set(1, "file").set(2, head.file).run();
  facts.set(1, "functions").set(2, head.functions).run();
  facts.set(1, "complete").set(2, "no").run();
  transaction.commit();
}

// A study may have moved since it was begun.
void Ledger::note_file(const std::string& study_file) {
  if (study_file == head_.file) return;
  Statement(*database_, "UPDATE study SET value = ?1 WHERE key = 'file'").set(1, study_file).run();
  head_.file = study_file;
}

void Ledger::load() {
  Statement facts(*database_, "SELECT key, value FROM study");
  std::string found;
  while (facts.row()) {
    const std::string key = facts.text(0), value = facts.text(1);
    if (key == "format") found = value;
    if (key == "hash") head_.hash = value;
    if (key == "title") head_.title = value;
    if (key == "file") head_.file = value;
    if (key == "functions") head_.functions = value;
    if (key == "complete") head_.complete = value == "yes";
  }
  if (found != format)
    throw Error(fmt::format("has format '{}'; this version reads {}", found, format),
                file_.string());
  Statement rounds(*database_, "SELECT first, size FROM rounds ORDER BY number");
  while (rounds.row()) rounds_.push_back({rounds.number(0), rounds.number(1)});
  Statement chunks(*database_, "SELECT first, size, tally FROM chunks ORDER BY first");
  while (chunks.row()) {
    done_.add({chunks.number(0), chunks.number(1)});
    tally_.add(read_tally(chunks.bytes(2), chunks.number(1)));
  }
}

void Ledger::add(std::span<const CaseAnswer> answers) {
  if (answers.empty()) return;
  const NumberRange range{answers.front().result.number, answers.size()};
  if (done_.touches(range))
    throw Error(fmt::format("a case of {} to {} is there already", range.first, range.end() - 1),
                file_.string());
  ByteWriter results, seconds;
  Tally tally;
  for (const CaseAnswer& answer : answers) {
    write(results, answer.result);
    write(seconds, answer.cpu_seconds);
    tally.add(answer.result);
  }
  const std::string stored = with_checksum(results.bytes());
  const std::string stored_seconds = with_checksum(seconds.bytes());
  const std::string counts = tally_bytes(tally);
  Transaction transaction(*database_);
  Statement(*database_, "INSERT INTO chunks VALUES (?1, ?2, ?3, ?4)")
      .set(1, range.first)
      .set(2, range.size)
      .set_bytes(3, counts)
      .set_bytes(4, stored)
      .run();
  Statement(*database_, "INSERT INTO timings VALUES (?1, ?2)")
      .set(1, range.first)
      .set_bytes(2, stored_seconds)
      .run();
  transaction.commit();
  done_.add(range);
  tally_.add(tally);
}

void Ledger::add_round(const NumberRange& round) {
  Transaction transaction(*database_);
  Statement(*database_, "INSERT INTO rounds VALUES (?1, ?2, ?3)")
      .set(1, rounds_.size())
      .set(2, round.first)
      .set(3, round.size)
      .run();
  transaction.commit();
  rounds_.push_back(round);
}

void Ledger::set_complete() {
  if (head_.complete) return;
  Transaction transaction(*database_);
  database_->execute("UPDATE study SET value = 'yes' WHERE key = 'complete'");
  transaction.commit();
  head_.complete = true;
}

void Ledger::read(const NumberRange& range,
                  const std::function<void(const CaseResult&)>& visit) const {
  read_rows(*database_, rows_of_range, range, file_.string(), read_result,
            [&](std::uint64_t, const CaseResult& result) { visit(result); });
}

void Ledger::read_seconds(
    const NumberRange& range,
    const std::function<void(std::uint64_t, const std::vector<double>&)>& visit) const {
  read_rows(
      *database_, seconds_of_range, range, file_.string(),
      [](ByteReader& from) { return vinci::read_seconds(from); }, visit);
}

LedgerResults::LedgerResults(const Ledger& ledger) : ledger_(ledger) {
  for (const NumberRange& round : ledger.rounds()) {
    if (!ledger.done().missing(round).empty()) break;
    size_ = round.end();
  }
  waiting_ = ledger.done().count() - size_;
}

void LedgerResults::read(std::uint64_t first, std::uint64_t count,
                         const std::function<void(const CaseResult&)>& visit) const {
  if (first >= size_) return;
  ledger_.read({first, std::min(count, size_ - first)}, visit);
}

}  // namespace vinci
