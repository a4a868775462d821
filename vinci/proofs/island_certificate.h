// SPDX-License-Identifier: Apache-2.0
// The verdicts on one part of a step that nothing of the others acts on (problem_certificate.h).
#pragma once

#include "vinci/proofs/all_solutions.h"
#include "vinci/proofs/balance.h"
#include "vinci/proofs/problem_certificate.h"

namespace vinci {

class IslandCertificate {
 public:
  explicit IslandCertificate(const CertifiedProblem& step);
  ProblemCertificate find();

 private:
  bool has_solution();
  bool is_blurred() const;
  bool has_no_balance();
  bool rows_contradict();
  void test_free_motions();
  bool holds_inside_limits(const Solution& at) const;
  void look_around(const Solution& at);
  bool is_convex() const;
  bool limits_follow_from_balance() const;
  void settle();
  void search();
  bool take_found(const FoundSolution& found);
  double miss(const Solution& solution);  // the judge's
  bool differs(const VectorX& u, const VectorX& v) const;
  void say(Only motion, std::string reason);

  const CertifiedProblem& step_;
  const ComplementarityProblem& problem_;
  std::vector<FrictionSet> sets_;
  Solution solution_;  // the step's, made more exact where that is needed
  Judge judge_;
  SolutionFamily family_;
  bool searched_ = false, complete_ = false;
  std::string search_note_;
  std::vector<FoundSolution> found_;
  ProblemCertificate answer_;
};

}  // namespace vinci
