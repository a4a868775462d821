// SPDX-License-Identifier: Apache-2.0
// Which rows of a problem belong to which entity.
#pragma once

#include "vinci/base/math.h"
#include "vinci/formulation/moment_rows.h"
#include "vinci/model/entity.h"

namespace vinci {

struct EntityRows {
  EntityKey key;
  std::int64_t point = 0;  // of a contact that several points stand for; the row of an element
  int first = 0, count = 0;
  Vector2 scale = Vector2::Ones();  // of a contact: its impulse along the tangents over λ
  MomentLayout moments = {};        // of a contact with moments
};

}  // namespace vinci
