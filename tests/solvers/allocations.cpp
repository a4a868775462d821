// SPDX-License-Identifier: Apache-2.0
// malloc of the C library behind a counter. Single-threaded tests only.
#include "allocations.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

std::size_t vinci::allocations() {
  return 0;
}
bool vinci::allocations_are_counted() {
  return false;
}

#else

namespace {
std::size_t count = 0;
}

std::size_t vinci::allocations() {
  return count;
}
bool vinci::allocations_are_counted() {
  return true;
}

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) noexcept {
  ++count;
  return __libc_malloc(size);
}

#endif
