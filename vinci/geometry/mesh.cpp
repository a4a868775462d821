// SPDX-License-Identifier: Apache-2.0
// The points of mesh files. Only `v` and `f` statements of an OBJ file and the corners of an STL
// file matter here, so both are read by hand: to the nearest double (general loaders keep single
// precision, which bends flat faces), with every index and count checked before it is believed.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"

namespace vinci {

namespace {

constexpr std::uintmax_t max_file_bytes = 256'000'000;
// Triangles repeat each point about six times.
constexpr std::size_t max_corners = 6 * max_hull_points;

std::string read_bytes(const std::filesystem::path& file) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem)) throw Error("no such file", file.string());
  const std::uintmax_t size = std::filesystem::file_size(file, problem);
  if (problem) throw Error("cannot be read: " + problem.message(), file.string());
  if (size > max_file_bytes)
    throw Error(fmt::format("a mesh file of {} bytes; accepted: at most {}", size, max_file_bytes),
                file.string());
  std::string bytes(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw Error("cannot be read", file.string());
  return bytes;
}

// Walks over lines and the words in them, and knows where it is.
class LineReader {
 public:
  LineReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  // "" at the end of the line.
  std::string_view word() {
    constexpr std::string_view blank = " \t\r\v\f";
    const std::size_t start = std::min(line_.find_first_not_of(blank), line_.size());
    line_.remove_prefix(start);
    const std::size_t end = std::min(line_.find_first_of(blank), line_.size());
    const std::string_view result = line_.substr(0, end);
    line_.remove_prefix(end);
    return result;
  }
  double number() {
    std::string_view text = word();
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc{} || end != text.data() + text.size() ||
        !std::isfinite(value))
      fail(fmt::format("'{}' is not a finite number", printable(text)));
    return value;
  }
  Vector3 point() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(message, fmt::format("{}:{}", file_, number_));
  }
  static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result)
      if (c < ' ' || c > '~') c = '?';
    return result;
  }

 private:
  std::string_view rest_, line_;
  std::string file_;
  int number_ = 0;
};

// The vertex number of a face corner `v`, `v/t`, `v//n` or `v/t/n`; negative counts from the end.
void check_corner(LineReader& reader, std::string_view corner, std::size_t vertices) {
  const std::string_view digits = corner.substr(0, corner.find('/'));
  long index = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const long count = static_cast<long>(vertices);
  if (digits.empty() || problem != std::errc{} || end != digits.data() + digits.size() ||
      index == 0 || index > count || index < -count)
    reader.fail(fmt::format("a face names vertex '{}'; accepted: 1 to {}, the vertices above it",
                            LineReader::printable(corner), vertices));
}

std::vector<Vector3> read_obj(const std::string& bytes, const std::string& name) {
  LineReader reader(bytes, name);
  std::vector<Vector3> points;
  while (reader.next_line()) {
    const std::string_view statement = reader.word();
    if (statement == "v") {
      if (points.size() == max_hull_points)
        reader.fail(fmt::format("more than {} vertices", max_hull_points));
      points.push_back(reader.point());
    } else if (statement == "f") {
      for (auto corner = reader.word(); !corner.empty(); corner = reader.word())
        check_corner(reader, corner, points.size());
    }
  }
  return points;
}

std::vector<Vector3> read_text_stl(const std::string& bytes, const std::string& name) {
  LineReader reader(bytes, name);
  std::vector<Vector3> points;
  bool ended = false;
  while (reader.next_line()) {
    const std::string_view statement = reader.word();
    if (statement == "vertex") {
      if (points.size() == max_corners)
        reader.fail(fmt::format("more than {} corners", max_corners));
      points.push_back(reader.point());
    } else if (statement == "endsolid") {
      ended = true;
    }
  }
  if (!ended) reader.fail("the text STL file ends before 'endsolid'");
  return points;
}

// 80 bytes of header, a 32-bit count, then 50 bytes per triangle: normal, three corners, 16 bits.
std::vector<Vector3> read_binary_stl(const std::string& bytes, const std::string& name) {
  std::uint32_t count = 0;
  if (bytes.size() < 84) throw Error("too short for an STL file", name);
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  if (bytes.size() != 84 + 50 * static_cast<std::uint64_t>(count))
    throw Error(fmt::format("announces {} triangles, which take {} bytes, but has {}", count,
                            84 + 50 * static_cast<std::uint64_t>(count), bytes.size()),
                name);
  if (3 * static_cast<std::uint64_t>(count) > max_corners)
    throw Error(fmt::format("has {} triangles; accepted: at most {}", count, max_corners / 3),
                name);
  std::vector<Vector3> points;
  points.reserve(3 * static_cast<std::size_t>(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    float corners[9];
    std::memcpy(corners, bytes.data() + 84 + 50 * static_cast<std::size_t>(i) + 12, sizeof corners);
    for (int k = 0; k < 3; ++k)
      points.emplace_back(corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]);
  }
  return points;
}

// Text files start with "solid", but so do some binary ones: those have the size they announce.
bool is_text_stl(const std::string& bytes) {
  if (!bytes.starts_with("solid")) return false;
  if (bytes.size() < 84) return true;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return bytes.size() != 84 + 50 * static_cast<std::uint64_t>(count);
}

// Each point once, in order of first appearance.
std::vector<Vector3> without_repeats(const std::vector<Vector3>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto less = [&](std::size_t i, std::size_t j) {
    return std::lexicographical_compare(points[i].data(), points[i].data() + 3, points[j].data(),
                                        points[j].data() + 3);
  };
  std::stable_sort(order.begin(), order.end(), less);
  const auto same = [&](std::size_t i, std::size_t j) { return points[i] == points[j]; };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  std::sort(order.begin(), order.end());
  std::vector<Vector3> result;
  result.reserve(order.size());
  for (const std::size_t i : order) result.push_back(points[i]);
  return result;
}

}  // namespace

std::vector<Vector3> read_mesh_points(const std::filesystem::path& file, double scale) {
  if (!std::isfinite(scale) || scale <= 0.0)
    throw Error(fmt::format("scale {} is impossible; accepted: a positive number", scale),
                file.string());
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".obj" && extension != ".stl")
    throw Error(fmt::format("unknown kind of mesh file '{}'; accepted: .obj, .stl", extension),
                file.string());
  const std::string bytes = read_bytes(file);
  std::vector<Vector3> points = extension == ".obj"  ? read_obj(bytes, file.string())
                                : is_text_stl(bytes) ? read_text_stl(bytes, file.string())
                                                     : read_binary_stl(bytes, file.string());
  for (Vector3& point : points) {
    point *= scale;
    if (!point.allFinite()) throw Error("has a point that is not finite", file.string());
  }
  points = without_repeats(points);
  if (points.empty()) throw Error("has no vertices", file.string());
  return points;
}

}  // namespace vinci
