// SPDX-License-Identifier: Apache-2.0
// A number of a run at an instant, written as an expression (expression.h) of
//   body.x body.y body.z       m, of the body frame       body.angle   rad, planar, full turns
//   counted body.vx .vy .vz .speed     m/s, of the centre of mass  body.wx .wy .wz  rad/s energy
//   kinetic potential   J                           penetration  m, deepest overlap impulse(a, b)
//   N s, of the normal forces between two bodies so far force(a, b) friction(a, b) N, normal and
//   tangential, in the last step t                          s
#pragma once

#include <string>
#include <vector>

#include "vinci/base/expression.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

struct QuantityTerm {
  enum class Kind {
    x,
    y,
    z,
    angle,
    vx,
    vy,
    vz,
    speed,
    wx,
    wy,
    wz,
    energy,
    kinetic,
    potential,
    penetration,
    impulse,
    force,
    friction,
    time
  };
  Kind kind = Kind::time;
  int a = -1, b = -1;  // bodies
};

class Quantity {
 public:
  // Throws Error (where: the text) on what is unknown.
  static Quantity parse(const std::string& text, const Model& model);
  const std::string& text() const { return text_; }
  const std::vector<QuantityTerm>& terms() const { return terms_; }
  double value(std::span<const double> terms) const { return expression_.value(terms); }

 private:
  std::string text_;
  Expression expression_;
  std::vector<QuantityTerm> terms_;
};

// The quantity along one run; full turns and impulses are summed up from step to step.
class QuantityReader {
 public:
  QuantityReader(const Quantity& quantity, const Simulation& simulation);
  double read(const Simulation& simulation);  // once at the beginning, then after every step

 private:
  double term(std::size_t i, const Simulation& simulation);

  const Quantity& quantity_;
  std::vector<double> values_;  // of the terms
};

}  // namespace vinci
