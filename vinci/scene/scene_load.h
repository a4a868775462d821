// SPDX-License-Identifier: Apache-2.0
// From files or text to a checked scene; private to scene/. Both throw SceneError with all
// mistakes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/scene/scene_data.h"

namespace vinci {

std::shared_ptr<const SceneData> read_scene_file(const std::filesystem::path& file,
                                                 const RunCheck& check,
                                                 const std::vector<std::filesystem::path>& allowed);

// Text has no place on disk: it includes no files and reads no meshes.
std::shared_ptr<const SceneData> read_scene_text(std::string_view text, const std::string& name);

}  // namespace vinci
