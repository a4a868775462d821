// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/crew.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <poll.h>

#include "vinci/base/error.h"
#include "vinci/campaign/case_bytes.h"

namespace vinci {
namespace {

constexpr std::uint64_t largest_chunk = 4096;
constexpr int longest_wait = 50;           // ms
constexpr int failed_starts_allowed = 10;  // in a row
// Between two looks at how long a case takes, s. A longer one tells that this process stood still.
constexpr double shortest_look = 0.02, longest_look = 0.2;

}  // namespace

Crew::Crew(CrewSettings settings) : settings_(std::move(settings)) {
  workers_.resize(static_cast<std::size_t>(std::max(1, settings_.workers)));
}

Crew::~Crew() = default;

std::vector<pid_t> Crew::processes() const {
  std::vector<pid_t> result;
  for (const auto& worker : workers_)
    if (worker) result.push_back(worker->process.process());
  return result;
}

bool Crew::run(const Work& work, AnswerSink& sink, const std::function<bool()>& go_on) {
  undealt_.assign(work.cases.begin(), work.cases.end());
  undealt_count_ = 0;
  for (const NumberRange& range : work.cases) undealt_count_ += range.size;
  trouble_.clear();
  while (true) {
    if (!go_on()) {
      keep_what_is_there(sink);
      return false;
    }
    deal(work);
    if (idle()) return true;
    wait();
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (workers_[i]) look_at(workers_[i], readable_[i] != 0, sink);
  }
}

bool Crew::idle() const {
  return undealt_.empty() && returned_.empty() &&
         std::none_of(workers_.begin(), workers_.end(),
                      [](const auto& worker) { return worker && worker->chunk; });
}

// As much as is worth the way to the worker, and little enough that all workers end together. The
// first chunks are small: nobody knows how long a case takes.
std::uint64_t Crew::chunk_size(std::uint64_t available) const {
  std::uint64_t size = 1;
  if (last_size_ > 0) {
    const double wanted = settings_.chunk_seconds / std::max(seconds_per_case_, 1e-9);
    size = static_cast<std::uint64_t>(
        std::clamp(wanted, 1.0, static_cast<double>(std::min(largest_chunk, 4 * last_size_))));
  }
  const std::uint64_t share = undealt_count_ / (2 * workers_.size());
  return std::min({size, std::max<std::uint64_t>(share, 1), available});
}

std::optional<Crew::Chunk> Crew::next_chunk() {
  if (!returned_.empty()) {
    Chunk chunk = std::move(returned_.front());
    returned_.pop_front();
    return chunk;
  }
  if (undealt_.empty()) return std::nullopt;
  NumberRange& range = undealt_.front();
  Chunk chunk;
  chunk.first = range.first;
  chunk.missing = chunk_size(range.size);
  chunk.answers.resize(chunk.missing);
  undealt_count_ -= chunk.missing;
  range = {range.first + chunk.missing, range.size - chunk.missing};
  if (range.size == 0) undealt_.pop_front();
  return chunk;
}

void Crew::deal(const Work& work) {
  for (auto& worker : workers_) {
    if (undealt_.empty() && returned_.empty()) return;
    if (!worker) worker = std::make_unique<Worker>(settings_.command);
    if (!worker->ready || worker->chunk) continue;
    if (auto chunk = next_chunk()) hand_over(*worker, std::move(*chunk), work);
  }
}

void Crew::hand_over(Worker& worker, Chunk chunk, const Work& work) {
  ByteWriter to;
  to.number(chunk.missing);
  for (std::size_t i = 0; i < chunk.answers.size(); ++i)
    if (!chunk.answers[i]) write(to, work.at(chunk.first + i));
  worker.chunk = std::move(chunk);
  worker.since.lap();
  worker.process.send(frame_bytes(FrameKind::cases, to.bytes()));
}

// Until a worker says something, at most for a moment.
void Crew::wait() {
  std::vector<pollfd> files;
  for (const auto& worker : workers_) {
    const bool more = worker && worker->process.has_unsent();
    // A negative number is passed over.
    files.push_back({worker ? worker->process.socket() : -1,
                     static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0});
  }
  readable_.assign(workers_.size(), 0);
  if (poll(files.data(), files.size(), longest_wait) <= 0) return;
  for (std::size_t i = 0; i < files.size(); ++i) readable_[i] = files[i].revents != 0;
}

void Crew::look_at(std::unique_ptr<Worker>& worker, bool readable, AnswerSink& sink) {
  if (readable) {
    worker->process.flush();
    bool alive = worker->process.receive();
    try {
      take_messages(*worker);
    } catch (const Failure&) {
      throw;
    } catch (const Error&) {
      alive = false;  // it talks nonsense: what it has not answered is asked of another one
    }
    finish_chunk(*worker, sink);
    if (!alive) {
      bury(worker, sink);
      return;
    }
  }
  watch_time(*worker);
}

void Crew::take_messages(Worker& worker) {
  while (const auto frame = worker.process.next()) {
    switch (frame->kind) {
      case FrameKind::hello:
        if (frame->content != settings_.hash)
          throw Failure("a worker reads another study: a file of it has changed meanwhile");
        worker.ready = true;
        failed_starts_ = 0;
        break;
      case FrameKind::complaint:
        throw Failure("a worker cannot begin: " + frame->content);
      case FrameKind::answers:
        if (!worker.chunk) throw Error("answers that nobody asked for");
        take_answers(*worker.chunk, *frame);
        break;
      case FrameKind::cases:
        throw Error("a worker asks for nothing");
    }
  }
}

void Crew::take_answers(Chunk& chunk, const Frame& frame) {
  ByteReader from(frame.content);
  while (!from.at_end()) {
    CaseAnswer answer;
    answer.result = read_result(from);
    answer.cpu_seconds = read_seconds(from);
    const std::uint64_t place = answer.result.number - chunk.first;
    if (place >= chunk.answers.size() || chunk.answers[place])
      throw Error("an answer that nobody asked for");
    chunk.answers[place] = std::move(answer);
    --chunk.missing;
  }
}

void Crew::finish_chunk(Worker& worker, AnswerSink& sink) {
  if (!worker.chunk || worker.chunk->missing > 0) return;
  Chunk& chunk = *worker.chunk;
  chunk.seconds += worker.since.seconds();
  seconds_per_case_ = chunk.seconds / static_cast<double>(chunk.answers.size());
  last_size_ = chunk.answers.size();
  std::vector<CaseAnswer> answers;
  answers.reserve(chunk.answers.size());
  for (auto& answer : chunk.answers) answers.push_back(std::move(*answer));
  worker.chunk.reset();
  sink.add(answers);
}

void Crew::bury(std::unique_ptr<Worker>& worker, AnswerSink& sink) {
  if (!worker->ready && ++failed_starts_ >= failed_starts_allowed)
    throw Failure(
        fmt::format("{} workers in a row ended before they began", failed_starts_allowed));
  // What it was at is read when it has ended for sure.
  const bool killed = worker->process.end();
  if (worker->chunk) {
    blame(*worker->chunk, *worker, killed);
    finish_chunk(*worker, sink);
  }
  if (worker->chunk) {
    worker->chunk->seconds += worker->since.seconds();
    returned_.push_back(std::move(*worker->chunk));
  }
  worker.reset();
}

// The case that was under way; between two cases nobody knows better than the next one.
void Crew::blame(Chunk& chunk, const Worker& worker, bool killed) {
  std::size_t place = chunk.answers.size();
  if (worker.overdue) {
    place = *worker.overdue - chunk.first;
  } else if (const auto at = worker.process.under_way()) {
    place = at->number - chunk.first;
  } else {
    const auto open = std::find(chunk.answers.begin(), chunk.answers.end(), std::nullopt);
    place = static_cast<std::size_t>(open - chunk.answers.begin());
  }
  if (place >= chunk.answers.size() || chunk.answers[place]) return;
  Trouble& trouble = trouble_[chunk.first + place];
  ++(worker.overdue ? trouble.delays : killed ? trouble.kills : trouble.deaths);
  if (trouble.deaths >= deaths)
    give_up(chunk, place, CaseStatus::crashed, fmt::format("ended its worker {} times", deaths));
  else if (trouble.kills >= kills)
    give_up(chunk, place, CaseStatus::crashed,
            fmt::format("its worker was killed {} times", kills));
  else if (trouble.delays >= delays)
    give_up(chunk, place, CaseStatus::timed_out,
            fmt::format("took longer than {} s", settings_.case_seconds));
}

void Crew::give_up(Chunk& chunk, std::size_t place, CaseStatus status, std::string message) {
  const std::uint64_t number = chunk.first + place;
  chunk.answers[place] = CaseAnswer{settings_.lost(number, status, std::move(message)), {}};
  --chunk.missing;
  trouble_.erase(number);
}

void Crew::watch_time(Worker& worker) {
  if (settings_.case_seconds <= 0.0 || worker.overdue || !worker.chunk) return;
  const auto at = worker.process.under_way();
  if (!at) return;
  if (!worker.time || worker.time->started != at->started) {
    const double cpu = worker.process.cpu_seconds();
    worker.time = CaseTime{at->started, cpu, cpu, 0.0, {}};
    return;
  }
  CaseTime& time = *worker.time;
  const double passed = time.since.seconds();
  if (passed < shortest_look) return;
  time.since.lap();
  const double cpu = worker.process.cpu_seconds();
  if (worker.process.is_asleep())
    time.asleep += std::max(0.0, std::min(passed, longest_look) - (cpu - time.last_cpu));
  time.last_cpu = cpu;
  // Of several threads the processor's time is more than what has passed.
  if (std::min(at->seconds, cpu - time.first_cpu + time.asleep) <= settings_.case_seconds) return;
  worker.overdue = at->number;
  worker.process.kill();
}

// Answers of chunks that are not complete, in rows of those that follow each other.
void Crew::keep_what_is_there(AnswerSink& sink) {
  for (auto& worker : workers_) {
    if (!worker || !worker->chunk) continue;
    returned_.push_back(std::move(*worker->chunk));
    worker.reset();
  }
  for (Chunk& chunk : returned_) {
    std::vector<CaseAnswer> row;
    for (auto& answer : chunk.answers) {
      if (answer) {
        row.push_back(std::move(*answer));
      } else {
        sink.add(row);
        row.clear();
      }
    }
    sink.add(row);
  }
  returned_.clear();
}

}  // namespace vinci
