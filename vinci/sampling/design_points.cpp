// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/design_points.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/sampling/sobol_directions.h"

namespace vinci {

namespace {

constexpr std::uint64_t all_numbers = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t sobol_count = std::uint64_t{1} << 32;
// Jitter in slices of a Latin hypercube, beside the numbers of its orders.
constexpr std::uint64_t jitter_stream = std::uint64_t{1} << 63;

// Owen's scrambling [Owen 1995]: each bit is flipped or not by a random number that belongs to the
// bits before it, so that the two halves of every interval change places or not. Bits beyond the
// 32 of the sequence are those of the last such number.
double scrambled(std::uint32_t x, std::uint64_t key) {
  std::uint64_t node = 1, answer = 0;  // the bits before, after a one that tells how many they are
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint64_t own = (x >> bit) & 1;
    answer = (answer << 1) | (own ^ (mixed(node ^ key) >> 63));
    node = (node << 1) | own;
  }
  return to_unit_interval((answer << 32) | (mixed(node ^ key) >> 32));
}

}  // namespace

DesignPoints::DesignPoints(Method method, std::uint64_t seed, int dimensions, std::uint64_t count)
    : method_(method), dimensions_(dimensions), count_(count), random_(seed, "design-points") {
  if (dimensions < 0) throw Error(fmt::format("{} dimensions; dimensions: 0 or more", dimensions));
}

DesignPoints DesignPoints::monte_carlo(std::uint64_t seed, int dimensions) {
  return {Method::monte_carlo, seed, dimensions, all_numbers};
}

DesignPoints DesignPoints::latin_hypercube(std::uint64_t seed, int dimensions,
                                           std::uint64_t count) {
  // Slices must be told apart by 53 bits, with jitter in them.
  if (count < 1 || count > (std::uint64_t{1} << 40))
    throw Error(fmt::format("a Latin hypercube of {} points; count: 1 to 2^40", count));
  DesignPoints design(Method::latin_hypercube, seed, dimensions, count);
  for (int i = 0; i < dimensions; ++i)
    design.orders_.emplace_back(count, design.random_, static_cast<std::uint64_t>(i));
  return design;
}

DesignPoints DesignPoints::sobol(std::uint64_t seed, int dimensions) {
  if (dimensions > most_sobol_dimensions)
    throw Error(
        fmt::format("a Sobol sequence of {} dimensions; dimensions: up to {} (monte-carlo "
                    "and latin-hypercube take any number)",
                    dimensions, most_sobol_dimensions));
  DesignPoints design(Method::sobol, seed, dimensions, sobol_count);
  for (int i = 0; i < dimensions; ++i) {
    const std::array<std::uint32_t, 32> directions = sobol_directions(i);
    design.directions_.insert(design.directions_.end(), directions.begin(), directions.end());
    design.keys_.push_back(design.random_.bits(static_cast<std::uint64_t>(i), 0));
  }
  return design;
}

DesignPoints DesignPoints::grid(std::vector<std::uint64_t> counts, GridPlaces places) {
  std::uint64_t all = 1;
  for (const std::uint64_t count : counts) {
    if (count == 0) throw Error("a grid of 0 points; count: at least 1 per dimension");
    if (all > all_numbers / count) throw Error("a grid of more than 2^64 points");
    all *= count;
  }
  DesignPoints design(Method::grid, 0, static_cast<int>(counts.size()), all);
  design.counts_ = std::move(counts);
  design.places_ = places;
  return design;
}

void DesignPoints::point(std::uint64_t k, std::span<double> out) const {
  if (k >= count_) throw Error(fmt::format("point {} of a design; points: 0 to {}", k, count_ - 1));
  if (out.size() != static_cast<std::size_t>(dimensions_))
    throw Error(fmt::format("a point of {} coordinates of a design of {} dimensions", out.size(),
                            dimensions_));
  switch (method_) {
    case Method::monte_carlo:
      random_.uniforms(k, out);
      return;
    case Method::latin_hypercube: {
      // So many bits of jitter that rounding leaves the point in its slice.
      const int bits = 50 - static_cast<int>(std::bit_width(count_));
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t fraction = random_.bits(jitter_stream | i, k) >> (64 - bits);
        const double jitter = std::ldexp(static_cast<double>(fraction) + 0.5, -bits);
        out[i] = (static_cast<double>(orders_[i](k)) + jitter) / static_cast<double>(count_);
      }
      return;
    }
    case Method::sobol:
      for (std::size_t i = 0; i < out.size(); ++i) {
        std::uint32_t x = 0;
        for (std::uint64_t rest = k; rest != 0; rest &= rest - 1)
          x ^= directions_[32 * i + static_cast<std::size_t>(std::countr_zero(rest))];
        out[i] = scrambled(x, keys_[i]);
      }
      return;
    case Method::grid:
      for (std::size_t i = out.size(); i-- > 0; k /= counts_[i]) {
        const auto place = static_cast<double>(k % counts_[i]);
        const auto n = static_cast<double>(counts_[i]);
        if (places_ == GridPlaces::middles || counts_[i] == 1)
          out[i] = (place + 0.5) / n;
        else
          out[i] = place / (n - 1.0);
      }
      return;
  }
}

MatrixX DesignPoints::points(std::uint64_t first, std::uint64_t count) const {
  MatrixX columns(dimensions_, static_cast<Eigen::Index>(count));
  for (Eigen::Index j = 0; j < columns.cols(); ++j)
    point(first + static_cast<std::uint64_t>(j),
          {columns.col(j).data(), static_cast<std::size_t>(dimensions_)});
  return columns;
}

}  // namespace vinci
