// SPDX-License-Identifier: Apache-2.0
// Its ends are sockets, not pipes: writing to a child that has gone is then an error, not a signal.
#include "vinci/viewing/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vinci/base/clock.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr double grace = 2.0;  // s between asking and forcing
constexpr int poll_time = 50;  // ms

void check(int result, const char* what) {
  if (result != 0) throw Failure(fmt::format("{}: {}", what, std::strerror(result)));
}

// Two connected sockets: ours, and the child's.
struct Ends {
  int ours = -1, theirs = -1;
  void open() {
    int both[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0)
      check(errno, "no connection to another program");
    ours = both[0];
    theirs = both[1];
  }
  ~Ends() {
    for (const int end : {ours, theirs})
      if (end >= 0) close(end);
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::map<std::string, std::string> values;
  const auto set = [&](const std::string& text) {
    const auto equals = text.find('=');
    if (equals != std::string::npos) values[text.substr(0, equals)] = text.substr(equals + 1);
  };
  for (char** item = environ; *item != nullptr; ++item) set(*item);
  for (const std::string& text : added) set(text);
  std::vector<std::string> result;
  for (const auto& [name, value] : values) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

// What posix_spawn does between fork and exec.
class SpawnPlan {
 public:
  SpawnPlan() {
    check(posix_spawn_file_actions_init(&actions_), "posix_spawn");
    check(posix_spawnattr_init(&attributes_), "posix_spawn");
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  void take(int descriptor, int as) {
    check(posix_spawn_file_actions_adddup2(&actions_, descriptor, as), "posix_spawn");
  }
  void open(const std::filesystem::path& path, int flags, int as) {
    check(posix_spawn_file_actions_addopen(&actions_, as, path.c_str(), flags, 0600),
          "posix_spawn");
  }
  // Recordings that are open here must not stay open, and locked, there.
  void close_from(int first) {
    check(posix_spawn_file_actions_addclosefrom_np(&actions_, first), "posix_spawn");
  }
  pid_t spawn(std::vector<std::string> command, std::vector<std::string> environment) const {
    pid_t id = -1;
    check(posix_spawn(&id, command.front().c_str(), &actions_, &attributes_,
                      pointers(command).data(), pointers(environment).data()),
          command.front().c_str());
    return id;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Until the socket is ready; false if the time is over first.
bool ready(int socket, short events, const Deadline& deadline, const std::function<bool()>& go_on) {
  for (;;) {
    pollfd item{socket, events, 0};
    if (poll(&item, 1, poll_time) > 0) return true;
    if (deadline.passed() || (go_on && !go_on())) return false;
  }
}

}  // namespace

std::filesystem::path find_program(const std::vector<std::string>& names) {
  const char* variable = std::getenv("PATH");
  const std::string folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& name : names)
    for (std::size_t begin = 0; begin <= folders.size();) {
      const auto end = std::min(folders.find(':', begin), folders.size());
      const auto path = std::filesystem::path(folders.substr(begin, end - begin)) / name;
      std::error_code code;
      if (path.is_absolute() && std::filesystem::is_regular_file(path, code) &&
          access(path.c_str(), X_OK) == 0)
        return path;
      begin = end + 1;
    }
  return {};
}

ChildProcess::ChildProcess(const ChildOptions& options) {
  Ends input, output, lifeline;
  SpawnPlan plan;
  if (options.feed) {
    input.open();
    plan.take(input.theirs, STDIN_FILENO);
  } else {
    plan.open("/dev/null", O_RDONLY, STDIN_FILENO);
  }
  if (options.listen) {
    output.open();
    plan.take(output.theirs, STDOUT_FILENO);
  } else {
    plan.open("/dev/null", O_WRONLY, STDOUT_FILENO);
  }
  plan.open(options.log.empty() ? "/dev/null" : options.log, O_WRONLY | O_CREAT | O_APPEND,
            STDERR_FILENO);
  if (options.lifeline) {
    lifeline.open();
    plan.take(lifeline.theirs, 3);
    plan.take(3, 4);
  }
  plan.close_from(options.lifeline ? 5 : 3);
  id_ = plan.spawn(options.command, environment_with(options.environment));
  input_ = std::exchange(input.ours, -1);
  output_ = std::exchange(output.ours, -1);
  lifeline_ = std::exchange(lifeline.ours, -1);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      lifeline_(std::exchange(other.lifeline_, -1)),
      owned_(other.owned_),
      code_(other.code_) {}

ChildProcess::~ChildProcess() {
  if (owned_ && id_ > 0) end();
  for (const int socket : {input_, output_, lifeline_})
    if (socket >= 0) close(socket);
}

std::optional<int> ChildProcess::exit_code() {
  int status = 0;
  if (code_ || id_ <= 0 || waitpid(id_, &status, WNOHANG) != id_) return code_;
  code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return code_;
}

std::optional<int> ChildProcess::wait(double seconds, const std::function<bool()>& go_on) {
  const Deadline deadline(seconds);
  while (!exit_code() && !deadline.passed() && (!go_on || go_on()))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return code_;
}

bool ChildProcess::write(std::string_view bytes, double seconds,
                         const std::function<bool()>& go_on) {
  const Deadline deadline(seconds);
  while (!bytes.empty()) {
    if (!ready(input_, POLLOUT, deadline, go_on)) return false;
    const ssize_t done = send(input_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

void ChildProcess::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

std::optional<std::string> ChildProcess::read_line(double seconds) {
  constexpr std::size_t longest = 64 * 1024;
  const Deadline deadline(seconds);
  std::string line;
  char next = 0;
  while (line.size() < longest && ready(output_, POLLIN, deadline, {})) {
    const ssize_t got = recv(output_, &next, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    if (next == '\n') return line;
    line += next;
  }
  return std::nullopt;
}

void ChildProcess::end() {
  if (id_ <= 0) return;
  // The group is signalled even if its leader has gone: helpers of a browser may be left.
  if (!exit_code()) {
    if (lifeline_ >= 0)
      close(std::exchange(lifeline_, -1));
    else
      kill(-id_, SIGTERM);
    wait(grace);
  }
  kill(-id_, SIGKILL);
  if (!code_) wait(grace);
}

}  // namespace vinci
