// SPDX-License-Identifier: Apache-2.0
// A file driver for HDF5 whose files are ordinary at every instant of being written.
//
// HDF5 marks a file that it writes as open, in the superblock, and stores the true end of the file
// only when it closes it; when the writer is killed, readers refuse the file for these two reasons.
// This driver does what HDF5's own POSIX driver does, but lets no mark pass, always stores the size
// of the file as its end, keeps a shared lock as long as the file is open, gives back what was
// reserved beyond the data when it is closed, and writes nothing after a write that failed.
#pragma once

#include "vinci/storage/hdf5_handle.h"

namespace vinci {

// To be set in the access properties. Registered for as long as the process lasts: HDF5 still calls
// a driver after it has let go of it.
Hdf5Handle::Id live_driver();

// errno of the failure of a file that the driver was to write in this thread; 0 if there was none.
// HDF5 does not know of it. Who begins a call of HDF5 sets it to 0.
int& live_failure();

}  // namespace vinci
