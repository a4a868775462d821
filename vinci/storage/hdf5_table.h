// SPDX-License-Identifier: Apache-2.0
// Tables of HDF5 that grow row by row, and single values at a fixed place. A row is a struct whose
// columns are listed once, or an array of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "vinci/storage/hdf5_file.h"

namespace vinci {

enum class Hdf5Number { int32, int64, uint8, uint32, uint64, real };

template <class T>
constexpr Hdf5Number hdf5_number() {
  if constexpr (std::is_same_v<T, double>) return Hdf5Number::real;
  if constexpr (std::is_same_v<T, std::int32_t>) return Hdf5Number::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Hdf5Number::int64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Hdf5Number::uint8;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Hdf5Number::uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Hdf5Number::uint64;
}

// A number or a fixed array of numbers inside a row.
struct Hdf5Column {
  template <class Row, class Number>
  Hdf5Column(const char* column_name, Number Row::*member)
      : Hdf5Column(column_name, hdf5_number<Number>(), 1, offset_of(member)) {}
  template <class Row, class Number, std::size_t size>
  Hdf5Column(const char* column_name, Number (Row::*array)[size])
      : Hdf5Column(column_name, hdf5_number<Number>(), size, offset_of(array)) {}
  template <class Row, class Number, std::size_t size>
  Hdf5Column(const char* column_name, std::array<Number, size> Row::*array)
      : Hdf5Column(column_name, hdf5_number<Number>(), size, offset_of(array)) {}

  // `count` numbers from `first` on of an array that several columns share.
  template <class Row, class Number, std::size_t size>
  static Hdf5Column part(const char* name, std::array<Number, size> Row::*array, std::size_t first,
                         std::size_t count = 1) {
    return {name, hdf5_number<Number>(), count, offset_of(array) + first * sizeof(Number)};
  }
  Hdf5Column& stored_as(Hdf5Number number) {
    stored = number;
    return *this;
  }

  const char* name;
  Hdf5Number type, stored;    // in memory, in the file
  std::size_t count, offset;  // in the row

 private:
  Hdf5Column(const char* column_name, Hdf5Number number, std::size_t numbers, std::size_t place)
      : name(column_name), type(number), stored(number), count(numbers), offset(place) {}
  template <class Row, class Member>
  static std::size_t offset_of(Member Row::*member) {
    const Row row{};
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(row.*member)) -
                                    reinterpret_cast<const std::byte*>(&row));
  }
};

// How a row lies in memory and in a file, there without gaps. A file's columns are found by their
// names: columns that it does not have stay what they are in memory when a row is read.
class Hdf5Row {
 public:
  Hdf5Row() = default;
  template <class Row>
  static Hdf5Row of(const std::vector<Hdf5Column>& columns) {
    return {sizeof(Row), columns};
  }
  // A shape with a zero in it has nothing to store: no dataset is made, reads and writes do
  // nothing.
  static Hdf5Row numbers(Hdf5Number number, std::vector<std::uint64_t> shape = {});

  Hdf5Handle::Id type() const { return type_.get(); }  // in memory
  Hdf5Handle::Id stored_type() const { return stored_.is_valid() ? stored_.get() : type_.get(); }
  // Properties of a read or write: H5P_DEFAULT (0) for numbers, which need no conversion.
  Hdf5Handle::Id transfer() const { return transfer_.is_valid() ? transfer_.get() : 0; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Hdf5Row(std::size_t bytes, const std::vector<Hdf5Column>& columns);
  Hdf5Handle type_, stored_, transfer_;  // the last two of a struct
  std::vector<std::uint64_t> shape_;     // empty for a struct or a single number
  std::size_t bytes_ = 0;
};

struct Hdf5Rows {
  std::uint64_t first = 0, count = 0, stride = 1;
};
struct Hdf5Part {
  std::uint64_t first = 0, count = UINT64_MAX;  // UINT64_MAX: all
};

// A dataset of rows that grows along its first dimension: chunked, shuffled, compressed.
class Hdf5Table {
 public:
  Hdf5Table() = default;
  static Hdf5Table create(const Hdf5File& file, const std::string& name, Hdf5Row row);
  static Hdf5Table open(const Hdf5File& file, const std::string& name, Hdf5Row row);

  std::uint64_t rows() const;
  // Writes `count` rows from row `first` on, growing the table as needed.
  void write(std::uint64_t first, std::uint64_t count, const void* data);
  void read(std::uint64_t first, std::uint64_t count, void* data) const;
  // Of each row only the given part of its first dimension.
  void read(const Hdf5Rows& rows, void* data, const Hdf5Part& part = {}) const;
  void refresh();  // of a file that is being written: sees what was flushed since
  void flush();
  void shrink(std::uint64_t rows);  // cuts what lies behind

 private:
  Hdf5Table(const Hdf5File& file, const std::string& name, Hdf5Row row, Hdf5Handle set)
      : where_(file.path().string() + ": " + name), row_(std::move(row)), set_(std::move(set)) {}
  bool is_void() const { return !set_.is_valid(); }
  void resize(std::uint64_t rows);
  Hdf5Handle select(const Hdf5Rows& rows, const Hdf5Part& part, Hdf5Handle& memory) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string where_;
  Hdf5Row row_;
  Hdf5Handle set_;
};

// One value at a fixed place, overwritten in one write: HDF5 neither moves nor compresses it.
class Hdf5Scalar {
 public:
  Hdf5Scalar() = default;
  static Hdf5Scalar create(const Hdf5File& file, const std::string& name, Hdf5Row row);
  static Hdf5Scalar open(const Hdf5File& file, const std::string& name, Hdf5Row row);
  void write(const void* data);  // and flushes
  void read(void* data) const;

 private:
  std::string where_;
  Hdf5Row row_;
  Hdf5Handle set_;
};

}  // namespace vinci
