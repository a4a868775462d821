// SPDX-License-Identifier: Apache-2.0
// Programs over directions y: heights above the support functions of contacts, h_i(y) <= height_i.
// Variables: y, the heights, and a bound of |U_gᵀ y| per group of contacts that have several.
#pragma once

#include "vinci/grasp/cone_program.h"
#include "vinci/grasp/grasp_map.h"

namespace vinci {

enum class SharedHeight : bool { no, yes };  // one height above all contacts, or one for each

class ConeRows {
 public:
  ConeRows(const GraspMap& map, SharedHeight shared) : map_(map), shared_(shared) {}

  int height(int contact) const {
    return map_.dimension + (shared_ == SharedHeight::yes ? 0 : contact);
  }
  ConeProgram program() const;

 private:
  const GraspMap& map_;
  SharedHeight shared_;
};

}  // namespace vinci
