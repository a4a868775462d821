// SPDX-License-Identifier: Apache-2.0
// Every key of a study file, described once: its check and its JSON Schema follow this table.
#pragma once

#include "vinci/scene/scene_grammar.h"

namespace vinci {

const SceneValue& study_grammar();

inline constexpr double most_cases = 1e9;
inline constexpr double most_designs = 1e6;

}  // namespace vinci
