// SPDX-License-Identifier: Apache-2.0
// The cases of benchmark-small, and what it asks of an engine. All have a closed form.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace vinci {

inline constexpr double small_step = 1e-3;     // s
inline constexpr double small_gravity = 9.81;  // m/s²
inline constexpr double half_edge = 0.05;      // m, of the block; also the radius of what rolls
inline constexpr double block_density = 1000;  // kg/m³, or kg/m² in the plane

struct SmallCase {
  enum class Kind { slides, holds, rolls, rides };
  std::string name;
  Kind kind = Kind::slides;
  bool planar = true;
  double friction = 0.3;
  double speed = 0.0;                  // m/s along x at the start
  double slope = 0.0;                  // rad: gravity is tilted towards x
  double amplitude = 0.0, rate = 0.0;  // m and rad/s, of a floor that goes to and fro along x

  bool is_round() const { return kind == Kind::rolls; }
  // Of the floor at a time.
  double floor(double time) const { return amplitude * std::sin(rate * time); }
  // Where the body is along x at a time.
  double place(double time) const {
    const double brake = friction * small_gravity;
    if (kind == Kind::slides) return speed * time - 0.5 * brake * time * time;
    if (kind == Kind::holds) return 0.0;
    if (kind == Kind::rides) return floor(time);
    // It slides until friction has made it roll: its speed is then this share of that at the start.
    const double share = planar ? 2.0 / 3.0 : 5.0 / 7.0;
    const double rolls = (1.0 - share) * speed / brake;
    const double until = std::min(time, rolls);
    return speed * until - 0.5 * brake * until * until + share * speed * (time - until);
  }
};

class SmallEngine {
 public:
  virtual ~SmallEngine() = default;
  virtual void step() = 0;           // by small_step; nothing else is timed
  virtual double place() const = 0;  // of the body along x, m
};

std::unique_ptr<SmallEngine> make_small_vinci(const SmallCase& what);
std::unique_ptr<SmallEngine> make_small_chipmunk(const SmallCase& what);  // planar
std::unique_ptr<SmallEngine> make_small_box2d(const SmallCase& what);     // planar
std::unique_ptr<SmallEngine> make_small_bullet(const SmallCase& what);    // spatial

}  // namespace vinci
