// SPDX-License-Identifier: Apache-2.0
// The equations of one mode as rows: n of balance, then one per constraint, which is its stabilised
// form where it acts and λ = 0 where it does not.
#pragma once

#include <vector>

#include "vinci/hybrid/hybrid_motion.h"

namespace vinci {

class ModeEquations {
 public:
  explicit ModeEquations(const ConstrainedSystem& system)
      : system_(system),
        plain_(make_frame<double>(system)),
        dual_(make_frame<Dual<double>>(system)) {}

  int coordinates() const { return system_.coordinate_count(); }
  int constraints() const { return static_cast<int>(system_.constraints().size()); }
  int rows() const { return coordinates() + constraints(); }

  SystemFrame<double>& frame() { return plain_; }  // to be filled in by the caller

  // The rows at frame().
  void residual(const std::vector<ContactState>& states, Eigen::Ref<VectorX> rows);
  // Their derivative along a direction of frame(): slopes of all its arguments.
  struct Direction {
    VectorX positions, velocities, accelerations, multipliers, inputs;
  };
  Direction zero_direction() const;
  void slope(const std::vector<ContactState>& states, const Direction& direction,
             Eigen::Ref<VectorX> rows);
  // Derivatives by (v', λ): a column each.
  void force_matrix(const std::vector<ContactState>& states, MatrixX& matrix);

 private:
  const ConstrainedSystem& system_;
  SystemFrame<double> plain_;
  SystemFrame<Dual<double>> dual_;
};

}  // namespace vinci
