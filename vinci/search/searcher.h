// SPDX-License-Identifier: Apache-2.0
// Searches of the unit cube for the greatest value of a function that is told point by point. A
// searcher asks for points, is told their values, and asks for the next ones; it knows no more of
// the function. Told the same values again it asks for the same points, so that a search goes on
// where it was interrupted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

struct SearchOptions {
  std::uint64_t seed = 0;
  int dimensions = 1;
  std::uint64_t evaluations = 1000;  // in all
  VectorX start;                     // of the first search; empty: the middle of the cube
  double step = 0.3;                 // how far from the start to look first
  double tolerance = 1e-6;           // of coordinates: closer points count as one
  int population = 0;                // of cma-es at first; 0: 4 + 3 log(dimensions)
};

struct SearchBest {
  VectorX point;  // empty: no value was told yet
  double value = -infinity;
  std::uint64_t evaluation = 0;  // which one, from 0
};

class Searcher {
 public:
  explicit Searcher(const SearchOptions& options);  // throws Error for what cannot be
  virtual ~Searcher() = default;

  // Whose values are asked for, one a column; none where the search is over.
  const MatrixX& points() const { return points_; }
  bool done() const { return points_.cols() == 0; }
  // One value per point, the greater the better; NaN where there is no answer.
  void tell(std::span<const double> values);

  std::uint64_t evaluations() const { return evaluations_; }
  const SearchBest& best() const { return best_; }
  // Where the method takes the optimum to be. Of values with noise it is better than best(), whose
  // value had luck.
  virtual VectorX guess() const { return best_.point; }
  // Searches that began, with the first one.
  std::uint64_t searches() const { return searches_; }

 protected:
  // Uses points_ and values_, and leaves the points to ask for next.
  virtual void proceed() = 0;
  std::uint64_t left() const { return options_.evaluations - evaluations_; }
  // Where search `number` begins: as the options say, then anywhere.
  VectorX start_of(std::uint64_t number) const;

  SearchOptions options_;
  MatrixX points_;
  VectorX values_;  // of points_; NaN where there is no answer
  std::uint64_t searches_ = 1;

 private:
  std::uint64_t evaluations_ = 0;
  SearchBest best_;
};

// cma-es, bobyqa, cobyla, sbplx, direct-l
std::vector<std::string> search_methods();
// Throws Error for a name that is not among them.
std::unique_ptr<Searcher> make_searcher(std::string_view method, const SearchOptions& options);

}  // namespace vinci
