// SPDX-License-Identifier: Apache-2.0
// Opening and closing of files, texts and lists of numbers. Recordings are made in the newest
// format of HDF5 1.10, whose metadata carry checksums: a damaged file is noticed instead of
// believed. Files for exchange are made in the oldest one, which every reader knows.
#include "vinci/storage/hdf5_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/storage/hdf5_calls.h"
#include "vinci/storage/hdf5_live_driver.h"
#include "vinci/storage/hdf5_superblock.h"
#include "vinci/storage/publish.h"

namespace vinci {
namespace {

// Numbers a dataset may hold: 800 MB of doubles, far beyond any problem that fits a solver, small
// enough that a file that lies about its size cannot take the machine.
constexpr hssize_t most_numbers = 100'000'000;
constexpr std::size_t most_text_bytes = 256u << 20;  // of one dataset; more is taken for damage
constexpr std::size_t most_attribute_bytes = 1u << 16;

constexpr const char* damaged = "cannot be read; the file is damaged";
constexpr const char* unwritable = "cannot be written";

Hdf5Handle opened_plain(const std::filesystem::path& path) {
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file.is_valid()) return file;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw Error("there is no such file", path.string());
  if (!std::filesystem::is_regular_file(path, ignored)) throw Error("not a file", path.string());
  throw Error("not an HDF5 file, or cut short", path.string());
}

// A new file in memory, where HDF5 cannot fail to write.
Hdf5Handle created(const std::filesystem::path& path, H5F_libver_t format) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const H5F_libver_t newest = format == H5F_LIBVER_EARLIEST ? H5F_LIBVER_LATEST : format;
  H5Pset_libver_bounds(access.get(), format, newest);
  H5Pset_fapl_core(access.get(), 1u << 16, false);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose};
}

// Said before the work that is to be written, not after it.
void refuse_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (access(folder.c_str(), W_OK) == 0) return;
  throw Error(std::string(unwritable) + ": " + std::strerror(errno), path.string());
}

// A file that has, had or will have a live writer.
Hdf5Handle opened_live(const std::filesystem::path& path, Hdf5File::Mode mode) {
  using Mode = Hdf5File::Mode;
  if (mode == Mode::image) return created(path, H5F_LIBVER_V110);
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  // A block that is being written is read again, after 1, 2, 4, ... ns; what is still wrong after
  // some 10 ms is damage.
  H5Pset_metadata_read_attempts(access.get(), mode == Mode::read_live ? 24 : 1);
  // HDF5's own lock of a reader would keep a run from beginning or continuing while it lasts.
  if (mode != Mode::write_live) H5Pset_file_locking(access.get(), false, true);
  if (mode == Mode::write_live) H5Pset_driver(access.get(), live_driver(), nullptr);
  const unsigned flags = mode == Mode::write_live ? H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE
                                                  : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
  return {H5Fopen(path.c_str(), flags, access.get()), H5Fclose};
}

std::string variable_text(hid_t dataset, hid_t type, hid_t space, bool& good) {
  char* read = nullptr;
  good = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &read) >= 0;
  const std::string value =
      good && read ? std::string(read, strnlen(read, most_text_bytes)) : std::string();
  if (good) H5Dvlen_reclaim(type, space, H5P_DEFAULT, &read);
  return value;
}

}  // namespace

Hdf5File::Hdf5File(const std::filesystem::path& path, Mode mode) : path_(path) {
  need_memory();
  const Hdf5Silence silence;
  end_quietly();
  if (mode == Mode::read) {
    file_ = opened_plain(path);
  } else if (mode == Mode::create) {
    refuse_folder(path);
    file_ = created(path, H5F_LIBVER_EARLIEST);
    if (!file_.is_valid()) fail(unwritable);
  } else {
    file_ = opened_live(path, mode);
    if (!file_.is_valid() || live_failure() != 0)
      fail(mode == Mode::image ? "cannot be created" : "cannot be opened");
  }
}

Hdf5File::~Hdf5File() {
  const Hdf5Silence silence;
  file_.reset();
}

void Hdf5File::close() {
  const Hdf5Silence silence;
  if (!file_.reset() || live_failure() != 0) fail("cannot be closed");
}

void Hdf5File::commit() {
  publish(bytes(), path_, true);
  close();
}

void Hdf5File::fail(const std::string& what) const {
  throw_error(with_reason(what), path_.string());
}

void Hdf5File::fail(const std::string& name, const std::string& what) const {
  throw_error(what, path_.string() + ": " + name);
}

std::uint64_t Hdf5File::end() const {
  haddr_t end = 0;
  if (H5Fget_eoa(file_.get(), &end) < 0) fail("has no end");
  return end;
}

std::vector<char> Hdf5File::bytes() {
  const Hdf5Silence silence;
  if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0) fail("cannot be completed");
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  std::vector<char> bytes(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (size <= 0 || H5Fget_file_image(file_.get(), bytes.data(), bytes.size()) != size)
    fail("cannot be completed");
  return bytes;
}

std::vector<char> Hdf5File::image() {
  std::vector<char> bytes = this->bytes();
  // HDF5 clears its flags in the image, but leaves the checksum.
  seal_superblock(bytes, bytes.size());
  return bytes;
}

bool Hdf5File::has(const std::string& name) const {
  const Hdf5Silence silence;
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string prefix = name.substr(0, end);
    if (H5Lexists(file_.get(), prefix.c_str(), H5P_DEFAULT) <= 0 ||
        H5Oexists_by_name(file_.get(), prefix.c_str(), H5P_DEFAULT) <= 0)
      return false;
    if (end == std::string::npos) return true;
  }
}

// ---------------------------------------------------------------------------------------- numbers

Hdf5Handle Hdf5File::open_numbers(const std::string& name, bool whole, std::size_t& count) const {
  if (!has(name)) fail(name, "missing");
  Hdf5Handle dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) fail(name, "not a dataset");
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && (whole || kind != H5T_FLOAT))
    fail(name, whole ? "not whole numbers" : "not numbers");
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const hssize_t size = H5Sget_simple_extent_npoints(space.get());
  if (size < 0 || H5Sget_simple_extent_ndims(space.get()) > 2) fail(name, "not a list of numbers");
  if (size > most_numbers)
    fail(name, fmt::format("{} numbers, at most {} are read", size, most_numbers));
  count = static_cast<std::size_t>(size);
  return dataset;
}

std::vector<int> Hdf5File::integers(const std::string& name) const {
  const Hdf5Silence silence;
  std::size_t count = 0;
  const Hdf5Handle dataset = open_numbers(name, true, count);
  // Read wide and narrow here: HDF5 would clip what does not fit.
  std::vector<long long> wide(count);
  const Hdf5Handle transfer = with_buffers(count * sizeof(long long));
  if (count > 0 &&
      H5Dread(dataset.get(), H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, transfer.get(), wide.data()) < 0)
    fail(name, damaged);
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (wide[i] < std::numeric_limits<int>::min() || wide[i] > std::numeric_limits<int>::max())
      fail(name, fmt::format("entry {} is {}, too large", i, wide[i]));
    values[i] = static_cast<int>(wide[i]);
  }
  return values;
}

int Hdf5File::integer(const std::string& name) const {
  const std::vector<int> values = integers(name);
  if (values.size() != 1) fail(name, fmt::format("{} numbers, expected one", values.size()));
  return values[0];
}

VectorX Hdf5File::reals(const std::string& name) const {
  const Hdf5Silence silence;
  std::size_t count = 0;
  const Hdf5Handle dataset = open_numbers(name, false, count);
  VectorX values(static_cast<Eigen::Index>(count));
  if (count > 0 &&
      H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(name, damaged);
  return values;
}

VectorX Hdf5File::reals(const std::string& name, int expected_size) const {
  VectorX values = reals(name);
  if (values.size() != expected_size)
    fail(name, fmt::format("{} numbers, expected {}", values.size(), expected_size));
  return values;
}

void Hdf5File::write_numbers(const std::string& name, Hdf5Handle::Id type, std::size_t count,
                             const void* data) {
  const Hdf5Silence silence;
  const hsize_t extent = count;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose), links = with_groups();
  const Hdf5Handle dataset(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), links.get(),
                                      H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
  if (!dataset.is_valid() ||
      (count > 0 && H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
    fail(name, unwritable);
}

void Hdf5File::write_integer(const std::string& name, int value) {
  write_numbers(name, H5T_NATIVE_INT, 1, &value);
}

void Hdf5File::write_integers(const std::string& name, const std::vector<int>& values) {
  write_numbers(name, H5T_NATIVE_INT, values.size(), values.data());
}

void Hdf5File::write_reals(const std::string& name, const Eigen::Ref<const VectorX>& values) {
  write_numbers(name, H5T_NATIVE_DOUBLE, static_cast<std::size_t>(values.size()), values.data());
}

std::uint64_t Hdf5File::row_width(const std::string& name) const {
  const Hdf5Silence silence;
  if (!has(name)) return 0;
  const Hdf5Handle dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle space(dataset.is_valid() ? H5Dget_space(dataset.get()) : -1, H5Sclose);
  std::array<hsize_t, 2> extent{};
  if (!space.is_valid() || H5Sget_simple_extent_ndims(space.get()) != 2 ||
      H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr) < 0)
    fail(name, "has another shape than a table of numbers");
  return extent[1];
}

// ------------------------------------------------------------------------------------------ texts

std::string Hdf5File::text(const std::string& name) const {
  const auto all = texts(name);
  if (all.size() != 1) fail(name, "not one text");
  return all.front();
}

std::vector<std::string> Hdf5File::texts(const std::string& name) const {
  const Hdf5Silence silence;
  if (!has(name)) fail(name, "missing");
  const Hdf5Handle dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) fail(name, "not a dataset");
  const Hdf5Handle stored(H5Dget_type(dataset.get()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const auto count = H5Sget_simple_extent_npoints(space.get());
  if (H5Tget_class(stored.get()) != H5T_STRING || count < 0) fail(name, "not a text");
  if (H5Tis_variable_str(stored.get()) > 0) {
    if (count != 1) fail(name, "not one text");
    bool good = false;
    std::string value = variable_text(dataset.get(), stored.get(), space.get(), good);
    if (!good) fail(name, damaged);
    return {std::move(value)};
  }
  const std::size_t width = H5Tget_size(stored.get());
  if (width == 0 || static_cast<std::size_t>(count) > most_text_bytes / width)
    fail(name, "a text longer than is read");
  // HDF5 converts no text from ASCII, as FCLib and older files have it, to UTF-8.
  const Hdf5Handle type = text_type(width);
  H5Tset_cset(type.get(), H5Tget_cset(stored.get()));
  std::vector<char> cells(width * static_cast<std::size_t>(count) + 1, '\0');
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()) < 0)
    fail(name, damaged);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    texts.emplace_back(&cells[i * width], strnlen(&cells[i * width], width));
  return texts;
}

void Hdf5File::write_text(const std::string& name, const std::string& text) {
  const Hdf5Silence silence;
  // With the zero behind it, which programs in C ask for.
  const Hdf5Handle type = text_type(text.size() + 1), links = with_groups();
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle dataset(H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(),
                                      links.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
  if (!dataset.is_valid() ||
      H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0)
    fail(name, with_reason(unwritable));
}

void Hdf5File::write_texts(const std::string& name, const std::vector<std::string>& texts) {
  const Hdf5Silence silence;
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::vector<char> cells(width * texts.size() + 1, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), &cells[i * width]);
  const Hdf5Handle type = text_type(width), links = with_groups();
  const hsize_t count = texts.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle dataset(H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(),
                                      links.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
  if (!dataset.is_valid() ||
      H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()) < 0)
    fail(name, with_reason(unwritable));
}

// ------------------------------------------------------------------------------------- attributes

void Hdf5File::write_attribute(const std::string& object, const std::string& name,
                               const std::string& text, Length length) {
  const Hdf5Silence silence;
  const bool fixed = length == Length::fixed;
  const Hdf5Handle type = text_type(fixed ? text.size() : H5T_VARIABLE);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type.get(), space.get(),
                        H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  const char* const bytes = text.c_str();
  const void* const data = fixed ? static_cast<const void*>(bytes) : &bytes;
  if (!attribute.is_valid() || H5Awrite(attribute.get(), type.get(), data) < 0)
    fail(object + " @ " + name, with_reason(unwritable));
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, double value) {
  const Hdf5Silence silence;
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(
      H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), H5T_NATIVE_DOUBLE, space.get(),
                        H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute.is_valid() || H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &value) < 0)
    fail(object + " @ " + name, with_reason(unwritable));
}

std::string Hdf5File::attribute(const std::string& name) const {
  const Hdf5Silence silence;
  const Hdf5Handle attribute(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!attribute.is_valid()) return {};
  const Hdf5Handle stored(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const std::size_t size = H5Tget_size(stored.get());
  if (H5Tget_class(stored.get()) != H5T_STRING || H5Tis_variable_str(stored.get()) != 0 ||
      H5Sget_simple_extent_npoints(space.get()) != 1 || size > most_attribute_bytes)
    return {};
  std::string text(size, '\0');
  const Hdf5Handle type = text_type(size);
  H5Tset_cset(type.get(), H5Tget_cset(stored.get()));
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
  return text.c_str();  // without the padding
}

}  // namespace vinci
