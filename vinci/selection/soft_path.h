// SPDX-License-Identifier: Apache-2.0
// Loads of many contacts where they need not be exact: those of the central path of contacts of one
// small compliance (cone_path.h), from the loads of the last step pushed inside, as soon as the
// judge calls them solved. Takes islands of any size, in time that grows little faster than it.
#pragma once

#include "vinci/complementarity/accuracy.h"
#include "vinci/newton/cone_path.h"

namespace vinci {

class SoftPath {
 public:
  // True: `answer` is as exact as asked for, as the judge measured in `measured`. The judge is
  // prepared for the problem; the answer may be that of before, and is left alone if not used.
  bool find(const ComplementarityProblem& problem, Judge& judge, const VectorX& start,
            const Accuracy& accuracy, Solution& answer, Residual& measured);
  int steps() const { return steps_; }  // linear systems of the last call

 private:
  ScaledContacts contacts_;
  ConePath path_;
  VectorX x_;
  int steps_ = 0;
};

}  // namespace vinci
