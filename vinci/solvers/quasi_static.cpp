// SPDX-License-Identifier: Apache-2.0
// Proximal steps from the least motion, Newton's method to the end, and whether there is a balance.
#include "vinci/solvers/quasi_static.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// Proximal rounds: ρ falls from its first value to the least in ten, and may have risen before.
// Near the end of balance speeds grow beyond those asked for, and ρ falls once more as far.
constexpr int usual_rounds = 20, most_rounds = 36;
// Each gains eight digits where it converges: two are enough, two more for a set that changes.
constexpr int newton_steps = 4;
// Damping forces at first, of the forces that act: small enough to leave modes of contact alone.
constexpr double first_share = 1e-3;
// A residual from which Newton's steps with an orthogonal decomposition may reach the end: they
// gain what the normal equations lose, whose condition is the square of that of the equations.
constexpr double worth_decomposing = 1e-5;
constexpr double sharp = 1e-13;  // a residual that is left as it is
// Times that: beyond, damping holds all but everything in place; below 1e-8 of the forces it is
// less than what one of Newton's steps takes away.
constexpr double most_damping = 1e6, least_damping = 1e-5;

// Σ J²/M of a row: the inverse of the mass that it moves.
double mobility(const SparseRows& J, const SparseRows& inertia, int row) {
  double sum = 0.0;
  for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
    sum += J.values[k] * J.values[k] / inertia.diagonal(J.indices[k]);
  return sum;
}

// out = a + factor b; columns ascend in both.
void add(const SparseRows& a, double factor, const SparseRows& b, SparseRows& out) {
  out.reset(b.cols);
  for (int row = 0; row < b.rows; ++row) {
    int i = a.starts[row], j = b.starts[row];
    while (i < a.starts[row + 1] || j < b.starts[row + 1]) {
      const int left = i < a.starts[row + 1] ? a.indices[i] : b.cols;
      const int right = j < b.starts[row + 1] ? b.indices[j] : b.cols;
      const double value =
          (left <= right ? a.values[i++] : 0.0) + (right <= left ? factor * b.values[j++] : 0.0);
      out.push(std::min(left, right), value);
    }
    out.end_row();
  }
}

// The largest speed that a row asks for by itself, times the root of a mass.
double asked_speed(const ComplementarityProblem& problem, const SparseRows& inertia) {
  double speed = 0.0;
  for (int row = 0; row < problem.rows(); ++row)
    if (const double moved = mobility(problem.J, inertia, row); moved > 0.0)
      speed = std::max(speed, std::abs(problem.b[row]) / std::sqrt(moved));
  return speed;
}

// Whether nothing asks for a motion and nothing yields: what is in balance stays where it is.
bool is_still(const ComplementarityProblem& problem) {
  if (!problem.M.empty() || !problem.b.isZero(0.0)) return false;
  for (int row = 0; row < problem.rows(); ++row)
    if (problem.C.diagonal(row) != 0.0) return false;  // a servo, or a spring of a joint
  return true;
}

// The problem and the inertia of these unknowns, on which no row acts.
void extract_free(const ComplementarityProblem& problem, const std::vector<int>& unknowns,
                  const SparseRows& matrix, ComplementarityProblem& part) {
  const int count = static_cast<int>(unknowns.size());
  part = {};
  part.J.reset(count);
  part.C.reset(0);
  part.M.reset(count);
  part.p.resize(count);
  for (int i = 0; i < count; ++i) {
    part.p[i] = problem.p[unknowns[i]];
    for (int k = matrix.starts[unknowns[i]]; k < matrix.starts[unknowns[i] + 1]; ++k) {
      const auto place = std::lower_bound(unknowns.begin(), unknowns.end(), matrix.indices[k]);
      part.M.push(static_cast<int>(place - unknowns.begin()), matrix.values[k]);
    }
    part.M.end_row();
  }
}

}  // namespace

// ρ of the first problem, 1/s: ρ M u is a small share of the forces at the speeds asked for.
double QuasiStatic::first_weight(const ComplementarityProblem& problem, const SparseRows& inertia) {
  double force = 0.0;  // over the root of a mass
  for (int i = 0; i < problem.unknowns(); ++i)
    force += problem.p[i] * problem.p[i] / inertia.diagonal(i);
  force = std::sqrt(force);
  for (const FrictionSet& set : sets_)
    if (set.normal < 0 && !set.holds())
      force = std::max(force, set.limit * std::sqrt(mobility(problem.J, inertia, set.first)));
  const double speed = asked_speed(problem, inertia);
  if (force == 0.0) return 1.0;
  return speed == 0.0 ? force : first_share * force / speed;
}

// Whether an answer that the judge is not content with may stand, as an inexact one: it misses
// little, and moves nothing by more than ten times what the fastest row asks for by itself. Damping
// that has not converged would carry a body that nothing holds as far as one likes.
bool QuasiStatic::is_near(const ComplementarityProblem& problem, const SparseRows& inertia) {
  constexpr double little = 1e-6, lever = 10.0;
  if (residual_.relative <= accuracy_.acceptable()) return true;
  if (!(residual_.relative <= std::max(little, accuracy_.tolerance))) return false;
  double moved = 0.0;
  for (int i = 0; i < problem.unknowns(); ++i)
    moved = std::hypot(moved, best_.u[i] * std::sqrt(inertia.diagonal(i)));
  return moved <= lever * asked_speed(problem, inertia);
}

// The problem with ρ M beside D, and ρ M u of the last answer beside f.
void QuasiStatic::load(const ComplementarityProblem& problem, const SparseRows& inertia,
                       double rho) {
  add(problem.M, rho, inertia, regular_.M);
  regular_.J = problem.J;
  regular_.C = problem.C;
  regular_.b = problem.b;
  regular_.blocks = problem.blocks;
  regular_.p = problem.p;
  push_ = rho * trial_.u;
  inertia.multiply_add(push_.data(), regular_.p.data());
}

void QuasiStatic::keep_if_better(const ComplementarityProblem& problem, const Solution& candidate) {
  const Residual measured = judge_.measure(problem, candidate);
  if (measured.relative >= residual_.relative) return;
  residual_ = measured;
  best_ = candidate;
}

// Newton's method from trial_; whether the judge is content.
bool QuasiStatic::polish(const ComplementarityProblem& problem, const SparseRows& inertia) {
  keep_if_better(problem, trial_);
  if (is_content()) return true;
  if (!QuasiStaticPolish::takes(problem)) return false;
  using Precision = QuasiStaticPolish::Precision;
  refined_ = trial_;
  for (const Precision precision : {Precision::usual, Precision::high}) {
    for (int i = 0; i < newton_steps && !is_content(); ++i) {
      if (!polish_.improve(problem, sets_, inertia, precision, refined_)) break;
      keep_if_better(problem, refined_);
    }
    // The second only where the first has come near.
    if (is_content() || residual_.relative > worth_decomposing) break;
    refined_ = best_;
  }
  if (is_content()) sharpen(problem, inertia);
  return is_content();
}

// Near the end of balance motions are as exact as the forces over what is left of it: steps beyond
// what was asked for, while they gain.
void QuasiStatic::sharpen(const ComplementarityProblem& problem, const SparseRows& inertia) {
  if (accuracy_.tolerance > Accuracy::usual) return;
  refined_ = best_;
  for (int i = 0; i < 2 && residual_.relative > sharp; ++i) {
    if (!polish_.improve(problem, sets_, inertia, QuasiStaticPolish::Precision::high, refined_))
      return;
    keep_if_better(problem, refined_);
  }
}

// Viscosity resists every motion: the velocity follows from the forces, and is unique.
QuasiStaticAnswer QuasiStatic::solve_viscous(const ComplementarityProblem& problem, Solver& solver,
                                             Solution& solution) {
  QuasiStaticAnswer answer;
  if (problem.rows() > 0) {
    answer.solve = selection_.solve(problem, solver, accuracy_, solution);
    answer.selection = selection_.report();
    if (answer.solve.status == SolveStatus::no_solution) answer.ending = Ending::no_motion;
    return answer;
  }
  answer.solve.residual = judge_.measure(problem, solution);
  answer.solve.status = SolveStatus::solved;
  solution.u = judge_.u();
  return answer;
}

// Most steps go on as the last one: Newton's method from its velocities and forces. Where the
// answer is unique it is the least motion too; otherwise the search begins anew.
bool QuasiStatic::go_on(const ComplementarityProblem& problem, const SparseRows& inertia,
                        QuasiStaticAnswer& answer) {
  if (problem.rows() == 0 || !polish(problem, inertia)) return false;
  if (uniqueness_(problem, sets_, inertia, best_, accuracy_).count > 0) return false;
  answer.solve = {SolveStatus::solved, residual_, 0, "continuation", ""};
  return true;
}

// Whether contact forces balance the applied ones in every part of the problem; false with what is
// missing. Parts that nothing moves have their answer with it.
bool QuasiStatic::balances(const ComplementarityProblem& problem, const SparseRows& inertia,
                           QuasiStaticAnswer& answer) {
  find_parts(problem, inertia);
  refined_ = best_;
  double most = 0.0;
  VectorX seen = VectorX::Zero(problem.unknowns()), missing = seen;
  const auto is_held = [&](const SparseRows& part_inertia) {
    find_friction_sets(part_, part_sets_);
    const bool none = balance_(part_, part_sets_, part_inertia) == BalanceTest::Verdict::none;
    if (none && balance_.missing_norm() > most) {
      most = balance_.missing_norm();
      return false;
    }
    return true;
  };
  for (int k = 0; k < islands_.count(); ++k) {
    islands_.extract(weighted_, k, part_);
    const SparseRows part_inertia = part_.M;
    islands_.extract(problem, k, part_);
    islands_.scatter_unknowns(k, VectorX::Ones(part_.unknowns()), seen);
    if (!is_held(part_inertia)) {
      missing.setZero();
      islands_.scatter_unknowns(k, balance_.missing(), missing);
    } else if (is_still(part_)) {
      islands_.scatter_rows(k, balance_.forces(), refined_.lambda);
      islands_.scatter_unknowns(k, VectorX::Zero(part_.unknowns()), refined_.u);
    }
  }
  std::vector<int> free;
  for (int i = 0; i < problem.unknowns(); ++i)
    if (seen[i] == 0.0) free.push_back(i);
  if (!free.empty()) {
    extract_free(problem, free, inertia, part_);
    const SparseRows part_inertia = part_.M;
    extract_free(problem, free, problem.M, part_);
    if (!is_held(part_inertia)) {
      missing.setZero();
      for (std::size_t i = 0; i < free.size(); ++i) missing[free[i]] = balance_.missing()[i];
    }
  }
  if (most > 0.0) {
    answer.ending = Ending::no_equilibrium;
    answer.missing = missing;
    double largest = 0.0;
    for (int i = 0; i < problem.unknowns(); ++i)
      if (const double size = std::abs(missing[i]) / std::sqrt(inertia.diagonal(i));
          size > largest) {
        largest = size;
        answer.unbalanced = i;
      }
    return false;
  }
  if (!is_content()) keep_if_better(problem, refined_);
  return true;
}

// Proximal rounds from the least motion until the judge is content. Where a problem is too hard for
// the solver a larger damping is easier; its answers lead back to the smaller one.
void QuasiStatic::search(const ComplementarityProblem& problem, const SparseRows& inertia,
                         Solver& solver, QuasiStaticAnswer& answer) {
  if (problem.rows() == 0) {  // the forces alone have to balance
    answer.solve.status = SolveStatus::solved;
    if (!polish(problem, inertia)) balances(problem, inertia, answer);
    return;
  }
  const double first = first_weight(problem, inertia);
  double rho = first;
  int iterations = 0;
  for (int round = 0; round < most_rounds && rho <= most_damping * first; ++round) {
    load(problem, inertia, rho);
    answer.solve = selection_.solve(regular_, solver, accuracy_, trial_);
    answer.selection = selection_.report();
    answer.solve.iterations = iterations += answer.solve.iterations;
    if (answer.solve.status == SolveStatus::refused) return;
    if (answer.solve.status == SolveStatus::no_solution) {
      answer.ending = Ending::no_motion;
      return;
    }
    if (polish(problem, inertia)) return;
    // Forces that cannot balance make the answers grow from round to round.
    if (round == 0 && (!balances(problem, inertia, answer) || is_content())) return;
    if (answer.solve.status == SolveStatus::solved) {
      const double least = round < usual_rounds ? least_damping : least_damping * least_damping;
      rho = std::max(least * first, 0.3 * rho);  // longer steps towards the end
    } else {
      rho *= 30.0;
      trial_.u.setZero();
      trial_.lambda.setZero();
    }
  }
}

// The islands of the problem, with every body in one of them; weighted_ has the inertia as its M.
int QuasiStatic::find_parts(const ComplementarityProblem& problem, const SparseRows& inertia) {
  weighted_ = problem;
  add(problem.M, 1.0, inertia, weighted_.M);
  const int count = islands_.find(weighted_);
  weighted_.M = inertia;
  return count;
}

// Every island by itself, from the best answer so far: the residual of the whole is relative to the
// fastest of them, and leaves the active set of one that hardly moves in the dark. Rare.
void QuasiStatic::part_by_part(const ComplementarityProblem& problem, const SparseRows& inertia,
                               Solver& solver) {
  if (find_parts(problem, inertia) < 2) return;
  if (!inner_) inner_ = std::make_unique<QuasiStatic>();
  refined_ = best_;
  for (int k = 0; k < islands_.count(); ++k) {
    islands_.extract(weighted_, k, part_);
    const SparseRows part_inertia = part_.M;
    islands_.extract(problem, k, part_);
    islands_.gather_rows(k, best_.lambda, part_solution_.lambda);
    islands_.gather_unknowns(k, best_.u, part_solution_.u);
    const QuasiStaticAnswer answer =
        inner_->solve(part_, part_inertia, solver, part_solution_, accuracy_);
    if (answer.ending != Ending::none || answer.solve.status == SolveStatus::refused) continue;
    islands_.scatter_rows(k, part_solution_.lambda, refined_.lambda);
    islands_.scatter_unknowns(k, part_solution_.u, refined_.u);
  }
  keep_if_better(problem, refined_);
}

QuasiStaticAnswer QuasiStatic::solve(const ComplementarityProblem& problem,
                                     const SparseRows& inertia, Solver& solver, Solution& solution,
                                     const Accuracy& accuracy) {
  QuasiStaticAnswer answer;
  accuracy_ = accuracy;
  judge_.prepare(problem);
  if (judge_.regular()) return solve_viscous(problem, solver, solution);
  find_friction_sets(problem, sets_);
  residual_ = {};
  residual_.relative = std::numeric_limits<double>::infinity();
  best_ = trial_ = solution;
  const bool goes_on = go_on(problem, inertia, answer);
  if (!goes_on) {
    residual_.relative = std::numeric_limits<double>::infinity();
    trial_.u.setZero();
    trial_.lambda = solution.lambda;
    search(problem, inertia, solver, answer);
    if (answer.solve.status == SolveStatus::refused || answer.ending == Ending::no_motion)
      return answer;
    if (answer.ending == Ending::none && !is_content()) part_by_part(problem, inertia, solver);
  }
  // The judge measures against the largest forces; what it lets pass may be all that one body
  // lacks.
  const bool near = is_near(problem, inertia);
  if (answer.ending == Ending::none && near && !balance_.confirms(problem, sets_, best_))
    balances(problem, inertia, answer);
  solution = best_;
  if (is_still(problem)) solution.u.setZero();
  if (goes_on && answer.ending == Ending::none) return answer;
  answer.solve.residual = residual_;
  if (answer.ending == Ending::none && !near) answer.ending = Ending::no_motion;
  answer.solve.status =
      answer.ending == Ending::no_equilibrium ? SolveStatus::no_solution : SolveStatus::inaccurate;
  answer.solve.note = to_string(answer.ending);
  conclude(answer.solve, accuracy_);
  if (answer.ending != Ending::none) return answer;
  answer.free = uniqueness_(problem, sets_, inertia, solution, accuracy_);
  if (answer.free.count > 0) answer.solve.note = "the motion is not unique: the least is taken";
  return answer;
}

}  // namespace vinci
