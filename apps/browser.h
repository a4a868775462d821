// SPDX-License-Identifier: Apache-2.0
// Shows an address in the user's browser.
#pragma once

#include <memory>
#include <string>

#include "vinci/viewing/temporary_folder.h"

namespace vinci {

// The folder with the page that leads the browser to the address, to be kept while the address is
// good; nothing if there is no display, or no program that opens pages.
std::unique_ptr<TemporaryFolder> open_browser(const std::string& address);

}  // namespace vinci
