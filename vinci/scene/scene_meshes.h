// SPDX-License-Identifier: Apache-2.0
// Meshes and heights as they stand in a scene's text: long rows of numbers are one text each, so
// that a mesh takes few values of the tree. Private to scene/.
#pragma once

#include "vinci/scene/scene_data.h"

namespace vinci {

// Numbers with blanks or commas between them, appended; false if something else is there.
bool read_numbers(std::string_view text, std::vector<double>& numbers);

// The section `mesh-triangles` of all meshes that were read.
Node triangle_nodes(const SceneData& scene);

// Its meshes, into scene.triangles.
void read_triangle_nodes(const Node& section, SceneData& scene, Mistakes& mistakes);

// Rows of heights from the lines of a text file, as a list named `heights`; what follows a # is a
// remark. Throws Error for lines that are too long.
Node height_rows(std::string_view text);

}  // namespace vinci
