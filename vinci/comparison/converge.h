// SPDX-License-Identifier: Apache-2.0
// The error of numbers of a run against the step size, and the order that it shows.
#pragma once

#include <limits>
#include <optional>
#include <variant>

#include "vinci/comparison/order_fit.h"
#include "vinci/comparison/run_many.h"
#include "vinci/comparison/variants.h"

namespace vinci {

enum class Over { end, largest, smallest, mean };  // of the values along the run
enum class ReferenceRule { finest, richardson };

inline constexpr const char* trajectory_quantity = "trajectory";

struct ConvergeOptions {
  // quantity.h, or "trajectory": the largest distance of any point of a body from the finest run.
  std::vector<std::string> quantities{trajectory_quantity};
  std::vector<double> steps;  // s; empty: 8, 4, 2, 1 and 1/2 times the scene's
  Over over = Over::end;      // trajectory: end, or largest
  std::optional<double> at;   // s: instead of the end
  std::variant<ReferenceRule, double> reference = ReferenceRule::finest;  // or the exact value
  RunManyOptions run;
};

struct ConvergencePoint {
  double step = 0.0;                                        // s
  double value = std::numeric_limits<double>::quiet_NaN();  // the run ended before: NaN
  double error = std::numeric_limits<double>::quiet_NaN();  // the finest reference itself: NaN
  double local_order =
      std::numeric_limits<double>::quiet_NaN();  // from this and the next coarser one
  bool fitted = false;                           // took part in the fit: above the rounding
  std::int64_t steps = 0;
  double cpu_seconds = 0.0;
};

// One quantity of one variant.
struct ConvergenceCurve {
  std::string quantity, variant;         // the latter "" where only the step varies
  std::vector<ConvergencePoint> points;  // coarsest first
  double reference = 0.0;                // value; for the trajectory 0
  double finest = 0.0;                   // step of the reference, 0 if it is exact or extrapolated
  std::optional<OrderFit> fit;
  std::string failure;  // why there are too few values to compare; "" if there are enough
  std::string answer;   // in words
};

struct Convergence {
  std::string title;
  std::vector<Axis> axes;  // beside the step
  std::vector<double> steps;
  double duration = 0.0, time = 0.0;  // s; the latter: when values are taken, or up to when
  Over over = Over::end;
  std::variant<ReferenceRule, double> reference;
  std::vector<ConvergenceCurve> curves;
  std::vector<SkippedVariant> skipped;
  std::vector<std::string> notes;
};

// None if go_on() said no. Throws Error.
std::optional<Convergence> converge(const Scene& scene, const RunOverrides& base,
                                    std::vector<Axis> across,
                                    const std::shared_ptr<const Plugins>& plugins,
                                    const ConvergeOptions& options);

// from, from/ratio, ... down to `to`, which is the last if it is met to rounding. Throws Error.
std::vector<double> step_series(double from, double to, double ratio);

const char* to_string(Over over);
std::string convergence_json(const Convergence& convergence);  // docs/json.md
// Error against step and against CPU time, with the fitted lines: one SVG in light or dark, as the
// reader's page is.
std::string convergence_svg(const Convergence& convergence);

}  // namespace vinci
