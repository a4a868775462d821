// SPDX-License-Identifier: Apache-2.0
#include "tests/sweeps/parts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace vinci::test {
namespace {

Part box(bool spatial, const Vector3& size) {
  return {"box: " + list(size, spatial),
          [half = Vector3(0.5 * size)](const Vector3& d) { return half.dot(d.cwiseAbs()); }};
}

Part capsule(bool spatial, double length, double r) {
  const Vector3 end = 0.5 * length * (spatial ? Vector3::UnitZ() : Vector3::UnitX());
  return {fmt::format("capsule: {{length: {:.17g}, radius: {:.17g}}}", length, r),
          [end, r](const Vector3& d) { return std::abs(end.dot(d)) + r * d.norm(); }};
}

Part cylinder(double r, double height) {
  return {fmt::format("cylinder: {{radius: {:.17g}, height: {:.17g}}}", r, height),
          [r, height](const Vector3& d) {
            return r * d.head<2>().norm() + 0.5 * height * std::abs(d.z());
          }};
}

Part hull(bool spatial, const std::vector<Vector3>& points) {
  std::string text = spatial ? "polyhedron: [" : "polygon: [";
  for (std::size_t i = 0; i < points.size(); ++i)
    text += (i > 0 ? ", " : "") + list(points[i], spatial);
  return {text + "]", [points](const Vector3& d) {
            double most = -infinity;
            for (const Vector3& p : points) most = std::max(most, p.dot(d));
            return most;
          }};
}

Part superellipse(double a, double b, double n) {
  return {fmt::format("superellipse: {{axes: [{:.17g}, {:.17g}], exponent: {:.17g}}}", a, b, n),
          [=](const Vector3& d) {
            const double q = n / (n - 1.0), x = a * std::abs(d.x()), y = b * std::abs(d.y());
            const double most = std::max(x, y);
            if (most == 0.0) return 0.0;
            return most * std::pow(std::pow(x / most, q) + std::pow(y / most, q), 1.0 / q);
          }};
}

std::vector<Vector3> random_corners(Draw& draw, bool spatial, double size) {
  std::vector<Vector3> points;
  const double flat = draw.between(0.1, 1.0), first = draw.between(0.0, 6.28);
  const int count = (spatial ? 4 : 3) + draw.below(spatial ? 6 : 5);
  for (int i = 0; i < count; ++i) {
    if (spatial) {
      Vector3 p = size * random_direction(draw, true);
      p.z() *= flat;
      points.push_back(p);
    } else {
      const double angle = first + 2.0 * M_PI * (i + draw.between(0.0, 0.4)) / count;
      points.emplace_back(size * std::cos(angle), flat * size * std::sin(angle), 0.0);
    }
  }
  return points;
}

}  // namespace

Part ball(bool spatial, double r) {
  return {fmt::format("{}: {:.17g}", spatial ? "sphere" : "circle", r),
          [r](const Vector3& d) { return r * d.norm(); }};
}

Part box_part(bool spatial, const Vector3& size) {
  return box(spatial, size);
}

Part capsule_part(bool spatial, double length, double radius) {
  return capsule(spatial, length, radius);
}

Part cylinder_part(double radius, double height) {
  return cylinder(radius, height);
}

Part polyhedron_part(Draw& draw, double size) {
  return hull(true, random_corners(draw, true, size));
}

Part random_part(Draw& draw, bool spatial, double size) {
  const double thin = std::pow(10.0, draw.between(-1.5, 0.0));
  switch (draw.below(5)) {
    case 0:
      return ball(spatial, 0.5 * size);
    case 1:
      return box(spatial, size * Vector3(1.0, spatial ? draw.between(0.3, 1.0) : thin, thin));
    case 2:
      return capsule(spatial, size, 0.5 * size * thin);
    case 3:
      return hull(spatial, random_corners(draw, spatial, 0.6 * size));
    default:
      return spatial ? cylinder(0.5 * size, size * thin)
                     : superellipse(0.5 * size, 0.5 * size * std::max(0.1, thin),
                                    draw.between(1.5, 8.0));
  }
}

// Convex: the least over all directions of how far they reach past each other, searched on a grid
// that becomes finer about the best of them.
double overlap_of(const Part& a, const Pose& at_a, const Part& b, const Pose& at_b, bool spatial) {
  constexpr int grid = 180, in_space = 600, starts = 6;
  struct Try {
    double depth;
    Vector3 d;
    bool operator<(const Try& other) const { return depth < other.depth; }
  };
  const auto at = [&](const Vector3& d) {
    return Try{reach_along(a, at_a, d) + reach_along(b, at_b, -d), d};
  };
  std::vector<Try> all;
  for (int i = 0; i < (spatial ? in_space : grid); ++i) {
    const double z = spatial ? -1.0 + (2.0 * i + 1.0) / in_space : 0.0, r = std::sqrt(1.0 - z * z);
    const double angle = spatial ? 2.399963229728653 * i : 2.0 * M_PI * i / grid;
    all.push_back(at({r * std::cos(angle), r * std::sin(angle), z}));
    if (all.back().depth <= 0.0) return 0.0;
  }
  std::sort(all.begin(), all.end());
  double least = infinity;
  for (int start = 0; start < starts; ++start) {
    Try best = all[static_cast<std::size_t>(start)];
    // Depths have edges and corners over the directions: look around at ever other angles.
    int round = 0;
    for (double width = 0.1; width > 1e-9;) {
      const Vector3 x = spatial ? best.d.unitOrthogonal() : Vector3(best.d.y(), -best.d.x(), 0.0);
      const Vector3 y = spatial ? best.d.cross(x) : Vector3(0.0, 0.0, 0.0), middle = best.d;
      const double before = best.depth;
      for (int i = 0; i < 12; ++i) {
        const double angle = spatial ? M_PI / 6.0 * i + 2.4 * round : M_PI * i;
        const Vector3 aside = std::cos(angle) * x + std::sin(angle) * y;
        best = std::min(best, at((middle + width * aside).normalized()));
        if (!spatial && i == 1) break;
      }
      ++round;
      if (!(best.depth < before)) width *= 0.6;
    }
    least = std::min(least, best.depth);
  }
  return std::max(0.0, least);
}

std::string list(const Vector3& v, bool spatial) {
  return spatial ? fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z())
                 : fmt::format("[{:.17g}, {:.17g}]", v.x(), v.y());
}

Vector3 random_direction(Draw& draw, bool spatial) {
  const double angle = draw.between(0.0, 2.0 * M_PI);
  const double z = spatial ? draw.between(-1.0, 1.0) : 0.0, r = std::sqrt(1.0 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

std::string random_turn(Draw& draw, bool spatial) {
  const double angle = draw.between(0.0, 6.28);
  if (!spatial) return fmt::format("angle: {:.17g}", angle);
  return fmt::format("rotation: {{axis: {}, angle: {:.17g}}}",
                     list(random_direction(draw, true), true), angle);
}

std::string random_spin(Draw& draw, bool spatial, double most) {
  if (!spatial) return fmt::format("spin: {:.17g}", draw.between(-most, most));
  return "spin: " + list(draw.between(0.0, most) * random_direction(draw, true), true);
}

double decades(Draw& draw, double low, double high) {
  return std::pow(10.0, draw.between(std::log10(low), std::log10(high)));
}

const char* random_stepper(Draw& draw) {
  const int n = draw.below(4);
  return n == 0 ? "anitescu-potra" : n == 3 ? "song-pang-kumar" : "stewart-trinkle";
}

std::string world(bool spatial) {
  return spatial ? "world: spatial\n" : "world: planar\n";
}

std::string no_gravity(bool spatial) {
  return fmt::format("gravity: {}\n", list(Vector3::Zero(), spatial));
}

const char* half(bool spatial) {
  return spatial ? "half-space" : "half-plane";
}

}  // namespace vinci::test
