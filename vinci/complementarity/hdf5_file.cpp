// SPDX-License-Identifier: Apache-2.0
// Typed, checked reads and writes of HDF5 datasets.
#include "vinci/complementarity/hdf5_file.h"

#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <hdf5.h>

#include "vinci/base/error.h"

namespace vinci {

namespace {

// Numbers a dataset may hold: 800 MB of doubles, far beyond any problem that fits a solver, small
// enough that a file that lies about its size cannot take the machine.
constexpr hssize_t most_numbers = 100'000'000;
constexpr std::size_t longest_text = 1 << 20;

// Closes an HDF5 identifier at the end of a scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t id() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace

Hdf5Silence::Hdf5Silence() {
  H5E_auto2_t function = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &function, &data_);
  function_ = reinterpret_cast<void*>(function);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Silence::~Hdf5Silence() {
  H5Eset_auto2(H5E_DEFAULT, reinterpret_cast<H5E_auto2_t>(function_), data_);
}

Hdf5Input::Hdf5Input(std::string path) : path_(std::move(path)) {
  file_ = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ >= 0) return;
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) throw Error("there is no such file", path_);
  if (!std::filesystem::is_regular_file(path_, ignored)) throw Error("not a file", path_);
  throw Error("not an HDF5 file, or cut short", path_);
}

Hdf5Input::~Hdf5Input() {
  H5Fclose(file_);
}

void Hdf5Input::fail(const std::string& name, const std::string& what) const {
  throw Error(what, path_ + ": " + name);
}

bool Hdf5Input::has(const std::string& name) const {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string prefix = name.substr(0, end);
    if (H5Lexists(file_, prefix.c_str(), H5P_DEFAULT) <= 0 ||
        H5Oexists_by_name(file_, prefix.c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (end == std::string::npos) return true;
  }
}

std::size_t Hdf5Input::open(const std::string& name, bool whole_numbers, Hdf5Id& dataset) const {
  if (!has(name)) fail(name, "missing");
  dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
  if (dataset < 0) fail(name, "not a dataset");
  const Handle guard(dataset, H5Dclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_INTEGER && (whole_numbers || kind != H5T_FLOAT))
    fail(name, whole_numbers ? "not whole numbers" : "not numbers");
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (count < 0 || H5Sget_simple_extent_ndims(space.id()) > 2) fail(name, "not a list of numbers");
  if (count > most_numbers)
    fail(name, fmt::format("{} numbers, at most {} are read", count, most_numbers));
  H5Iinc_ref(dataset);  // outlives the guard; the caller closes it
  return static_cast<std::size_t>(count);
}

std::vector<int> Hdf5Input::integers(const std::string& name) const {
  Hdf5Id dataset = -1;
  const std::size_t count = open(name, true, dataset);
  const Handle guard(dataset, H5Dclose);
  // Read wide and narrow here: HDF5 would clip what does not fit.
  std::vector<long long> wide(count);
  if (count > 0 &&
      H5Dread(dataset, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    fail(name, "cannot be read; the file is damaged");
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (wide[i] < std::numeric_limits<int>::min() || wide[i] > std::numeric_limits<int>::max())
      fail(name, fmt::format("entry {} is {}, too large", i, wide[i]));
    values[i] = static_cast<int>(wide[i]);
  }
  return values;
}

int Hdf5Input::integer(const std::string& name) const {
  const std::vector<int> values = integers(name);
  if (values.size() != 1) fail(name, fmt::format("{} numbers, expected one", values.size()));
  return values[0];
}

VectorX Hdf5Input::reals(const std::string& name) const {
  Hdf5Id dataset = -1;
  const std::size_t count = open(name, false, dataset);
  const Handle guard(dataset, H5Dclose);
  VectorX values(static_cast<Eigen::Index>(count));
  if (count > 0 &&
      H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(name, "cannot be read; the file is damaged");
  return values;
}

VectorX Hdf5Input::reals(const std::string& name, int expected_size) const {
  VectorX values = reals(name);
  if (values.size() != expected_size)
    fail(name, fmt::format("{} numbers, expected {}", values.size(), expected_size));
  return values;
}

std::string Hdf5Input::text(const std::string& name) const {
  if (!has(name)) return {};
  const Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset.id() < 0) return {};
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1)
    fail(name, "not a text");
  if (H5Tis_variable_str(type.id()) > 0) {
    char* read = nullptr;
    if (H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &read) < 0)
      fail(name, "cannot be read; the file is damaged");
    const std::string value = read ? std::string(read, strnlen(read, longest_text)) : std::string();
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, &read);
    return value;
  }
  const std::size_t size = H5Tget_size(type.id());
  if (size > longest_text) fail(name, "a text longer than is read");
  std::string value(size, '\0');
  if (size > 0 && H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0)
    fail(name, "cannot be read; the file is damaged");
  return value.substr(0, value.find('\0'));
}

SparseRows Hdf5Input::matrix(const std::string& group, int rows, int cols) const {
  const int m = integer(group + "/m"), n = integer(group + "/n"), nz = integer(group + "/nz");
  if (m != rows || n != cols)
    fail(group, fmt::format("is {} x {}, expected {} x {}", m, n, rows, cols));
  if (nz < -2) fail(group + "/nz", fmt::format("{}, expected -2, -1 or a count", nz));
  const std::vector<int> p = integers(group + "/p"), i = integers(group + "/i");
  const VectorX x = reals(group + "/x");
  const bool triplets = nz >= 0;
  const int majors = triplets ? 0 : (nz == -1 ? n : m);
  std::size_t count = static_cast<std::size_t>(std::max(nz, 0));
  if (!triplets) {
    if (p.size() < static_cast<std::size_t>(majors) + 1)
      fail(group + "/p", fmt::format("{} numbers, expected {}", p.size(), majors + 1));
    for (int k = 0; k < majors; ++k)
      if (p[k] < 0 || p[k + 1] < p[k] || (k == 0 && p[0] != 0))
        fail(group + "/p", fmt::format("does not ascend from 0 at entry {}", k + 1));
    count = static_cast<std::size_t>(p[majors]);
  } else if (p.size() < count) {
    fail(group + "/p", fmt::format("{} numbers, expected {}", p.size(), count));
  }
  if (i.size() < count) fail(group + "/i", fmt::format("{} numbers, expected {}", i.size(), count));
  if (static_cast<std::size_t>(x.size()) < count)
    fail(group + "/x", fmt::format("{} numbers, expected {}", x.size(), count));
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(count);
  const auto add = [&](int row, int col, std::size_t k) {
    if (row < 0 || row >= m || col < 0 || col >= n)
      fail(group, fmt::format("entry {} lies at ({}, {}), outside {} x {}", k, row, col, m, n));
    entries.emplace_back(row, col, x[static_cast<Eigen::Index>(k)]);
  };
  if (triplets)
    for (std::size_t k = 0; k < count; ++k) add(p[k], i[k], k);
  else
    for (int major = 0; major < majors; ++major)
      for (std::size_t k = p[major]; k < static_cast<std::size_t>(p[major + 1]); ++k)
        nz == -1 ? add(i[k], major, k) : add(major, i[k], k);
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> matrix(m, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return SparseRows::from(matrix);
}

Hdf5Output::Hdf5Output(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
  file_ = H5Fcreate(part_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file_ < 0) throw Error("cannot be written", path_);
  create_groups_ = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(create_groups_, 1);
}

Hdf5Output::~Hdf5Output() {
  close();
  std::error_code ignored;
  if (!committed_) std::filesystem::remove(part_, ignored);
}

void Hdf5Output::close() {
  if (file_ < 0) return;
  H5Pclose(create_groups_);
  H5Fclose(file_);
  file_ = -1;
}

void Hdf5Output::fail(const std::string& name) const {
  throw Error("cannot be written", path_ + ": " + name);
}

void Hdf5Output::write(const std::string& name, Hdf5Id type, std::size_t size, const void* data) {
  const hsize_t extent = size;
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const Handle dataset(
      H5Dcreate2(file_, name.c_str(), type, space.id(), create_groups_, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (dataset.id() < 0) fail(name);
  if (size > 0 && H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) fail(name);
}

void Hdf5Output::integer(const std::string& name, int value) {
  write(name, H5T_NATIVE_INT, 1, &value);
}

void Hdf5Output::integers(const std::string& name, const std::vector<int>& values) {
  write(name, H5T_NATIVE_INT, values.size(), values.data());
}

void Hdf5Output::reals(const std::string& name, const VectorX& values) {
  write(name, H5T_NATIVE_DOUBLE, static_cast<std::size_t>(values.size()), values.data());
}

void Hdf5Output::text(const std::string& name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), value.size() + 1);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle dataset(H5Dcreate2(file_, name.c_str(), type.id(), space.id(), create_groups_,
                                  H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  if (dataset.id() < 0 ||
      H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()) < 0)
    fail(name);
}

void Hdf5Output::attribute(const std::string& name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(file_, name.c_str(), H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (attribute.id() < 0 || H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value) < 0) fail(name);
}

void Hdf5Output::attribute(const std::string& name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(file_, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* const text = value.c_str();
  if (attribute.id() < 0 || H5Awrite(attribute.id(), type.id(), &text) < 0) fail(name);
}

void Hdf5Output::matrix_rows(const std::string& group, const SparseRows& matrix) {
  integer(group + "/m", matrix.rows);
  integer(group + "/n", matrix.cols);
  integer(group + "/nz", -2);
  integer(group + "/nzmax", static_cast<int>(matrix.indices.size()));
  integers(group + "/p", matrix.starts);
  integers(group + "/i", matrix.indices);
  write(group + "/x", H5T_NATIVE_DOUBLE, matrix.values.size(), matrix.values.data());
}

void Hdf5Output::matrix_columns(const std::string& group, const SparseRows& matrix) {
  // The rows of the transposed matrix are the columns of this one.
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> transposed = matrix.view().transpose();
  const SparseRows columns = SparseRows::from(transposed);
  integer(group + "/m", matrix.rows);
  integer(group + "/n", matrix.cols);
  integer(group + "/nz", -1);
  integer(group + "/nzmax", static_cast<int>(columns.indices.size()));
  integers(group + "/p", columns.starts);
  integers(group + "/i", columns.indices);
  write(group + "/x", H5T_NATIVE_DOUBLE, columns.values.size(), columns.values.data());
}

void Hdf5Output::commit() {
  if (H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0) throw Error("cannot be written", path_);
  close();
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  if (error) throw Error("cannot be written: " + error.message(), path_);
  committed_ = true;
}

}  // namespace vinci
