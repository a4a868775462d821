// SPDX-License-Identifier: Apache-2.0
// The rounds.
#include "vinci/newton/semismooth_newton.h"

#include <algorithm>

#include "vinci/base/settings.h"

namespace vinci {

namespace {

constexpr const char* semismooth_newton_name = "semismooth-newton";
// Of the scale s: below the first the matrix of repeated contacts is singular to rounding, above
// the last a step moves less than a hundredth of the way. A round that failed begins at the second.
constexpr double smallest_proximity = 1e-10, after_failure = 1e-6, largest_proximity = 1e2;
constexpr double proximity_fall = 0.1, proximity_rise = 10.0;
// Far more than a good round takes; after one of few ρ falls by two decades at once.
constexpr int most_steps = 40, few_steps = 4;
constexpr int most_failed_rounds = 8;    // rounds in a row: from 1e-6 to the largest ρ
constexpr int most_idle_rounds = 12;     // rounds in a row that find nothing better
constexpr double polished_below = 1e-2;  // relative residual: most of the active set shows
constexpr double round_gain = 0.5;       // of a round that counts though its target was missed
// Of the tolerance: what Φ leaves is about the residual, which has other norms of a contact.
constexpr double share_of_tolerance = 0.3;

}  // namespace

SemismoothNewtonSolver::SemismoothNewtonSolver(const Settings& settings)
    : NewtonSolver(semismooth_newton_name, {settings.tolerance},
                   {settings.max_iterations, settings.largest}),
      settings_(settings) {}

const char* SemismoothNewtonSolver::reason_against(const ComplementarityProblem& problem) const {
  for (const Block& block : problem.blocks)
    if (const char* reason = why_unmapped(settings_.map, block)) return reason;
  return nullptr;
}

NewtonRound::Outcome SemismoothNewtonSolver::round(const ComplementarityProblem& problem,
                                                   double proximity) {
  NewtonRound::Rules rules;
  rules.map = settings_.map;
  rules.search = settings_.search;
  rules.memory = settings_.memory;
  rules.proximity = proximity;
  // The round's own answer is off by about ρ: no need to be nearer to it.
  rules.target = std::max(share_of_tolerance * accuracy().tolerance,
                          std::min(0.1, proximity) * best_residual().relative) *
                 judge_.free_norm();
  rules.steps = std::min(most_steps, limits_.max_iterations - iterations_);
  rules.accuracy = accuracy();
  rules.until = &until_;
  const NewtonRound::Outcome outcome = round_.run(problem, judge_, rules, candidate_);
  iterations_ += outcome.steps;
  return outcome;
}

void SemismoothNewtonSolver::iterate(const ComplementarityProblem& problem) {
  round_.prepare(problem, judge_);
  double proximity = settings_.proximity;
  int failures = 0, idle = 0;
  while (!out_of_limits() && failures <= most_failed_rounds && idle <= most_idle_rounds) {
    center_ = candidate_.lambda;
    const double before = best_residual().relative;
    const NewtonRound::Outcome outcome = round(problem, proximity);
    const bool good = outcome.reached || round_.best().relative < round_gain * before;
    last_ = candidate_.lambda;
    candidate_.lambda = round_.best_lambda();
    Residual residual = round_.best();
    if (settings_.polish && residual.relative < polished_below && !settled(residual)) {
      judge_.measure(problem, candidate_);
      residual = polish_.improve(problem, operator_, judge_, {accuracy(), 4, nullptr, &until_},
                                 candidate_, residual);
    }
    if (offer(candidate_.lambda, residual)) return;
    idle = best_residual().relative < 0.9 * before ? 0 : idle + 1;
    if (good) {
      failures = 0;
      candidate_.lambda = outcome.reached ? last_ : round_.best_lambda();
      const int falls = outcome.reached ? (outcome.steps <= few_steps ? 2 : 1) : 0;
      for (int k = 0; k < falls; ++k)
        proximity = std::max(proximity * proximity_fall, smallest_proximity);
    } else {
      ++failures;
      candidate_.lambda = center_;
      proximity = std::clamp(proximity * proximity_rise, after_failure, largest_proximity);
    }
  }
}

SolverRegistry::Entry semismooth_newton_entry() {
  using Settings = SemismoothNewtonSolver::Settings;
  return entry_of<Solver, SemismoothNewtonSolver>(
      semismooth_newton_name,
      "Semi-smooth Newton on four maps of the law, in proximal rounds; any form.",
      "Alart, Curnier 1991; Acary, Brémond, Huber 2018",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Newton steps before giving up.", "", 0, 1e9},
       {&Settings::map, "map",
        "The law as an equation Φ(x, w) = 0, x = s λ, z = x − w: alart-curnier "
        "x_n = [z_n]₊, x_t = P(z_t) onto the ball μ[z_n]₊ (Alart & Curnier 1991); "
        "jean-moreau: onto the ball μ[x_n]₊ (Jean & Moreau 1987); natural: x = P_K(x − ŵ), "
        "ŵ = w + (μ|w_t|, 0, 0) (De Saxcé & Feng 1998); fischer-burmeister: "
        "x̂ + ŷ = (x̂² + ŷ²)^½ on the second-order cone (Fukushima, Luo & Tseng 2002).",
        Choices{{"alart-curnier", "jean-moreau", "natural", "fischer-burmeister"}}},
       {&Settings::search, "line-search",
        "On θ = ½|Φ|²: Armijo's rule, that of Goldstein and Price, or none.",
        Choices{{"none", "armijo", "goldstein-price"}}},
       {&Settings::memory, "memory",
        "Values of θ whose largest a step must fall below (Grippo et al. 1986).", "", 1, 100},
       {&Settings::proximity, "proximity",
        "ρ of the first round's term ρ s |λ − λ̄|²/2; it falls tenfold per round. 0: plain Newton.",
        "", 0.0, 100.0},
       {&Settings::polish, "polish", "Finish by Newton's method on the active set."},
       {&Settings::largest, "largest",
        "Unknowns and rows up to which the Newton matrix is factored.", "", 1, 1e7}});
}

}  // namespace vinci
