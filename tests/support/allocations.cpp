// SPDX-License-Identifier: Apache-2.0
// The heap's entry points of the C library behind a counter. Single-threaded tests only.
#include "tests/support/allocations.h"

#include <cerrno>

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
}  // namespace

std::size_t vinci::allocations() {
  return count;
}
bool vinci::allocations_are_counted() {
  return true;
}

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++count;
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
  ++count;
  return __libc_calloc(number, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  ++count;
  return __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++count;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  *memory = aligned_alloc(alignment, size);
  return *memory ? 0 : ENOMEM;
}

}  // extern "C"

#endif
