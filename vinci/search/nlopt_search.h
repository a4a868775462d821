// SPDX-License-Identifier: Apache-2.0
// Searches of NLopt, told value by value: the one door to it. NLopt calls the function that it
// searches; here it is run anew from its start for every value, answered from memory, and stopped
// at the first point that is not known. Its methods are deterministic, so it comes there again.
#pragma once

#include "vinci/search/searcher.h"

namespace vinci {

enum class NloptMethod {
  bobyqa,   // quadratic models [Powell 2009]
  cobyla,   // linear models [Powell 1994]
  sbplx,    // simplices in subspaces [Rowan 1990]
  direct_l  // boxes that are divided: global [Gablonsky 2001]
};

class NloptSearch : public Searcher {
 public:
  NloptSearch(NloptMethod method, const SearchOptions& options);

 private:
  void proceed() override;
  // Whether NLopt asked for a point, which points_ then holds; otherwise it has settled.
  bool run();

  NloptMethod method_;
  std::vector<std::vector<double>> known_points_;  // of the search that goes on
  std::vector<double> known_values_;
};

}  // namespace vinci
