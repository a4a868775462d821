// SPDX-License-Identifier: Apache-2.0
#include "vinci/selection/soft_path.h"

#include <cmath>

namespace vinci {
namespace {

// Of the tolerance: what contacts give way by, over the mean diagonal of W. Loads add up in a pile.
constexpr double give = 0.003;
// Of the tolerance: what the judge may see otherwise.
constexpr double margin = 0.99;
constexpr int most_path_steps = 40;

}  // namespace

bool SoftPath::find(const ComplementarityProblem& problem, Judge& judge, const VectorX& start,
                    const Accuracy& accuracy, Solution& answer, Residual& measured) {
  steps_ = 0;
  if (!contacts_.read(problem, judge)) return false;
  const double norm = judge.free_norm();
  ConePath::Terms terms;
  terms.target = margin * accuracy.tolerance * norm;
  terms.unit = norm / std::sqrt(static_cast<double>(problem.blocks.size()));
  terms.compliance = give * accuracy.tolerance * judge.scales().mean();
  terms.steps = most_path_steps;
  if (start.isZero(0.0))
    x_.resize(0);
  else
    contacts_.load(start, x_);
  const ConePath::Outcome outcome = path_.run(contacts_, terms, x_);
  steps_ = outcome.steps;
  if (!(outcome.distance <= terms.target)) return false;
  answer.lambda.resize(problem.rows());
  contacts_.store(x_, answer.lambda);
  answer.u.resize(problem.unknowns());
  measured = judge.measure(problem, answer);
  answer.u = judge.u();
  return accuracy.is_settled(measured);
}

}  // namespace vinci
