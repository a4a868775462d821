// SPDX-License-Identifier: Apache-2.0
// Damped semi-smooth Newton steps on Φ(s λ, ŵ + ρ s (λ − λ̄)) = 0 (law_maps.h), the equations of
// one round of a proximal method, in a problem of any form: w = J u + C λ + b with u = M⁻¹(Jᵀλ +
// p). ρ > 0 keeps the matrix regular where contacts repeat each other. A step is shortened until θ
// = ½|Φ|² falls below the largest of its last values [Grippo, Lampariello, Lucidi 1986].
#pragma once

#include "vinci/base/clock.h"
#include "vinci/complementarity/accuracy.h"
#include "vinci/newton/coupled_matrix.h"
#include "vinci/newton/law_maps.h"

namespace vinci {

// Goldstein and Price ask in addition that a shortened step is not too short.
enum class LineSearch : char { none, armijo, goldstein_price };

class NewtonRound {
 public:
  struct Rules {
    LawMap map = LawMap::alart_curnier;
    LineSearch search = LineSearch::armijo;
    int memory = 1;          // values of θ that a step is compared with
    double proximity = 0.0;  // ρ
    double target = 0.0;     // of |Φ|, in the unit of w
    int steps = 0;           // at most
    Accuracy accuracy;       // of the judge: the round ends early where it is met
    bool frozen = false;     // μ|w_t| as it was where the round began: a monotone round
    const Deadline* until = nullptr;
  };
  struct Outcome {
    bool reached = false;  // the target
    int steps = 0;         // factorisations
  };

  void prepare(const ComplementarityProblem& problem, const Judge& judge);
  // From λ = solution.lambda on, which is λ̄; it becomes the last point. The judge is prepared.
  Outcome run(const ComplementarityProblem& problem, Judge& judge, const Rules& rules,
              Solution& solution);
  // What the judge found best among the points of the last run.
  const Residual& best() const { return best_; }
  const VectorX& best_lambda() const { return best_lambda_; }

 private:
  double measure(const ComplementarityProblem& problem, Judge& judge, Solution& solution);
  void evaluate(const ComplementarityProblem& problem, const Judge& judge, const VectorX& lambda,
                bool derivatives);
  bool direction(const ComplementarityProblem& problem, const Judge& judge, const VectorX& lambda);
  bool search(const ComplementarityProblem& problem, Judge& judge, double theta, double reference,
              Solution& solution, double& reached);

  Rules rules_;
  CoupledMatrix matrix_;
  std::vector<double> A_, B_;
  VectorX center_, frozen_, w_, phi_, step_, motion_, from_;
  std::vector<double> recent_;  // θ
  Residual best_;
  VectorX best_lambda_;
};

}  // namespace vinci
