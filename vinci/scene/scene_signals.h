// SPDX-License-Identifier: Apache-2.0
// Signals of a scene: blocks that are wired by names, as one network among the controllers.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "vinci/control/signal_builder.h"
#include "vinci/scene/scene_control.h"

namespace vinci {

inline constexpr std::size_t max_signals = 1000;
inline constexpr std::size_t max_signal_length = 100;  // of lists
inline constexpr std::size_t max_delay_samples = 100'000;
inline constexpr const char* signals_name = "signals";  // of the section, and of the controller

// The section `signals`.
SceneKey signal_section(World world);

// The signals of a section whose numbers are right; null after a mistake. `driven`: joint rates
// that controllers drive.
std::shared_ptr<const SignalNetwork> read_signals(
    const Node& section, const std::map<std::string, SceneTrajectory>& trajectories,
    const std::set<int>& driven, const Numbers& numbers, const ShapeReader& read,
    const Model& model, Mistakes& mistakes);

}  // namespace vinci
