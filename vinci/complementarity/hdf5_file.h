// SPDX-License-Identifier: Apache-2.0
// A thin layer over HDF5's C interface for problem files: typed reads that check class, shape and
// size before they allocate, and typed writes. Every failure is an Error naming file and dataset;
// HDF5's own printing is silenced while one of these lives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/complementarity/problem.h"

namespace vinci {

using Hdf5Id = std::int64_t;  // hid_t

class Hdf5Silence {
 public:
  Hdf5Silence();
  ~Hdf5Silence();
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  void* function_ = nullptr;
  void* data_ = nullptr;
};

class Hdf5Input {
 public:
  explicit Hdf5Input(std::string path);
  ~Hdf5Input();
  Hdf5Input(const Hdf5Input&) = delete;
  Hdf5Input& operator=(const Hdf5Input&) = delete;

  bool has(const std::string& name) const;
  std::vector<int> integers(const std::string& name) const;
  int integer(const std::string& name) const;  // a dataset of one number
  VectorX reals(const std::string& name) const;
  VectorX reals(const std::string& name, int expected_size) const;
  std::string text(const std::string& name) const;  // "" if absent
  // The FCLib matrix group: compressed columns (nz = −1), compressed rows (−2) or triplets
  // (nz >= 0, p rows, i columns; repeated entries add up).
  SparseRows matrix(const std::string& group, int rows, int cols) const;
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

 private:
  std::size_t open(const std::string& name, bool whole_numbers, Hdf5Id& dataset) const;
  Hdf5Silence silence_;
  std::string path_;
  Hdf5Id file_;
};

class Hdf5Output {
 public:
  // Writes to `path`.part; commit() gives it its name, otherwise it is removed.
  explicit Hdf5Output(std::string path);
  ~Hdf5Output();
  Hdf5Output(const Hdf5Output&) = delete;
  Hdf5Output& operator=(const Hdf5Output&) = delete;

  void integer(const std::string& name, int value);
  void integers(const std::string& name, const std::vector<int>& values);
  void reals(const std::string& name, const VectorX& values);
  void text(const std::string& name, const std::string& value);
  void attribute(const std::string& name, double value);  // of the root group
  void attribute(const std::string& name, const std::string& value);
  void matrix_columns(const std::string& group, const SparseRows& matrix);  // nz = −1
  void matrix_rows(const std::string& group, const SparseRows& matrix);     // nz = −2
  void commit();

 private:
  void write(const std::string& name, Hdf5Id type, std::size_t size, const void* data);
  void close();
  [[noreturn]] void fail(const std::string& name) const;
  Hdf5Silence silence_;
  std::string path_, part_;
  Hdf5Id file_, create_groups_;
  bool committed_ = false;
};

}  // namespace vinci
