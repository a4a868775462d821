// SPDX-License-Identifier: Apache-2.0
// Block Gauss–Seidel with a Newton finish.
#include "vinci/splitting/gauss_seidel.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "vinci/base/settings.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/local_solve.h"

namespace vinci {

namespace {

constexpr const char* gauss_seidel_name = "gauss-seidel";
constexpr const char* no_diagonal =
    "a row has no diagonal in W (a friction pyramid): use lemke, or cone: quadratic";

// The proximal term ρ s |λ_a − λ_a(before)|²/2 of a visit, changed whenever Newton fails from where
// the sweeps led. Without it sweeps may cycle, and they leave redundant contacts unevenly loaded,
// at the edges of their cones.
constexpr double dampings[] = {0.0, 2.0, 0.3};
// A direction of an equality block that its W sees by less than this does not count: what rounding
// leaves of a redundant equation, ε, and four digits.
constexpr double redundant = 1e-12;
// Without a gain of a tenth over this many sweeps more of them will not help.
constexpr int patience_of_sweeps = 2000;

// A block that others act on but that does not act on itself cannot be solved by itself. A block
// that nothing acts on is decided by b alone.
bool lacks_diagonal(const ComplementarityProblem& problem, const Block& block, const double* W) {
  double mean = 0.0;
  for (int i = 0; i < block.size; ++i) mean += W[i * block.size + i] / block.size;
  if (mean > 0.0) return false;
  for (int row = block.offset; row < block.offset + block.size; ++row)
    if (problem.J.starts[row + 1] > problem.J.starts[row] ||
        problem.C.starts[row + 1] > problem.C.starts[row])
      return true;
  return false;
}

}  // namespace

GaussSeidelSolver::GaussSeidelSolver(const Settings& settings)
    : SolveFrame(gauss_seidel_name, {settings.tolerance}), settings_(settings) {}

std::string GaussSeidelSolver::refusal(const ComplementarityProblem& problem) const {
  DelassusOperator op;
  if (!op.prepare(problem)) return {};  // M is singular
  for (std::size_t i = 0; i < problem.blocks.size(); ++i)
    if (lacks_diagonal(problem, problem.blocks[i], op.diagonal(static_cast<int>(i))))
      return fmt::format("block {}: {}", i, no_diagonal);
  return {};
}

const char* GaussSeidelSolver::prepare(const ComplementarityProblem& problem) {
  if (!operator_.prepare(problem)) return singular_mass;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i)
    if (lacks_diagonal(problem, problem.blocks[i], operator_.diagonal(static_cast<int>(i))))
      return no_diagonal;
  prepare_equalities(problem);
  if (settings_.breadth_first)
    order_.breadth_first(problem, operator_, judge_.scales());
  else
    order_.as_given(problem);
  return nullptr;
}

void GaussSeidelSolver::prepare_equalities(const ComplementarityProblem& problem) {
  equality_inverses_.clear();
  equality_starts_.clear();
  int largest = largest_contact;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const Block& block = problem.blocks[i];
    largest = std::max(largest, block.size);
    equality_starts_.push_back(equality_inverses_.size());
    if (block.law != Law::equality) continue;
    const std::size_t size = static_cast<std::size_t>(block.size), count = size * size;
    const double* const W = operator_.diagonal(static_cast<int>(i));
    equality_inverses_.resize(equality_starts_.back() + count);
    double* const inverse = &equality_inverses_[equality_starts_.back()];
    local_.assign(count + size, 0.0);
    std::copy(W, W + count, local_.begin());
    if (invert_dense(block.size, local_.data(), inverse, local_.data() + count)) continue;
    // Redundant equations: the least change that meets them.
    using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::CompleteOrthogonalDecomposition<MatrixX> decomposition;
    decomposition.setThreshold(redundant);
    decomposition.compute(Eigen::Map<const Square>(W, block.size, block.size));
    Eigen::Map<Square>(inverse, block.size, block.size) = decomposition.pseudoInverse();
  }
  local_.resize(static_cast<std::size_t>(3 * largest));
}

// One block with the others held; returns the squared change in the unit of w.
double GaussSeidelSolver::visit(const ComplementarityProblem& problem, int number,
                                VectorX& lambda) {
  const Block& block = problem.blocks[number];
  const int size = block.size;
  double *const w = local_.data(), *const change = w + size, *const target = change + size;
  double* const now = lambda.data() + block.offset;
  operator_.velocity(number, lambda, w);
  if (block.law == Law::equality) {
    const double* inverse = &equality_inverses_[equality_starts_[number]];
    for (int i = 0; i < size; ++i, inverse += size) {
      change[i] = 0.0;
      for (int j = 0; j < size; ++j) change[i] -= inverse[j] * w[j];
    }
  } else {
    const double* const W = operator_.diagonal(number);
    const double* const scale = &judge_.scales()[block.offset];
    double damped[largest_contact * largest_contact];
    for (int i = 0; i < size; ++i) {
      const double extra = damping_ * (scale[i] * (scale[i] / scale[0]));  // of a moment: s/ℓ²
      for (int j = 0; j < size; ++j) {
        damped[i * size + j] = W[i * size + j] + (i == j ? extra : 0.0);
        w[i] -= damped[i * size + j] * now[j];
      }
    }
    solve_local(block, damped, w, target);
    if (settings_.relaxation != 1.0) {
      for (int i = 0; i < size; ++i)
        target[i] = now[i] + settings_.relaxation * (target[i] - now[i]);
      project(block, 1.0, target);
    }
    for (int i = 0; i < size; ++i) change[i] = target[i] - now[i];
  }
  double squared = 0.0;
  for (int i = 0; i < size; ++i) {
    now[i] = block.law == Law::equality ? now[i] + change[i] : target[i];
    const double moved = judge_.scales()[block.offset + i] * change[i];
    squared += moved * moved;
  }
  if (squared > 0.0) operator_.move(number, change);
  return squared;
}

double GaussSeidelSolver::sweep(const ComplementarityProblem& problem, bool forwards,
                                VectorX& lambda) {
  const std::vector<int>& order = order_.blocks();
  const std::size_t count = order.size();
  double squared = 0.0;
  for (std::size_t i = 0; i < count; ++i)
    squared += visit(problem, order[forwards ? i : count - 1 - i], lambda);
  return std::sqrt(squared);
}

// A Newton step costs as much as this many sweeps, so that neither starves the other. In
// operations: a sweep takes 8 per entry of J and W and 100 per row; a step factors densely, 2/3 n³,
// or sparsely, 20,000 per unknown.
int GaussSeidelSolver::polish_interval(const ComplementarityProblem& problem) const {
  const int m = problem.rows(), n = problem.unknowns();
  const double size = operator_.velocity_form() && problem.C.empty() ? n : m + n;
  const double sweep =
      8.0 * static_cast<double>(problem.J.indices.size() + operator_.rows().indices.size()) +
      100.0 * m;
  const double step = std::min(0.7 * size * size * size, 2e4 * size);
  return static_cast<int>(std::clamp(0.5 * step / sweep, 3.0, 100.0));
}

SolveFrame::Ending GaussSeidelSolver::run(const ComplementarityProblem& problem,
                                          Solution& solution) {
  const double tolerance = accuracy().tolerance;
  Residual residual = offer_guess(problem, solution);
  operator_.restart(solution.lambda);
  int interval = polish_interval(problem), next_polish = interval, last_gain = 0;
  double gained = residual.relative;
  std::size_t attempts = 0;
  damping_ = dampings[0];
  bool stalled = false;
  while (!settled(residual) && !stalled) {
    if (iterations_ >= settings_.max_iterations || until_.passed()) return {SolveStatus::limit};
    const double change = sweep(problem, iterations_ % 2 == 0, solution.lambda);
    ++iterations_;
    const bool polish_now = settings_.polish && iterations_ >= next_polish;
    // One block by itself is solved by a visit.
    if (iterations_ % settings_.check_interval != 0 && !polish_now && problem.blocks.size() > 1 &&
        change > tolerance * judge_.free_norm() && iterations_ < settings_.max_iterations)
      continue;
    residual = judge_.measure(problem, solution);
    const VectorX* u = &judge_.u();
    if (polish_now && !settled(residual)) {
      const double before = residual.relative;
      residual = polish_.improve(problem, operator_, judge_, {accuracy(), 10, nullptr, &until_},
                                 solution, residual);
      u = nullptr;
      if (residual.relative > 0.1 * before) {
        if (++attempts % std::size(dampings) == 0) interval *= 2;
        damping_ = dampings[attempts % std::size(dampings)];
      }
      next_polish = iterations_ + interval;
    }
    operator_.restart(solution.lambda);  // the changes added up to u carry rounding
    offer(solution.lambda, residual, u);
    if (best_residual().relative < 0.9 * gained) {
      gained = best_residual().relative;
      last_gain = iterations_;
    }
    stalled = iterations_ - last_gain >= patience_of_sweeps;
  }
  return {SolveStatus::inaccurate, "no further progress"};
}

SolverRegistry::Entry gauss_seidel_entry() {
  using Settings = GaussSeidelSolver::Settings;
  return entry_of<Solver, GaussSeidelSolver>(
      gauss_seidel_name,
      "Block Gauss–Seidel with exact local solves, finished by Newton on the active set.",
      "Jourdan, Alart, Jean 1998",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Sweeps before giving up.", "", 0, 1e9},
       {&Settings::relaxation, "relaxation",
        "ω in λ ← λ + ω (local solution − λ), then projected; above 1 it is faster on some "
        "problems "
        "and cycles on others.",
        "", 0.01, 1.99},
       {&Settings::breadth_first, "order",
        "How a sweep visits the blocks: as given, or breadth first through the couplings from the "
        "heaviest on.",
        Choices{{"given", "breadth-first"}}},
       {&Settings::check_interval, "check-interval", "Sweeps between two judgements.", "", 1, 1e6},
       {&Settings::polish, "polish", "Finish by Newton's method on the active set."}});
}

}  // namespace vinci
