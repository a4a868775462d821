// SPDX-License-Identifier: Apache-2.0
// Proximal steps from the least motion, Newton's method to the end, and the proof of no
// equilibrium.
#include "vinci/solvers/quasi_static.h"

#include <algorithm>
#include <cmath>

#include "vinci/pivoting/linear_program.h"

namespace vinci {
namespace {

// Proximal rounds: ρ falls from its first value to the least in ten, and may have risen before.
constexpr int most_rounds = 20;
// Each gains eight digits where it converges: two are enough, two more for a set that changes.
constexpr int newton_steps = 4;
// Damping forces at first, of the forces that act: small enough to leave modes of contact alone.
constexpr double first_share = 1e-3;
// A residual from which Newton's steps with an orthogonal decomposition may reach the end: they
// gain what the normal equations lose, whose condition is the square of that of the equations.
constexpr double worth_decomposing = 1e-5;
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

}  // namespace

// ρ of the first problem, 1/s: ρ M u is a small share of the forces at the speeds asked for.
double QuasiStatic::first_weight(const ComplementarityProblem& problem, const SparseRows& inertia) {
  double force = 0.0, speed = 0.0;  // both over the root of a mass
  for (int i = 0; i < problem.unknowns(); ++i)
    force += problem.p[i] * problem.p[i] / inertia.diagonal(i);
  force = std::sqrt(force);
  for (const FrictionSet& set : sets_)
    if (set.normal < 0)
      force = std::max(force, set.limit * std::sqrt(mobility(problem.J, inertia, set.first)));
  for (int row = 0; row < problem.rows(); ++row)
    if (const double moved = mobility(problem.J, inertia, row); moved > 0.0)
      speed = std::max(speed, std::abs(problem.b[row]) / std::sqrt(moved));
  if (force == 0.0) return 1.0;
  return speed == 0.0 ? force : first_share * force / speed;
}

// A residual beyond which an answer is none: what was found misses the laws by a thousandth of the
// velocities asked for, or by more than the user asks for.
double QuasiStatic::hopeless() const {
  return std::max(1e-3, accuracy_.tolerance);
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
  return is_content();
}

// Viscosity resists every motion: the velocity follows from the forces, and is unique.
QuasiStaticAnswer QuasiStatic::solve_viscous(const ComplementarityProblem& problem, Solver& solver,
                                             Solution& solution) {
  QuasiStaticAnswer answer;
  if (problem.rows() > 0) {
    answer.solve = solver.solve(problem, solution);
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

// Without contacts the forces alone have to balance.
void QuasiStatic::balance(const ComplementarityProblem& problem, const SparseRows& inertia,
                          QuasiStaticAnswer& answer) {
  answer.solve.status = SolveStatus::solved;
  if (!polish(problem, inertia) && no_equilibrium(problem, sets_, inertia))
    answer.ending = Ending::no_equilibrium;
}

// Proximal rounds from the least motion until the judge is content. Where a problem is too hard for
// the solver a larger damping is easier; its answers lead back to the smaller one.
void QuasiStatic::search(const ComplementarityProblem& problem, const SparseRows& inertia,
                         Solver& solver, QuasiStaticAnswer& answer) {
  if (problem.rows() == 0) return balance(problem, inertia, answer);
  const double first = first_weight(problem, inertia);
  double rho = first;
  int iterations = 0;
  for (int round = 0; round < most_rounds && rho <= most_damping * first; ++round) {
    load(problem, inertia, rho);
    answer.solve = solver.solve(regular_, trial_);
    answer.solve.iterations = iterations += answer.solve.iterations;
    if (answer.solve.status == SolveStatus::refused) return;
    if (answer.solve.status == SolveStatus::no_solution) {
      answer.ending = Ending::no_motion;
      return;
    }
    if (polish(problem, inertia)) return;
    // Forces that cannot balance make the answers grow from round to round.
    if (round == 2 && residual_.relative > hopeless() && no_equilibrium(problem, sets_, inertia)) {
      answer.ending = Ending::no_equilibrium;
      return;
    }
    if (answer.solve.status == SolveStatus::solved) {
      rho = std::max(least_damping * first, 0.3 * rho);  // longer steps towards the end
    } else {
      rho *= 30.0;
      trial_.u.setZero();
      trial_.lambda.setZero();
    }
  }
}

// Every island by itself, from the best answer so far: the residual of the whole is relative to the
// fastest of them, and leaves the active set of one that hardly moves in the dark. Rare.
void QuasiStatic::part_by_part(const ComplementarityProblem& problem, const SparseRows& inertia,
                               Solver& solver) {
  weighted_ = problem;
  weighted_.M = inertia;
  if (islands_.find(weighted_) < 2) return;
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
  if (go_on(problem, inertia, answer)) {
    solution = best_;
    return answer;
  }
  residual_.relative = std::numeric_limits<double>::infinity();
  trial_.u.setZero();
  trial_.lambda = solution.lambda;
  search(problem, inertia, solver, answer);
  if (answer.solve.status == SolveStatus::refused || answer.ending == Ending::no_motion)
    return answer;
  if (answer.ending == Ending::none && !is_content()) part_by_part(problem, inertia, solver);
  solution = best_;
  answer.solve.residual = residual_;
  if (answer.ending == Ending::none && residual_.relative > hopeless())
    answer.ending = Ending::no_motion;
  answer.solve.status =
      answer.ending == Ending::no_equilibrium ? SolveStatus::no_solution : SolveStatus::inaccurate;
  answer.solve.note = to_string(answer.ending);
  conclude(answer.solve, accuracy_);
  if (answer.ending != Ending::none) return answer;
  answer.free = uniqueness_(problem, sets_, inertia, solution, accuracy_);
  if (answer.free.count > 0) answer.solve.note = "the motion is not unique: the least is taken";
  return answer;
}

namespace {

// The linear program over d and the resistances h of the sets; disks are enclosed by polygons, so
// that what it finds holds for them too.
class BalanceProgram {
 public:
  BalanceProgram(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
                 const SparseRows& inertia)
      : problem_(problem), sets_(sets), n_(problem.unknowns()), unit_(n_) {
    size_ = n_ + static_cast<int>(sets.size());
    for (int i = 0; i < n_; ++i) unit_[i] = 1.0 / std::sqrt(inertia.diagonal(i));
    program_.reset(size_);
    goal_.setZero(size_);
    for (int i = 0; i < n_; ++i) goal_[i] = unit_[i] * problem.p[i];
    for (std::size_t k = 0; k < sets.size(); ++k) add(sets[k], n_ + static_cast<int>(k));
    add_bounds();
  }

  // Whether the forces gain along some d, by more than rounding.
  bool gains() {
    VectorX x;
    if (program_.maximise(goal_, x) != LinearProgram::Status::optimal) return false;
    return proves(x.head(n_).cwiseProduct(unit_));
  }

 private:
  // The program is solved to a tolerance: what it found is measured anew.
  bool proves(const VectorX& d) const {
    constexpr double rounding = 100.0 * LinearProgram::tolerance;
    VectorX v = VectorX::Zero(problem_.rows());
    problem_.J.multiply_add(d.data(), v.data());
    const double largest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
    double gain = problem_.p.dot(d), terms = problem_.p.cwiseAbs().dot(d.cwiseAbs());
    for (const FrictionSet& set : sets_) {
      const double taken = set.limit * resistance(set, v);
      if (set.normal < 0)
        gain -= taken;
      else if (v[set.normal] < taken - rounding * largest)
        return false;
    }
    return gain > rounding * terms;
  }
  VectorX motion(int row, double factor) const {
    VectorX entries = VectorX::Zero(size_);
    for (int k = problem_.J.starts[row]; k < problem_.J.starts[row + 1]; ++k)
      entries[problem_.J.indices[k]] = factor * unit_[problem_.J.indices[k]] * problem_.J.values[k];
    return entries;
  }
  void add(const FrictionSet& set, int place) {
    VectorX row = VectorX::Zero(size_);
    row[place] = 1.0;
    program_.add_at_least(row, 0.0);
    if (set.normal >= 0) {
      row = motion(set.normal, 1.0);
      row[place] = -set.limit;
      program_.add_at_least(row, 0.0);
    } else {
      goal_[place] = -set.limit;
    }
    constexpr int sides = 64;  // of a polygon around the disk, which is 1/cos(π/64) = 0.1 % wider
    const int turns = set.directions ? set.count : (set.count == 2 ? sides : 2 * set.count);
    for (int j = 0; j < turns; ++j) {
      if (set.directions) {
        row = motion(set.first + j, 1.0);
      } else if (set.count == 1) {
        row = motion(set.first, j == 0 ? 1.0 : -1.0);
      } else {
        const double angle = 2.0 * M_PI * j / sides, reach = 1.0 / std::cos(M_PI / sides);
        row = motion(set.first, reach * std::cos(angle)) +
              motion(set.first + 1, reach * std::sin(angle));
      }
      row[place] = 1.0;
      program_.add_at_least(row, 0.0);
    }
  }
  // −1 <= d <= 1 in units of equal energy, and D d = 0.
  void add_bounds() {
    VectorX row = VectorX::Zero(size_);
    for (int i = 0; i < n_; ++i) {
      row.setZero();
      row[i] = 1.0;
      program_.add_at_least(row, -1.0);
      row[i] = -1.0;
      program_.add_at_least(row, -1.0);
      if (problem_.M.starts[i] == problem_.M.starts[i + 1]) continue;
      row.setZero();
      for (int k = problem_.M.starts[i]; k < problem_.M.starts[i + 1]; ++k)
        row[problem_.M.indices[k]] = unit_[problem_.M.indices[k]] * problem_.M.values[k];
      program_.add_equality(row, 0.0);
    }
  }

  const ComplementarityProblem& problem_;
  const std::vector<FrictionSet>& sets_;
  int n_, size_ = 0;
  VectorX unit_, goal_;
  LinearProgram program_;
};

}  // namespace

bool no_equilibrium(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
                    const SparseRows& inertia) {
  constexpr std::size_t largest = 300;  // as of InfeasibilitySearch: the program is dense
  if (problem.unknowns() == 0 ||
      sets.size() + static_cast<std::size_t>(problem.unknowns()) > largest)
    return false;
  return BalanceProgram(problem, sets, inertia).gains();
}

}  // namespace vinci
