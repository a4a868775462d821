// SPDX-License-Identifier: Apache-2.0
// Points of the unit cube, each a function of its number: a worker that is given number k needs no
// other point. Coordinates lie in (0, 1), those of grids with ends in [0, 1].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/sampling/random.h"

namespace vinci {

// Where the points of a grid lie in an edge of the cube.
enum class GridPlaces {
  ends,    // the first at 0, the last at 1; one alone at ½
  middles  // in the middles of equal cells
};

class DesignPoints {
 public:
  // The greatest number of dimensions of the Sobol sequence here.
  static constexpr int most_sobol_dimensions = 256;

  static DesignPoints monte_carlo(std::uint64_t seed, int dimensions);
  // Of `count` points exactly one lies in each of `count` equal slices of each dimension.
  static DesignPoints latin_hypercube(std::uint64_t seed, int dimensions, std::uint64_t count);
  // Of up to 2³² points; the first 2ᵐ of them fill the cube evenly.
  static DesignPoints sobol(std::uint64_t seed, int dimensions);
  // All combinations; the last dimension changes first.
  static DesignPoints grid(std::vector<std::uint64_t> counts, GridPlaces places);

  int dimensions() const { return dimensions_; }
  std::uint64_t count() const { return count_; }  // how many there are
  void point(std::uint64_t k, std::span<double> out) const;
  // Points first … first + count − 1 as columns.
  MatrixX points(std::uint64_t first, std::uint64_t count) const;

 private:
  enum class Method { monte_carlo, latin_hypercube, sobol, grid };
  DesignPoints(Method method, std::uint64_t seed, int dimensions, std::uint64_t count);

  Method method_;
  int dimensions_;
  std::uint64_t count_;
  CounterRandom random_;
  std::vector<KeyedPermutation> orders_;   // of the slices, per dimension
  std::vector<std::uint32_t> directions_;  // of the Sobol sequence, 32 per dimension
  std::vector<std::uint64_t> keys_;        // of its scrambling
  std::vector<std::uint64_t> counts_;      // of the grid
  GridPlaces places_ = GridPlaces::ends;
};

}  // namespace vinci
