// SPDX-License-Identifier: Apache-2.0
// The contents of an HDF5 file in memory, and changes to them that a script of bytes asks for. A
// program that links memory_storage.cpp reads them through the classes of vinci/storage, whatever
// path it asks for: what we make of a file's contents is tried ten times as often as through
// HDF5.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vinci/storage/hdf5_table.h"

namespace vinci {

struct MemoryColumn {
  std::string name;  // empty for numbers that are no columns
  Hdf5Number type = Hdf5Number::real;
  std::size_t count = 1, offset = 0;  // numbers, bytes from the row's begin
};

struct MemorySet {
  std::vector<MemoryColumn> columns;  // none of a text
  std::size_t width = 0;              // bytes per element
  std::vector<std::uint64_t> extent;  // empty for a single value
  std::vector<char> bytes;            // of the first elements; further ones are zero

  std::uint64_t elements() const;
  bool is_text() const { return columns.empty(); }
  bool is_struct() const { return !is_text() && !columns.front().name.empty(); }
};

struct MemoryFile {
  std::vector<std::string> names;                      // of sets
  std::vector<std::shared_ptr<const MemorySet>> sets;  // null where taken away
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::string>> attributes;  // texts of the file

  static MemoryFile load(const std::string& path);  // by HDF5
  const MemorySet* find(std::string_view name) const;
};

// What the classes of vinci/storage read from now on.
void open_in_memory(const MemoryFile& file);

// The file as a script changes it: bytes replaced, sets cut or grown, taken away or exchanged.
MemoryFile changed(const MemoryFile& original, std::span<const std::uint8_t> script);

}  // namespace vinci
