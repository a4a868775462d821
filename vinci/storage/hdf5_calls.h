// SPDX-License-Identifier: Apache-2.0
// What the sources of this folder share when they call HDF5: its silence, its reasons, its types.
#pragma once

#include <cstddef>
#include <string>

#include <hdf5.h>

#include "vinci/storage/hdf5_handle.h"

namespace vinci {

// HDF5 prints nothing while one of these lives; whoever uses HDF5 beside us has its own setting
// back afterwards. Begins without old errors.
class Hdf5Silence {
 public:
  Hdf5Silence();
  ~Hdf5Silence();
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// HDF5 keeps memory of files that it could not read, and would print "infinite loop closing
// library" when the process ends: from now on it ends without a word.
void end_quietly();

// Throws std::bad_alloc unless there is the memory to open a file: HDF5 crashes without it.
void need_memory();

// Whether HDF5 and the system have done what a call was to do.
bool succeeded(herr_t result);

// `what`, and in brackets the innermost reason that the system, or HDF5, gives for its last
// failure.
std::string with_reason(const std::string& what);

// A Failure if the system failed to read or write a live file or there is no memory, else an Error.
[[noreturn]] void throw_error(const std::string& what, const std::string& where);

// Text of a fixed size in UTF-8, padded with zeros.
Hdf5Handle text_type(std::size_t size);

// Transfer properties for values that take so many bytes. HDF5 converts values in two buffers which
// it clears before, whatever of them it needs: of 1 MB each unless it is told less.
Hdf5Handle with_buffers(std::size_t bytes);

// Link properties that make the groups of a path.
Hdf5Handle with_groups();

}  // namespace vinci
