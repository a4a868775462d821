// SPDX-License-Identifier: Apache-2.0
#include "apps/stop_signal.h"

#include <csignal>

namespace vinci {
namespace {

volatile std::sig_atomic_t wanted = 0;

}  // namespace

void listen_for_stop() {
  struct sigaction action {};
  action.sa_handler = [](int) { wanted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_wanted() {
  return wanted != 0;
}

}  // namespace vinci
