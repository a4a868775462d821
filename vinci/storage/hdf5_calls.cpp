// SPDX-License-Identifier: Apache-2.0
#include "vinci/storage/hdf5_calls.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include <sys/mman.h>

#include "vinci/base/error.h"
#include "vinci/storage/hdf5_live_driver.h"

namespace vinci {

static_assert(std::is_same_v<Hdf5Handle::Id, hid_t> && std::is_same_v<int, herr_t>);

Hdf5Silence::Hdf5Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Eclear2(H5E_DEFAULT);
  errno = 0;
  live_failure() = 0;
}

Hdf5Silence::~Hdf5Silence() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

// Called last in, first out: before HDF5's own, which is there since its first call.
void end_quietly() {
  static const int registered = std::atexit([] { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); });
  static_cast<void>(registered);
}

bool succeeded(herr_t result) {
  return result >= 0 && live_failure() == 0;
}

std::string with_reason(const std::string& what) {
  if (live_failure() != 0) return what + " (" + std::strerror(live_failure()) + ")";
  std::string text;
  const int system = errno;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        if (error->desc) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &text);
  if (text.empty() && system != 0) text = std::strerror(system);
  return text.empty() ? what : what + " (" + text + ")";
}

void need_memory() {
  constexpr std::size_t bytes = 4u << 20;
  void* const room =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, bytes);
}

void throw_error(const std::string& what, const std::string& where) {
  bool no_memory = false;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        if (error->min_num == H5E_NOSPACE) *static_cast<bool*>(out) = true;
        return 0;
      },
      &no_memory);
  if (live_failure() != 0 || no_memory) throw Failure(what, where);
  throw Error(what, where);
}

Hdf5Handle text_type(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(size, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Hdf5Handle with_buffers(std::size_t bytes) {
  constexpr std::size_t least = 4u << 10, most = 1u << 20;
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  H5Pset_buffer(properties.get(), std::clamp(bytes, least, most), nullptr, nullptr);
  return properties;
}

Hdf5Handle with_groups() {
  Hdf5Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(properties.get(), 1);
  return properties;
}

}  // namespace vinci
