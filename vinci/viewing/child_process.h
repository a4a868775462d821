// SPDX-License-Identifier: Apache-2.0
// Another program, started without a shell and ended with its owner.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace vinci {

// The path of the first of these programs that lies in a folder of PATH; empty if none does.
std::filesystem::path find_program(const std::vector<std::string>& names);

struct ChildOptions {
  std::vector<std::string> command;      // the program's path, then its arguments
  std::vector<std::string> environment;  // NAME=value, over what is set already
  std::filesystem::path log;             // of its standard error; empty: nowhere
  bool feed = false;                     // write() goes to its standard input
  bool listen = false;                   // read_line() comes from its standard output
  // Its descriptors 3 and 4 are connected to us, and closed when we end in whatever way: browsers
  // with --remote-debugging-pipe end then, too.
  bool lifeline = false;
};

class ChildProcess {
 public:
  // In a process group of its own, which Ctrl-C does not reach. Throws Error.
  explicit ChildProcess(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // end(), unless released

  // The code it ended with (128 + number of a signal); nothing while it runs.
  std::optional<int> exit_code();
  // Waits for its end, at most so long.
  std::optional<int> wait(double seconds, const std::function<bool()>& go_on = {});
  // False: it reads no more, did not read for so long, or `go_on` said no.
  bool write(std::string_view bytes, double seconds, const std::function<bool()>& go_on = {});
  void close_input();
  // Without its end; nothing if none came in this time.
  std::optional<std::string> read_line(double seconds);
  void end();                         // it and its children: asked first, then forced
  void release() { owned_ = false; }  // let it live on

 private:
  pid_t id_ = -1;
  int input_ = -1, output_ = -1, lifeline_ = -1;
  bool owned_ = true;
  std::optional<int> code_;
};

}  // namespace vinci
