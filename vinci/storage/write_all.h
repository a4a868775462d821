// SPDX-License-Identifier: Apache-2.0
// All bytes at a place of a file, in as many calls as the system wants for them.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include <unistd.h>

namespace vinci {

// How many bytes are in the file; fewer than given after a failure, which errno names.
inline std::size_t write_all(int descriptor, std::uint64_t address, std::span<const char> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pwrite(descriptor, bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(address + done));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace vinci
