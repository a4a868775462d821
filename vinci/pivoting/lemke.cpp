// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/complementarity/certificate.h"

namespace vinci {

namespace {

constexpr const char* lemke_name = "lemke";
constexpr int pivots_per_row = 50, most_pivots = 200000;
// The dense method takes over where the sparse one failed, up to this size: 1 s.
constexpr int largest_fallback = 1200;
// The search for a certificate solves a problem of twice the size.
constexpr int largest_dense_search = 400;
// Times that a basis with values slightly negative is pivoted on from.
constexpr int repairs = 3;
// A pivot this small (rows scaled to 1): the guess says more than its rows can hold.
constexpr double singular_guess = 1e-11;

}  // namespace

std::string LemkeSolver::why_not(const ComplementarityProblem& problem) const {
  if (std::string reason = problem.why_invalid(); !reason.empty()) return reason;
  if (std::string reason = LinearForm::why_not(problem); !reason.empty()) return reason;
  MassFactor mass;
  if (problem.unknowns() > 0 && !mass.factor(problem.M))
    return "M is singular: the velocities cannot be eliminated, which this solver does first";
  return "";
}

SolveReport LemkeSolver::refuse(const ComplementarityProblem& problem, Solution& solution,
                                const char* note) {
  SolveReport report{SolveStatus::refused, {}, 0, lemke_name, note};
  solution.u.setZero(problem.unknowns());
  solution.lambda.setZero(problem.rows());
  judge_.prepare(problem);
  report.residual = judge_.measure(problem, solution);
  return report;
}

SolveReport LemkeSolver::solve(const ComplementarityProblem& problem, Solution& solution) {
  proved_ = false;
  for (const Block& block : problem.blocks)
    if (!LinearForm::is_linear(block)) return refuse(problem, solution, "a law is not linear");
  rules_.deadline = deadline();
  if (!condensation_.begin(problem)) return refuse(problem, solution, "M is singular");
  if (!condensation_.q().allFinite())
    return refuse(problem, solution, "numbers that are not finite");
  form_.declare(problem.blocks);
  judge_.prepare(problem);
  rules_.pivot_tolerance = settings_.pivot_tolerance;
  limit_ = settings_.max_iterations > 0
               ? settings_.max_iterations
               : std::min(most_pivots, pivots_per_row * (form_.size() + 1));
  report_ = {SolveStatus::inaccurate, {}, 0, lemke_name, ""};
  report_.residual.relative = std::numeric_limits<double>::infinity();
  tried_ = rays_ = limits_ = 0;
  if (solve_guessed_basis(problem, solution)) return report_;
  if (form_.size() > settings_.largest_dense) {
    condensation_.fill_sparse(problem);
    for (const double value : condensation_.sparse_W().values)
      if (!std::isfinite(value)) return refuse(problem, solution, "numbers that are not finite");
    form_.assemble_sparse(condensation_.sparse_W(), condensation_.q());
    pivot_sparse(problem, solution);
  } else {
    condensation_.fill(problem);
    if (!condensation_.W().allFinite())
      return refuse(problem, solution, "numbers that are not finite");
    form_.assemble(condensation_.W(), condensation_.q());
    pivot_dense(problem, solution);
  }
  conclude(problem, solution);
  return report_;
}

// Judges z_; keeps it where it is the best answer so far. True where it is solved or, of a refined
// z, where nothing more can be asked.
bool LemkeSolver::settles(const ComplementarityProblem& problem, Solution& solution, bool refined) {
  form_.recover(z_, trial_.lambda);
  const Residual measured = judge_.measure(problem, trial_);
  if (measured.relative < report_.residual.relative) {
    report_.residual = measured;
    solution.u = judge_.u();
    solution.lambda = trial_.lambda;
  }
  report_.status = verdict(report_.residual, settings_.tolerance, SolveStatus::inaccurate);
  if (report_.status == SolveStatus::solved) return true;
  if (!refined || !is_settled(report_.residual, settings_.tolerance)) return false;
  report_.note = at_resolution;
  return true;
}

// Where the variables that are not zero in the guess are those of the solution, one factorisation
// of their rows is enough.
bool LemkeSolver::solve_guessed_basis(const ComplementarityProblem& problem, Solution& solution) {
  guessed_ = solution.lambda.size() == problem.rows() && solution.lambda.allFinite() &&
             (solution.lambda.array() != 0.0).any();
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
  return settles(problem, solution, false);
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
  rules_.limit = std::min(limit_ - report_.iterations, share);
  return rules_.limit > 0 && !rules_.deadline.passed();
}

void LemkeSolver::pivot_sparse(const ComplementarityProblem& problem, Solution& solution) {
  sparse_.prepare(form_.sparse_problem());
  for (int number = guessed_ ? -1 : 0; number < SparseMixedLcpSolver::attempts; ++number) {
    if (!may_go_on(5 * form_.size() + 20)) break;
    PivotOutcome outcome =
        sparse_.attempt(std::max(0, number), number < 0 ? &guess_ : nullptr, rules_, z_);
    tried_ += number >= 0;
    report_.iterations += sparse_.pivots();
    if (settles(problem, solution, true)) return;
    for (int again = 0; again < repairs && outcome == PivotOutcome::solved; ++again) {
      if (!may_go_on(form_.size())) break;
      outcome = sparse_.attempt_again(std::max(0, number), rules_, z_);
      report_.iterations += sparse_.pivots();
      if (settles(problem, solution, true)) return;
      if (sparse_.pivots() == 0) break;
    }
    if (number < 0) continue;
    rays_ += outcome == PivotOutcome::ray;
    limits_ += outcome == PivotOutcome::limit;
    if (outcome == PivotOutcome::ray && proves_infeasible(problem, sparse_, number == 1)) return;
  }
  if (form_.size() > largest_fallback || !may_go_on(1)) return;
  condensation_.fill(problem);
  form_.assemble(condensation_.W(), condensation_.q());
  pivot_dense(problem, solution);
}

// Attempts until the judge is satisfied; keeps the best answer.
void LemkeSolver::pivot_dense(const ComplementarityProblem& problem, Solution& solution) {
  lcp_.prepare(form_.problem());
  if (lcp_.inconsistent()) {
    lcp_.contradiction_certificate(mixed_certificate_);
    if (is_certificate(problem)) {
      report_.note = "equality rows contradict each other";
      return;
    }
  }
  for (int number = guessed_ ? -1 : 0; number < MixedLcpSolver::attempts; ++number) {
    if (!may_go_on(5 * form_.size() + 20)) break;
    const PivotOutcome outcome =
        number < 0 ? lcp_.attempt_from(guess_, rules_, z_) : lcp_.attempt(number, rules_, z_);
    report_.iterations += lcp_.pivots();
    if (settles(problem, solution, false)) return;
    if (outcome != PivotOutcome::breakdown) {
      lcp_.polish(z_);
      if (settles(problem, solution, true)) return;
    }
    if (number < 0) continue;
    ++tried_;
    rays_ += outcome == PivotOutcome::ray;
    limits_ += outcome == PivotOutcome::limit;
    if (outcome == PivotOutcome::ray &&
        proves_infeasible(problem, lcp_, form_.size() <= largest_dense_search))
      return;
  }
}

bool LemkeSolver::is_certificate(const ComplementarityProblem& problem) {
  form_.recover_certificate(problem.blocks, mixed_certificate_, certificate_);
  proved_ = infeasibility(problem, certificate_).proves_no_solution;
  if (!proved_) return false;
  report_.status = SolveStatus::no_solution;
  report_.note = "a ray proves that no impulses satisfy the inequalities";
  return true;
}

template <class Method>
bool LemkeSolver::proves_infeasible(const ComplementarityProblem& problem, Method& method,
                                    bool search) {
  method.ray_certificate(mixed_certificate_);
  if (is_certificate(problem)) return true;
  return search && method.search_certificate(rules_, mixed_certificate_) && is_certificate(problem);
}

void LemkeSolver::conclude(const ComplementarityProblem& problem, Solution& solution) {
  if (report_.residual.relative == std::numeric_limits<double>::infinity()) {
    // Nothing was found: zero impulses are an answer to judge.
    const SolveReport found = report_;
    report_ = refuse(problem, solution, found.note);
    report_.status = found.status;
    report_.iterations = found.iterations;
  }
  if (report_.status != SolveStatus::inaccurate || report_.note == at_resolution) return;
  if (rules_.deadline.passed()) {
    report_.status = SolveStatus::limit;
    report_.note = "time ran out";
    report_ = noted(report_, rules_.deadline);
  } else if (rays_ > 0 && rays_ + limits_ == tried_) {
    report_.note = "secondary ray: no conclusion";
  } else if (limits_ == tried_) {
    report_.status = SolveStatus::limit;
    report_.note = "pivots ran out";
  }
}

SolverRegistry::Entry lemke_entry() {
  const LemkeSolver::Settings defaults;
  return {
      lemke_name,
      "Lemke's complementary pivoting, lexicographic, dense or with sparse factors: exact for "
      "pyramids, planar friction, joints, limits and boxes; warm start from a guess of the basis.",
      "Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, ch. 4",
      {
          {"tolerance", "Relative residual asked of the judge.", defaults.tolerance, "", 0.0, 1.0},
          {"max-iterations", "Pivots of all attempts; 0: 50 for each row of the LCP.",
           static_cast<long>(defaults.max_iterations), "", 0.0, 1e9},
          {"largest-dense", "Rows of the LCP up to which the dense dictionary is used.",
           static_cast<long>(defaults.largest_dense), "", 0.0, 1e5},
          {"pivot-tolerance",
           "Entries below this part of the largest one of the entering column do not block.",
           defaults.pivot_tolerance, "", 0.0, 1e-3},
      },
      [](const OptionValues& values) -> std::unique_ptr<Solver> {
        LemkeSolver::Settings settings;
        settings.tolerance = values.real("tolerance");
        settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
        settings.largest_dense = static_cast<int>(values.integer("largest-dense"));
        settings.pivot_tolerance = values.real("pivot-tolerance");
        return std::make_unique<LemkeSolver>(settings);
      },
  };
}

}  // namespace vinci
