// SPDX-License-Identifier: Apache-2.0
// A plugin of another interface version; its registration must never be called.
#include <cstdlib>

extern "C" int vinci_plugin_interface_version() {
  return 999;
}
extern "C" void vinci_plugin_register() {
  std::abort();
}
