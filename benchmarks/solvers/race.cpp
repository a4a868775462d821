// SPDX-License-Identifier: Apache-2.0
#include "solvers/race.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/cpu_clock.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

// The kernel ends the process when `seconds` of CPU time, or ten times as many of wall time, are
// over.
void arm(double seconds) {
  const auto set = [](__itimer_which_t which, double value) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(value);
    timer.it_value.tv_usec =
        static_cast<suseconds_t>(1e6 * (value - std::floor(value))) + (value > 0.0 ? 1 : 0);
    setitimer(which, &timer, nullptr);
  };
  set(ITIMER_PROF, seconds);
  set(ITIMER_REAL, seconds > 0.0 ? 10.0 * seconds + 1.0 : 0.0);
}

class Lane {
 public:
  Lane(const ComplementarityProblem& problem, Contender& contender, const RaceLimits& limits,
       int pipe)
      : problem_(problem),
        contender_(contender),
        limits_(limits),
        pipe_(pipe),
        clock_(clock_cost()) {
    judge_.prepare(problem);
  }

  void run() {
    RaceResult result;
    result.residual = infinity;
    result.finish = Finish::out_of_time;
    int stalled = 0;
    for (const double tolerance : contender_.ladder(limits_.tolerance)) {
      send(result);  // what holds if the next solve does not return
      const double seconds = solve(tolerance);
      const Residual judged = judge_.measure(problem_, contender_.solution());
      if (judged.relative <= limits_.tolerance) return finish(judged, tolerance, seconds);
      stalled = judged.relative < 0.999 * result.residual ? 0 : stalled + 1;
      if (judged.relative < result.residual || result.repetitions == 0) {
        result.residual = judged.relative;
        result.rounding = judged.rounding;
        result.seconds = seconds;
        result.tolerance = tolerance;
        result.repetitions = 1;
        copy_status(result);
      }
      if (stalled == 4) break;  // tighter tolerances by a hundred did not help
    }
    result.finish = Finish::rejected;
    send(result);
  }

 private:
  double solve(double tolerance) {
    contender_.prepare(tolerance);
    arm(limits_.seconds);
    const double start = cpu_seconds();
    contender_.solve();
    const double seconds = cpu_seconds() - start - clock_;
    arm(0.0);
    return std::max(seconds, 1e-9);
  }

  void finish(const Residual& judged, double tolerance, double first) {
    RaceResult result;
    result.finish = Finish::accepted;
    result.residual = judged.relative;
    result.rounding = judged.rounding;
    result.tolerance = tolerance;
    result.seconds = first;
    result.repetitions = 1;
    copy_status(result);
    send(result);  // holds if a repetition is killed at the limit
    const int count = std::clamp(static_cast<int>(0.1 / first), 3, 50);
    std::vector<double> seconds;
    for (int i = 0; i < count; ++i) seconds.push_back(solve(tolerance));
    // A contender that keeps something from solve to solve must still be right.
    if (!(judge_.measure(problem_, contender_.solution()).relative <= limits_.tolerance)) return;
    result.seconds = median(seconds);
    result.repetitions = count;
    send(result);
  }

  void copy_status(RaceResult& result) const {
    const std::string status = contender_.status();
    std::strncpy(result.status, status.c_str(), sizeof(result.status) - 1);
  }

  void send(const RaceResult& result) const {
    if (write(pipe_, &result, sizeof(result)) != sizeof(result)) _exit(3);
  }

  const ComplementarityProblem& problem_;
  Contender& contender_;
  RaceLimits limits_;
  int pipe_;
  double clock_;  // s
  Judge judge_;
};

[[noreturn]] void run_child(const ComplementarityProblem& problem, Contender& contender,
                            const RaceLimits& limits, int pipe) {
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  const auto bytes = static_cast<rlim_t>(limits.memory);
  const rlimit memory{bytes, bytes}, core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  try {
    Lane(problem, contender, limits, pipe).run();
  } catch (const std::exception&) {
    _exit(4);
  }
  _exit(0);
}

}  // namespace

std::string to_string(Finish finish) {
  switch (finish) {
    case Finish::accepted:
      return "accepted";
    case Finish::rejected:
      return "rejected";
    case Finish::out_of_time:
      return "out of time";
    case Finish::crashed:
      return "crashed";
  }
  return "";
}

RaceResult race(const ComplementarityProblem& problem, Contender& contender,
                const RaceLimits& limits) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe for a process of its own");
  const pid_t child = fork();
  if (child < 0) throw Error("no process of its own");
  if (child == 0) {
    close(ends[0]);
    run_child(problem, contender, limits, ends[1]);
  }
  close(ends[1]);
  RaceResult result, next;
  while (read(ends[0], &next, sizeof(next)) == sizeof(next)) result = next;
  close(ends[0]);
  int state = 0;
  waitpid(child, &state, 0);
  const bool late =
      WIFSIGNALED(state) && (WTERMSIG(state) == SIGPROF || WTERMSIG(state) == SIGALRM);
  if (state != 0 && result.finish == Finish::out_of_time && !late) result.finish = Finish::crashed;
  return result;
}

}  // namespace vinci
