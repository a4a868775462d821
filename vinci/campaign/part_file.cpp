// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/part_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/campaign/atomic_file.h"
#include "vinci/campaign/case_bytes.h"
#include "vinci/campaign/frame.h"

namespace vinci {
namespace {

constexpr std::size_t largest_part = 64 << 20;  // bytes
constexpr std::size_t cases_per_frame = 4096;
constexpr const char* ending = ".part";

// A file of frames: the hash of the study, then what there is.
std::vector<Frame> frames_of(const std::filesystem::path& file) {
  FrameReader reader;
  reader.push(file_bytes(file));
  std::vector<Frame> frames;
  while (auto frame = reader.next()) frames.push_back(std::move(*frame));
  if (reader.left() > 0 || frames.empty() || frames.front().kind != FrameKind::hello)
    throw Error("is damaged", file.string());
  return frames;
}

std::vector<CaseAnswer> answers_of(const Frame& frame) {
  std::vector<CaseAnswer> answers;
  ByteReader from(frame.content);
  while (!from.at_end()) {
    CaseAnswer answer;
    answer.result = read_result(from);
    answer.cpu_seconds = read_seconds(from);
    answers.push_back(std::move(answer));
  }
  return answers;
}

// Those that the ledger does not have, in rows of numbers that follow each other.
std::uint64_t add_new(Ledger& ledger, std::vector<CaseAnswer>& answers) {
  std::uint64_t added = 0;
  for (auto first = answers.begin(); first != answers.end();) {
    auto last = first + 1;
    while (last != answers.end() && last->result.number == std::prev(last)->result.number + 1)
      ++last;
    const NumberRange row{first->result.number, static_cast<std::uint64_t>(last - first)};
    for (const NumberRange& gap : ledger.done().missing(row)) {
      ledger.add({first + static_cast<std::ptrdiff_t>(gap.first - row.first), gap.size});
      added += gap.size;
    }
    first = last;
  }
  return added;
}

}  // namespace

void write_task(const std::filesystem::path& file, const TaskFile& task) {
  AtomicFile output(file);
  output.write(frame_bytes(FrameKind::hello, task.hash));
  for (std::size_t first = 0; first < task.cases.size(); first += cases_per_frame) {
    ByteWriter to;
    const std::size_t end = std::min(first + cases_per_frame, task.cases.size());
    to.number(end - first);
    for (std::size_t i = first; i < end; ++i) write(to, task.cases[i]);
    output.write(frame_bytes(FrameKind::cases, to.bytes()));
  }
  output.publish();
}

TaskFile read_task(const std::filesystem::path& file) {
  const std::vector<Frame> frames = frames_of(file);
  TaskFile task{frames.front().content, {}};
  for (std::size_t i = 1; i < frames.size(); ++i) {
    ByteReader from(frames[i].content);
    for (std::size_t left = from.count(1); left > 0; --left) task.cases.push_back(read_case(from));
  }
  return task;
}

PartWriter::PartWriter(std::filesystem::path folder, std::string name, std::string hash,
                       double seconds)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      hash_(std::move(hash)),
      seconds_(seconds) {}

void PartWriter::add(std::span<const CaseAnswer> answers) {
  if (answers.empty()) return;
  ByteWriter to;
  for (const CaseAnswer& answer : answers) {
    write(to, answer.result);
    write(to, answer.cpu_seconds);
  }
  frames_ += frame_bytes(FrameKind::answers, to.bytes());
  if (since_.seconds() >= std::min(next_, seconds_) || frames_.size() >= largest_part) flush();
}

void PartWriter::flush() {
  since_.lap();
  if (frames_.empty()) return;
  AtomicFile output(folder_ / fmt::format("{}-{:06}{}", name_, files_, ending));
  output.write(frame_bytes(FrameKind::hello, hash_));
  output.write(frames_);
  output.publish();
  frames_.clear();
  next_ *= 2.0;
  ++files_;
}

Merged merge_parts(const std::filesystem::path& folder, Ledger& ledger) {
  Merged merged;
  if (!std::filesystem::exists(folder)) return merged;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ending) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::vector<std::vector<CaseAnswer>> rows;
    try {
      const std::vector<Frame> frames = frames_of(file);
      if (frames.front().content != ledger.head().hash)
        throw Failure("belongs to another study", file.string());
      for (std::size_t i = 1; i < frames.size(); ++i) rows.push_back(answers_of(frames[i]));
    } catch (const Failure&) {
      throw;
    } catch (const Error&) {
      std::filesystem::rename(file, file.string() + ".damaged");
      merged.damaged.push_back(file.filename().string());
      continue;
    }
    for (auto& row : rows) merged.cases += add_new(ledger, row);
    ++merged.files;
    std::filesystem::remove(file);
  }
  return merged;
}

}  // namespace vinci
