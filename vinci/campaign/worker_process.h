// SPDX-License-Identifier: Apache-2.0
// A worker as its coordinator sees it: a process at the other end of a socket.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "vinci/campaign/frame.h"
#include "vinci/campaign/worker_page.h"

namespace vinci {

struct WorkerCommand {
  std::vector<std::string> arguments;  // the program first
  std::uint64_t memory = 0;            // bytes that its cases may take; 0: any number
  // In place of a program: makes a copy of this process, which serves cases through these ends and
  // does not return. Gives its number; -1, and errno, where it cannot.
  std::function<pid_t(const WorkerEnds&)> fork = {};
};

class WorkerProcess {
 public:
  // Starts it. Throws Failure.
  explicit WorkerProcess(const WorkerCommand& command);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // ends it

  struct UnderWay {
    std::uint64_t number = 0;
    std::uint64_t started = 0;  // ns of the monotonic clock
    double seconds = 0.0;       // since then
  };
  // The case that it is at, or was at when it ended.
  std::optional<UnderWay> under_way() const;
  double cpu_seconds() const;  // of its life so far
  bool is_asleep() const;      // it waits for something; not for a processor, and nobody stopped it

  int socket() const { return socket_; }
  pid_t process() const { return process_; }
  // Hands over bytes, as many as it takes now; the others stay until the next flush().
  void send(std::string bytes);
  void flush();
  bool has_unsent() const { return sent_ < unsent_.size(); }
  // Takes what has come; false once the other end is closed and all of it has been taken.
  bool receive();
  // The next message that is complete. Throws Error if it is damaged.
  std::optional<Frame> next() { return reader_.next(); }
  void kill();
  // Kills it, if it has not ended, and waits for its end: whether somebody killed it, rather than
  // what it was at.
  bool end();

 private:
  void start(const WorkerCommand& command, int other_end, int page);

  int socket_ = -1;
  pid_t process_ = -1;
  WorkerPage* page_ = nullptr;
  FrameReader reader_;
  std::string unsent_;
  std::size_t sent_ = 0;
};

}  // namespace vinci
