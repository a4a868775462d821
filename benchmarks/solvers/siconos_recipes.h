// SPDX-License-Identifier: Apache-2.0
// Which solvers of Siconos numerics 4.4 stand for each class, with the settings that are worth
// trying. Numbers of solvers and of slots are those of its headers (*_cst.h). Left out are those
// that Debian's library is built without: PATH, GAMS, the simplex and the QP solvers, and what
// rests on them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vinci {

struct SiconosRecipe {
  std::string name;
  int solver = 0;
  bool direct = false;                             // pivoting, enumeration: one tolerance is enough
  int inner = 0;                                   // replaces the first internal solver; 0: default
  std::vector<std::pair<int, int>> integers = {};  // iparam
  std::vector<std::pair<int, double>> reals = {};  // dparam
  int iterations = 10000000;                       // as good as none: the clock decides
};

// `kind`: lcp, mlcp, relay, fc2d, fc3d, gfc3d.
std::vector<SiconosRecipe> siconos_recipes(const std::string& kind, int rows);

}  // namespace vinci
