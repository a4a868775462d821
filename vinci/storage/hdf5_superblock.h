// SPDX-License-Identifier: Apache-2.0
// The first 48 bytes of an HDF5 file (superblock version 3), read and rewritten in place.
//
// A writer in single-writer-multiple-reader mode marks them "open for writing" and leaves the end
// of the file out of date; when it is killed, ordinary readers refuse the file for these two
// reasons alone. Rewriting both makes the file ordinary again (HDF5 File Format Specification 3.0,
// section II.A; the checksum is Jenkins' lookup3 of the 44 bytes before it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vinci {

struct Hdf5Superblock {
  bool open_for_writing = false;  // either consistency flag is set
  std::uint64_t end = 0;          // address behind the last byte that the file's owner uses
};

// Nothing if the bytes are not a superblock of version 3 with a right checksum at offset 0.
std::optional<Hdf5Superblock> read_superblock(int descriptor);

// Clears the flags and sets the end, in one write. False if it could not be done.
bool rewrite_superblock(int descriptor, std::uint64_t end);

// The same for bytes in memory that begin a file, whose checksum may be wrong.
inline constexpr std::size_t superblock_size = 48;
void seal_superblock(std::span<char> file, std::uint64_t end);

}  // namespace vinci
