// SPDX-License-Identifier: Apache-2.0
// Values of the parameters of cases, each a function of its place: which design, which draw.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vinci/sampling/copula.h"
#include "vinci/sampling/design_points.h"
#include "vinci/sampling/distribution.h"
#include "vinci/study/study_data.h"

namespace vinci {

// Not of grids, which are not drawn. Throws Error where there is no such distribution.
Distribution distribution_of(const DistributionSpec& spec);
// The least and the greatest value; infinite where there is none.
std::pair<double, double> ends_of(const DistributionSpec& spec);

// From a place of the unit cube to values of the uncertain parameters.
class UncertainSpace {
 public:
  explicit UncertainSpace(const StudyData& study);
  int dimensions() const { return static_cast<int>(distributions_.size()); }
  // The point is used up.
  void append(std::span<double> point, std::vector<double>& values) const;

 private:
  std::vector<Distribution> distributions_;
  std::optional<GaussianCopula> copula_;
};

class CaseSampler {
 public:
  // At most `most` draws are asked for: the slices of a Latin hypercube. `stream` tells draws of
  // one study apart.
  CaseSampler(const StudyData& study, std::uint64_t most, std::uint64_t stream = 0);
  // Of the ranges of the design, each in (0, 1) of its range.
  static std::vector<double> design_at(const StudyData& study, std::span<const double> point);

  std::uint64_t designs() const { return designs_; }
  std::vector<double> design(std::uint64_t design) const;
  // Values of a case: those given of its design, then draw `sample`.
  StudyCase at(std::uint64_t number, std::uint32_t design, std::uint64_t sample,
               std::vector<double> design_values) const;
  StudyCase at(std::uint64_t number, std::uint32_t design, std::uint64_t sample) const;

 private:
  std::shared_ptr<const DesignPoints> points_of(std::uint64_t design) const;
  void append_grid(std::uint64_t sample, std::vector<double>& values) const;

  const StudyData& study_;
  std::uint64_t designs_ = 1, most_ = 1;
  bool common_ = true;
  std::optional<UncertainSpace> space_;  // where they are drawn
  // Of the uncertain parameters; of all designs, unless each has a Latin hypercube of its own.
  std::shared_ptr<const DesignPoints> points_;
  std::uint64_t points_seed_ = 0;
  // The hypercube that was asked for last: cases of a design come one after another.
  mutable std::mutex own_mutex_;
  mutable std::shared_ptr<const DesignPoints> own_points_;
  mutable std::uint64_t own_design_ = 0;
  std::optional<DesignPoints> design_points_;
};

// A seed for another stream of the same study.
std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream);

}  // namespace vinci
