// SPDX-License-Identifier: Apache-2.0
// The one door to SUNDIALS: implicit differential-algebraic systems F(t, y, y') = 0 of index 1, to
// a time or to the first change of sign of a watched function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vinci/base/clock.h"
#include "vinci/base/math.h"

namespace vinci {

class ImplicitSystem {
 public:
  virtual ~ImplicitSystem() = default;
  virtual int size() const = 0;
  virtual bool is_differential(int i) const = 0;  // y_i' appears in F
  virtual void residual(double time, const VectorX& y, const VectorX& slopes, VectorX& rows) = 0;
  // ∂F/∂y + factor ∂F/∂y'.
  virtual void jacobian(double time, double factor, const VectorX& y, const VectorX& slopes,
                        MatrixX& matrix) = 0;
  virtual int watch_count() const = 0;
  virtual int watch_direction(int i) const = 0;  // −1 falling, 1 rising, 0 both
  virtual void watches(double time, const VectorX& y, VectorX& values) = 0;
  // The end of a step that counts.
  virtual void reached(double time, const VectorX& y) = 0;
};

struct ImplicitPart {
  double time = 0.0;         // that was reached
  std::vector<int> watches;  // that changed their sign there, ascending; none: the end
  std::string why;           // "" or why it went no farther
  int worst = -1;            // then: the place in y with the largest error beside its tolerance
  std::int64_t steps = 0, evaluations = 0;
};

// From consistent y and y' at `time`. IDA keeps the error of a step to its tolerances; over a run
// with dozens of events errors grow some thousand times. It is asked for a 2000th of the accuracy,
// and for no less than rounding allows, 1e-14. `interruption` is asked between its steps, where not
// null; what it throws leaves the integrator.
ImplicitPart integrate(ImplicitSystem& system, double accuracy, double time, double end, VectorX& y,
                       VectorX& slopes, Interruption* interruption = nullptr);

}  // namespace vinci
