// SPDX-License-Identifier: Apache-2.0
#include "vinci/scene/scene_meshes.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/triangle_mesh.h"

namespace vinci {

namespace {

constexpr std::size_t text_bytes = 32u << 10;  // of one row, below what a scalar may have
constexpr std::string_view between_numbers = " \t\r\n,;";

Node text_node(std::string text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  return node;
}

// Rows of texts, each of some thousand numbers.
class RowWriter {
 public:
  explicit RowWriter(const char* key) {
    list_.kind = Node::Kind::list;
    list_.key = key;
  }
  template <class Number>
  void add(Number number) {
    if (!text_.empty()) text_ += ' ';
    text_ += fmt::format("{}", number);
    if (text_.size() >= text_bytes) flush();
  }
  Node finish() {
    if (!text_.empty()) flush();
    return std::move(list_);
  }

 private:
  void flush() {
    list_.children.push_back(text_node(std::move(text_)));
    text_.clear();
  }
  Node list_;
  std::string text_;
};

bool read_texts(const Node& list, std::vector<double>& numbers) {
  for (const Node& text : list.children)
    if (!read_numbers(text.text, numbers)) return false;
  return true;
}

}  // namespace

bool read_numbers(std::string_view text, std::vector<double>& numbers) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(between_numbers);
    if (start == std::string_view::npos) return true;
    text.remove_prefix(start);
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || !std::isfinite(value)) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && between_numbers.find(text[0]) == std::string_view::npos) return false;
    numbers.push_back(value);
  }
}

Node triangle_nodes(const SceneData& scene) {
  Node section;
  section.kind = Node::Kind::map;
  section.key = "mesh-triangles";
  for (const auto& [name, mesh] : scene.triangles) {
    RowWriter vertices("vertices"), triangles("triangles");
    for (const Vector3& v : mesh->vertices)
      for (int k = 0; k < 3; ++k) vertices.add(v[k]);
    for (const auto& corners : mesh->triangles)
      for (const int v : corners) triangles.add(v);
    Node one;
    one.kind = Node::Kind::map;
    one.key = name;
    one.children.push_back(vertices.finish());
    one.children.push_back(triangles.finish());
    section.children.push_back(std::move(one));
  }
  return section;
}

void read_triangle_nodes(const Node& section, SceneData& scene, Mistakes& mistakes) {
  for (const Node& mesh : section.children) {
    const Node &vertices = *mesh.find("vertices"), &triangles = *mesh.find("triangles");
    std::vector<double> coordinates, corners;
    if (!read_texts(vertices, coordinates) || coordinates.size() % 3 != 0) {
      mistakes.add(vertices, "not coordinates of points; accepted: three numbers each");
      continue;
    }
    const double count = static_cast<double>(coordinates.size() / 3);
    const auto is_vertex = [&](double c) { return c >= 0.0 && c < count && c == std::floor(c); };
    if (!read_texts(triangles, corners) || corners.size() % 3 != 0 ||
        !std::all_of(corners.begin(), corners.end(), is_vertex)) {
      mistakes.add(triangles,
                   fmt::format("not triangles; accepted: three of the {:.0f} vertices each, "
                               "counted from 0",
                               count));
      continue;
    }
    TriangleSoup soup;
    for (std::size_t i = 0; i < coordinates.size(); i += 3)
      soup.points.emplace_back(coordinates[i], coordinates[i + 1], coordinates[i + 2]);
    for (std::size_t i = 0; i < corners.size(); i += 3)
      soup.triangles.push_back({static_cast<int>(corners[i]), static_cast<int>(corners[i + 1]),
                                static_cast<int>(corners[i + 2])});
    try {
      scene.triangles[mesh.key] = make_triangle_mesh(soup);
    } catch (const Error& error) {
      mistakes.add(mesh, error.message());
    }
  }
}

Node height_rows(std::string_view text) {
  Node list;
  list.kind = Node::Kind::list;
  list.key = "heights";
  int line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    row = row.substr(0, row.find('#'));
    if (row.find_first_not_of(between_numbers) == std::string_view::npos) continue;
    std::vector<double> numbers;
    if (row.size() > max_scalar_bytes || !read_numbers(row, numbers))
      throw Error(
          fmt::format("line {} is not a row of heights; accepted: finite numbers with "
                      "blanks between them, at most {} bytes in a line",
                      line, max_scalar_bytes));
    std::string shortest;
    for (const double number : numbers)
      shortest += fmt::format("{}{}", shortest.empty() ? "" : " ", number);
    list.children.push_back(text_node(std::move(shortest)));
  }
  return list;
}

}  // namespace vinci
