// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/slurm.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/campaign/atomic_file.h"
#include "vinci/campaign/part_file.h"

extern char** environ;

namespace vinci {
namespace {

namespace fs = std::filesystem;

struct Answer {
  int code = 0;
  std::string text;  // of both outputs
};

Answer answer_of(std::vector<std::string> arguments) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Failure(std::strerror(errno), "pipe");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_adddup2(&files, ends[1], 2);
  pid_t process = -1;
  const int reason =
      posix_spawnp(&process, pointers.front(), &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (reason != 0) {
    close(ends[0]);
    throw Failure(
        fmt::format("cannot be started: {} (Debian package slurm-wlm)", std::strerror(reason)),
        arguments.front());
  }
  Answer answer;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = read(ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    answer.text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  while (answer.text.ends_with('\n')) answer.text.pop_back();
  return answer;
}

fs::path new_plan(const fs::path& parts) {
  for (int number = 1;; ++number) {
    const fs::path plan = parts / fmt::format("plan-{:04}", number);
    std::error_code code;
    if (fs::create_directory(plan, code)) return plan;
    if (code) throw Failure("cannot be made: " + code.message(), plan.string());
  }
}

// As even as it goes, each task some cases in a row.
std::vector<TaskFile> tasks_of(const std::string& hash, const Round& round,
                               const std::vector<NumberRange>& cases, int tasks) {
  std::uint64_t count = 0;
  for (const NumberRange& range : cases) count += range.size;
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(count, 1, static_cast<std::uint64_t>(tasks));
  std::vector<TaskFile> result(parts, TaskFile{hash, {}});
  std::uint64_t place = 0;
  for (const NumberRange& range : cases)
    for (std::uint64_t number = range.first; number < range.end(); ++number)
      result[place++ * parts / count].cases.push_back(round.at(number));
  return result;
}

}  // namespace

fs::path task_file(const fs::path& plan, int task) {
  return plan / fmt::format("task-{:04}.cases", task);
}

SlurmPlan submit(const fs::path& parts, const std::string& hash, const Round& round,
                 const std::vector<NumberRange>& cases, const SlurmSettings& settings) {
  std::error_code code;
  fs::create_directories(parts, code);
  if (code) throw Failure("cannot be made: " + code.message(), parts.string());
  SlurmPlan plan;
  plan.folder = fs::absolute(new_plan(parts));
  const std::vector<TaskFile> tasks = tasks_of(hash, round, cases, std::max(1, settings.tasks));
  plan.tasks = static_cast<int>(tasks.size());
  for (int task = 0; task < plan.tasks; ++task) {
    plan.cases += tasks[static_cast<std::size_t>(task)].cases.size();
    write_task(task_file(plan.folder, task), tasks[static_cast<std::size_t>(task)]);
  }
  const fs::path script = plan.folder / "job.sh";
  AtomicFile output(script);
  output.write("#!/bin/sh\nexec " + settings.command(plan.folder) + "\n");
  output.publish();
  std::vector<std::string> command{"sbatch",
                                   "--parsable",
                                   fmt::format("--array=0-{}", plan.tasks - 1),
                                   fmt::format("--cpus-per-task={}", settings.workers),
                                   "--output=" + (plan.folder / "task-%a.log").string(),
                                   "--job-name=vinci-study"};
  command.insert(command.end(), settings.options.begin(), settings.options.end());
  command.push_back(script.string());
  const Answer answer = answer_of(command);
  if (answer.code != 0) throw Failure("sbatch refused the job: " + answer.text);
  // With several clusters "number;cluster"; warnings stand in lines before.
  const std::string last = answer.text.substr(answer.text.rfind('\n') + 1);
  plan.job = last.substr(0, last.find(';'));
  AtomicFile number(plan.folder / "job");
  number.write(plan.job + "\n");
  number.publish();
  return plan;
}

std::vector<std::string> jobs_under_way(const fs::path& parts) {
  std::vector<std::string> jobs;
  if (!fs::exists(parts)) return jobs;
  for (const auto& entry : fs::directory_iterator(parts)) {
    if (!fs::exists(entry.path() / "job")) continue;
    std::string job = file_bytes(entry.path() / "job");
    while (job.ends_with('\n')) job.pop_back();
    const Answer answer = answer_of({"squeue", "--noheader", "--jobs=" + job, "--format=%i"});
    // Slurm forgets jobs that ended some minutes ago.
    if (answer.code != 0 && answer.text.find("Invalid job id") == std::string::npos)
      throw Failure("squeue does not answer: " + answer.text);
    if (answer.code == 0 && !answer.text.empty()) jobs.push_back(job);
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

}  // namespace vinci
