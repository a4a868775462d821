// SPDX-License-Identifier: Apache-2.0
#include "apps/stop_signal.h"

#include <csignal>

namespace vinci {
namespace {

volatile std::sig_atomic_t wanted = 0;  // the signal

}  // namespace

void listen_for_stop() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { wanted = signal; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // not under nohup
}

int exit_stopped() {
  return 128 + wanted;
}

bool stop_wanted() {
  return wanted != 0;
}

}  // namespace vinci
