// SPDX-License-Identifier: Apache-2.0
// HDF5 files with owned handles and checked reads: class, shape and size are looked at before
// anything is allocated. Every failure is an Error that names the file, and the dataset if there is
// one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/storage/hdf5_handle.h"

namespace vinci {

class Hdf5File {
 public:
  enum class Mode {
    create,      // a new one for exchange; in memory until commit()
    image,       // a new one in memory; image() gives its bytes
    read,        // any HDF5 file that nobody writes
    read_still,  // one written by write_live, which nobody writes now
    read_live,   // one written by write_live, now
    write_live,  // an image that was stored, as the single writer of many readers
  };
  Hdf5File(const std::filesystem::path& path, Mode mode);
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;
  ~Hdf5File();    // closes in silence; what was created and not committed is gone
  void close();   // throws if that fails
  void commit();  // of a created file: writes it, replacing what has its name, and closes it

  const std::filesystem::path& path() const { return path_; }
  Hdf5Handle::Id id() const { return file_.get(); }
  std::uint64_t end() const;  // bytes in use
  std::vector<char> image();  // complete

  bool has(const std::string& name) const;
  std::vector<int> integers(const std::string& name) const;
  int integer(const std::string& name) const;  // a dataset of one number
  VectorX reals(const std::string& name) const;
  VectorX reals(const std::string& name, int expected_size) const;
  std::string text(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  std::string attribute(const std::string& name) const;  // of the file, a text; "" if there is none
  // Numbers in a row of a table of them; 0 if there is no such table.
  std::uint64_t row_width(const std::string& name) const;

  // The groups of a name are made as needed.
  void write_integer(const std::string& name, int value);
  void write_integers(const std::string& name, const std::vector<int>& values);
  void write_reals(const std::string& name, const Eigen::Ref<const VectorX>& values);
  void write_text(const std::string& name, const std::string& text);
  void write_texts(const std::string& name, const std::vector<std::string>& texts);
  // Texts are of fixed length, as most readers take them, or of variable length, which programs in
  // Python show as str.
  enum class Length { fixed, variable };
  void write_attribute(const std::string& object, const std::string& name, const std::string& text,
                       Length length = Length::fixed);
  void write_attribute(const std::string& object, const std::string& name, double value);

  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  Hdf5Handle open_numbers(const std::string& name, bool whole, std::size_t& count) const;
  void write_numbers(const std::string& name, Hdf5Handle::Id type, std::size_t count,
                     const void* data);
  [[noreturn]] void fail(const std::string& what) const;  // with HDF5's own words

  std::vector<char> bytes();  // of a file in memory

  std::filesystem::path path_;
  Hdf5Handle file_;
};

}  // namespace vinci
