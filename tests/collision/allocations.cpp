// SPDX-License-Identifier: Apache-2.0
// Replaces operator new; in a file of its own, so that no call is inlined and judged as mismatched.
#include "allocations.h"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
}

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

std::size_t vinci::allocations() {
  return count;
}
