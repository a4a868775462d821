// SPDX-License-Identifier: Apache-2.0
// A number of a run at an instant, written as an expression (expression.h) of
//   body.x body.y body.z               m, of the body frame
//   body.angle                         rad, planar, full turns counted
//   body.vx body.vy body.vz body.speed m/s, of the centre of mass
//   body.wx body.wy body.wz            rad/s
//   joint.position joint.rate ...      the columns of joint_columns.h
//   energy kinetic potential           J
//   penetration                        m, deepest overlap
//   impulse(a, b)                      N s, of the normal forces between two bodies so far
//   force(a, b) friction(a, b)         N, normal and tangential, in the last step
//   t                                  s
// and the parameters of the scene.
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
    time,
    joint,
    parameter
  };
  Kind kind = Kind::time;
  int a = -1, b = -1;  // bodies; of a joint the column (joint_columns.h)
  std::string name = {};  // of a parameter
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
  VectorX joints_;              // of joint_columns(), where a term asks for them
  bool reads_joints_ = false;
};

}  // namespace vinci
