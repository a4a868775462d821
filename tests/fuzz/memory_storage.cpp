// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory_storage.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <hdf5.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

const MemoryFile* opened = nullptr;

std::string_view relative(std::string_view name) {
  return name.starts_with('/') ? name.substr(1) : name;
}

std::size_t size_of(Hdf5Number type) {
  return type == Hdf5Number::uint8                                 ? 1
         : type == Hdf5Number::int32 || type == Hdf5Number::uint32 ? 4
                                                                   : 8;
}

// ------------------------------------------------------------------------------------ from a file

std::optional<MemoryColumn> number_column(const std::string& name, hid_t type, std::size_t offset) {
  if (H5Tget_class(type) == H5T_ARRAY) {
    const hid_t base = H5Tget_super(type);
    std::optional<MemoryColumn> column = number_column(name, base, offset);
    if (column) column->count = H5Tget_size(type) / H5Tget_size(base);
    H5Tclose(base);
    return column;
  }
  const std::size_t size = H5Tget_size(type);
  const bool has_sign = H5Tget_sign(type) == H5T_SGN_2;
  if (H5Tget_class(type) == H5T_FLOAT && size == 8)
    return MemoryColumn{name, Hdf5Number::real, 1, offset};
  if (H5Tget_class(type) != H5T_INTEGER) return std::nullopt;
  for (const Hdf5Number number : {Hdf5Number::int32, Hdf5Number::int64, Hdf5Number::uint8,
                                  Hdf5Number::uint32, Hdf5Number::uint64}) {
    const bool with_sign = number == Hdf5Number::int32 || number == Hdf5Number::int64;
    if (size == size_of(number) && has_sign == with_sign)
      return MemoryColumn{name, number, 1, offset};
  }
  return std::nullopt;
}

// Aborts at what our files do not hold: the target would try less than it says.
void need(bool holds) {
  if (!holds) std::abort();
}

MemorySet load_set(hid_t dataset) {
  const hid_t stored = H5Dget_type(dataset), space = H5Dget_space(dataset);
  const bool text = H5Tget_class(stored) == H5T_STRING;
  const hid_t type = text ? H5Tcopy(stored) : H5Tget_native_type(stored, H5T_DIR_ASCEND);
  MemorySet set;
  set.width = H5Tget_size(type);
  set.extent.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  std::vector<hsize_t> extent(set.extent.size());
  H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  std::copy(extent.begin(), extent.end(), set.extent.begin());
  set.bytes.resize(set.elements() * set.width);
  if (text && H5Tis_variable_str(type) > 0) {
    char* read = nullptr;
    need(set.elements() == 1 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &read) >= 0);
    set.bytes.assign(read, read + std::strlen(read) + 1);
    set.width = set.bytes.size();
    H5free_memory(read);
  } else {
    need(set.bytes.empty() ||
         H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, set.bytes.data()) >= 0);
  }
  if (H5Tget_class(type) == H5T_COMPOUND) {
    for (unsigned i = 0; i < static_cast<unsigned>(H5Tget_nmembers(type)); ++i) {
      char* const name = H5Tget_member_name(type, i);
      const hid_t member = H5Tget_member_type(type, i);
      const auto column = number_column(name, member, H5Tget_member_offset(type, i));
      need(column.has_value());
      set.columns.push_back(*column);
      H5Tclose(member);
      H5free_memory(name);
    }
  } else if (!text) {
    const auto column = number_column("", type, 0);
    need(column.has_value());
    set.columns.push_back(*column);
  }
  H5Tclose(type);
  H5Tclose(stored);
  H5Sclose(space);
  return set;
}

}  // namespace

std::uint64_t MemorySet::elements() const {
  std::uint64_t count = 1;
  for (const std::uint64_t size : extent) count *= size;
  return count;
}

MemoryFile MemoryFile::load(const std::string& path) {
  MemoryFile loaded;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  need(file >= 0);
  H5Lvisit(
      file, H5_INDEX_NAME, H5_ITER_INC,
      [](hid_t group, const char* name, const H5L_info_t*, void* to) -> herr_t {
        MemoryFile& all = *static_cast<MemoryFile*>(to);
        const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        if (H5Iget_type(object) == H5I_DATASET) {
          all.names.emplace_back(name);
          all.sets.push_back(std::make_shared<const MemorySet>(load_set(object)));
        } else {
          all.groups.emplace_back(name);
        }
        H5Oclose(object);
        return 0;
      },
      &loaded);
  hsize_t next = 0;
  H5Aiterate2(
      file, H5_INDEX_NAME, H5_ITER_INC, &next,
      [](hid_t object, const char* name, const H5A_info_t*, void* to) -> herr_t {
        const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
        if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
          std::string text(H5Tget_size(type), '\0');
          need(H5Aread(attribute, type, text.data()) >= 0);
          static_cast<MemoryFile*>(to)->attributes.emplace_back(name, text.c_str());
        }
        H5Tclose(type);
        H5Aclose(attribute);
        return 0;
      },
      &loaded);
  H5Fclose(file);
  need(!loaded.names.empty());
  return loaded;
}

const MemorySet* MemoryFile::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), relative(name));
  return found == names.end() ? nullptr
                              : sets[static_cast<std::size_t>(found - names.begin())].get();
}

void open_in_memory(const MemoryFile& file) {
  opened = &file;
}

// ---------------------------------------------------------------------------------------- changes

MemoryFile changed(const MemoryFile& original, std::span<const std::uint8_t> script) {
  const auto take = [&](std::size_t count) {
    std::uint64_t value = 0;
    count = std::min(count, script.size());
    if (count > 0) std::memcpy(&value, script.data(), count);
    script = script.subspan(count);
    return value;
  };
  MemoryFile file = original;
  while (!script.empty()) {
    auto& set = file.sets[take(1) % file.sets.size()];
    const auto what = take(1) % 8;
    if (what == 0) {
      set.reset();
    } else if (what == 2) {
      set = file.sets[take(1) % file.sets.size()];
    } else if (set) {
      MemorySet other = *set;
      if (what == 1 && !other.extent.empty()) {
        other.extent[0] = take(2);
        other.bytes.resize(
            std::min<std::size_t>(other.bytes.size(), other.elements() * other.width));
      } else if (what != 1 && !other.bytes.empty()) {
        const std::uint64_t at = take(3) % other.bytes.size(), number = take(8);
        std::memcpy(&other.bytes[at], &number, std::min<std::size_t>(8, other.bytes.size() - at));
      }
      set = std::make_shared<const MemorySet>(std::move(other));
    }
  }
  return file;
}

// ----------------------------------------------------------------------- the classes of the folder

namespace {

// Numbered things, as HDF5 has them.
template <class Thing>
class Numbered {
 public:
  static Hdf5Handle keep(Thing thing) {
    for (std::size_t i = 0; i < things().size(); ++i)
      if (!things()[i]) {
        things()[i] = std::move(thing);
        return {static_cast<Hdf5Handle::Id>(i), drop};
      }
    things().push_back(std::move(thing));
    return {static_cast<Hdf5Handle::Id>(things().size() - 1), drop};
  }
  static const Thing& at(Hdf5Handle::Id id) { return *things().at(static_cast<std::size_t>(id)); }

 private:
  static std::vector<std::optional<Thing>>& things() {
    static std::vector<std::optional<Thing>> all;
    return all;
  }
  static int drop(Hdf5Handle::Id id) {
    things()[static_cast<std::size_t>(id)].reset();
    return 0;
  }
};

using Layout = std::vector<MemoryColumn>;  // of a row in our memory
using Layouts = Numbered<Layout>;
using Sets = Numbered<const MemorySet*>;

// Holds every number of 8 bytes.
using Wide = long double;

template <class Number>
Wide loaded(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return static_cast<Wide>(number);
}

Wide load(Hdf5Number type, const char* from) {
  switch (type) {
    case Hdf5Number::int32:
      return loaded<std::int32_t>(from);
    case Hdf5Number::int64:
      return loaded<std::int64_t>(from);
    case Hdf5Number::uint8:
      return loaded<std::uint8_t>(from);
    case Hdf5Number::uint32:
      return loaded<std::uint32_t>(from);
    case Hdf5Number::uint64:
      return loaded<std::uint64_t>(from);
    case Hdf5Number::real:
      break;
  }
  return loaded<double>(from);
}

// Clipped, as HDF5 does.
template <class Number>
void store(Wide value, char* to) {
  using Limits = std::numeric_limits<Number>;
  if (std::isnan(value)) value = 0;
  const auto number = static_cast<Number>(std::clamp<Wide>(
      std::trunc(value), static_cast<Wide>(Limits::lowest()), static_cast<Wide>(Limits::max())));
  std::memcpy(to, &number, sizeof number);
}

void store(Hdf5Number type, Wide value, char* to) {
  switch (type) {
    case Hdf5Number::int32:
      return store<std::int32_t>(value, to);
    case Hdf5Number::int64:
      return store<std::int64_t>(value, to);
    case Hdf5Number::uint8:
      return store<std::uint8_t>(value, to);
    case Hdf5Number::uint32:
      return store<std::uint32_t>(value, to);
    case Hdf5Number::uint64:
      return store<std::uint64_t>(value, to);
    case Hdf5Number::real:
      break;
  }
  const auto number = static_cast<double>(value);
  std::memcpy(to, &number, sizeof number);
}

void convert(const MemoryColumn& from, const char* source, const MemoryColumn& to, char* target) {
  if (from.type == to.type) {
    std::memcpy(target, source, to.count * size_of(to.type));
    return;
  }
  for (std::size_t i = 0; i < to.count; ++i)
    store(to.type, load(from.type, source + i * size_of(from.type)), target + i * size_of(to.type));
}

// The column of our memory in the file: at the same place, as a rule.
const MemoryColumn* counterpart(const MemorySet& set, const Layout& layout, std::size_t i) {
  if (i < set.columns.size() && set.columns[i].name == layout[i].name) return &set.columns[i];
  for (const MemoryColumn& column : set.columns)
    if (column.name == layout[i].name) return &column;
  return nullptr;
}

// Elements from `first` on, each after `stride` bytes of ours; columns that the file has not stay.
void read_elements(const MemorySet& set, const Layout& layout, std::uint64_t first,
                   std::uint64_t count, std::size_t stride, char* to, const std::string& where) {
  const bool is_struct = !layout.front().name.empty();
  if (set.is_text() || set.is_struct() != is_struct) throw Error("cannot be read", where);
  if (!is_struct && set.columns[0].type == layout[0].type) {
    const std::size_t begin = std::min<std::size_t>(first * set.width, set.bytes.size());
    const std::size_t held = std::min<std::size_t>(set.bytes.size() - begin, count * set.width);
    std::copy_n(set.bytes.begin() + static_cast<std::ptrdiff_t>(begin), held, to);
    std::fill_n(to + held, count * set.width - held, '\0');
    return;
  }
  static std::vector<char> zeros;
  zeros.resize(std::max(zeros.size(), set.width));
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const MemoryColumn* const column = counterpart(set, layout, i);
    if (column == nullptr) continue;
    if (column->count != layout[i].count) throw Error("cannot be read", where);
    for (std::uint64_t e = 0; e < count; ++e) {
      const std::uint64_t at = (first + e) * set.width;
      const char* const element = at < set.bytes.size() ? &set.bytes[at] : zeros.data();
      convert(*column, element + column->offset, layout[i], to + e * stride + layout[i].offset);
    }
  }
}

const MemorySet& found(const Hdf5File& file, const std::string& name) {
  const MemorySet* const set = opened->find(name);
  if (set == nullptr) file.fail(name, "cannot be opened");
  return *set;
}

template <class Number>
std::vector<Number> numbers(const Hdf5File& file, const std::string& name, Hdf5Number type) {
  if (!file.has(name)) file.fail(name, "missing");
  const MemorySet& set = found(file, name);
  const bool whole = type != Hdf5Number::real;
  if (set.is_text() || set.is_struct() || (whole && set.columns[0].type == Hdf5Number::real))
    file.fail(name, whole ? "not whole numbers" : "not numbers");
  if (set.extent.size() > 2) file.fail(name, "not a list of numbers");
  std::vector<Number> values(set.elements());
  if (!values.empty())
    read_elements(set, {{"", type}}, 0, values.size(), sizeof(Number),
                  reinterpret_cast<char*>(values.data()), name);
  return values;
}

}  // namespace

Hdf5File::Hdf5File(const std::filesystem::path& path, Mode) : path_(path) {}
Hdf5File::~Hdf5File() = default;

void Hdf5File::fail(const std::string& name, const std::string& what) const {
  throw Error(what, path_.string() + ": " + name);
}

bool Hdf5File::has(const std::string& name) const {
  const auto& groups = opened->groups;
  return opened->find(name) != nullptr ||
         std::find(groups.begin(), groups.end(), relative(name)) != groups.end();
}

std::vector<int> Hdf5File::integers(const std::string& name) const {
  std::vector<int> values;
  for (const std::int64_t wide : numbers<std::int64_t>(*this, name, Hdf5Number::int64)) {
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
      fail(name, "too large");
    values.push_back(static_cast<int>(wide));
  }
  return values;
}

int Hdf5File::integer(const std::string& name) const {
  const std::vector<int> values = integers(name);
  if (values.size() != 1) fail(name, "expected one number");
  return values[0];
}

VectorX Hdf5File::reals(const std::string& name) const {
  const std::vector<double> values = numbers<double>(*this, name, Hdf5Number::real);
  return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

VectorX Hdf5File::reals(const std::string& name, int expected_size) const {
  VectorX values = reals(name);
  if (values.size() != expected_size) fail(name, "another number of numbers than expected");
  return values;
}

std::string Hdf5File::text(const std::string& name) const {
  const auto all = texts(name);
  if (all.size() != 1) fail(name, "not one text");
  return all.front();
}

std::vector<std::string> Hdf5File::texts(const std::string& name) const {
  if (!has(name)) fail(name, "missing");
  const MemorySet& set = found(*this, name);
  if (!set.is_text()) fail(name, "not a text");
  std::vector<std::string> texts(set.elements());
  for (std::size_t i = 0; i < texts.size() && i * set.width < set.bytes.size(); ++i)
    texts[i].assign(&set.bytes[i * set.width], strnlen(&set.bytes[i * set.width], set.width));
  return texts;
}

std::string Hdf5File::attribute(const std::string& name) const {
  for (const auto& [key, text] : opened->attributes)
    if (key == name) return text;
  return {};
}

std::uint64_t Hdf5File::row_width(const std::string& name) const {
  if (!has(name)) return 0;
  const MemorySet& set = found(*this, name);
  if (set.extent.size() != 2) fail(name, "has another shape than a table of numbers");
  return set.extent[1];
}

Hdf5Row::Hdf5Row(std::size_t bytes, const std::vector<Hdf5Column>& columns) : bytes_(bytes) {
  Layout layout;
  for (const Hdf5Column& column : columns)
    layout.push_back({column.name, column.type, column.count, column.offset});
  type_ = Layouts::keep(std::move(layout));
}

Hdf5Row Hdf5Row::numbers(Hdf5Number number, std::vector<std::uint64_t> shape) {
  Hdf5Row row;
  row.type_ = Layouts::keep({{"", number}});
  row.bytes_ = size_of(number);
  for (const std::uint64_t size : shape) row.bytes_ *= size;
  row.shape_ = std::move(shape);
  return row;
}

Hdf5Table Hdf5Table::open(const Hdf5File& file, const std::string& name, Hdf5Row row) {
  const std::vector<std::uint64_t>& shape = row.shape();
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return {file, name, std::move(row), {}};
  const MemorySet& set = found(file, name);
  if (set.extent.size() != shape.size() + 1 ||
      !std::equal(shape.begin(), shape.end(), set.extent.begin() + 1))
    file.fail(name, "has another shape than expected");
  return {file, name, std::move(row), Sets::keep(&set)};
}

std::uint64_t Hdf5Table::rows() const {
  return is_void() ? 0 : Sets::at(set_.get())->extent[0];
}

void Hdf5Table::read(std::uint64_t first, std::uint64_t count, void* data) const {
  read({first, count}, data);
}

void Hdf5Table::read(const Hdf5Rows& chosen, void* data, const Hdf5Part& part) const {
  if (chosen.count == 0 || part.count == 0 || is_void()) return;
  const std::uint64_t available = rows();
  if (chosen.stride == 0 || chosen.first >= available ||
      chosen.count - 1 > (available - 1 - chosen.first) / chosen.stride)
    throw Error(fmt::format("has {} rows, too few for {} from row {} on", available, chosen.count,
                            chosen.first),
                where_);
  const std::vector<std::uint64_t>& shape = row_.shape();
  std::uint64_t width = 1, first = 0;  // numbers of a row of the file, and where ours begin
  for (const std::uint64_t size : shape) width *= size;
  std::uint64_t count = width;
  if (part.count != UINT64_MAX) {
    if (shape.empty() || part.first > shape[0] || part.count > shape[0] - part.first)
      throw Error("its rows have no such entries", where_);
    first = part.first * (width / shape[0]);
    count = part.count * (width / shape[0]);
  }
  const std::size_t stride = shape.empty() ? row_.bytes() : row_.bytes() / width;
  const MemorySet& set = *Sets::at(set_.get());
  const Layout& layout = Layouts::at(row_.type());
  auto* const to = static_cast<char*>(data);
  if (chosen.stride == 1 && count == width) {
    read_elements(set, layout, chosen.first * width, chosen.count * width, stride, to, where_);
    return;
  }
  for (std::uint64_t i = 0; i < chosen.count; ++i)
    read_elements(set, layout, (chosen.first + i * chosen.stride) * width + first, count, stride,
                  to + i * count * stride, where_);
}

void Hdf5Table::refresh() {}

Hdf5Scalar Hdf5Scalar::open(const Hdf5File& file, const std::string& name, Hdf5Row row) {
  const MemorySet& set = found(file, name);
  if (set.elements() != 1) file.fail(name, "is not one value");
  Hdf5Scalar scalar;
  scalar.where_ = file.path().string() + ": " + name;
  scalar.set_ = Sets::keep(&set);
  scalar.row_ = std::move(row);
  return scalar;
}

void Hdf5Scalar::read(void* data) const {
  read_elements(*Sets::at(set_.get()), Layouts::at(row_.type()), 0, 1, row_.bytes(),
                static_cast<char*>(data), where_);
}

}  // namespace vinci
