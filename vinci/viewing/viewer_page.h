// SPDX-License-Identifier: Apache-2.0
// The viewer's pages, each one HTML file, embedded when the library is built (web/): of recordings,
// and of studies.
#pragma once

#include <string_view>

namespace vinci {

// Empty if the library was built without it.
std::string_view viewer_page();
// The same; throws Error that says how to get one if there is none.
std::string_view required_viewer_page();
std::string_view required_study_page();

}  // namespace vinci
