// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/morris.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

MorrisTrajectories::MorrisTrajectories(std::uint64_t seed, int dimensions,
                                       std::uint64_t trajectories, int levels)
    : places_(seed, "morris-places"),
      orders_(seed, "morris-orders"),
      dimensions_(dimensions),
      trajectories_(trajectories),
      levels_(levels) {
  if (dimensions < 1) throw Error(fmt::format("{} dimensions; dimensions: 1 or more", dimensions));
  if (trajectories < 2)
    throw Error(fmt::format("{} trajectories; trajectories: 2 or more", trajectories));
  if (levels < 2) throw Error(fmt::format("{} levels; levels: 2 or more", levels));
}

std::uint64_t MorrisTrajectories::count() const {
  return trajectories_ * static_cast<std::uint64_t>(dimensions_ + 1);
}

// The places that a coordinate leaves and enters: all pairs of cells are alike, and all places in
// them. Of a step that is always the same one, or of places that are, what repeats itself or is a
// mirror image of itself would be hidden.
MorrisTrajectories::Change MorrisTrajectories::change(std::uint64_t trajectory,
                                                      std::uint64_t input) const {
  const auto cells = static_cast<std::uint64_t>(levels_);
  const std::uint64_t from = places_.below(cells, trajectory, 3 * input);
  const std::uint64_t other = places_.below(cells - 1, trajectory, 3 * input + 1);
  const std::uint64_t to = other < from ? other : other + 1;
  const double within = places_.uniform(trajectory, 3 * input + 2);
  const auto place = [&](std::uint64_t cell) {
    return (static_cast<double>(cell) + within) / levels_;
  };
  return {place(from), place(to)};
}

void MorrisTrajectories::point(std::uint64_t number, std::span<double> out) const {
  const auto inputs = static_cast<std::uint64_t>(dimensions_);
  if (number >= count() || out.size() != inputs)
    throw Error(fmt::format("point {} with {} coordinates; points: 0 to {}, of {} coordinates",
                            number, out.size(), count() - 1, inputs));
  const std::uint64_t trajectory = number / (inputs + 1), changed = number % (inputs + 1);
  for (std::uint64_t i = 0; i < inputs; ++i) out[i] = change(trajectory, i).from;
  const KeyedPermutation order(inputs, orders_, trajectory);
  for (std::uint64_t step = 0; step < changed; ++step) {
    const std::uint64_t i = order(step);
    out[i] = change(trajectory, i).to;
  }
}

std::vector<MorrisEffect> MorrisTrajectories::analyse(std::span<const double> values,
                                                      double level) const {
  if (values.size() != count())
    throw Error(fmt::format("{} values of {} points; one per point", values.size(), count()));
  const auto inputs = static_cast<std::uint64_t>(dimensions_);
  std::vector<RunningMean> effects(inputs), sizes(inputs);
  for (std::uint64_t trajectory = 0; trajectory < trajectories_; ++trajectory) {
    const KeyedPermutation order(inputs, orders_, trajectory);
    const auto own = values.subspan(trajectory * (inputs + 1), inputs + 1);
    for (std::uint64_t step = 0; step < inputs; ++step) {
      const std::uint64_t i = order(step);
      const auto [from, to] = change(trajectory, i);
      const double effect = (own[step + 1] - own[step]) / (to - from);
      if (!std::isfinite(effect)) continue;
      effects[i].add(effect);
      sizes[i].add(std::abs(effect));
    }
  }
  std::vector<MorrisEffect> answer;
  for (std::uint64_t i = 0; i < inputs; ++i)
    answer.push_back({effects[i].mean(), sizes[i].mean(), std::sqrt(effects[i].variance()),
                      sizes[i].interval(level), effects[i].count()});
  return answer;
}

}  // namespace vinci
