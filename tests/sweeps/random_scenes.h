// SPDX-License-Identifier: Apache-2.0
// Small random planar scenes, each from its seed alone: every kind of planar shape, half-planes,
// prescribed bodies, tables with supports; friction from none to large.
#pragma once

#include <random>
#include <string>

namespace vinci::test {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double between(double a, double b) { return std::uniform_real_distribution<>(a, b)(engine_); }
  int below(int n) { return static_cast<int>(between(0.0, n)); }

 private:
  std::mt19937 engine_;
};

enum class Family {
  falling,  // thrown over a slope, with walls and pegs
  driven,   // on a plate that shakes and under a paddle that turns
  thrown,   // over a table, into each other
  pushed,   // by a finger over a table, into each other and a wall
};

struct RandomScene {
  Family family = Family::falling;
  std::string yaml;
  bool on_table() const { return family == Family::thrown || family == Family::pushed; }
  // Nothing but gravity and contact acts: the energy cannot grow.
  bool passive() const { return family == Family::falling || family == Family::thrown; }
};

RandomScene random_scene(unsigned seed);
std::string random_shape(Draw& draw);
double random_friction(Draw& draw);

}  // namespace vinci::test
