// SPDX-License-Identifier: Apache-2.0
// Memory that others lose: libhdf5 1.10 does over damaged metadata. What is allocated while a
// LeaksAllowed lives is not asked for by the sanitizer of leaks; all else that it checks is
// checked. libhdf5 keeps blocks for later use: what it loses would be a block from before.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <hdf5.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace vinci::test {

class LeaksAllowed {
 public:
#if defined(__SANITIZE_ADDRESS__)
  LeaksAllowed() {
    H5garbage_collect();
    __lsan_disable();
  }
  ~LeaksAllowed() {
    __lsan_enable();
  }
#else
  LeaksAllowed() {}
  ~LeaksAllowed() {}
#endif
  LeaksAllowed(const LeaksAllowed&) = delete;
  LeaksAllowed& operator=(const LeaksAllowed&) = delete;
};

}  // namespace vinci::test
