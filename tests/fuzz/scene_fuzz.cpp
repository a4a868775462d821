// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the scene loader: any bytes give a scene or a SceneError. A scene that loads must
// compile, and its source must load again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vinci/model/state.h"
#include "vinci/scene/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const vinci::Scene scene = vinci::Scene::parse(text);
    const vinci::State state = vinci::initial_state(*scene.compile());
    const vinci::Scene again = vinci::Scene::parse(scene.source());
    if (vinci::hash(vinci::initial_state(*again.compile())) != vinci::hash(state)) std::abort();
  } catch (const vinci::SceneError& error) {
    if (error.diagnostics().empty()) std::abort();
  }
  return 0;
}
