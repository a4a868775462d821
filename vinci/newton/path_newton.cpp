// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/path_newton.h"

#include <algorithm>
#include <cmath>

#include "vinci/newton/fischer.h"
#include "vinci/newton/linear_path.h"

namespace vinci {

namespace {

// Proximal perturbations, as parts of the largest entry of each row of the Jacobian. The first ones
// are below what slows convergence down, the last ones outweigh any negative slope.
constexpr double ladder[] = {0.0, 1e-11, 1e-8, 1e-5, 1e-3, 1e-1, 1.0, 10.0};
constexpr int rungs = static_cast<int>(std::size(ladder));
constexpr double sufficient = 1e-4;  // Armijo's part of the predicted descent, the usual one
constexpr double good_step = 0.9;    // merit of a step that needs no search, of the reference
constexpr double shortest = 1e-10;   // step length at which a search is given up: it moves no digit
constexpr double wild =
    1e6;  // merit over the reference that even the watchdog refuses: a thousand in Φ
constexpr double crash_length = 0.05, crash_gain = 0.1;  // shortest step, and its part of the merit

// A start is given up where the merit has not fallen by this factor within so many steps.
constexpr double progress = 0.99;
constexpr int patience = 40;

// A fixed variable has no equation.
Fischer map_of(const NonlinearProblem& problem, const VectorX& z, const VectorX& F,
               Eigen::Index k) {
  if (problem.lower[k] == problem.upper[k]) return {0.0, 1.0, 0.0};
  return fischer_box(z[k], F[k], problem.lower[k], problem.upper[k]);
}

}  // namespace

PathNewton::PathNewton(const Settings& settings)
    : settings_(settings), path_(std::make_unique<LinearPath>()) {}
PathNewton::~PathNewton() = default;

bool PathNewton::out_of_limits() const {
  return report_.iterations >= settings_.max_iterations || deadline_.passed();
}

// F, Φ, merit and natural map at point.z; false where F is not finite.
bool PathNewton::measure(Point& point) {
  point.value.resize(point.z.size());
  problem_->function(point.z, point.value);
  ++report_.evaluations;
  point.merit = 0.0;
  for (Eigen::Index k = 0; k < point.z.size(); ++k) {
    const double phi = map_of(*problem_, point.z, point.value, k).value;
    point.merit += 0.5 * phi * phi;
  }
  if (!std::isfinite(point.merit)) point.merit = infinity;
  point.residual = natural_residual(*problem_, point.z, point.value);
  return std::isfinite(point.merit) && std::isfinite(point.residual);
}

// The Jacobian, and ∇½|Φ|² = Σ Φ_k (∂Φ_k/∂z_k e_k + ∂Φ_k/∂F_k ∇F_k).
void PathNewton::differentiate(Point& point) {
  problem_->derivative(point.z, jacobian_);
  point.gradient.setZero(point.z.size());
  for (int k = 0; k < problem_->size(); ++k) {
    const Fischer phi = map_of(*problem_, point.z, point.value, k);
    point.gradient[k] += phi.value * phi.by_a;
    for (int e = jacobian_.starts[k]; e < jacobian_.starts[k + 1]; ++e)
      point.gradient[jacobian_.indices[e]] += phi.value * phi.by_b * jacobian_.values[e];
  }
}

void PathNewton::keep_best(const Point& point) {
  if (!(point.residual < best_residual_)) return;
  best_residual_ = point.residual;
  best_z_ = point.z;
}

bool PathNewton::judged(const Point& point) {
  if (!std::isfinite(point.residual)) return false;
  if (accept && accept(point.z)) {
    accepted_ = true;
    best_z_ = point.z;
    best_residual_ = point.residual;
    return true;
  }
  return point.residual <= settings_.tolerance;
}

// The largest merit of the last iterates.
double PathNewton::reference() const {
  return *std::max_element(merits_.begin(), merits_.end());
}

void PathNewton::accept_trial() {
  std::swap(at_, trial_);
  history_.push_back(at_.residual);
  keep_best(at_);
  if (static_cast<int>(merits_.size()) < settings_.memory) {
    merits_.push_back(at_.merit);
  } else {
    merits_[merit_place_] = at_.merit;
    merit_place_ = (merit_place_ + 1) % merits_.size();
  }
}

// Shorter and shorter steps along `step` until the merit falls enough below the reference.
bool PathNewton::search(const VectorX& step, double reference) {
  const double slope = at_.gradient.dot(step);
  if (!(slope < 0.0)) return false;
  for (double length = 1.0; length > shortest; length *= 0.5) {
    trial_.z = at_.z + length * step;
    trial_.z = trial_.z.cwiseMax(problem_->lower).cwiseMin(problem_->upper);
    if (measure(trial_) && trial_.merit <= reference + sufficient * length * slope) return true;
    if (deadline_.passed()) return false;
  }
  return false;
}

// Armijo's rule along the projection of z − α ∇; the first α reaches a merit of zero if it were
// linear.
bool PathNewton::gradient_step() {
  const double squared = at_.gradient.squaredNorm();
  if (!(squared > 0.0)) return false;
  double length = std::max(1.0, 2.0 * at_.merit / squared);
  for (int halving = 0; halving < 60; ++halving, length *= 0.25) {
    trial_.z = at_.z - length * at_.gradient;
    trial_.z = trial_.z.cwiseMax(problem_->lower).cwiseMin(problem_->upper);
    const double slope = at_.gradient.dot(trial_.z - at_.z);
    if (!(slope < 0.0)) return false;
    if (measure(trial_) && trial_.merit <= at_.merit + sufficient * slope) return true;
    if (deadline_.passed()) return false;
  }
  return false;
}

// The step to the solution of the linearised problem, perturbed as little as gives one.
bool PathNewton::newton_step() {
  path_->load(*problem_, at_.z, at_.value, jacobian_);
  const int limit = 5 * problem_->size() + 50;
  for (int rung = std::max(0, proximity_ - 1); rung < rungs; ++rung) {
    const LinearPath::End end = path_->follow(ladder[rung], limit, deadline_);
    report_.pivots += path_->pivots();
    if (end == LinearPath::End::solved) {
      proximity_ = rung;
      step_ = path_->step();
      return step_.allFinite();
    }
    if (deadline_.passed()) return false;
  }
  proximity_ = 0;
  return false;
}

bool PathNewton::back_to_checkpoint() {
  at_.z = checkpoint_.z;
  measure(at_);
  differentiate(at_);
  checkpoint_.merit = infinity;  // whatever is found from here is the next checkpoint
  return newton_step() && search(step_, at_.merit);
}

// One step from at_ to a new at_.
PathNewton::Outcome PathNewton::advance(bool watch) {
  ++report_.iterations;
  differentiate(at_);
  bool found = false;
  if (newton_step()) {
    trial_.z = (at_.z + step_).cwiseMax(problem_->lower).cwiseMin(problem_->upper);
    const bool finite = measure(trial_);
    if (finite && trial_.merit <= good_step * reference()) {
      found = true;
    } else if (finite && watch && unwatched_ < settings_.watchdog &&
               trial_.merit <= wild * (reference() + 1.0)) {
      found = true;  // on trust: curved valleys are crossed faster than followed
    } else if (watch && unwatched_ >= settings_.watchdog) {
      found = back_to_checkpoint();
    } else {
      found = search(step_, reference());
    }
  }
  if (!found && !deadline_.passed()) found = gradient_step();
  if (!found) return Outcome::stuck;
  accept_trial();
  if (at_.merit <= good_step * checkpoint_.merit) {
    checkpoint_.z = at_.z;
    checkpoint_.merit = at_.merit;
    unwatched_ = 0;
  } else {
    ++unwatched_;
  }
  return judged(at_) ? Outcome::solved : Outcome::moved;
}

// Projected Newton steps while they gain: they find most of the active set at the price of one
// factorisation each, where pivoting would exchange it column by column.
void PathNewton::crash() {
  for (int k = 0; k < settings_.crash_steps && !out_of_limits(); ++k) {
    differentiate(at_);
    path_->load(*problem_, at_.z, at_.value, jacobian_);
    int rung = 0;
    while (rung < rungs && !path_->projected_newton(ladder[rung], step_)) ++rung;
    if (rung == rungs) return;
    ++report_.iterations;
    bool found = false;
    for (double length = 1.0; length > crash_length && !found; length *= 0.5) {
      trial_.z = (at_.z + length * step_).cwiseMax(problem_->lower).cwiseMin(problem_->upper);
      found = measure(trial_) && trial_.merit <= (1.0 - crash_gain * length) * at_.merit;
    }
    if (!found) return;
    accept_trial();
    if (judged(at_)) return;
  }
}

// The guess; then points about it that spread over the box, farther and farther.
void PathNewton::place_start(int attempt, const VectorX& guess) {
  at_.z = guess;
  if (attempt > 0 && restart) {
    restart(attempt, at_.z);
  } else if (attempt > 1) {
    constexpr double golden = 0.6180339887498949;
    for (Eigen::Index k = 0; k < guess.size(); ++k) {
      const double x = golden * static_cast<double>((k + 1) * (2 * attempt - 1));
      const double spread = 2.0 * (x - std::floor(x)) - 1.0;
      at_.z[k] += spread * (1.0 + std::abs(guess[k])) * std::ldexp(1.0, attempt - 2);
    }
  }
  at_.z = at_.z.cwiseMax(problem_->lower).cwiseMin(problem_->upper);
}

// From one start to a solution, a stationary point or a limit. The attempts take turns in whether
// they crash and trust.
bool PathNewton::run(int attempt) {
  history_.clear();
  merits_.clear();
  merit_place_ = 0;
  proximity_ = 0;
  unwatched_ = 0;
  if (!measure(at_)) return false;
  history_.push_back(at_.residual);
  keep_best(at_);
  merits_.push_back(at_.merit);
  if (judged(at_)) return true;
  if (attempt % 2 == 0) crash();
  if (accepted_ || at_.residual <= settings_.tolerance) return true;
  merits_.assign(1, at_.merit);
  merit_place_ = 0;
  checkpoint_.z = at_.z;
  checkpoint_.merit = at_.merit;
  // No attempt may use up what the others need.
  const int last =
      report_.iterations + std::max(20, (settings_.max_iterations - report_.iterations) / 2);
  double lowest = at_.merit;
  int since = 0;
  while (!out_of_limits() && report_.iterations < last && since < patience) {
    const Outcome outcome = advance(attempt % 2 == 0);
    if (outcome == Outcome::solved) return true;
    if (outcome == Outcome::stuck) return false;
    ++since;
    if (at_.merit < progress * lowest) {
      lowest = at_.merit;
      since = 0;
    }
  }
  return false;
}

NonlinearReport PathNewton::solve(const NonlinearProblem& problem, VectorX& z) {
  report_ = {};
  report_.residual = infinity;
  if (!problem.why_invalid().empty() || z.size() != problem.size() || !z.allFinite()) {
    report_.note = "the problem is not valid, or the guess does not fit it";
    return report_;
  }
  if (problem.size() == 0) {
    report_.status = SolveStatus::solved;
    report_.residual = 0.0;
    return report_;
  }
  problem_ = &problem;
  deadline_ = Deadline(settings_.time_limit, settings_.interruption);
  jacobian_ = problem.pattern;
  best_z_ = z.cwiseMax(problem.lower).cwiseMin(problem.upper);
  best_residual_ = infinity;
  accepted_ = false;
  bool solved = false;
  for (int attempt = 0; attempt <= settings_.restarts && !solved; ++attempt) {
    if (attempt > 0 && out_of_limits()) break;
    report_.restarts = attempt;
    place_start(attempt, z);
    solved = run(attempt);
  }
  z = best_z_;
  report_.residual = best_residual_;
  report_.status = solved            ? SolveStatus::solved
                   : out_of_limits() ? SolveStatus::limit
                                     : SolveStatus::inaccurate;
  if (report_.status == SolveStatus::inaccurate)
    report_.note = "every start ended where the merit function has a minimum that is no solution";
  return report_;
}

}  // namespace vinci
