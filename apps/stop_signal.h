// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its like as a wish that the program looks at when it can.
#pragma once

namespace vinci {

// From now on the first SIGINT, SIGTERM or SIGHUP asks for a clean stop; a second one ends the
// program.
void listen_for_stop();
bool stop_wanted();
int exit_stopped();  // 128 and the number of the signal

}  // namespace vinci
