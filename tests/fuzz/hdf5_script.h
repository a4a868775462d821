// SPDX-License-Identifier: Apache-2.0
// Changes to the contents of an HDF5 file that a script of bytes asks for: numbers replaced, tables
// cut or grown, datasets taken away or exchanged. The file stays one that HDF5 can read: what is
// tried is what we make of it. (HDF5's own reading of broken bytes is tried by damage_test.)
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "tests/fuzz/scratch_file.h"

namespace vinci {

// The bytes of a file that scripts change, and its datasets: looked for once, as that takes as long
// as the reading that is tried.
struct Hdf5Original {
  std::string bytes;
  std::vector<std::string> names;

  // By a path for the time of the look.
  Hdf5Original(std::string whole, const ScratchFile& scratch) : bytes(std::move(whole)) {
    scratch.write(bytes);
    const hid_t file = H5Fopen(scratch.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) std::abort();
    H5Lvisit(
        file, H5_INDEX_NAME, H5_ITER_INC,
        [](hid_t group, const char* name, const H5L_info_t*, void* list) -> herr_t {
          const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
          if (object >= 0 && H5Iget_type(object) == H5I_DATASET)
            static_cast<std::vector<std::string>*>(list)->emplace_back(name);
          H5Oclose(object);
          return 0;
        },
        &names);
    H5Fclose(file);
    if (names.empty()) std::abort();
  }
};

class Hdf5Script {
 public:
  explicit Hdf5Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    // HDF5 keeps the memory of its caches: without limits, no system call for each file.
    static const herr_t kept = H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
    static_cast<void>(kept);
  }

  // The original as the script changes it, at the path.
  void apply(const Hdf5Original& original, const ScratchFile& scratch) {
    scratch.write(original.bytes);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    if (bytes_.empty()) return;
    const hid_t file = H5Fopen(scratch.path().c_str(), H5F_ACC_RDWR, access());
    if (file < 0) std::abort();
    while (!bytes_.empty()) change(file, original.names);
    H5Fclose(file);
  }

 private:
  // Without the buffer of 64 kB per dataset.
  static hid_t access() {
    static const hid_t list = [] {
      const hid_t made = H5Pcreate(H5P_FILE_ACCESS);
      H5Pset_sieve_buf_size(made, 0);
      return made;
    }();
    return list;
  }

  std::uint64_t take(std::size_t count) {
    std::uint64_t value = 0;
    count = std::min(count, bytes_.size());
    std::memcpy(&value, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return value;
  }

  void change(hid_t file, const std::vector<std::string>& names) {
    const std::string& name = names[take(1) % names.size()];
    const auto what = take(1) % 8;
    const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    if (what == 0) {
      H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    } else if (what == 1 && set >= 0) {
      resize(set);
    } else if (what == 2) {
      const std::string& other = names[take(1) % names.size()];
      H5Ldelete(file, name.c_str(), H5P_DEFAULT);
      H5Lcreate_hard(file, other.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else if (set >= 0) {
      replace(set);
    }
    H5Dclose(set);
  }

  void resize(hid_t set) {
    const hid_t space = H5Dget_space(set);
    hsize_t extent[H5S_MAX_RANK] = {};
    const int rank = H5Sget_simple_extent_dims(space, extent, nullptr);
    if (rank > 0) extent[0] = take(2);
    H5Dset_extent(set, extent);
    H5Sclose(space);
  }

  // Some bytes of the values, as they lie in the file.
  void replace(hid_t set) {
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const std::size_t width = H5Tget_size(type);
    if (count > 0 && width > 0 && static_cast<std::size_t>(count) < (1u << 20) / width &&
        H5Tdetect_class(type, H5T_VLEN) <= 0 && H5Tis_variable_str(type) <= 0) {
      std::vector<char> values(width * static_cast<std::size_t>(count));
      H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      const std::uint64_t at = take(3) % values.size(), number = take(8);
      std::memcpy(&values[at], &number, std::min<std::size_t>(8, values.size() - at));
      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Tclose(type);
    H5Sclose(space);
  }

  std::span<const std::uint8_t> bytes_;
};

}  // namespace vinci
