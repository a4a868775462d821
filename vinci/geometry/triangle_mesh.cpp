// SPDX-License-Identifier: Apache-2.0
// From loose triangles to a checked surface: equal points become one, edges are paired, triangles
// in one plane are joined to flats, edges and corners are told apart.
#include "vinci/geometry/triangle_mesh.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/mesh_tree.h"

namespace vinci {

namespace {

constexpr double largest_coordinate = 1e12;
// A triangle whose height is below this part of its longest side has no normal of its own.
constexpr double thinnest = 1e-10;
// Joined triangles look the same way within this angle's cosine.
constexpr double flat_cosine = 0.999;
// Edges in a row that turn by less count as straight, rad.
constexpr double straight_angle = 1e-6;
// Neighbours that look opposite ways to rounding lie on each other.
constexpr double folded_cosine = -1.0 + 1e-12;
// Of the cube of its size, the least volume of a closed surface.
constexpr double least_volume_share = 1e-12;

class MeshBuilder {
 public:
  explicit MeshBuilder(const TriangleSoup& soup) : soup_(soup) {}

  // `faces` (by triangle of the soup) says which triangles are known to be one flat.
  std::shared_ptr<const TriangleMesh> build(std::span<const int> faces = {}) {
    check_numbers();
    if (faces.empty())
      weld();
    else
      take_all();
    measure();
    pair_edges();
    if (faces.empty())
      join_flats();
    else
      take_flats(faces);
    place_flats();
    classify_edges();
    mark_corners();
    weigh_normals();
    share_out();
    check_volume();
    build_mesh_tree(mesh_);
    return std::make_shared<const TriangleMesh>(std::move(mesh_));
  }

 private:
  std::string name(int triangle) const {
    const int number = source_.empty() ? triangle : source_[static_cast<std::size_t>(triangle)];
    if (soup_.lines.empty()) return fmt::format("triangle {}", number + 1);
    return fmt::format("triangle {} (line {})", number + 1,
                       soup_.lines[static_cast<std::size_t>(number)]);
  }
  std::string place(int vertex) const {
    const Vector3& v = mesh_.vertices[static_cast<std::size_t>(vertex)];
    return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x(), v.y(), v.z());
  }

  void check_numbers() const {
    if (soup_.triangles.empty()) throw Error("has no triangles; accepted: at least one");
    if (soup_.triangles.size() > max_mesh_triangles)
      throw Error(fmt::format("has {} triangles; accepted: at most {}", soup_.triangles.size(),
                              max_mesh_triangles));
    const int count = static_cast<int>(soup_.points.size());
    for (std::size_t t = 0; t < soup_.triangles.size(); ++t)
      for (const int v : soup_.triangles[t]) {
        if (v < 0 || v >= count)
          throw Error(fmt::format("{} names vertex {}; accepted: 1 to {}",
                                  name(static_cast<int>(t)), v + 1, count));
        const Vector3& point = soup_.points[static_cast<std::size_t>(v)];
        if (!point.allFinite() || point.cwiseAbs().maxCoeff() > largest_coordinate)
          throw Error(fmt::format("{} has a corner at ({}, {}, {}); accepted: numbers up to {:g} m",
                                  name(static_cast<int>(t)), point.x(), point.y(), point.z(),
                                  largest_coordinate));
      }
  }

  // Each point that is used once, in the order of first use.
  void weld() {
    std::vector<int> order(soup_.points.size());
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](int i) -> const Vector3& {
      return soup_.points[static_cast<std::size_t>(i)];
    };
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
      return std::lexicographical_compare(at(i).data(), at(i).data() + 3, at(j).data(),
                                          at(j).data() + 3);
    });
    std::vector<int> first(order.size(), 0);  // of the points that equal it
    for (std::size_t i = 0; i < order.size(); ++i)
      first[static_cast<std::size_t>(order[i])] =
          i > 0 && at(order[i]) == at(order[i - 1]) ? first[static_cast<std::size_t>(order[i - 1])]
                                                    : order[i];
    std::vector<int> number(order.size(), -1);
    for (std::size_t t = 0; t < soup_.triangles.size(); ++t) {
      std::array<int, 3> corners = soup_.triangles[t];
      for (int& v : corners) v = first[static_cast<std::size_t>(v)];
      if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
        continue;
      for (int& v : corners) {
        int& known = number[static_cast<std::size_t>(v)];
        if (known < 0) {
          known = static_cast<int>(mesh_.vertices.size());
          mesh_.vertices.push_back(at(v));
        }
        v = known;
      }
      mesh_.triangles.push_back(corners);
      source_.push_back(static_cast<int>(t));
    }
    if (mesh_.triangles.empty())
      throw Error("has no triangle with three different corners; accepted: a surface");
  }

  // Points and triangles keep their numbers.
  void take_all() {
    mesh_.vertices = soup_.points;
    mesh_.triangles = soup_.triangles;
    source_.resize(soup_.triangles.size());
    std::iota(source_.begin(), source_.end(), 0);
  }

  void measure() {
    mesh_.box = {Vector3::Constant(infinity), Vector3::Constant(-infinity)};
    for (const Vector3& v : mesh_.vertices) {
      mesh_.box.lower = mesh_.box.lower.cwiseMin(v);
      mesh_.box.upper = mesh_.box.upper.cwiseMax(v);
      mesh_.radius = std::max(mesh_.radius, v.norm());
    }
    mesh_.size = 0.5 * (mesh_.box.upper - mesh_.box.lower).norm();
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const Vector3 &a = corner(t, 0), &b = corner(t, 1), &c = corner(t, 2);
      twice_.push_back((b - a).cross(c - a));
      const double longest =
          std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
      thin_.push_back(twice_.back().norm() <= thinnest * longest ? 1 : 0);
      mesh_.area += 0.5 * twice_.back().norm();
      mesh_.volume += (a - mesh_.vertices[0]).dot(twice_.back()) / 6.0;
    }
  }

  const Vector3& corner(std::size_t triangle, int k) const {
    return mesh_
        .vertices[static_cast<std::size_t>(mesh_.triangles[triangle][static_cast<std::size_t>(k)])];
  }

  void pair_edges() {
    struct Side {
      int low, high, triangle, k;
    };
    std::vector<Side> sides;
    sides.reserve(3 * mesh_.triangles.size());
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const int a = mesh_.triangles[t][static_cast<std::size_t>(k)];
        const int b = mesh_.triangles[t][static_cast<std::size_t>((k + 1) % 3)];
        sides.push_back({std::min(a, b), std::max(a, b), static_cast<int>(t), k});
      }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
      return std::tie(a.low, a.high, a.triangle, a.k) < std::tie(b.low, b.high, b.triangle, b.k);
    });
    mesh_.triangle_edges.resize(mesh_.triangles.size());
    for (std::size_t i = 0; i < sides.size();) {
      std::size_t end = i + 1;
      while (end < sides.size() && sides[end].low == sides[i].low &&
             sides[end].high == sides[i].high)
        ++end;
      const Side& first = sides[i];
      const std::string between =
          fmt::format("between {} and {}", place(first.low), place(first.high));
      if (end - i > 2)
        throw Error(
            fmt::format("the edge {} belongs to {} triangles ({}, {} and {} among them); "
                        "accepted: two on each edge, or one at a border",
                        between, end - i, name(first.triangle), name(sides[i + 1].triangle),
                        name(sides[i + 2].triangle)));
      const int tail = mesh_.triangles[static_cast<std::size_t>(first.triangle)]
                                      [static_cast<std::size_t>(first.k)];
      TriangleMesh::Edge edge;
      edge.tail = tail;
      edge.head = tail == first.low ? first.high : first.low;
      edge.left = first.triangle;
      if (end - i == 2) {
        const Side& second = sides[i + 1];
        edge.right = second.triangle;
        if (mesh_.triangles[static_cast<std::size_t>(second.triangle)]
                           [static_cast<std::size_t>(second.k)] == tail)
          throw Error(fmt::format(
              "{} and {} wind opposite ways, or are the same one twice (they share the edge {}); "
              "accepted: all counter-clockwise seen from outside",
              name(edge.left), name(edge.right), between));
      } else {
        ++mesh_.border_edges;
      }
      for (std::size_t j = i; j < end; ++j)
        mesh_.triangle_edges[static_cast<std::size_t>(sides[j].triangle)]
                            [static_cast<std::size_t>(sides[j].k)] =
            static_cast<int>(mesh_.edges.size());
      mesh_.edges.push_back(edge);
      i = end;
    }
    mesh_.closed = mesh_.border_edges == 0;
  }

  int neighbor(int triangle, int k) const {
    const TriangleMesh::Edge& edge = mesh_.edges[static_cast<std::size_t>(
        mesh_.triangle_edges[static_cast<std::size_t>(triangle)][static_cast<std::size_t>(k)])];
    return edge.left == triangle ? edge.right : edge.left;
  }

  // Grows flats from the largest triangles on: all corners of a flat lie near the first one's
  // plane, so that small bends never add up.
  void join_flats() {
    std::vector<int> order(mesh_.triangles.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> size;
    for (const Vector3& twice : twice_) size.push_back(twice.squaredNorm());
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
      return size[static_cast<std::size_t>(i)] > size[static_cast<std::size_t>(j)];
    });
    mesh_.flat_of.assign(mesh_.triangles.size(), -1);
    std::vector<int> stack;
    int count = 0;
    for (const int seed : order) {
      const auto s = static_cast<std::size_t>(seed);
      if (mesh_.flat_of[s] >= 0) continue;
      if (thin_[s])
        throw Error(
            fmt::format("{} at {} has no area and lies in no face; accepted: triangles "
                        "with an area",
                        name(seed), place(mesh_.triangles[s][0])));
      const Vector3 normal = twice_[s].normalized();
      mesh_.flat_of[s] = count;
      stack.assign(1, seed);
      while (!stack.empty()) {
        const int t = stack.back();
        stack.pop_back();
        for (int k = 0; k < 3; ++k) {
          const int other = neighbor(t, k);
          if (other < 0 || mesh_.flat_of[static_cast<std::size_t>(other)] >= 0 ||
              !is_in_plane(static_cast<std::size_t>(other), normal, corner(s, 0)))
            continue;
          mesh_.flat_of[static_cast<std::size_t>(other)] = count;
          stack.push_back(other);
        }
      }
      ++count;
    }
    mesh_.flats.resize(static_cast<std::size_t>(count));
  }

  bool is_in_plane(std::size_t triangle, const Vector3& normal, const Vector3& point) const {
    if (!thin_[triangle] && twice_[triangle].dot(normal) < flat_cosine * twice_[triangle].norm())
      return false;
    for (int k = 0; k < 3; ++k)
      if (std::abs(normal.dot(corner(triangle, k) - point)) > soup_.flatness * mesh_.size)
        return false;
    return true;
  }

  void take_flats(std::span<const int> faces) {
    for (const int triangle : source_)
      mesh_.flat_of.push_back(faces[static_cast<std::size_t>(triangle)]);
    mesh_.flats.resize(static_cast<std::size_t>(*std::max_element(faces.begin(), faces.end()) + 1));
  }

  // The plane in the middle of a flat's corners.
  void place_flats() {
    for (TriangleMesh::Flat& flat : mesh_.flats) flat.normal.setZero();
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      mesh_.flats[static_cast<std::size_t>(mesh_.flat_of[t])].normal += twice_[t];
    for (TriangleMesh::Flat& flat : mesh_.flats) flat.normal.normalize();
    std::vector<double> lower(mesh_.flats.size(), infinity), upper(mesh_.flats.size(), -infinity);
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const auto f = static_cast<std::size_t>(mesh_.flat_of[t]);
        const double height = mesh_.flats[f].normal.dot(corner(t, k));
        lower[f] = std::min(lower[f], height);
        upper[f] = std::max(upper[f], height);
      }
    for (std::size_t f = 0; f < mesh_.flats.size(); ++f)
      mesh_.flats[f].offset = 0.5 * (lower[f] + upper[f]);
  }

  void classify_edges() {
    for (TriangleMesh::Edge& edge : mesh_.edges) {
      const Vector3 along = (mesh_.vertices[static_cast<std::size_t>(edge.head)] -
                             mesh_.vertices[static_cast<std::size_t>(edge.tail)])
                                .normalized();
      edge.inward_left = mesh_.flat(edge.left).normal.cross(along).normalized();
      edge.inward_right = -edge.inward_left;
      if (edge.right < 0) {
        edge.kind = TriangleMesh::Edge::Kind::border;
        continue;
      }
      edge.inward_right = along.cross(mesh_.flat(edge.right).normal).normalized();
      if (mesh_.flat(edge.left).normal.dot(mesh_.flat(edge.right).normal) < folded_cosine)
        throw Error(
            fmt::format("{} folds back onto {} at {}; accepted: neighbours with an angle "
                        "between them",
                        name(edge.right), name(edge.left), place(edge.tail)));
      if (mesh_.flat_of[static_cast<std::size_t>(edge.left)] ==
          mesh_.flat_of[static_cast<std::size_t>(edge.right)])
        edge.kind = TriangleMesh::Edge::Kind::flat;
      else
        edge.kind = mesh_.flat(edge.left).normal.dot(edge.inward_right) < 0.0
                        ? TriangleMesh::Edge::Kind::convex
                        : TriangleMesh::Edge::Kind::concave;
    }
  }

  void mark_corners() {
    const std::size_t count = mesh_.vertices.size();
    mesh_.vertex_first.assign(count + 1, 0);
    for (const TriangleMesh::Edge& edge : mesh_.edges)
      for (const int v : {edge.tail, edge.head})
        ++mesh_.vertex_first[static_cast<std::size_t>(v) + 1];
    std::partial_sum(mesh_.vertex_first.begin(), mesh_.vertex_first.end(),
                     mesh_.vertex_first.begin());
    mesh_.vertex_edges.resize(2 * mesh_.edges.size());
    std::vector<int> next(mesh_.vertex_first.begin(), mesh_.vertex_first.end() - 1);
    for (std::size_t e = 0; e < mesh_.edges.size(); ++e)
      for (const int v : {mesh_.edges[e].tail, mesh_.edges[e].head})
        mesh_.vertex_edges[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] =
            static_cast<int>(e);
    mesh_.is_corner.assign(count, 0);
    for (std::size_t v = 0; v < count; ++v) mesh_.is_corner[v] = turns_at(static_cast<int>(v));
  }

  // Do the edges between flats do anything but run straight on at this vertex? One with concave
  // edges alone is never touched but by what touches the faces.
  bool turns_at(int vertex) const {
    int count = 0;
    Vector3 sum = Vector3::Zero();
    auto kind = TriangleMesh::Edge::Kind::flat;
    bool alike = true, sharp = false;
    for (int i = mesh_.vertex_first[static_cast<std::size_t>(vertex)];
         i < mesh_.vertex_first[static_cast<std::size_t>(vertex) + 1]; ++i) {
      const TriangleMesh::Edge& edge =
          mesh_.edges[static_cast<std::size_t>(mesh_.vertex_edges[static_cast<std::size_t>(i)])];
      if (edge.kind == TriangleMesh::Edge::Kind::flat) continue;
      const int other = edge.tail == vertex ? edge.head : edge.tail;
      sum += (mesh_.vertices[static_cast<std::size_t>(other)] -
              mesh_.vertices[static_cast<std::size_t>(vertex)])
                 .normalized();
      sharp = sharp || edge.kind != TriangleMesh::Edge::Kind::concave;
      alike = alike && (count == 0 || edge.kind == kind);
      kind = edge.kind;
      ++count;
    }
    return sharp && !(count == 2 && alike && sum.norm() < straight_angle);
  }

  void weigh_normals() {
    mesh_.vertex_normals.assign(mesh_.vertices.size(), Vector3::Zero());
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const Vector3 u = corner(t, (k + 1) % 3) - corner(t, k);
        const Vector3 v = corner(t, (k + 2) % 3) - corner(t, k);
        const double angle = std::atan2(u.cross(v).norm(), u.dot(v));
        mesh_.vertex_normals[static_cast<std::size_t>(
            mesh_.triangles[t][static_cast<std::size_t>(k)])] +=
            angle * mesh_.flat(static_cast<int>(t)).normal;
      }
  }

  void share_out() {
    mesh_.owned.assign(mesh_.triangles.size(), 0);
    std::vector<char> taken(mesh_.vertices.size(), 0);
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const TriangleMesh::Edge& edge = mesh_.edges[static_cast<std::size_t>(
            mesh_.triangle_edges[t][static_cast<std::size_t>(k)])];
        if (edge.left == static_cast<int>(t) && edge.kind != TriangleMesh::Edge::Kind::flat)
          mesh_.owned[t] |= static_cast<std::uint8_t>(1 << k);
        const auto v = static_cast<std::size_t>(mesh_.triangles[t][static_cast<std::size_t>(k)]);
        if (taken[v] || !mesh_.is_corner[v]) continue;
        taken[v] = 1;
        mesh_.owned[t] |= static_cast<std::uint8_t>(8 << k);
      }
  }

  void check_volume() const {
    if (!mesh_.closed) return;
    if (mesh_.volume < 0.0)
      throw Error(
          fmt::format("is inside out: its volume is {:.6g} m³; accepted: triangles "
                      "counter-clockwise seen from outside",
                      mesh_.volume));
    if (!(mesh_.volume > least_volume_share * mesh_.size * mesh_.size * mesh_.size))
      throw Error("encloses no volume; accepted: a solid, or an open surface as ground");
  }

  const TriangleSoup& soup_;
  TriangleMesh mesh_;
  std::vector<int> source_;     // triangle of the soup
  std::vector<Vector3> twice_;  // twice the area, along the normal
  std::vector<char> thin_;      // without a normal of its own
};

}  // namespace

std::shared_ptr<const TriangleMesh> make_triangle_mesh(const TriangleSoup& soup) {
  return MeshBuilder(soup).build();
}

std::shared_ptr<const TriangleMesh> make_triangle_mesh(const Polyhedron& hull) {
  TriangleSoup soup;
  soup.points = hull.vertices;
  std::vector<int> faces;
  for (std::size_t f = 0; f < hull.faces.size(); ++f)
    for (std::size_t i = 2; i < hull.faces[f].size(); ++i) {
      soup.triangles.push_back({hull.faces[f][0], hull.faces[f][i - 1], hull.faces[f][i]});
      faces.push_back(static_cast<int>(f));
    }
  return MeshBuilder(soup).build(faces);
}

Mesh make_mesh(const TriangleSoup& soup) {
  return {make_triangle_mesh(soup)};
}

HeightField make_height_field(std::span<const double> heights, int columns, const Vector2& size) {
  const std::size_t count = heights.size(), width = static_cast<std::size_t>(std::max(columns, 1));
  if (columns < 2 || count % width != 0 || count / width < 2 || count > max_heights)
    throw Error(
        fmt::format("{} heights in rows of {}; accepted: at least two rows of at least two "
                    "heights, all of the same length, at most {} heights",
                    count, columns, max_heights));
  if (!(size.minCoeff() > 0.0) || !size.allFinite())
    throw Error(
        fmt::format("a size of {} by {} m; accepted: positive numbers", size.x(), size.y()));
  const std::size_t rows = count / width;
  TriangleSoup soup;
  soup.flatness = 1e-9;
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < width; ++i) {
      const double height = heights[j * width + i];
      if (!std::isfinite(height))
        throw Error(fmt::format("height {} of row {} is {}; accepted: finite numbers", i + 1, j + 1,
                                height));
      const double x = static_cast<double>(i) / static_cast<double>(width - 1) - 0.5;
      const double y = static_cast<double>(j) / static_cast<double>(rows - 1) - 0.5;
      soup.points.emplace_back(size.x() * x, size.y() * y, height);
    }
  for (std::size_t j = 0; j + 1 < rows; ++j)
    for (std::size_t i = 0; i + 1 < width; ++i) {
      const std::size_t corner = j * width + i;
      const int a = static_cast<int>(corner), b = a + 1, c = a + static_cast<int>(width) + 1,
                d = a + static_cast<int>(width);
      const bool rising = std::abs(heights[corner + width + 1] - heights[corner]) <=
                          std::abs(heights[corner + width] - heights[corner + 1]);
      if (rising) {
        soup.triangles.push_back({a, b, c});
        soup.triangles.push_back({a, c, d});
      } else {
        soup.triangles.push_back({a, b, d});
        soup.triangles.push_back({b, c, d});
      }
    }
  return {make_triangle_mesh(soup)};
}

}  // namespace vinci
