// SPDX-License-Identifier: Apache-2.0
// The coordinator's workers: cases are dealt to them in chunks, and answers taken from them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vinci/base/clock.h"
#include "vinci/campaign/answer_sink.h"
#include "vinci/campaign/number_ranges.h"
#include "vinci/campaign/worker_process.h"

namespace vinci {

struct CrewSettings {
  WorkerCommand command;  // that starts a worker
  std::string hash;       // of the study, as each worker must say it
  int workers = 1;
  double case_seconds = 0.0;    // that a case may compute and sleep; 0: any
  double chunk_seconds = 0.25;  // of work that is dealt at once
  // The result of a case that never answered.
  std::function<CaseResult(std::uint64_t number, CaseStatus status, std::string message)> lost =
      [](std::uint64_t number, CaseStatus status, std::string message) {
        CaseResult result;
        result.number = number;
        result.status = status;
        result.message = std::move(message);
        return result;
      };
};

// One thread, which waits for all workers. A worker that ends is replaced and what it had not
// answered is done again; a case that ended `deaths` of them is answered here: crashed. Who is
// killed may have met somebody who kills; but the system, too, kills who takes all of its memory: a
// case that is met by that so many times more is no accident. One that took too long `delays` times
// timed out: it is tried again, since the machine may have been busy.
class Crew {
 public:
  static constexpr int deaths = 3, kills = 6, delays = 2;

  explicit Crew(CrewSettings settings);
  ~Crew();

  struct Work {
    std::vector<NumberRange> cases;
    std::function<StudyCase(std::uint64_t number)> at;
  };
  // All answers go to the sink, in chunks as they come. False if `go_on`, which is asked ten times
  // a second at least, said no: what was answered by then is kept. Throws Failure if workers cannot
  // begin, and what the sink throws.
  bool run(const Work& work, AnswerSink& sink, const std::function<bool()>& go_on);

  // Processes of the workers that live.
  std::vector<pid_t> processes() const;

 private:
  struct Chunk {
    std::uint64_t first = 0;
    std::vector<std::optional<CaseAnswer>> answers;
    std::size_t missing = 0;
    double seconds = 0.0;  // how long workers have been at it
  };
  // How long a case has computed or slept. Where it waits for a processor, or somebody has stopped
  // its process, it is not to blame.
  struct CaseTime {
    std::uint64_t started = 0;  // tells cases apart
    double first_cpu = 0.0, last_cpu = 0.0, asleep = 0.0;
    Stopwatch since;  // the last look
  };
  struct Worker {
    explicit Worker(const WorkerCommand& command) : process(command) {}
    WorkerProcess process;
    bool ready = false;
    std::optional<Chunk> chunk;
    std::optional<CaseTime> time;          // of the case under way
    std::optional<std::uint64_t> overdue;  // the case for which it was killed
    Stopwatch since;                       // it has its chunk
  };
  struct Trouble {
    int deaths = 0, kills = 0, delays = 0;
  };

  void deal(const Work& work);
  std::optional<Chunk> next_chunk();
  std::uint64_t chunk_size(std::uint64_t available) const;
  void hand_over(Worker& worker, Chunk chunk, const Work& work);
  void wait();
  void look_at(std::unique_ptr<Worker>& worker, bool readable, AnswerSink& sink);
  void take_messages(Worker& worker);
  void take_answers(Chunk& chunk, const Frame& frame);
  void finish_chunk(Worker& worker, AnswerSink& sink);
  void bury(std::unique_ptr<Worker>& worker, AnswerSink& sink);
  void blame(Chunk& chunk, const Worker& worker, bool killed);
  void give_up(Chunk& chunk, std::size_t place, CaseStatus status, std::string message);
  void watch_time(Worker& worker);
  void keep_what_is_there(AnswerSink& sink);
  bool idle() const;

  CrewSettings settings_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<NumberRange> undealt_;
  std::uint64_t undealt_count_ = 0;
  std::deque<Chunk> returned_;  // by workers that ended
  std::map<std::uint64_t, Trouble> trouble_;
  std::uint64_t last_size_ = 0;  // of chunks
  double seconds_per_case_ = 0.0;
  int failed_starts_ = 0;
  std::vector<char> readable_;
};

}  // namespace vinci
