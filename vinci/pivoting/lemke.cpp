// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/lemke.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/settings.h"
#include "vinci/complementarity/certificate.h"

namespace vinci {

namespace {

constexpr const char* lemke_name = "lemke";
// Good paths take one to three pivots per row. No attempt may take more than five, and there are up
// to nine: one from the guess, eight from the basis of w.
constexpr int pivots_per_row = 50, most_pivots = 200000;
// The dense method takes over where the sparse one failed, up to this size: 1 s.
constexpr int largest_fallback = 1200;
// The search for a certificate solves a problem of twice the size.
constexpr int largest_dense_search = 400;
// Times that a basis with values slightly negative is pivoted on from; each leaves fewer of them.
constexpr int repairs = 3;
// A pivot this small (rows scaled to 1): the guess says more than its rows can hold. Its solution
// would have five digits, ε/1e-11, where eleven are asked for.
constexpr double singular_guess = 1e-11;
constexpr const char* overflow = "numbers that are not finite";

}  // namespace

LemkeSolver::LemkeSolver(const Settings& settings)
    : SolveFrame(lemke_name, {settings.tolerance}), settings_(settings) {}

std::string LemkeSolver::refusal(const ComplementarityProblem& problem) const {
  return LinearForm::why_not(problem);
}

const char* LemkeSolver::prepare(const ComplementarityProblem& problem) {
  proved_ = false;
  for (const Block& block : problem.blocks)
    if (!LinearForm::is_linear(block)) return "a law is not linear";
  if (!condensation_.begin(problem)) return singular_mass;
  if (!condensation_.q().allFinite()) return overflow;
  form_.declare(problem.blocks);
  return nullptr;
}

SolveFrame::Ending LemkeSolver::run(const ComplementarityProblem& problem, Solution& solution) {
  rules_.deadline = until_;
  rules_.pivot_tolerance = settings_.pivot_tolerance;
  limit_ = settings_.max_iterations > 0
               ? settings_.max_iterations
               : std::min(most_pivots, pivots_per_row * (form_.size() + 1));
  tried_ = rays_ = limits_ = 0;
  if (solve_guessed_basis(problem, solution)) return {};
  const bool sparse = form_.size() > settings_.largest_dense;
  if (!assemble(problem, sparse)) return {SolveStatus::refused, overflow};
  const bool done = sparse ? pivot_sparse(problem) : pivot_dense(problem);
  if (proved_) return {SolveStatus::no_solution, proof_};
  return done ? Ending{} : ending();
}

// The mixed problem; false where a number of W is not finite.
bool LemkeSolver::assemble(const ComplementarityProblem& problem, bool sparse) {
  if (sparse) {
    condensation_.fill_sparse(problem);
    for (const double value : condensation_.sparse_W().values)
      if (!std::isfinite(value)) return false;
    form_.assemble_sparse(condensation_.sparse_W(), condensation_.q());
  } else {
    condensation_.fill(problem);
    if (!condensation_.W().allFinite()) return false;
    form_.assemble(condensation_.W(), condensation_.q());
  }
  return true;
}

// Judges z_. True where it is solved or, of a refined z, where nothing more can be asked.
bool LemkeSolver::settles(const ComplementarityProblem& problem, bool refined) {
  form_.recover(z_, trial_.lambda);
  offer(trial_.lambda, judge_.measure(problem, trial_), &judge_.u());
  return accuracy().is_solved(best_residual()) || (refined && settled(best_residual()));
}

// Where the variables that are not zero in the guess are those of the solution, one factorisation
// of their rows is enough.
bool LemkeSolver::solve_guessed_basis(const ComplementarityProblem& problem,
                                      const Solution& solution) {
  guessed_ = (solution.lambda.array() != 0.0).any();
  if (!guessed_) return false;
  form_.guess_basis(solution.lambda, guess_);
  if (form_.is_plain()) complete_guess(problem, solution);
  form_.list_rows(guess_, rows_);
  if (static_cast<int>(rows_.size()) > settings_.largest_dense) return false;
  condensation_.fill_rows(problem, rows_);
  form_.assemble_basic(condensation_.part(), condensation_.q(), lu_, basic_z_);
  lu_.factor();
  if (!(lu_.least_pivot() > singular_guess)) return false;
  lu_.solve(basic_z_.data());
  form_.expand_basic(basic_z_, z_);
  return settles(problem, false);
}

// The slip speed of an open contact of a pyramid is basic where no other variable of its row is:
// its partner is the direction of least velocity, basic at zero.
void LemkeSolver::complete_guess(const ComplementarityProblem& problem, const Solution& solution) {
  const SparseRows &J = problem.J, &C = problem.C;
  bool measured = false;
  for (int row = 0; row < problem.rows(); ++row) {
    if (!guess_[static_cast<std::size_t>(row)] || J.starts[row] < J.starts[row + 1]) continue;
    int partner = -1;
    for (int k = C.starts[row]; k < C.starts[row + 1]; ++k) {
      const int column = C.indices[k];
      if (guess_[static_cast<std::size_t>(column)]) {
        partner = -1;
        break;
      }
      if (!measured) judge_.measure(problem, solution);
      measured = true;
      if (partner < 0 || judge_.w()[column] < judge_.w()[partner]) partner = column;
    }
    if (partner >= 0) guess_[static_cast<std::size_t>(partner)] = 1;
  }
}

// Whether pivots and time are left; no attempt may use up what the others need, and 5 n pivots are
// far more than a good path takes.
bool LemkeSolver::may_go_on(int share) {
  rules_.limit = std::min(limit_ - iterations_, share);
  return rules_.limit > 0 && !rules_.deadline.passed();
}

// True where there is no more to do.
bool LemkeSolver::pivot_sparse(const ComplementarityProblem& problem) {
  sparse_.prepare(form_.sparse_problem());
  for (int number = guessed_ ? -1 : 0; number < SparseMixedLcpSolver::attempts; ++number) {
    if (!may_go_on(5 * form_.size() + 20)) break;
    PivotOutcome outcome =
        sparse_.attempt(std::max(0, number), number < 0 ? &guess_ : nullptr, rules_, z_);
    tried_ += number >= 0;
    iterations_ += sparse_.pivots();
    if (settles(problem, true)) return true;
    for (int again = 0; again < repairs && outcome == PivotOutcome::solved; ++again) {
      if (!may_go_on(form_.size())) break;
      outcome = sparse_.attempt_again(std::max(0, number), rules_, z_);
      iterations_ += sparse_.pivots();
      if (settles(problem, true)) return true;
      if (sparse_.pivots() == 0) break;
    }
    if (number < 0) continue;
    rays_ += outcome == PivotOutcome::ray;
    limits_ += outcome == PivotOutcome::limit;
    if (outcome == PivotOutcome::ray && proves_infeasible(problem, sparse_, number == 1))
      return true;
  }
  if (form_.size() > largest_fallback || !may_go_on(1) || !assemble(problem, false)) return false;
  return pivot_dense(problem);
}

// Attempts until the judge is satisfied; keeps the best answer.
bool LemkeSolver::pivot_dense(const ComplementarityProblem& problem) {
  lcp_.prepare(form_.problem());
  if (lcp_.inconsistent()) {
    lcp_.contradiction_certificate(mixed_certificate_);
    if (is_certificate(problem)) {
      proof_ = "equality rows contradict each other";
      return true;
    }
  }
  for (int number = guessed_ ? -1 : 0; number < MixedLcpSolver::attempts; ++number) {
    if (!may_go_on(5 * form_.size() + 20)) break;
    const PivotOutcome outcome =
        number < 0 ? lcp_.attempt_from(guess_, rules_, z_) : lcp_.attempt(number, rules_, z_);
    iterations_ += lcp_.pivots();
    if (settles(problem, false)) return true;
    if (outcome != PivotOutcome::breakdown) {
      lcp_.polish(z_);
      if (settles(problem, true)) return true;
    }
    if (number < 0) continue;
    ++tried_;
    rays_ += outcome == PivotOutcome::ray;
    limits_ += outcome == PivotOutcome::limit;
    if (outcome == PivotOutcome::ray &&
        proves_infeasible(problem, lcp_, form_.size() <= largest_dense_search))
      return true;
  }
  return false;
}

bool LemkeSolver::is_certificate(const ComplementarityProblem& problem) {
  form_.recover_certificate(problem.blocks, mixed_certificate_, certificate_);
  proved_ = infeasibility(problem, certificate_).proves_no_solution;
  proof_ = "a ray proves that no impulses satisfy the inequalities";
  return proved_;
}

template <class Method>
bool LemkeSolver::proves_infeasible(const ComplementarityProblem& problem, Method& method,
                                    bool search) {
  method.ray_certificate(mixed_certificate_);
  if (is_certificate(problem)) return true;
  return search && method.search_certificate(rules_, mixed_certificate_) && is_certificate(problem);
}

SolveFrame::Ending LemkeSolver::ending() const {
  if (rules_.deadline.passed()) return {SolveStatus::limit, "time ran out"};
  if (rays_ > 0 && rays_ + limits_ == tried_)
    return {SolveStatus::inaccurate, "secondary ray: no conclusion"};
  if (limits_ == tried_) return {SolveStatus::limit, "pivots ran out"};
  return {};
}

SolverRegistry::Entry lemke_entry() {
  using Settings = LemkeSolver::Settings;
  return entry_of<Solver, LemkeSolver>(
      lemke_name,
      "Lemke's complementary pivoting, lexicographic, dense or with sparse factors: exact for "
      "pyramids, planar friction, joints, limits and boxes; warm start from a guess of the basis.",
      "Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, ch. 4",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations",
        "Pivots of all attempts; 0: 50 for each row of the LCP.", "", 0.0, 1e9},
       {&Settings::largest_dense, "largest-dense",
        "Rows of the LCP up to which the dense dictionary is used.", "", 0.0, 1e5},
       {&Settings::pivot_tolerance, "pivot-tolerance",
        "Entries below this part of the largest one of the entering column do not block.", "", 0.0,
        1e-3}});
}

}  // namespace vinci
