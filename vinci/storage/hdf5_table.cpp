// SPDX-License-Identifier: Apache-2.0
// Tables and values of HDF5 files.
#include "vinci/storage/hdf5_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/storage/hdf5_calls.h"

namespace vinci {
namespace {

constexpr std::size_t chunk_bytes = 16u << 10;      // before compression; rewritten at every flush
constexpr std::size_t converted_bytes = 64u << 10;  // of rows at a time

hid_t native(Hdf5Number number) {
  switch (number) {
    case Hdf5Number::int32:
      return H5T_NATIVE_INT32;
    case Hdf5Number::int64:
      return H5T_NATIVE_INT64;
    case Hdf5Number::uint8:
      return H5T_NATIVE_UINT8;
    case Hdf5Number::uint32:
      return H5T_NATIVE_UINT32;
    case Hdf5Number::uint64:
      return H5T_NATIVE_UINT64;
    case Hdf5Number::real:
      return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

Hdf5Handle column_type(Hdf5Number number, std::size_t numbers) {
  const hsize_t count = numbers;
  return {numbers == 1 ? H5Tcopy(native(number)) : H5Tarray_create2(native(number), 1, &count),
          H5Tclose};
}

bool has_nothing(const Hdf5Row& row) {
  return std::find(row.shape().begin(), row.shape().end(), 0) != row.shape().end();
}

}  // namespace

Hdf5Row::Hdf5Row(std::size_t bytes, const std::vector<Hdf5Column>& columns)
    : type_(H5Tcreate(H5T_COMPOUND, bytes), H5Tclose),
      transfer_(with_buffers(std::max(4 * bytes, converted_bytes))),
      bytes_(bytes) {
  std::vector<Hdf5Handle> kinds;
  std::size_t stored_bytes = 0;
  for (const Hdf5Column& column : columns) {
    const Hdf5Handle kind = column_type(column.type, column.count);
    H5Tinsert(type_.get(), column.name, column.offset, kind.get());
    kinds.push_back(column_type(column.stored, column.count));
    stored_bytes += H5Tget_size(kinds.back().get());
  }
  stored_ = {H5Tcreate(H5T_COMPOUND, stored_bytes), H5Tclose};
  std::size_t at = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    H5Tinsert(stored_.get(), columns[i].name, at, kinds[i].get());
    at += H5Tget_size(kinds[i].get());
  }
}

Hdf5Row Hdf5Row::numbers(Hdf5Number number, std::vector<std::uint64_t> shape) {
  Hdf5Row row;
  row.type_ = {H5Tcopy(native(number)), H5Tclose};
  row.bytes_ = H5Tget_size(row.type_.get());
  for (const std::uint64_t size : shape) row.bytes_ *= size;
  row.shape_ = std::move(shape);
  return row;
}

Hdf5Table Hdf5Table::create(const Hdf5File& file, const std::string& name, Hdf5Row row) {
  if (has_nothing(row)) return {file, name, std::move(row), {}};
  const Hdf5Silence silence;
  std::vector<hsize_t> extent{0}, limit{H5S_UNLIMITED}, chunk{0};
  chunk[0] = std::clamp<std::size_t>(chunk_bytes / std::max<std::size_t>(row.bytes(), 1), 1, 4096);
  for (const std::uint64_t size : row.shape()) {
    extent.push_back(size);
    limit.push_back(size);
    chunk.push_back(size);
  }
  const Hdf5Handle space(
      H5Screate_simple(static_cast<int>(extent.size()), extent.data(), limit.data()), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), links = with_groups();
  H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(creation.get());
  H5Pset_deflate(creation.get(), 1);
  Hdf5Handle set(H5Dcreate2(file.id(), name.c_str(), row.stored_type(), space.get(), links.get(),
                            creation.get(), H5P_DEFAULT),
                 H5Dclose);
  if (!set.is_valid()) file.fail(name, with_reason("cannot be written"));
  return {file, name, std::move(row), std::move(set)};
}

Hdf5Table Hdf5Table::open(const Hdf5File& file, const std::string& name, Hdf5Row row) {
  if (has_nothing(row)) return {file, name, std::move(row), {}};
  const Hdf5Silence silence;
  Hdf5Handle set(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.is_valid()) file.fail(name, with_reason("cannot be opened"));
  const Hdf5Handle space(H5Dget_space(set.get()), H5Sclose);
  std::vector<hsize_t> extent(row.shape().size() + 1, 0);
  if (H5Sget_simple_extent_ndims(space.get()) != static_cast<int>(extent.size()) ||
      H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) < 0 ||
      !std::equal(row.shape().begin(), row.shape().end(), extent.begin() + 1))
    file.fail(name, "has another shape than expected");
  return {file, name, std::move(row), std::move(set)};
}

std::uint64_t Hdf5Table::rows() const {
  if (is_void()) return 0;
  const Hdf5Handle space(H5Dget_space(set_.get()), H5Sclose);
  std::vector<hsize_t> extent(row_.shape().size() + 1, 0);
  if (H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) < 0) fail("cannot be read");
  return extent[0];
}

void Hdf5Table::resize(std::uint64_t rows) {
  std::vector<hsize_t> extent{rows};
  extent.insert(extent.end(), row_.shape().begin(), row_.shape().end());
  if (!succeeded(H5Dset_extent(set_.get(), extent.data()))) fail("cannot be resized");
}

Hdf5Handle Hdf5Table::select(const Hdf5Rows& rows, const Hdf5Part& part, Hdf5Handle& memory) const {
  const std::size_t dimensions = row_.shape().size() + 1;
  std::vector<hsize_t> start(dimensions, 0), stride(dimensions, 1), size{rows.count};
  start[0] = rows.first;
  stride[0] = rows.stride;
  size.insert(size.end(), row_.shape().begin(), row_.shape().end());
  if (part.count != UINT64_MAX) {
    start[1] = part.first;
    size[1] = part.count;
  }
  Hdf5Handle space(H5Dget_space(set_.get()), H5Sclose);
  memory = {H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose};
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), stride.data(), size.data(),
                          nullptr) < 0)
    fail("has no such rows");
  return space;
}

void Hdf5Table::write(std::uint64_t first, std::uint64_t count, const void* data) {
  if (count == 0 || is_void()) return;
  const Hdf5Silence silence;
  resize(std::max(rows(), first + count));
  Hdf5Handle memory;
  const Hdf5Handle space = select({first, count}, {}, memory);
  if (!succeeded(
          H5Dwrite(set_.get(), row_.type(), memory.get(), space.get(), row_.transfer(), data)))
    fail("cannot be written");
}

void Hdf5Table::read(std::uint64_t first, std::uint64_t count, void* data) const {
  read({first, count}, data);
}

void Hdf5Table::read(const Hdf5Rows& chosen, void* data, const Hdf5Part& part) const {
  if (chosen.count == 0 || part.count == 0 || is_void()) return;
  const Hdf5Silence silence;
  const std::uint64_t available = rows();
  if (chosen.stride == 0 || chosen.first >= available ||
      chosen.count - 1 > (available - 1 - chosen.first) / chosen.stride)
    throw Error(fmt::format("has {} rows, too few for {} from row {} on", available, chosen.count,
                            chosen.first),
                where_);
  const std::vector<std::uint64_t>& shape = row_.shape();
  if (part.count != UINT64_MAX &&
      (shape.empty() || part.first > shape[0] || part.count > shape[0] - part.first))
    throw Error(
        fmt::format("its rows have no entries {} to {}", part.first, part.first + part.count - 1),
        where_);
  Hdf5Handle memory;
  const Hdf5Handle space = select(chosen, part, memory);
  if (H5Dread(set_.get(), row_.type(), memory.get(), space.get(), row_.transfer(), data) < 0)
    fail("cannot be read");
}

void Hdf5Table::refresh() {
  if (is_void()) return;
  const Hdf5Silence silence;
  if (H5Drefresh(set_.get()) < 0) fail("cannot be read");
}

void Hdf5Table::flush() {
  if (is_void()) return;
  const Hdf5Silence silence;
  if (!succeeded(H5Dflush(set_.get()))) fail("cannot be flushed");
}

void Hdf5Table::shrink(std::uint64_t rows_kept) {
  if (rows() <= rows_kept) return;
  const Hdf5Silence silence;
  resize(rows_kept);
}

void Hdf5Table::fail(const std::string& what) const {
  throw_error(with_reason(what), where_);
}

Hdf5Scalar Hdf5Scalar::create(const Hdf5File& file, const std::string& name, Hdf5Row row) {
  const Hdf5Silence silence;
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_layout(creation.get(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  Hdf5Scalar scalar;
  scalar.where_ = file.path().string() + ": " + name;
  scalar.set_ = {H5Dcreate2(file.id(), name.c_str(), row.stored_type(), space.get(), H5P_DEFAULT,
                            creation.get(), H5P_DEFAULT),
                 H5Dclose};
  if (!scalar.set_.is_valid()) file.fail(name, with_reason("cannot be written"));
  scalar.row_ = std::move(row);
  return scalar;
}

Hdf5Scalar Hdf5Scalar::open(const Hdf5File& file, const std::string& name, Hdf5Row row) {
  const Hdf5Silence silence;
  Hdf5Scalar scalar;
  scalar.where_ = file.path().string() + ": " + name;
  scalar.set_ = {H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose};
  if (!scalar.set_.is_valid()) file.fail(name, with_reason("cannot be opened"));
  const Hdf5Handle space(H5Dget_space(scalar.set_.get()), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) file.fail(name, "is not one value");
  scalar.row_ = std::move(row);
  return scalar;
}

void Hdf5Scalar::write(const void* data) {
  const Hdf5Silence silence;
  if (!succeeded(H5Dwrite(set_.get(), row_.type(), H5S_ALL, H5S_ALL, row_.transfer(), data)) ||
      !succeeded(H5Dflush(set_.get())))
    throw_error(with_reason("cannot be written"), where_);
}

void Hdf5Scalar::read(void* data) const {
  const Hdf5Silence silence;
  if (H5Dread(set_.get(), row_.type(), H5S_ALL, H5S_ALL, row_.transfer(), data) < 0)
    throw_error(with_reason("cannot be read"), where_);
}

}  // namespace vinci
