// SPDX-License-Identifier: Apache-2.0
// Candidate axes of pairs with a cylinder: closed forms (side line against vertex or edge), and
// one-dimensional families n ⟂ e, the circle of normals of an edge or of a side line, on which a
// rim moves smoothly: stationary points are roots of g′(θ) = n′·(b(n) − a(n)), found by sampling
// for a change of sign and by regula falsi. Two rims make the one two-dimensional case: Newton's
// method on the sphere.
#include <algorithm>
#include <array>
#include <cmath>

#include "vinci/collision/spatial_axis.h"

namespace vinci {
namespace {

// Gap and its derivative along the circle n(θ) = cos θ · x + sin θ · y.
struct Sample {
  double angle, gap, slope;
};

struct Circle1D {
  const Convex &a, &b;
  Vector3 x, y;

  Vector3 normal(double angle) const { return std::cos(angle) * x + std::sin(angle) * y; }
  Sample at(double angle) const {
    const double c = std::cos(angle), s = std::sin(angle);
    const Vector3 n = c * x + s * y;
    const Vector3 offset = b.support(-n).point - a.support(n).point;
    return {angle, n.dot(offset), (c * y - s * x).dot(offset)};
  }
};

// Root of the slope between two samples, positive at low and negative at high: Illinois variant of
// the regula falsi, with bisections in between for kinks, whose axes are candidates of their own.
double falling_root(const Circle1D& circle, Sample low, Sample high) {
  int side = 0;
  for (int i = 0; i < 60 && high.angle - low.angle > 1e-15 * (1.0 + std::abs(low.angle)); ++i) {
    double middle = (low.angle * high.slope - high.angle * low.slope) / (high.slope - low.slope);
    if (i % 4 == 3 || !(middle > low.angle && middle < high.angle))
      middle = 0.5 * (low.angle + high.angle);
    if (!(middle > low.angle && middle < high.angle)) break;
    const Sample sample = circle.at(middle);
    if (sample.slope == 0.0) return middle;
    if (sample.slope > 0.0) {
      low = sample;
      if (side == 1) high.slope *= 0.5;
      side = 1;
    } else {
      high = sample;
      if (side == -1) low.slope *= 0.5;
      side = -1;
    }
  }
  return 0.5 * (low.angle + high.angle);
}

// No gap between two samples exceeds this: −g is a support function on the circle, so that
// g″ + g <= 0 and g rises above either tangent by less than |g| Δθ².
double bound_between(const Sample& low, const Sample& high) {
  const double width = high.angle - low.angle;
  return std::min(low.gap + low.slope * width, high.gap - high.slope * width) +
         std::max(std::abs(low.gap), std::abs(high.gap)) * width * width;
}

// Offers every local maximum on the arc that `steps` samples can tell apart.
void offer_arc(const Circle1D& circle, double from, double to, int steps, Axis& best) {
  Sample low = circle.at(from);
  for (int i = 1; i <= steps; ++i) {
    const Sample high = circle.at(from + (to - from) * i / steps);
    if (low.slope == 0.0)
      offer_axis(circle.a, circle.b, circle.normal(low.angle), best);
    else if (low.slope > 0.0 && high.slope < 0.0 && bound_between(low, high) > best.gap)
      offer_axis(circle.a, circle.b, circle.normal(falling_root(circle, low, high)), best);
    low = high;
  }
}

constexpr int circle_samples = 48;

void offer_circle(const Convex& a, const Convex& b, const Vector3& x, const Vector3& y,
                  Axis& best) {
  offer_arc({a, b, x, y}, 0.0, 2.0 * M_PI, circle_samples, best);
}

// The circle of normals perpendicular to an edge: about `start`, or between its faces' normals, or
// all of it for a lone segment. Normals are those of the polytope; `sign` turns them from a to b.
void offer_edge_circle(SpatialWorkspace& w, const Convex& polytope, const Polyhedron::Edge& edge,
                       double sign, Axis& best) {
  const auto v = polytope.vertices();
  const Vector3 along =
      (v[static_cast<std::size_t>(edge.head)] - v[static_cast<std::size_t>(edge.tail)])
          .normalized();
  if (edge.left < 0) {
    const Vector3 x = along.unitOrthogonal();
    return offer_circle(w.a, w.b, x, along.cross(x), best);
  }
  const Vector3 left = sign * polytope.normals()[static_cast<std::size_t>(edge.left)];
  const Vector3 right = sign * polytope.normals()[static_cast<std::size_t>(edge.right)];
  const Vector3 x = left, y = (right - right.dot(left) * left).normalized();
  const double angle = std::atan2(right.dot(y), right.dot(x));
  offer_arc({w.a, w.b, x, y}, 0.0, angle, 8, best);
}

// The circle perpendicular to the unit vector `along`, near `start`.
void offer_near(const Convex& a, const Convex& b, const Vector3& along, const Vector3& start,
                Axis& best) {
  const Vector3 x = start - start.dot(along) * along;
  if (x.norm() < 0.5) return;  // `start` is not near that circle
  const Vector3 unit = x.normalized();
  const Circle1D circle{a, b, unit, along.cross(unit)};
  // The distance algorithm leaves the direction some 1e-7 off: widen until the root is enclosed.
  for (double reach = 1e-5; reach < 0.2; reach *= 10.0) {
    const Sample low = circle.at(-reach), high = circle.at(reach);
    if (low.slope > 0.0 && high.slope < 0.0)
      return offer_axis(a, b, circle.normal(falling_root(circle, low, high)), best);
  }
}

// Direction from the cylinder's nearest point to the point p, outside: a closed form.
Vector3 away_from_cylinder(const Convex& cylinder, const Vector3& p) {
  const Vector3 arm = p - cylinder.center();
  const Vector3 radial = cylinder.perpendicular(arm);
  const double distance = radial.norm(), height = arm.dot(cylinder.axis());
  const double over = std::max(0.0, std::abs(height) - cylinder.half_height());
  const double out = std::max(0.0, distance - cylinder.cylinder_radius());
  Vector3 direction = std::copysign(over, height) * cylinder.axis();
  if (distance > 0.0) direction += (out / distance) * radial;
  return direction;
}

void offer_vertex_sides(SpatialWorkspace& w, const Convex& cylinder, const Convex& polytope,
                        double sign, Axis& best) {
  for (const Vector3& v : polytope.vertices()) {
    const Vector3 radial = cylinder.perpendicular(v - cylinder.center());
    // From the polytope to the cylinder: the vertex leaves through the nearest side line.
    offer_axis(w.a, w.b, -sign * radial, best);
  }
  for (int i = 0; i < 2; ++i) {  // vertices on the axis leave any way
    offer_axis(w.a, w.b, cylinder.frame(i), best);
    offer_axis(w.a, w.b, -cylinder.frame(i), best);
  }
}

struct Curvature {
  Vector3 direction;  // of the rim's tangent at the support point
  double radius;      // how fast the support point moves along it as n turns
};

Curvature rim_curvature(const Convex& cylinder, const Vector3& n) {
  const Vector3 radial = cylinder.perpendicular(n);
  const double length = std::max(radial.norm(), 1e-12);
  return {cylinder.axis().cross(radial) / length, cylinder.cylinder_radius() / length};
}

// Newton's method for a maximum of g on the sphere: gradient w = b(n) − a(n) less its part along n,
// Hessian −Σ radius t tᵀ − (n·w) 1 in the tangent plane; ascent with halved steps where it is not
// negative definite. Returns when no step improves.
void climb(const Convex& a, const Convex& b, Vector3 n, Axis& best) {
  double gap = gap_along(a, b, n);
  const double size = a.extent() + b.extent();
  for (int iteration = 0; iteration < 40; ++iteration) {
    const Vector3 x = n.unitOrthogonal(), y = n.cross(x);
    const Vector3 offset = b.support(-n).point - a.support(n).point;
    const Vector2 gradient(x.dot(offset), y.dot(offset));
    Matrix2 hessian = -n.dot(offset) * Matrix2::Identity();
    for (const Convex* shape : {&a, &b}) {
      const Curvature c = rim_curvature(*shape, n);
      const Vector2 t(x.dot(c.direction), y.dot(c.direction));
      hessian -= c.radius * t * t.transpose();
    }
    const double determinant = hessian.determinant();
    Vector2 step;
    if (determinant > 0.0 && hessian.trace() < 0.0)
      step = -Vector2(hessian(1, 1) * gradient[0] - hessian(0, 1) * gradient[1],
                      hessian(0, 0) * gradient[1] - hessian(1, 0) * gradient[0]) /
             determinant;
    else
      step = gradient / size;
    if (step.norm() > 0.5) step *= 0.5 / step.norm();
    bool better = false;
    for (int halving = 0; halving < 6 && !better; ++halving, step *= 0.5) {
      const Vector3 trial = (n + step[0] * x + step[1] * y).normalized();
      const double value = gap_along(a, b, trial);
      if (value > gap) {
        better = value - gap > 1e-15 * size;  // smaller gains are rounding
        gap = value;
        n = trial;
      }
    }
    if (!better) break;
  }
  offer_axis(a, b, n, best);
}

// Climbs from the best of the directions to faces, edges and corners of a cube.
void climb_from_best(const Convex& a, const Convex& b, Axis& best) {
  struct Start {
    Vector3 direction;
    double gap;
    int number;
  };
  std::array<Start, 26> starts;
  std::size_t count = 0;
  for (int i = 0; i < 27; ++i) {
    if (i == 13) continue;
    const Vector3 n = Vector3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1).normalized();
    starts[count++] = {n, gap_along(a, b, n), i};
  }
  // A stable sort would allocate; the number settles ties.
  std::sort(starts.begin(), starts.end(), [](const Start& p, const Start& q) {
    return p.gap > q.gap || (p.gap == q.gap && p.number < q.number);
  });
  for (std::size_t i = 0; i < 8; ++i) climb(a, b, starts[i].direction, best);
}

}  // namespace

void offer_cylinder_polytope(SpatialWorkspace& w, const Vector3* start, Axis& best) {
  const bool cylinder_is_a = w.a.is_cylinder();
  const Convex &cylinder = cylinder_is_a ? w.a : w.b, &polytope = cylinder_is_a ? w.b : w.a;
  const double sign = cylinder_is_a ? -1.0 : 1.0;  // turns polytope → cylinder into a → b
  if (start) {
    // Near the solution only features at the support vertex count.
    const int vertex = polytope.support(sign * *start).vertex;
    const auto v = polytope.vertices();
    offer_axis(w.a, w.b, -sign * away_from_cylinder(cylinder, v[static_cast<std::size_t>(vertex)]),
               best);
    for (int e = 0; e < polytope.edge_count(); ++e) {
      const Polyhedron::Edge edge = polytope.edge(e);
      if (edge.tail != vertex && edge.head != vertex) continue;
      const Vector3 along =
          (v[static_cast<std::size_t>(edge.head)] - v[static_cast<std::size_t>(edge.tail)])
              .normalized();
      if (std::abs(along.dot(*start)) > 1e-3) continue;
      const Vector3 cross = along.cross(cylinder.axis());
      offer_axis(w.a, w.b, cross.dot(*start) >= 0.0 ? cross : Vector3(-cross), best);
      offer_near(w.a, w.b, along, *start, best);
    }
    return;
  }
  offer_vertex_sides(w, cylinder, polytope, sign, best);
  for (const int e : cylinder_is_a ? w.edges_b : w.edges_a) {
    const Polyhedron::Edge edge = polytope.edge(e);
    const Vector3 cross = (polytope.vertices()[static_cast<std::size_t>(edge.head)] -
                           polytope.vertices()[static_cast<std::size_t>(edge.tail)])
                              .cross(cylinder.axis());
    offer_axis(w.a, w.b, cross, best);
    offer_axis(w.a, w.b, -cross, best);
    offer_edge_circle(w, polytope, edge, sign, best);
  }
}

void offer_cylinder_cylinder(const Convex& a, const Convex& b, const Vector3* start, Axis& best) {
  const Vector3 cross = a.axis().cross(b.axis());
  offer_axis(a, b, cross, best);
  offer_axis(a, b, -cross, best);
  const Vector3 between = b.center() - a.center();
  offer_axis(a, b, a.perpendicular(between), best);  // parallel axes, side by side
  if (start) {
    offer_near(a, b, a.axis(), *start, best);
    offer_near(a, b, b.axis(), *start, best);
    climb(a, b, *start, best);
    return;
  }
  offer_circle(a, b, a.frame(0), a.frame(1), best);
  offer_circle(a, b, b.frame(0), b.frame(1), best);
  climb_from_best(a, b, best);
}

}  // namespace vinci
