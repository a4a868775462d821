// SPDX-License-Identifier: Apache-2.0
// A file driver for HDF5 whose files are ordinary at every instant of being written.
//
// HDF5 marks a file that it writes as open, in the superblock, and stores the true end of the file
// only when it closes it; when the writer is killed, readers refuse the file for these two reasons.
// This driver does what HDF5's own POSIX driver does, but lets no mark pass, always stores the size
// of the file as its end, keeps a shared lock as long as the file is open, and gives back what was
// reserved beyond the data when it is closed.
#pragma once

#include "vinci/storage/hdf5_handle.h"

namespace vinci {

// Register, set it in the access properties, and let go after opening: files keep it alive.
Hdf5Handle register_live_driver();

}  // namespace vinci
