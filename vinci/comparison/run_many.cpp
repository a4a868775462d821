// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/run_many.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "vinci/base/clock.h"

namespace vinci {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(50);
constexpr double count_interval = 0.02;  // s between notes of the steps done

// What the threads share.
class Crew {
 public:
  Crew(std::vector<Simulation>& simulations, const std::vector<StepWatcher*>& watchers,
       const RunManyOptions& options)
      : simulations_(simulations),
        watchers_(watchers),
        options_(options),
        errors_(simulations.size()) {}

  bool run();

 private:
  void work();
  void perform(std::size_t i);
  void steps(std::size_t i, Recorder* recorder);
  void with_files(const std::function<void()>& use);
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

  std::vector<Simulation>& simulations_;
  const std::vector<StepWatcher*>& watchers_;
  const RunManyOptions& options_;
  std::vector<std::exception_ptr> errors_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::int64_t> done_{0};
  std::atomic<bool> stopped_{false};
  std::mutex files_, ends_;
  std::condition_variable ended_;
  std::size_t working_ = 0;
};

void Crew::with_files(const std::function<void()>& use) {
  if (options_.with_files) return options_.with_files(use);
  const std::lock_guard lock(files_);
  use();
}

void Crew::steps(std::size_t i, Recorder* recorder) {
  Simulation& simulation = simulations_[i];
  simulation.stop_when([this] { return stopped_.load(std::memory_order_relaxed); });
  Stopwatch since_count;
  std::int64_t counted = simulation.state().step;
  const auto count = [&] {
    done_.fetch_add(simulation.state().step - counted, std::memory_order_relaxed);
    counted = simulation.state().step;
  };
  RunLoop loop{
      .last_step = simulation.total_steps(), .recorder = recorder, .watchers = {watchers_[i]}};
  loop.go_on = [&] {
    if (since_count.seconds() >= count_interval) since_count.lap(), count();
    return !stopped_.load(std::memory_order_relaxed);
  };
  loop.with_files = [this](const std::function<void()>& use) { with_files(use); };
  run_steps(simulation, loop);
  count();
}

void Crew::perform(std::size_t i) {
  if (options_.recordings.empty()) return steps(i, nullptr);
  std::optional<Recorder> recorder;
  with_files(
      [&] { recorder.emplace(options_.recordings[i], simulations_[i], options_.overwrite); });
  // Whatever happens, HDF5 is left in its turn.
  try {
    steps(i, &*recorder);
    with_files([&] { recorder->finish(simulations_[i]); });
  } catch (...) {
    with_files([&] { recorder.reset(); });
    throw;
  }
  with_files([&] { recorder.reset(); });
}

void Crew::work() {
  for (;;) {
    const std::size_t i = next_.fetch_add(1);
    if (i >= simulations_.size() || stopped_.load(std::memory_order_relaxed)) break;
    try {
      perform(i);
      continue;
    } catch (const Error& error) {
      errors_[i] = std::make_exception_ptr(Failure(error));
    } catch (...) {
      errors_[i] = std::current_exception();
    }
    stop();
  }
  const std::lock_guard lock(ends_);
  --working_;
  ended_.notify_all();
}

bool Crew::run() {
  std::int64_t total = 0;
  for (const Simulation& simulation : simulations_) total += simulation.total_steps();
  const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t wanted =
      options_.jobs > 0 ? static_cast<std::size_t>(options_.jobs) : processors;
  working_ = std::min(wanted, simulations_.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = working_; i > 0; --i) threads.emplace_back([this] { work(); });
  std::exception_ptr caller;
  bool good = true;
  std::unique_lock lock(ends_);
  while (working_ > 0) {
    ended_.wait_for(lock, look_interval);
    if (!options_.go_on || !good) continue;
    lock.unlock();
    try {
      good = options_.go_on(done_.load(std::memory_order_relaxed), total);
    } catch (...) {
      caller = std::current_exception();
      good = false;
    }
    if (!good) stop();
    lock.lock();
  }
  lock.unlock();
  threads.clear();
  if (caller) std::rethrow_exception(caller);
  for (const std::exception_ptr& error : errors_)
    if (error) std::rethrow_exception(error);
  return good;
}

}  // namespace

bool run_many(std::vector<Simulation>& simulations, const std::vector<StepWatcher*>& watchers,
              const RunManyOptions& options) {
  return Crew(simulations, watchers, options).run();
}

}  // namespace vinci
