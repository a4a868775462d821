// SPDX-License-Identifier: Apache-2.0
// One scene under many choices: axes with values, and the runs of their cross product. An axis is
// an option of the run ("motion"), of a plugin ("solver.tolerance") or a parameter of the scene
// ("mu"); where a name is both an option and a parameter, "run.step" and "parameters.step" tell
// them apart.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vinci/simulation/simulation.h"

namespace vinci {

struct Axis {
  enum class Kind { run_option, plugin_option, parameter };
  std::string name;  // without a prefix
  std::vector<std::string> values;
  Kind kind = Kind::run_option;  // set by make_variants()
};

// "name=value,value,...", commas inside of parentheses excepted. Throws Error (where: `place`).
Axis parse_axis(const std::string& text, const std::string& place = "across");

struct Variant {
  std::string name;                      // "quasi-static, mu=0.2": unique among its like
  std::vector<std::size_t> coordinates;  // the number of its value on each axis
  RunOverrides overrides;
};

// A combination without meaning, and why.
struct SkippedVariant {
  std::string name, reason;
};

struct VariantSet {
  std::vector<Axis> axes;
  std::vector<Variant> variants;        // that can run, the last axis running fastest
  std::vector<Simulation> simulations;  // of them, at their beginning
  std::vector<SkippedVariant> skipped;
};

inline constexpr std::size_t most_variants = 1000;

// Throws Error naming the axis: unknown name or value, a value twice, an axis that is fixed by
// `base` as well, too many combinations. What single combinations throw makes them skipped ones.
VariantSet make_variants(const Scene& scene, const RunOverrides& base, std::vector<Axis> axes,
                         const std::shared_ptr<const Plugins>& plugins);

// The variants that have the given values; "a=b, c=d" as parse_axis() reads them, or one variant's
// name. Throws Error (where: `place`) if an axis or value is unknown.
std::vector<std::size_t> select_variants(const VariantSet& set, const std::string& selector,
                                         const std::string& place);

}  // namespace vinci
