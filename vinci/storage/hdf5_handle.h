// SPDX-License-Identifier: Apache-2.0
// One identifier of HDF5 with an owner. HDF5's own header stays inside this folder.
#pragma once

#include <cstdint>
#include <utility>

namespace vinci {

class Hdf5Handle {
 public:
  using Id = std::int64_t;    // hid_t
  using Close = int (*)(Id);  // herr_t (hid_t)
  Hdf5Handle() = default;
  Hdf5Handle(Id id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { reset(); }
  // Closes now; false if HDF5 reports a failure (data that could not be written).
  bool reset() {
    const Id id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }
  Id get() const { return id_; }
  bool is_valid() const { return id_ >= 0; }

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

}  // namespace vinci
