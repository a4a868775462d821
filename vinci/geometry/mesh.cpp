// SPDX-License-Identifier: Apache-2.0
// The points and triangles of mesh files. Only `v` and `f` statements of an OBJ file and the
// corners of an STL file matter here, so both are read by hand: to the nearest double (general
// loaders keep single precision, which bends flat faces), with every index and count checked before
// it is believed.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/input_file.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/triangle_mesh.h"

namespace vinci {

namespace {

constexpr std::uintmax_t max_file_bytes = 256u << 20;
// Triangles repeat each point about six times.
constexpr std::size_t max_corners = 6 * max_hull_points;

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
      fail(fmt::format("'{}' is not a finite number; accepted: three coordinates per point",
                       printable(text)));
    return value;
  }
  Vector3 point() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  int line() const { return number_; }
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

// What a reader keeps: points alone for a hull, or triangles.
enum class Keep { points, triangles };

// The vertex number, from 0, of a face corner `v`, `v/t`, `v//n` or `v/t/n`; negative counts from
// the end.
int corner_number(LineReader& reader, std::string_view corner, std::size_t vertices) {
  const std::string_view digits = corner.substr(0, corner.find('/'));
  long index = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const long count = static_cast<long>(vertices);
  if (digits.empty() || problem != std::errc{} || end != digits.data() + digits.size() ||
      index == 0 || index > count || index < -count)
    reader.fail(fmt::format("a face names vertex '{}'; accepted: 1 to {}, the vertices above it",
                            LineReader::printable(corner), vertices));
  return static_cast<int>(index > 0 ? index - 1 : count + index);
}

// A fan from the first corner; it must look one way, so that the face is convex.
void add_face(LineReader& reader, const std::vector<int>& face, TriangleSoup& soup) {
  if (face.size() < 3)
    reader.fail(fmt::format("a face with {} corners; accepted: at least 3", face.size()));
  const auto at = [&](std::size_t i) -> const Vector3& {
    return soup.points[static_cast<std::size_t>(face[i])];
  };
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 2; i < face.size(); ++i) sum += (at(i - 1) - at(0)).cross(at(i) - at(0));
  for (std::size_t i = 2; i < face.size(); ++i) {
    if (face.size() > 3 && (at(i - 1) - at(0)).cross(at(i) - at(0)).dot(sum) < 0.0)
      reader.fail("a face that is not convex; accepted: triangles and convex faces");
    if (soup.triangles.size() == max_mesh_triangles)
      reader.fail(fmt::format("more than {} triangles", max_mesh_triangles));
    soup.triangles.push_back({face[0], face[i - 1], face[i]});
    soup.lines.push_back(reader.line());
  }
}

TriangleSoup read_obj(const std::string& bytes, const std::string& name, Keep keep) {
  LineReader reader(bytes, name);
  TriangleSoup soup;
  std::vector<int> face;
  while (reader.next_line()) {
    const std::string_view statement = reader.word();
    if (statement == "v") {
      if (soup.points.size() == max_hull_points)
        reader.fail(fmt::format("more than {} vertices", max_hull_points));
      soup.points.push_back(reader.point());
    } else if (statement == "f") {
      face.clear();
      for (auto corner = reader.word(); !corner.empty(); corner = reader.word())
        face.push_back(corner_number(reader, corner, soup.points.size()));
      if (keep == Keep::triangles) add_face(reader, face, soup);
    }
  }
  return soup;
}

TriangleSoup read_text_stl(const std::string& bytes, const std::string& name, Keep keep) {
  LineReader reader(bytes, name);
  TriangleSoup soup;
  bool ended = false;
  const auto check_facet = [&] {
    if (keep == Keep::triangles && soup.points.size() != 3 * soup.triangles.size())
      reader.fail("a facet that has not three corners; accepted: triangles");
  };
  while (reader.next_line()) {
    const std::string_view statement = reader.word();
    if (statement == "vertex") {
      if (soup.points.size() == max_corners)
        reader.fail(fmt::format("more than {} corners", max_corners));
      soup.points.push_back(reader.point());
      if (keep == Keep::points || soup.points.size() % 3 != 0) continue;
      const int last = static_cast<int>(soup.points.size()) - 1;
      soup.triangles.push_back({last - 2, last - 1, last});
      soup.lines.push_back(reader.line());
    } else if (statement == "facet" || statement == "endfacet") {
      check_facet();
    } else if (statement == "endsolid") {
      ended = true;
    }
  }
  if (!ended) reader.fail("the text STL file ends before 'endsolid'");
  check_facet();
  return soup;
}

// 80 bytes of header, a 32-bit count, then 50 bytes per triangle: normal, three corners, 16 bits.
TriangleSoup read_binary_stl(const std::string& bytes, const std::string& name) {
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
  TriangleSoup soup;
  soup.points.reserve(3 * static_cast<std::size_t>(count));
  soup.triangles.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    float corners[9];
    std::memcpy(corners, bytes.data() + 84 + 50 * static_cast<std::size_t>(i) + 12, sizeof corners);
    for (int k = 0; k < 3; ++k)
      soup.points.emplace_back(corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]);
    const int first = 3 * static_cast<int>(i);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  return soup;
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

TriangleSoup read_mesh(const std::filesystem::path& file, double scale, Keep keep) {
  if (!std::isfinite(scale) || scale <= 0.0)
    throw Error(fmt::format("scale {} is impossible; accepted: a positive number", scale),
                file.string());
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".obj" && extension != ".stl")
    throw Error(fmt::format("unknown kind of mesh file '{}'; accepted: .obj, .stl", extension),
                file.string());
  const std::string bytes = read_input(file, max_file_bytes);
  TriangleSoup soup = extension == ".obj"  ? read_obj(bytes, file.string(), keep)
                      : is_text_stl(bytes) ? read_text_stl(bytes, file.string(), keep)
                                           : read_binary_stl(bytes, file.string());
  for (Vector3& point : soup.points) point *= scale;
  return soup;
}

}  // namespace

std::vector<Vector3> read_mesh_points(const std::filesystem::path& file, double scale) {
  std::vector<Vector3> points = read_mesh(file, scale, Keep::points).points;
  for (const Vector3& point : points)
    if (!point.allFinite()) throw Error("has a point that is not finite", file.string());
  points = without_repeats(points);
  if (points.empty()) throw Error("has no vertices", file.string());
  return points;
}

TriangleSoup read_mesh_triangles(const std::filesystem::path& file, double scale) {
  return read_mesh(file, scale, Keep::triangles);
}

}  // namespace vinci
