// SPDX-License-Identifier: Apache-2.0
// Equality: w = 0, λ free. The set is the whole space, its projection the identity.
#pragma once

namespace vinci::law {

inline void equality_map(int size, const double* w, double* r) {
  for (int i = 0; i < size; ++i) r[i] = w[i];
}

}  // namespace vinci::law
