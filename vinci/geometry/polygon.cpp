// SPDX-License-Identifier: Apache-2.0
// Checked polygons and their convex decomposition: ear clipping, then the merge of
// [Hertel, Mehlhorn 1983], at most four times the least number of pieces. All decisions rest on
// exact orientation signs, so collinear vertices and needles need no tolerance.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/predicates.h"

namespace vinci {

namespace {

constexpr double max_coordinate = 1e12;  // m
// Edges below this share of the polygon's size have no direction worth the name in double
// precision.
constexpr double min_edge_share = 1e-12;
// Below this share of its size squared a polygon's mass and centre drown in rounding. A figure of
// eight may have none either, and ends here too.
constexpr double min_area_share = 1e-12;

using Points = std::vector<Vector2>;

std::string text(const Vector2& point) {
  return fmt::format("({}, {})", point.x(), point.y());
}

void check_numbers(std::span<const Vector2> vertices) {
  if (vertices.size() < 3)
    throw Error(fmt::format("a polygon of {} vertices; accepted: at least 3", vertices.size()));
  if (vertices.size() > max_polygon_vertices)
    throw Error(fmt::format("a polygon of {} vertices; accepted: at most {}", vertices.size(),
                            max_polygon_vertices));
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite() || vertices[i].cwiseAbs().maxCoeff() > max_coordinate)
      throw Error(fmt::format("vertex {} of the polygon is {}; accepted: numbers up to {} m", i,
                              text(vertices[i]), max_coordinate));
}

[[noreturn]] void repeated(std::size_t i, std::size_t j, const Vector2& point) {
  throw Error(fmt::format("vertices {} and {} of the polygon are the same point {}", std::min(i, j),
                          std::max(i, j), text(point)));
}

void check_vertices(const Points& vertices) {
  const std::size_t n = vertices.size();
  Eigen::AlignedBox2d box;
  for (const Vector2& vertex : vertices) box.extend(vertex);
  const double size = box.diagonal().norm();
  for (std::size_t i = 0; i < n; ++i)
    if ((vertices[(i + 1) % n] - vertices[i]).norm() <= min_edge_share * size)
      repeated(i, (i + 1) % n, vertices[i]);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto less = [&](std::size_t i, std::size_t j) {
    return std::pair(vertices[i].x(), vertices[i].y()) <
           std::pair(vertices[j].x(), vertices[j].y());
  };
  std::stable_sort(order.begin(), order.end(), less);
  for (std::size_t k = 1; k < n; ++k)
    if (vertices[order[k]] == vertices[order[k - 1]])
      repeated(order[k - 1], order[k], vertices[order[k]]);
  double twice_area = 0.0;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const Vector2 p = vertices[i] - vertices[0], q = vertices[i + 1] - vertices[0];
    twice_area += p.x() * q.y() - p.y() * q.x();
  }
  if (std::abs(twice_area) <= min_area_share * size * size)
    throw Error("the polygon has no area; accepted: simple polygons");
}

// Sweeps along the axis of larger extent; each edge meets those whose intervals it overlaps.
void check_simple(const Points& vertices) {
  const int n = static_cast<int>(vertices.size());
  Eigen::AlignedBox2d all;
  for (const Vector2& vertex : vertices) all.extend(vertex);
  const int axis = all.sizes().x() >= all.sizes().y() ? 0 : 1, other = 1 - axis;
  const auto end = [&](int edge) -> const Vector2& { return vertices[(edge + 1) % n]; };
  const auto low = [&](int edge, int k) { return std::min(vertices[edge][k], end(edge)[k]); };
  const auto high = [&](int edge, int k) { return std::max(vertices[edge][k], end(edge)[k]); };
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int e, int f) { return low(e, axis) < low(f, axis); });
  std::vector<int> open;
  for (const int edge : order) {
    std::erase_if(open, [&](int f) { return high(f, axis) < low(edge, axis); });
    for (const int f : open) {
      if (low(f, other) > high(edge, other) || high(f, other) < low(edge, other)) continue;
      const bool follows = f == (edge + 1) % n, precedes = edge == (f + 1) % n;
      bool bad;
      if (follows || precedes) {
        // Neighbours share a vertex; they overlap if they fold back onto each other.
        const int first = follows ? edge : f;
        const Vector2 in = vertices[(first + 1) % n] - vertices[first];
        const Vector2 out = vertices[(first + 2) % n] - vertices[(first + 1) % n];
        bad = orientation(vertices[first], vertices[(first + 1) % n], vertices[(first + 2) % n]) ==
                  0 &&
              in.dot(out) < 0.0;
      } else {
        bad = segments_touch(vertices[edge], end(edge), vertices[f], end(f));
      }
      if (bad)
        throw Error(fmt::format(
            "the polygon meets itself: edge {} from {} to {} and edge {} from "
            "{} to {}; accepted: simple polygons",
            std::min(edge, f), text(vertices[std::min(edge, f)]), text(end(std::min(edge, f))),
            std::max(edge, f), text(vertices[std::max(edge, f)]), text(end(std::max(edge, f)))));
    }
    open.push_back(edge);
  }
}

// Twice the signed area's sign, exact for a simple polygon: the turn at an extreme corner. The
// lowest of the leftmost vertices is such a corner; flat neighbours are skipped.
int winding(const Points& vertices) {
  const int n = static_cast<int>(vertices.size());
  int corner = 0;
  for (int i = 1; i < n; ++i)
    if (vertices[i].x() < vertices[corner].x() ||
        (vertices[i].x() == vertices[corner].x() && vertices[i].y() < vertices[corner].y()))
      corner = i;
  return orientation(vertices[(corner + n - 1) % n], vertices[corner], vertices[(corner + 1) % n]);
}

// Half-edges of a triangulation: piece interiors on the left.
struct HalfEdge {
  int origin, next, previous, twin;  // twin −1 on the outline
  bool removed = false;
};

class Decomposition {
 public:
  explicit Decomposition(const Points& vertices) : vertices_(vertices) {}

  std::vector<std::vector<int>> pieces() {
    triangulate();
    for (const int diagonal : diagonals_) merge_across(diagonal);
    std::vector<std::vector<int>> result;
    std::vector<char> seen(edges_.size(), 0);
    for (int start = 0; start < static_cast<int>(edges_.size()); ++start) {
      if (seen[start] || edges_[start].removed) continue;
      std::vector<int> piece;
      for (int e = start; !seen[e]; e = edges_[e].next) {
        seen[e] = 1;
        piece.push_back(edges_[e].origin);
      }
      std::rotate(piece.begin(), std::min_element(piece.begin(), piece.end()), piece.end());
      result.push_back(std::move(piece));
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  int turn(int i, int j, int k) const {
    return orientation(vertices_[i], vertices_[j], vertices_[k]);
  }

  // A strictly convex vertex whose closed triangle holds no other vertex. It is enough to look at
  // the vertices that are not strictly convex: of those in the triangle, the one farthest from the
  // cut is reflex or flat.
  // One that was found in the triangle speaks against it until it is gone itself: without it a
  // spiral would cost the cube of its corners.
  bool is_ear(int v) {
    if (!convex_[v]) return false;
    const int u = previous_[v], w = next_[v];
    Witness& known = witnesses_[v];
    if (known.vertex >= 0 && is_blunt(known.vertex) && known.u == u && known.w == w) return false;
    if (2 * stale_ > blunt_.size()) {
      std::erase_if(blunt_, [&](int z) { return !is_blunt(z); });
      stale_ = 0;
    }
    Eigen::AlignedBox2d box(vertices_[u]);
    box.extend(vertices_[v]).extend(vertices_[w]);
    for (const int z : blunt_)
      if (is_blunt(z) && z != u && z != w && box.contains(vertices_[z]) && turn(u, v, z) >= 0 &&
          turn(v, w, z) >= 0 && turn(w, u, z) >= 0) {
        known = {z, u, w};
        return false;
      }
    return true;
  }

  bool is_blunt(int v) const { return !convex_[v] && !gone_[v]; }

  void update_convexity(int v) {
    const bool before = convex_[v];
    convex_[v] = turn(previous_[v], v, next_[v]) > 0;
    if (convex_[v] && !before) ++stale_;
    if (!convex_[v] && before && was_blunt_[v]) blunt_.push_back(v);
  }

  void triangulate() {
    const int n = static_cast<int>(vertices_.size());
    previous_.resize(n), next_.resize(n), convex_.resize(n), gone_.assign(n, 0);
    // waiting_[v]: the half-edge outside the chain link v -> next_[v], or −1 on the outline.
    waiting_.assign(n, -1);
    witnesses_.assign(n, {}), was_blunt_.assign(n, 0);
    for (int i = 0; i < n; ++i) previous_[i] = (i + n - 1) % n, next_[i] = (i + 1) % n;
    for (int i = 0; i < n; ++i) {
      update_convexity(i);
      if (!convex_[i]) blunt_.push_back(i), was_blunt_[i] = 1;
    }
    stale_ = 0;
    int left = n, v = 0, since_last_ear = 0;
    while (left > 3) {
      // A simple polygon always has an ear; the count guards against a broken promise.
      if (since_last_ear++ > left) throw Error("the polygon cannot be triangulated");
      if (!is_ear(v)) {
        v = next_[v];
        continue;
      }
      since_last_ear = 0;
      const int u = previous_[v], w = next_[v];
      const int cut = add_triangle(u, v, w);
      waiting_[u] = cut;
      diagonals_.push_back(cut);
      gone_[v] = 1;
      next_[u] = w, previous_[w] = u;
      update_convexity(u), update_convexity(w);
      --left;
      v = next_[w];
    }
    const int last = add_triangle(previous_[v], v, next_[v]);
    connect(last, waiting_[next_[v]]);
  }

  // Adds the triangle u, v, w whose links u -> v and v -> w are in the chain; returns w -> u.
  int add_triangle(int u, int v, int w) {
    const int e = static_cast<int>(edges_.size());
    edges_.push_back({u, e + 1, e + 2, -1});
    edges_.push_back({v, e + 2, e, -1});
    edges_.push_back({w, e, e + 1, -1});
    connect(e, waiting_[u]);
    connect(e + 1, waiting_[v]);
    return e + 2;
  }

  void connect(int e, int twin) {
    if (twin < 0) return;
    edges_[e].twin = twin;
    edges_[twin].twin = e;
  }

  // Removes a diagonal if the union is convex (straight angles allowed) at both its ends.
  void merge_across(int h) {
    const int t = edges_[h].twin;
    const HalfEdge &here = edges_[h], &there = edges_[t];
    const auto convex_between = [&](int in, int out) {
      return turn(edges_[in].origin, edges_[out].origin, edges_[edges_[out].next].origin) >= 0;
    };
    if (!convex_between(here.previous, there.next) || !convex_between(there.previous, here.next))
      return;
    const int in_u = here.previous, out_u = there.next, in_w = there.previous, out_w = here.next;
    edges_[in_u].next = out_u, edges_[out_u].previous = in_u;
    edges_[in_w].next = out_w, edges_[out_w].previous = in_w;
    edges_[h].removed = edges_[t].removed = true;
  }

  const Points& vertices_;
  std::vector<int> previous_, next_, waiting_, blunt_, diagonals_;
  std::vector<char> convex_, gone_, was_blunt_;  // the last: when all vertices were there
  struct Witness {
    int vertex = -1, u = -1, w = -1;  // in the triangle of this vertex and these neighbours
  };
  std::vector<Witness> witnesses_;
  std::size_t stale_ = 0;  // entries of blunt_ that are no longer so
  std::vector<HalfEdge> edges_;
};

}  // namespace

Polygon make_polygon(std::span<const Vector2> vertices) {
  check_numbers(vertices);
  Polygon polygon{{vertices.begin(), vertices.end()}, {}};
  check_vertices(polygon.vertices);
  check_simple(polygon.vertices);
  if (winding(polygon.vertices) < 0)
    std::reverse(polygon.vertices.begin() + 1, polygon.vertices.end());
  polygon.pieces = Decomposition(polygon.vertices).pieces();
  return polygon;
}

}  // namespace vinci
