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
  if (levels < 2 || levels % 2 != 0)
    throw Error(fmt::format("{} levels; levels: an even number from 2 on", levels));
}

std::uint64_t MorrisTrajectories::count() const {
  return trajectories_ * static_cast<std::uint64_t>(dimensions_ + 1);
}

// Whether a coordinate goes from the lower half to the upper one, or back.
bool MorrisTrajectories::rises(std::uint64_t trajectory, std::uint64_t input) const {
  return places_.bits(trajectory, 2 * input) >> 63;
}

void MorrisTrajectories::point(std::uint64_t number, std::span<double> out) const {
  const auto inputs = static_cast<std::uint64_t>(dimensions_);
  if (number >= count() || out.size() != inputs)
    throw Error(fmt::format("point {} with {} coordinates; points: 0 to {}, of {} coordinates",
                            number, out.size(), count() - 1, inputs));
  const std::uint64_t trajectory = number / (inputs + 1), changed = number % (inputs + 1);
  const auto half = static_cast<std::uint64_t>(levels_ / 2);
  for (std::uint64_t i = 0; i < inputs; ++i) {
    const auto cell = static_cast<double>(places_.below(half, trajectory, 2 * i + 1));
    out[i] = (cell + 0.5) / levels_ + (rises(trajectory, i) ? 0.0 : 0.5);
  }
  const KeyedPermutation order(inputs, orders_, trajectory);
  for (std::uint64_t step = 0; step < changed; ++step) {
    const std::uint64_t i = order(step);
    out[i] += rises(trajectory, i) ? 0.5 : -0.5;
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
      const double effect = (own[step + 1] - own[step]) / (rises(trajectory, i) ? 0.5 : -0.5);
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
