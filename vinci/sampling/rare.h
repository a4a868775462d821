// SPDX-License-Identifier: Apache-2.0
// Probabilities that are too small to count: of an event that happens where a margin, a function of
// independent normal numbers, is negative. The methods ask for margins in rounds and know no more
// of the function; told the same margins again they ask for the same points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/sampling/interval.h"
#include "vinci/sampling/random.h"

namespace vinci {

struct RareEstimate {
  double probability = 0.0;
  double variation = 0.0;  // deviation of the estimate over the estimate, at most
  Interval interval;
  bool complete = false;  // the event was reached; otherwise the interval alone says something
  std::uint64_t evaluations = 0;
  std::uint64_t unknown = 0;  // of them without an answer (NaN)
  // Shares that tell of parts of the event where the method did not look, each 0 where it did:
  // points that led away from all that it looked at, and of the estimate what came from there.
  double led_elsewhere = 0.0, found_elsewhere = 0.0;
  bool is_partial() const { return led_elsewhere > 0.05 || found_elsewhere > 0.05; }
  VectorX nearest;  // the likeliest point of the event that was seen; empty: none
};

class RareSampler {
 public:
  virtual ~RareSampler() = default;
  // Of the round that is due, one a column, in normal numbers; none where the method is done.
  const MatrixX& points() const { return points_; }
  bool done() const { return points_.cols() == 0; }
  // One margin per point; NaN where there is no answer.
  void tell(std::span<const double> margins);
  virtual RareEstimate estimate(double level) const = 0;

 protected:
  // Uses margins_ and points_, and leaves the points of the next round.
  virtual void proceed() = 0;
  RareEstimate seen() const;

  MatrixX points_;
  VectorX margins_;  // of points_; ∞ where unknown
  std::vector<bool> is_unknown_;

 private:
  std::uint64_t evaluations_ = 0, unknown_ = 0;
  VectorX nearest_;
};

// Normal numbers as coordinates of the unit cube, in (0, 1).
MatrixX to_unit_cube(const MatrixX& normals);

struct SubsetOptions {
  std::uint64_t seed = 0;
  int dimensions = 1;
  std::uint64_t count = 1000;  // of points per level
  std::uint64_t parts = 10;    // a level keeps one of so many; divides count
  int most_levels = 12;
  double spread = 1.5;  // of a step of a chain, in deviations
};

// Subset simulation [Au 2001]: a chain of events, each of which happens in one of ten cases of the
// one before, sampled by Markov chains.
class SubsetSimulation : public RareSampler {
 public:
  explicit SubsetSimulation(const SubsetOptions& options);
  RareEstimate estimate(double level) const override;

 private:
  void proceed() override;
  void finish_level();
  void add_level(double share, const Eigen::Array<bool, Eigen::Dynamic, 1>& inside);
  void ask_for_candidates();
  void choose_seeds(std::vector<Eigen::Index>& order) const;
  std::uint64_t chains() const { return options_.count / options_.parts; }

  SubsetOptions options_;
  CounterRandom random_, seeds_;
  std::uint64_t drawn_ = 0;  // points so far: the numbers of their random numbers
  int level_ = 0;
  Eigen::Index filled_ = 0;  // of samples_
  MatrixX samples_;          // of this level: the first of all chains, the second of all, …
  VectorX values_;
  double limit_ = infinity;  // of the margin in this level
  double probability_ = 1.0, variation_ = 0.0;
  bool complete_ = false;
  std::uint64_t first_unknown_ = 0;  // of the undisturbed points
};

struct ImportanceOptions {
  std::uint64_t seed = 0;
  int dimensions = 1;
  int components = 1;                // parts of the event in different directions
  std::uint64_t count = 1000;        // of points per round that looks for the event
  std::uint64_t final_count = 2000;  // of points that measure its probability
  double share = 0.1;                // of a round that leads the next one
  int most_rounds = 12;
  double safety =
      0.1;  // share of points from the undisturbed distribution: weights stay below its inverse
};

// Importance sampling from normal distributions that the cross-entropy method moves to the event
// [Rubinstein 2004].
class ImportanceSampling : public RareSampler {
 public:
  explicit ImportanceSampling(const ImportanceOptions& options);
  RareEstimate estimate(double level) const override;

 private:
  void proceed() override;
  void draw(std::uint64_t count);
  // Of the undisturbed distribution over that of the points.
  double weight(const VectorX& point) const;
  double led_elsewhere() const;
  void move_centres(const std::vector<Eigen::Index>& leaders);

  ImportanceOptions options_;
  CounterRandom random_;
  std::uint64_t drawn_ = 0;
  int round_ = 0;
  bool reached_ = false, is_final_ = false;
  // The components: normal distributions of which no direction is narrower than the undisturbed
  // one, so that no weight is large within the event.
  struct Component {
    VectorX centre, widths;                          // along the directions: deviations, at least 1
    MatrixX directions;                              // columns
    double share = 0.0;                              // of the points that are not for safety
    double log_density(const VectorX& point) const;  // without the constant of all normal ones
    void widen(const MatrixX& points, const VectorX& weights);
  };
  std::vector<Component> components_;
  // Means of the weights of the event in the last round, without unknown answers and with them.
  RunningMean known_, possible_;
  double heavy_ = 0.0;  // sum of those of them that the mixture thinks less likely than before
  // Of the undisturbed points: those that led the next round, and how many may be in the event.
  MatrixX first_leaders_;
  std::uint64_t first_possible_ = 0;
};

}  // namespace vinci
