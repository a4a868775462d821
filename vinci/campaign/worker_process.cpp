// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/worker_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vinci/base/error.h"

extern char** environ;

namespace vinci {
namespace {

// Numbers that are free for the two of a worker.
constexpr int first_of_ours = 10;

// A descriptor with an owner.
class Descriptor {
 public:
  // Away from the numbers that it shall have in the worker.
  explicit Descriptor(int low) {
    if (low < 0) return;
    number_ = fcntl(low, F_DUPFD_CLOEXEC, first_of_ours);
    close(low);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int take() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

[[noreturn]] void refuse(int reason, const std::string& what) {
  throw Failure(std::string("a worker cannot be started: ") + std::strerror(reason), what);
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command) {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    refuse(errno, "socketpair");
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const Descriptor page(memfd_create("vinci-worker", MFD_CLOEXEC));
  if (ours.number() < 0 || theirs.number() < 0 || page.number() < 0) refuse(errno, "descriptors");
  if (ftruncate(page.number(), sizeof(WorkerPage)) != 0) refuse(errno, "its page");
  fcntl(ours.number(), F_SETFL, O_NONBLOCK);
  void* memory =
      mmap(nullptr, sizeof(WorkerPage), PROT_READ | PROT_WRITE, MAP_SHARED, page.number(), 0);
  if (memory == MAP_FAILED) refuse(errno, "its page");
  page_ = new (memory) WorkerPage;
  page_->memory = command.memory;
  page_->coordinator = static_cast<std::uint64_t>(getpid());
  try {
    start(command, theirs.number(), page.number());
  } catch (...) {
    munmap(page_, sizeof(WorkerPage));
    throw;
  }
  socket_ = ours.take();
}

void WorkerProcess::start(const WorkerCommand& command, int other_end, int page) {
  if (command.fork) {
    process_ = command.fork({other_end, page});
    if (process_ < 0) refuse(errno, "fork");
    return;
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  // What a case prints is for nobody: 'vinci study repeat' shows it.
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, other_end, WorkerEnds().socket);
  posix_spawn_file_actions_adddup2(&files, page, WorkerEnds().page);
  const int code =
      posix_spawnp(&process_, arguments.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) {
    process_ = -1;
    refuse(code, command.arguments.front());
  }
}

WorkerProcess::~WorkerProcess() {
  close(socket_);
  end();
  munmap(page_, sizeof(WorkerPage));
}

void WorkerProcess::kill() {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

bool WorkerProcess::end() {
  if (process_ <= 0) return false;
  kill();
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::optional<WorkerProcess::UnderWay> WorkerProcess::under_way() const {
  const std::uint64_t started = page_->started.load(std::memory_order_acquire);
  if (started == 0) return std::nullopt;
  const std::uint64_t number = page_->number.load(std::memory_order_relaxed);
  const std::uint64_t now = monotonic_nanoseconds();
  return UnderWay{number, started, now > started ? 1e-9 * static_cast<double>(now - started) : 0.0};
}

double WorkerProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0.0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

bool WorkerProcess::is_asleep() const {
  std::ifstream file("/proc/" + std::to_string(process_) + "/stat");
  std::string text;
  std::getline(file, text);
  // Behind the name of the program, which may hold anything.
  const std::size_t name = text.rfind(") ");
  return name != std::string::npos && name + 2 < text.size() &&
         (text[name + 2] == 'S' || text[name + 2] == 'D');
}

void WorkerProcess::send(std::string bytes) {
  if (has_unsent()) {
    unsent_ += bytes;
  } else {
    unsent_ = std::move(bytes);
    sent_ = 0;
  }
  flush();
}

void WorkerProcess::flush() {
  while (has_unsent()) {
    const ssize_t count =
        ::send(socket_, unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) break;  // it has ended, as receive() will tell
    sent_ += static_cast<std::size_t>(count);
  }
  unsent_.clear();
  sent_ = 0;
}

bool WorkerProcess::receive() {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) return false;
    reader_.push({buffer.data(), static_cast<std::size_t>(count)});
    if (count < static_cast<ssize_t>(buffer.size())) return true;
  }
}

}  // namespace vinci
