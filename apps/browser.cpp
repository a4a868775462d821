// SPDX-License-Identifier: Apache-2.0
#include "apps/browser.h"

#include <cstdlib>

#include "vinci/base/error.h"
#include "vinci/viewing/child_process.h"

namespace vinci {
namespace {

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<TemporaryFolder> open_browser(const std::string& address) {
  const auto program = find_program({"xdg-open"});
  if (!has_display() || program.empty()) return nullptr;
  try {
    auto folder = std::make_unique<TemporaryFolder>();
    ChildOptions options;
    options.command = {program.string(), folder->leading_page(address).string()};
    ChildProcess(options).release();  // it may become the browser, which lives on
    return folder;
  } catch (const Error&) {
    return nullptr;  // the address is printed in any case
  }
}

}  // namespace vinci
