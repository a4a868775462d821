// SPDX-License-Identifier: Apache-2.0
// HDF5's C interface with owned handles and vinci::Error: just what recordings need. Every failure
// throws Error with the path of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "vinci/base/error.h"

namespace vinci {

// Owns one HDF5 identifier.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Id() { reset(); }
  // Closes now; false if HDF5 reports a failure (data that could not be written).
  bool reset() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }
  hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// A number or a fixed array of numbers inside a row, as a column of a table.
struct Hdf5Column {
  const char* name;
  std::size_t offset;  // in the row's struct
  hid_t type;          // of one number: H5T_NATIVE_DOUBLE, ...
  hsize_t count = 1;
};
// The compound type of a row.
Hdf5Id row_type(std::size_t row_size, std::span<const Hdf5Column> columns);

class Hdf5File {
 public:
  enum class Mode {
    create,      // in memory only; image() gives the bytes of the file
    read,        // a file that nobody writes
    read_live,   // one that somebody may be writing
    write_live,  // as the single writer of many readers
  };
  Hdf5File(const std::filesystem::path& path, Mode mode);
  // Closes and throws if that fails; the destructor closes in silence.
  void close();

  const std::filesystem::path& path() const { return path_; }
  hid_t id() const { return file_.get(); }
  std::uint64_t end() const;  // bytes in use
  std::vector<char> image();  // of a created file, complete

  void make_group(const std::string& name);
  // Text of any length as a scalar data set of UTF-8.
  void write_text(const std::string& name, const std::string& text);
  std::string read_text(const std::string& name) const;
  void write_texts(const std::string& name, const std::vector<std::string>& texts);
  std::vector<std::string> read_texts(const std::string& name) const;
  // Short text as an attribute of the file or of a data set.
  void write_attribute(const std::string& object, const std::string& name, const std::string& text);
  std::string read_attribute(const std::string& name) const;  // of the file; "" if there is none

  // Numbers in a row of a table of them; 0 if there is no such table.
  std::uint64_t row_width(const std::string& name) const;

  [[noreturn]] void fail(const std::string& what) const;  // adds HDF5's own words

 private:
  std::filesystem::path path_;
  Hdf5Id file_;
};

struct Hdf5Rows {
  std::uint64_t first = 0, count = 0, stride = 1;
};
struct Hdf5Part {
  std::uint64_t first = 0, count = UINT64_MAX;  // UINT64_MAX: all
};

// A data set of rows that grows along its first dimension: chunked, shuffled, compressed.
class Hdf5Table {
 public:
  Hdf5Table() = default;
  // `shape` of a row: empty for a compound or a single number. A shape with a zero in it has
  // nothing to store: no data set is made, reads and writes do nothing.
  static Hdf5Table create(const Hdf5File& file, const std::string& name, hid_t type,
                          const std::vector<hsize_t>& shape, std::size_t row_bytes);
  static Hdf5Table open(const Hdf5File& file, const std::string& name,
                        const std::vector<hsize_t>& shape);

  std::uint64_t rows() const;
  // Writes `count` rows from row `first` on, growing the table as needed.
  void write(std::uint64_t first, std::uint64_t count, hid_t type, const void* data);
  void read(std::uint64_t first, std::uint64_t count, hid_t type, void* data) const;
  void read(const Hdf5Rows& rows, hid_t type, void* data) const;
  // Of each row only the given part of its first dimension.
  void read(const Hdf5Rows& rows, const Hdf5Part& part, hid_t type, void* data) const;
  void refresh();  // of a file that is being written: sees what was flushed since
  void flush();
  void shrink(std::uint64_t rows);  // cuts what lies behind

 private:
  Hdf5Table(const Hdf5File& file, std::string name, std::vector<hsize_t> shape, Hdf5Id set)
      : path_(file.path()),
        name_(std::move(name)),
        shape_(std::move(shape)),
        set_(std::move(set)) {}
  bool is_void() const { return set_.get() < 0; }
  Hdf5Id select(const Hdf5Rows& rows, const Hdf5Part& part, Hdf5Id& memory) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;
  std::string name_;
  std::vector<hsize_t> shape_;
  Hdf5Id set_;
};

// One value at a fixed place, overwritten in one write: HDF5 neither moves nor compresses it.
class Hdf5Scalar {
 public:
  Hdf5Scalar() = default;
  static Hdf5Scalar create(const Hdf5File& file, const std::string& name, hid_t type);
  static Hdf5Scalar open(const Hdf5File& file, const std::string& name);
  void write(const Hdf5File& file, hid_t type, const void* data);  // and flushes
  void read(const Hdf5File& file, hid_t type, void* data) const;

 private:
  Hdf5Id set_;
};

}  // namespace vinci
