// SPDX-License-Identifier: Apache-2.0
// The rounds.
#include "vinci/newton/semismooth_newton.h"

#include <algorithm>

namespace vinci {

namespace {

constexpr const char* semismooth_newton_name = "semismooth-newton";
constexpr double smallest_proximity = 1e-10, largest_proximity = 1e2;
constexpr double proximity_fall = 0.1, proximity_rise = 10.0;
constexpr int steps_of_round = 40, few_steps = 4;
constexpr int most_failed_rounds = 8;    // rounds in a row
constexpr int most_idle = 12;            // rounds in a row that find nothing better
constexpr double polished_below = 1e-2;  // relative residual
constexpr double gain = 0.5;             // of a round that counts though its target was missed

const std::vector<std::string> map_names = {"alart-curnier", "jean-moreau", "natural",
                                            "fischer-burmeister"};
const std::vector<std::string> search_names = {"none", "armijo", "goldstein-price"};

template <class Choice>
Choice chosen(const std::vector<std::string>& names, const std::string& text) {
  return static_cast<Choice>(std::find(names.begin(), names.end(), text) - names.begin());
}

}  // namespace

SemismoothNewtonSolver::SemismoothNewtonSolver(const Settings& settings)
    : VelocitySolver(
          {semismooth_newton_name, settings.tolerance, settings.max_iterations, settings.largest}),
      settings_(settings) {}

const char* SemismoothNewtonSolver::refusal(const ComplementarityProblem& problem) const {
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
  rules.target =
      std::max(0.3 * frame_.tolerance, std::min(0.1, proximity) * best_residual_.relative) *
      judge_.free_norm();
  rules.steps = std::min(steps_of_round, frame_.max_iterations - iterations_);
  rules.tolerance = frame_.tolerance;
  rules.until = &until_;
  const NewtonRound::Outcome outcome = round_.run(problem, judge_, rules, candidate_);
  iterations_ += outcome.steps;
  return outcome;
}

void SemismoothNewtonSolver::iterate(const ComplementarityProblem& problem) {
  round_.prepare(problem, judge_);
  double proximity = settings_.proximity;
  int failures = 0, idle = 0;
  while (!out_of_limits() && failures <= most_failed_rounds && idle <= most_idle) {
    center_ = candidate_.lambda;
    const double before = best_residual_.relative;
    const NewtonRound::Outcome outcome = round(problem, proximity);
    const bool good = outcome.reached || round_.best().relative < gain * before;
    last_ = candidate_.lambda;
    candidate_.lambda = round_.best_lambda();
    Residual residual = round_.best();
    if (settings_.polish && residual.relative < polished_below && !settled(residual)) {
      judge_.measure(problem, candidate_);
      residual = polish_.improve(problem, operator_, judge_,
                                 {frame_.tolerance, 4, nullptr, &until_}, candidate_, residual);
    }
    if (offer(residual)) return;
    idle = best_residual_.relative < 0.9 * before ? 0 : idle + 1;
    if (good) {
      failures = 0;
      candidate_.lambda = outcome.reached ? last_ : round_.best_lambda();
      const int falls = outcome.reached ? (outcome.steps <= few_steps ? 2 : 1) : 0;
      for (int k = 0; k < falls; ++k)
        proximity = std::max(proximity * proximity_fall, smallest_proximity);
    } else {
      ++failures;
      candidate_.lambda = center_;
      proximity = std::clamp(proximity * proximity_rise, 1e-6, largest_proximity);
    }
  }
}

SolverRegistry::Entry semismooth_newton_entry() {
  const SemismoothNewtonSolver::Settings fallback;
  OptionTable options{
      {"tolerance", "Relative residual asked of the judge.", fallback.tolerance, "", 0.0, 1.0},
      {"max-iterations", "Newton steps before giving up.", long{fallback.max_iterations}, "", 0,
       1e9},
      {.name = "map",
       .text = "The law as an equation Φ(x, w) = 0, x = s λ, z = x − w: alart-curnier "
               "x_N = [z_N]₊, x_T = P(z_T) onto the ball μ[z_N]₊ (Alart & Curnier 1991); "
               "jean-moreau: onto the ball μ[x_N]₊ (Jean & Moreau 1987); natural: x = P_K(x − ŵ), "
               "ŵ = w + (μ|w_T|, 0, 0) (De Saxcé & Feng 1998); fischer-burmeister: "
               "x̂ + ŷ = (x̂² + ŷ²)^½ on the second-order cone (Fukushima, Luo & Tseng 2002).",
       .fallback = map_names[0],
       .choices = map_names},
      {.name = "line-search",
       .text = "On θ = ½|Φ|²: Armijo's rule, that of Goldstein and Price, or none.",
       .fallback = search_names[1],
       .choices = search_names},
      {"memory", "Values of θ whose largest a step must fall below (Grippo et al. 1986).",
       long{fallback.memory}, "", 1, 100},
      {"proximity",
       "ρ of the first round's term ρ s |λ − λ̄|²/2; it falls tenfold a round. 0: plain Newton.",
       fallback.proximity, "", 0.0, 100.0},
      {"polish", "Finish by Newton's method on the active set.", fallback.polish},
      {"largest", "Unknowns and rows up to which the Newton matrix is factored.",
       long{fallback.largest}, "", 1, 1e7},
  };
  return {semismooth_newton_name,
          "Semi-smooth Newton on four maps of the law, in proximal rounds; any form.",
          "Alart, Curnier 1991; Acary, Brémond, Huber 2018", options,
          [](const OptionValues& values) {
            SemismoothNewtonSolver::Settings settings;
            settings.tolerance = values.real("tolerance");
            settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
            settings.map = chosen<LawMap>(map_names, values.text("map"));
            settings.search = chosen<LineSearch>(search_names, values.text("line-search"));
            settings.memory = static_cast<int>(values.integer("memory"));
            settings.proximity = values.real("proximity");
            settings.polish = values.flag("polish");
            settings.largest = static_cast<int>(values.integer("largest"));
            return std::make_unique<SemismoothNewtonSolver>(settings);
          }};
}

}  // namespace vinci
