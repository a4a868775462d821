// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/worker.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <optional>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/campaign/case_bytes.h"
#include "vinci/campaign/frame.h"
#include "vinci/campaign/worker_page.h"

namespace vinci {
namespace {

constexpr std::size_t sent_at_once = 1 << 16;                 // bytes
constexpr std::uint64_t sent_after_nanoseconds = 20'000'000;  // what a death may lose

// The end of a worker whose coordinator is gone, or whose memory is used up: nothing is tidied.
[[noreturn]] void end_now() {
  _exit(1);
}

WorkerPage& shared_page(const WorkerEnds& ends) {
  struct stat status {};
  if (fstat(ends.socket, &status) != 0 || !S_ISSOCK(status.st_mode))
    throw Error("is started by 'vinci study run', not by hand");
  void* memory =
      mmap(nullptr, sizeof(WorkerPage), PROT_READ | PROT_WRITE, MAP_SHARED, ends.page, 0);
  if (memory == MAP_FAILED) throw Error("has no page of its coordinator");
  close(ends.page);
  return *static_cast<WorkerPage*>(memory);
}

// Bytes of addresses that the process has.
std::uint64_t address_space() {
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// What the cases may take, beside what is there already.
void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const rlim_t wanted = address_space() + bytes;
  if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max) limit.rlim_cur = wanted;
  setrlimit(RLIMIT_AS, &limit);
}

class Service {
 public:
  Service(WorkerPage& page, int socket) : page_(page), socket_(socket) {}

  void send(FrameKind kind, std::string_view content) {
    const std::string bytes = frame_bytes(kind, content);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) end_now();
      done += static_cast<std::size_t>(count);
    }
  }

  // Nothing where the coordinator has closed.
  std::optional<Frame> receive() {
    while (true) {
      if (auto frame = reader_.next()) return frame;
      std::array<char, 65536> buffer;
      const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      reader_.push({buffer.data(), static_cast<std::size_t>(count)});
    }
  }

  void answer_all(const CaseRun& study, const Frame& frame) {
    ByteReader from(frame.content);
    std::uint64_t sent = monotonic_nanoseconds();
    for (std::size_t left = from.count(1); left > 0; --left) {
      const StudyCase what = read_case(from);
      const std::uint64_t now = monotonic_nanoseconds();
      if (now - sent > sent_after_nanoseconds || answers_.bytes().size() > sent_at_once) {
        send_answers();
        sent = now;
      }
      page_.number.store(what.number, std::memory_order_relaxed);
      page_.started.store(now, std::memory_order_release);
      const CaseAnswer answer = answer_of(study, what);
      page_.started.store(0, std::memory_order_release);
      write(answers_, answer.result);
      write(answers_, answer.cpu_seconds);
    }
    send_answers();
  }

 private:
  static CaseAnswer answer_of(const CaseRun& study, const StudyCase& what) {
    CaseAnswer answer;
    try {
      answer = study.run(what);
    } catch (const std::bad_alloc&) {
      end_now();
    } catch (const std::exception& error) {
      answer = {};
      answer.result.status = CaseStatus::failed;
      answer.result.message = error.what();
    }
    answer.result.number = what.number;
    return answer;
  }

  void send_answers() {
    if (answers_.bytes().empty()) return;
    send(FrameKind::answers, answers_.take());
    answers_ = {};
  }

  WorkerPage& page_;
  int socket_;
  FrameReader reader_;
  ByteWriter answers_;
};

}  // namespace

void serve_cases(const std::function<CaseRun()>& make, const WorkerEnds& ends) {
  WorkerPage& page = shared_page(ends);
  // Ctrl-C and its like are for the coordinator; with it this process ends.
  for (const int wish : {SIGINT, SIGHUP, SIGTERM}) std::signal(wish, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (static_cast<std::uint64_t>(getppid()) != page.coordinator) end_now();
  // A core file for each bad case would fill the disk.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  Service service(page, ends.socket);
  CaseRun study;
  try {
    study = make();
  } catch (const std::exception& error) {
    service.send(FrameKind::complaint, error.what());
    return;
  }
  limit_memory(page.memory);
  service.send(FrameKind::hello, study.hash);
  while (const auto frame = service.receive()) service.answer_all(study, *frame);
}

}  // namespace vinci
