// SPDX-License-Identifier: Apache-2.0
// Owned HDF5 handles, texts, tables. Objects are made in the newest format of HDF5 1.10, whose
// metadata carry checksums: a damaged file is noticed instead of believed.
#include "vinci/storage/hdf5_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "vinci/storage/hdf5_live_driver.h"
#include "vinci/storage/hdf5_superblock.h"

namespace vinci {
namespace {

constexpr std::size_t max_text_bytes = 256u << 20;  // of one text; more is taken for damage
constexpr std::size_t chunk_bytes = 16u << 10;      // before compression; rewritten at every flush

// The innermost reason HDF5 gives for its last failure, and the system's where there is one.
std::string reason() {
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
  return text;
}

void quiet() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Eclear2(H5E_DEFAULT);
  errno = 0;
}

Hdf5Id text_type(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(size, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace

Hdf5Id row_type(std::size_t row_size, std::span<const Hdf5Column> columns) {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, row_size), H5Tclose);
  for (const Hdf5Column& column : columns) {
    if (column.count == 1) {
      H5Tinsert(type.get(), column.name, column.offset, column.type);
    } else {
      const Hdf5Id array(H5Tarray_create2(column.type, 1, &column.count), H5Tclose);
      H5Tinsert(type.get(), column.name, column.offset, array.get());
    }
  }
  return type;
}

Hdf5File::Hdf5File(const std::filesystem::path& path, Mode mode) : path_(path) {
  quiet();
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  if (mode == Mode::create) {
    H5Pset_fapl_core(access.get(), 1u << 16, false);
    file_ = {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose};
  } else {
    // A block that is being written is read again, after 1, 2, 4, ... ns; what is still wrong after
    // some 10 ms is damage.
    H5Pset_metadata_read_attempts(access.get(), mode == Mode::read_live ? 24 : 1);
    // HDF5's own lock of a reader would keep a run from beginning or continuing while it lasts.
    if (mode != Mode::write_live) H5Pset_file_locking(access.get(), false, true);
    if (mode == Mode::write_live) {
      const Hdf5Id driver = register_live_driver();
      H5Pset_driver(access.get(), driver.get(), nullptr);
    }
    const unsigned flags = mode == Mode::write_live ? H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE
                                                    : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
    file_ = {H5Fopen(path.c_str(), flags, access.get()), H5Fclose};
  }
  if (file_.get() < 0) fail(mode == Mode::create ? "cannot be created" : "cannot be opened");
}

void Hdf5File::close() {
  quiet();
  if (!file_.reset()) fail("cannot be closed");
}

std::uint64_t Hdf5File::end() const {
  haddr_t end = 0;
  if (H5Fget_eoa(file_.get(), &end) < 0) fail("has no end");
  return end;
}

std::vector<char> Hdf5File::image() {
  quiet();
  if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0) fail("cannot be completed");
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  std::vector<char> bytes(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (size <= 0 || H5Fget_file_image(file_.get(), bytes.data(), bytes.size()) != size)
    fail("cannot be completed");
  seal_superblock(bytes,
                  bytes.size());  // HDF5 clears its flags in the image, but leaves the checksum
  return bytes;
}

void Hdf5File::fail(const std::string& what) const {
  const std::string why = reason();
  throw Error(why.empty() ? what : what + " (" + why + ")", path_.string());
}

void Hdf5File::make_group(const std::string& name) {
  const Hdf5Id group(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Gclose);
  if (group.get() < 0) fail("cannot write '" + name + "'");
}

void Hdf5File::write_text(const std::string& name, const std::string& text) {
  const Hdf5Id type = text_type(text.size());
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id set(H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  const char* data = text.empty() ? "\0" : text.data();
  if (set.get() < 0 || H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    fail("cannot write '" + name + "'");
}

std::string Hdf5File::read_text(const std::string& name) const {
  const auto texts = read_texts(name);
  if (texts.size() != 1) throw Error("'" + name + "' is not one text", path_.string());
  return texts.front();
}

void Hdf5File::write_texts(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::vector<char> cells(width * texts.size() + 1, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), &cells[i * width]);
  const Hdf5Id type = text_type(width);
  const hsize_t count = texts.size();
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Id set(H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  if (set.get() < 0 ||
      H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()) < 0)
    fail("cannot write '" + name + "'");
}

std::vector<std::string> Hdf5File::read_texts(const std::string& name) const {
  quiet();
  const Hdf5Id set(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (set.get() < 0) fail("has no '" + name + "'");
  const Hdf5Id stored(H5Dget_type(set.get()), H5Tclose);
  const Hdf5Id space(H5Dget_space(set.get()), H5Sclose);
  const auto width = H5Tget_size(stored.get());
  const auto count = H5Sget_simple_extent_npoints(space.get());
  if (H5Tget_class(stored.get()) != H5T_STRING || H5Tis_variable_str(stored.get()) != 0 ||
      count < 0 || width == 0 || static_cast<std::size_t>(count) > max_text_bytes / width)
    throw Error("'" + name + "' is not text of the recording's kind", path_.string());
  const Hdf5Id type = text_type(width);
  std::vector<char> cells(width * static_cast<std::size_t>(count) + 1, '\0');
  if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()) < 0)
    fail("cannot read '" + name + "'");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    texts.emplace_back(&cells[i * width], strnlen(&cells[i * width], width));
  return texts;
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name,
                               const std::string& text) {
  const Hdf5Id type = text_type(text.size());
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id attribute(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type.get(),
                                           space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  if (attribute.get() < 0 ||
      H5Awrite(attribute.get(), type.get(), text.empty() ? "\0" : text.data()) < 0)
    fail("cannot write the attribute '" + name + "' of '" + object + "'");
}

std::string Hdf5File::read_attribute(const std::string& name) const {
  quiet();
  const Hdf5Id attribute(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
  if (attribute.get() < 0) return {};
  const Hdf5Id stored(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  const std::size_t size = H5Tget_size(stored.get());
  if (H5Tget_class(stored.get()) != H5T_STRING || H5Tis_variable_str(stored.get()) != 0 ||
      H5Sget_simple_extent_npoints(space.get()) != 1 || size > 65'536)
    return {};
  std::string text(size, '\0');
  const Hdf5Id type = text_type(size);
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
  return text.c_str();  // without the padding
}

Hdf5Table Hdf5Table::create(const Hdf5File& file, const std::string& name, hid_t type,
                            const std::vector<hsize_t>& shape, std::size_t row_bytes) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return {file, name, shape, {}};
  std::vector<hsize_t> extent{0}, limit{H5S_UNLIMITED}, chunk{0};
  chunk[0] = std::clamp<std::size_t>(chunk_bytes / std::max<std::size_t>(row_bytes, 1), 1, 4096);
  for (const hsize_t size : shape) {
    extent.push_back(size);
    limit.push_back(size);
    chunk.push_back(size);
  }
  const Hdf5Id space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), limit.data()),
                     H5Sclose);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(creation.get());
  H5Pset_deflate(creation.get(), 1);
  Hdf5Id set(H5Dcreate2(file.id(), name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(),
                        H5P_DEFAULT),
             H5Dclose);
  if (set.get() < 0) file.fail("cannot write '" + name + "'");
  return {file, name, shape, std::move(set)};
}

std::uint64_t Hdf5File::row_width(const std::string& name) const {
  quiet();
  if (H5Lexists(file_.get(), name.c_str(), H5P_DEFAULT) <= 0) return 0;
  const Hdf5Id set(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id space(set.get() < 0 ? -1 : H5Dget_space(set.get()), H5Sclose);
  std::array<hsize_t, 2> extent{};
  if (space.get() < 0 || H5Sget_simple_extent_ndims(space.get()) != 2 ||
      H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) < 0)
    throw Error("'" + name + "' has another shape than a recording's", path_.string());
  return extent[1];
}

Hdf5Table Hdf5Table::open(const Hdf5File& file, const std::string& name,
                          const std::vector<hsize_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return {file, name, shape, {}};
  quiet();
  Hdf5Id set(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (set.get() < 0) file.fail("has no '" + name + "'");
  const Hdf5Id space(H5Dget_space(set.get()), H5Sclose);
  std::vector<hsize_t> extent(shape.size() + 1, 0);
  if (H5Sget_simple_extent_ndims(space.get()) != static_cast<int>(extent.size()) ||
      H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) < 0 ||
      !std::equal(shape.begin(), shape.end(), extent.begin() + 1))
    throw Error("'" + name + "' has another shape than a recording's", file.path().string());
  return {file, name, shape, std::move(set)};
}

std::uint64_t Hdf5Table::rows() const {
  if (is_void()) return 0;
  const Hdf5Id space(H5Dget_space(set_.get()), H5Sclose);
  std::vector<hsize_t> extent(shape_.size() + 1, 0);
  if (H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) < 0) fail("cannot read");
  return extent[0];
}

Hdf5Id Hdf5Table::select(const Hdf5Rows& rows, const Hdf5Part& part, Hdf5Id& memory) const {
  std::vector<hsize_t> start(shape_.size() + 1, 0), stride(shape_.size() + 1, 1), size{rows.count};
  start[0] = rows.first;
  stride[0] = rows.stride;
  size.insert(size.end(), shape_.begin(), shape_.end());
  if (part.count != UINT64_MAX) {
    start[1] = part.first;
    size[1] = part.count;
  }
  Hdf5Id space(H5Dget_space(set_.get()), H5Sclose);
  memory = {H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose};
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), stride.data(), size.data(),
                          nullptr) < 0)
    fail("cannot select rows of");
  return space;
}

void Hdf5Table::write(std::uint64_t first, std::uint64_t count, hid_t type, const void* data) {
  if (count == 0 || is_void()) return;
  quiet();
  std::vector<hsize_t> extent{std::max(rows(), first + count)};
  extent.insert(extent.end(), shape_.begin(), shape_.end());
  if (H5Dset_extent(set_.get(), extent.data()) < 0) fail("cannot extend");
  Hdf5Id memory;
  const Hdf5Id space = select({first, count}, {}, memory);
  if (H5Dwrite(set_.get(), type, memory.get(), space.get(), H5P_DEFAULT, data) < 0)
    fail("cannot write");
}

void Hdf5Table::read(std::uint64_t first, std::uint64_t count, hid_t type, void* data) const {
  read({first, count}, {}, type, data);
}

void Hdf5Table::read(const Hdf5Rows& rows, hid_t type, void* data) const {
  read(rows, {}, type, data);
}

void Hdf5Table::read(const Hdf5Rows& chosen, const Hdf5Part& part, hid_t type, void* data) const {
  if (chosen.count == 0 || part.count == 0 || is_void()) return;
  quiet();
  const std::uint64_t available = rows();
  if (chosen.stride == 0 || chosen.first >= available ||
      chosen.count - 1 > (available - 1 - chosen.first) / chosen.stride)
    throw Error(fmt::format("'{}' has {} rows, too few for {} from row {} on", name_, available,
                            chosen.count, chosen.first),
                path_.string());
  if (part.count != UINT64_MAX &&
      (shape_.empty() || part.first > shape_[0] || part.count > shape_[0] - part.first))
    throw Error(fmt::format("the rows of '{}' have no entries {} to {}", name_, part.first,
                            part.first + part.count - 1),
                path_.string());
  Hdf5Id memory;
  const Hdf5Id space = select(chosen, part, memory);
  if (H5Dread(set_.get(), type, memory.get(), space.get(), H5P_DEFAULT, data) < 0)
    fail("cannot read");
}

void Hdf5Table::refresh() {
  if (is_void()) return;
  quiet();
  if (H5Drefresh(set_.get()) < 0) fail("cannot read");
}

void Hdf5Table::flush() {
  if (is_void()) return;
  quiet();
  if (H5Dflush(set_.get()) < 0) fail("cannot flush");
}

void Hdf5Table::shrink(std::uint64_t rows_kept) {
  if (rows() <= rows_kept) return;
  quiet();
  std::vector<hsize_t> extent{rows_kept};
  extent.insert(extent.end(), shape_.begin(), shape_.end());
  if (H5Dset_extent(set_.get(), extent.data()) < 0) fail("cannot cut");
}

void Hdf5Table::fail(const std::string& what) const {
  const std::string why = reason();
  throw Error(what + " '" + name_ + "'" + (why.empty() ? "" : " (" + why + ")"), path_.string());
}

Hdf5Scalar Hdf5Scalar::create(const Hdf5File& file, const std::string& name, hid_t type) {
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_layout(creation.get(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY);
  Hdf5Scalar scalar;
  scalar.set_ = {H5Dcreate2(file.id(), name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(),
                            H5P_DEFAULT),
                 H5Dclose};
  if (scalar.set_.get() < 0) file.fail("cannot write '" + name + "'");
  return scalar;
}

Hdf5Scalar Hdf5Scalar::open(const Hdf5File& file, const std::string& name) {
  quiet();
  Hdf5Scalar scalar;
  scalar.set_ = {H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose};
  if (scalar.set_.get() < 0) file.fail("has no '" + name + "'");
  const Hdf5Id space(H5Dget_space(scalar.set_.get()), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != 1)
    throw Error("'" + name + "' is not one value", file.path().string());
  return scalar;
}

void Hdf5Scalar::write(const Hdf5File& file, hid_t type, const void* data) {
  quiet();
  if (H5Dwrite(set_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0 ||
      H5Dflush(set_.get()) < 0)
    file.fail("cannot write its progress");
}

void Hdf5Scalar::read(const Hdf5File& file, hid_t type, void* data) const {
  quiet();
  if (H5Dread(set_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    file.fail("cannot read its progress");
}

}  // namespace vinci
