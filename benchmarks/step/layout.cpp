// SPDX-License-Identifier: Apache-2.0
// Builds the layouts of the benchmarks of boxes.
#include "step/layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace vinci {
namespace {

constexpr double half = 0.5 * box_size;
constexpr double clearance = 1e-3;  // m
constexpr double pitch = box_size + clearance;
constexpr double wall = 1.0;  // m, thickness of floor and walls

// Boxes side by side along x (and y in space) in a layer of the bin: piles stay a few layers high
// in space and at most twenty in the plane.
struct Grid {
  int along_x, along_y;
};
Grid grid_of(bool planar, int count) {
  if (planar) return {count <= 100 ? 10 : count <= 500 ? 50 : 100, 1};
  const int side = count <= 100 ? 5 : count <= 500 ? 10 : 20;
  return {side, side};
}

Vector3 placed(bool planar, double x, double y, double up) {
  return planar ? Vector3(x, up, 0.0) : Vector3(x, y, up);
}

// Uniform in −1 to 1. Not std::uniform_real_distribution, whose numbers differ between standard
// libraries.
double symmetric(std::mt19937_64& random) {
  return 2.0 * static_cast<double>(random() >> 11) * 0x1.0p-53 - 1.0;
}

// The top of the floor is at height zero.
PlacedBox floor(bool planar, double half_x, double half_y) {
  return {placed(planar, 0.0, 0.0, -0.5 * wall), placed(planar, half_x, half_y, 0.5 * wall)};
}

// Floor and walls around a space of these half extents.
void add_bin(Layout& layout, double half_x, double half_y, double half_up) {
  const bool planar = layout.planar;
  layout.fixed.push_back(floor(planar, half_x + wall, half_y + wall));
  for (const double side : {-1.0, 1.0}) {
    layout.fixed.push_back({placed(planar, side * (half_x + 0.5 * wall), 0.0, half_up),
                            placed(planar, 0.5 * wall, half_y + wall, half_up)});
    if (!planar)
      layout.fixed.push_back({placed(planar, 0.0, side * (half_y + 0.5 * wall), half_up),
                              placed(planar, half_x, 0.5 * wall, half_up)});
  }
}

}  // namespace

Layout stack(bool planar, int count) {
  Layout layout{std::to_string(count) + (count == 1 ? " box" : " boxes, stack"), planar, {}, {}};
  layout.fixed.push_back(floor(planar, 5.0, 5.0));
  for (int i = 0; i < count; ++i)
    layout.boxes.push_back(
        {placed(planar, 0.0, 0.0, half + i * box_size), Vector3::Constant(half)});
  return layout;
}

Layout bin(bool planar, int count) {
  Layout layout{std::to_string(count) + " boxes, bin", planar, {}, {}};
  const Grid grid = grid_of(planar, count);
  const int layers = (count + grid.along_x * grid.along_y - 1) / (grid.along_x * grid.along_y);
  // Half a box of room more along x, for the shifted layers.
  const double half_x = 0.5 * ((grid.along_x + 0.5) * pitch + clearance);
  const double half_y = 0.5 * (grid.along_y * pitch + clearance);
  const double half_up = 0.5 * (layers + 1) * pitch;

  add_bin(layout, half_x, half_y, half_up);

  std::mt19937_64 random(1);
  const auto scatter = [&random] { return 0.4 * clearance * symmetric(random); };
  for (int i = 0; i < count; ++i) {
    const int layer = i / (grid.along_x * grid.along_y);
    const int in_layer = i % (grid.along_x * grid.along_y);
    const int column = in_layer % grid.along_x, row = in_layer / grid.along_x;
    const double shift = layer % 2 == 0 ? 0.0 : 0.5 * pitch;
    const double x = -half_x + clearance + half + shift + column * pitch + scatter();
    const double y = planar ? 0.0 : -half_y + clearance + half + row * pitch + scatter();
    layout.boxes.push_back(
        {placed(planar, x, y, clearance + half + layer * pitch), Vector3::Constant(half)});
  }
  return layout;
}

Layout heap(bool planar, int count) {
  constexpr double cell = 1.6 * box_size, rise = 1.5 * box_size;
  constexpr double tilt = std::numbers::pi / 9.0;
  Layout layout{std::to_string(count) + " boxes", planar, {}, {}};
  const double along = planar ? std::sqrt(count) : std::cbrt(count);
  const int side = std::max(planar ? 4 : 2, static_cast<int>(std::lround(along)));
  const int deep = planar ? 1 : side;
  const double half_x = 0.5 * side * cell, half_y = 0.5 * deep * cell;
  const int rows = (count + side * deep - 1) / (side * deep);
  add_bin(layout, half_x, half_y, 0.5 * (rows + 4) * rise);
  std::mt19937_64 random(1);
  const auto shift = [&random] { return 0.1 * box_size * symmetric(random); };
  for (int i = 0; i < count; ++i) {
    const int column = i % side, line = i / side % deep, row = i / (side * deep);
    const double x = -half_x + (column + 0.5) * cell + shift();
    const double y = planar ? 0.0 : -half_y + (line + 0.5) * cell + shift();
    const double up = 0.8 * box_size + row * rise + shift();
    Vector3 axis = Vector3::UnitZ();
    if (!planar) axis = Vector3(symmetric(random), symmetric(random), 1.5).normalized();
    const Quaternion rotation(Eigen::AngleAxisd(tilt * symmetric(random), axis));
    layout.boxes.push_back({placed(planar, x, y, up), Vector3::Constant(half), rotation});
  }
  return layout;
}

}  // namespace vinci
