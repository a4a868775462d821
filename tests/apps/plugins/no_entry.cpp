// SPDX-License-Identifier: Apache-2.0
// A library that is no plugin.
extern "C" int something_else() {
  return 0;
}
