// SPDX-License-Identifier: Apache-2.0
// The path and its steps.
#include "vinci/newton/interior_point.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/settings.h"
#include "vinci/complementarity/laws.h"

namespace vinci {
namespace {

constexpr const char* interior_point_name = "interior-point";
// Of ε² in a step: three digits of the products, half of which are gained in ε.
constexpr double smallest_centering = 1e-3;
// Second-order terms are of use where the plain step goes at least this far: they grow with the
// square of what it left.
constexpr double reach_to_correct = 0.5;
// Where the bent equations are off by more than this many ε, ε waits for them and falls by a fifth
// of ε² only.
constexpr double most_bent = 10.0, waiting_centering = 0.2;
constexpr double to_the_edge = 0.9;  // of the longest step, more near the end
// Relative. The products ε² are then 1e-18, below the rounding of a velocity of 1: it leads the
// steps.
constexpr double smallest_epsilon = 1e-9;
// Steps shorter than a tenth in a row, each of which leaves nine tenths of the error.
constexpr int most_short_steps = 5, most_restarts = 4;

}  // namespace

InteriorPointSolver::InteriorPointSolver(const Settings& settings)
    : NewtonSolver(interior_point_name, {settings.tolerance},
                   {settings.max_iterations, settings.largest}),
      polished_under_(settings.polished_under) {}

const char* InteriorPointSolver::reason_against(const ComplementarityProblem& problem) const {
  for (const Block& block : problem.blocks)
    if (block.law == Law::second_order || block.law == Law::moments)
      return "second-order cones or moments at contacts: use augmented-lagrangian";
  return nullptr;
}

SmoothedState InteriorPointSolver::state(const ComplementarityProblem& problem,
                                         std::size_t number) const {
  const Block& block = problem.blocks[number];
  return {&block, lambda_.data() + block.offset, w_.data() + block.offset,
          slip_.data() + 2 * number};
}

// Block after block, row-major; false where C couples blocks.
bool InteriorPointSolver::gather_compliance(const ComplementarityProblem& problem) {
  compliances_.clear();
  for (const Block& block : problem.blocks)
    for (int i = block.offset; i < block.offset + block.size; ++i) {
      const std::size_t first = compliances_.size();
      compliances_.resize(first + static_cast<std::size_t>(block.size), 0.0);
      for (int k = problem.C.starts[i]; k < problem.C.starts[i + 1]; ++k) {
        const int column = problem.C.indices[k] - block.offset;
        if (column < 0 || column >= block.size) return false;
        compliances_[first + static_cast<std::size_t>(column)] = problem.C.values[k];
      }
    }
  return true;
}

// A dλ + B dw = g with dw = C dλ + (J du + gap): D = (A + B C)⁻¹B, and g likewise.
bool InteriorPointSolver::absorb_compliance(const ComplementarityProblem& problem) {
  std::size_t first = 0;
  for (const Block& block : problem.blocks) {
    const auto size = static_cast<std::size_t>(block.size);
    double* const B = D_.data() + first;
    double* const g = g_.data() + block.offset;
    const double* const C = compliances_.data() + first;
    block_.assign(A_.data() + first, A_.data() + first + size * size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < size; ++k)
        for (std::size_t j = 0; j < size; ++j)
          block_[i * size + j] += B[i * size + k] * C[k * size + j];
    inverse_.resize(size * size);
    pivots_.resize(size);
    if (!invert_dense(block.size, block_.data(), inverse_.data(), pivots_.data())) return false;
    right_.assign(B, B + size * size);
    right_.insert(right_.end(), g, g + size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < size; ++k) sum += inverse_[i * size + k] * right_[k * size + j];
        B[i * size + j] = sum;
      }
      double sum = 0.0;
      for (std::size_t k = 0; k < size; ++k)
        sum += inverse_[i * size + k] * right_[size * size + k];
      g[i] = sum;
    }
    first += size * size;
  }
  return true;
}

// From the λ of the candidate, onto the path of τ = ε²/s.
void InteriorPointSolver::start(const ComplementarityProblem& problem, double epsilon) {
  judge_.measure(problem, candidate_);
  lambda_ = candidate_.lambda;
  w_ = judge_.w();
  u_ = judge_.u();
  slip_.setZero(2 * static_cast<long>(problem.blocks.size()));
  dslip_.setZero(slip_.size());
  std::size_t entries = 0;
  for (const Block& block : problem.blocks)
    entries += static_cast<std::size_t>(block.size * block.size);
  D_.resize(entries);
  if (coupled_ || compliant_) A_.resize(entries);
  g_.resize(problem.rows());
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    start_inside(state(problem, b), scale_of(problem.blocks[b]),
                 epsilon / judge_.weights()[problem.blocks[b].offset]);
}

// y = g − D x.
void InteriorPointSolver::respond(const ComplementarityProblem& problem, const VectorX& x,
                                  VectorX& y) const {
  const double* D = D_.data();
  y.resize(problem.rows());
  for (const Block& block : problem.blocks)
    for (int i = 0; i < block.size; ++i, D += block.size) {
      double sum = 0.0;
      for (int j = 0; j < block.size; ++j) sum += D[j] * x[block.offset + j];
      y[block.offset + i] = g_[block.offset + i] - sum;
    }
}

SmoothedStep InteriorPointSolver::kept_step(const ComplementarityProblem& problem,
                                            std::size_t number) const {
  const int offset = problem.blocks[number].offset;
  return {kept_lambda_.data() + offset, kept_w_.data() + offset, kept_slip_.data() + 2 * number};
}

// The step towards τ = ε²/s. Only the plain one factors; a corrected one takes the second-order
// terms of the plain one.
bool InteriorPointSolver::newton_step(const ComplementarityProblem& problem, double epsilon2,
                                      Order order) {
  kept_lambda_ = dlambda_, kept_w_ = dw_, kept_slip_ = dslip_;
  const auto before = [&](std::size_t b) {
    return order == Order::corrected ? kept_step(problem, b) : SmoothedStep{};
  };
  std::size_t first = 0;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const Block& block = problem.blocks[b];
    const double scale = scale_of(block), tau = epsilon2 * unit_of(block);
    double* const g = g_.data() + block.offset;
    if (coupled_ || compliant_)
      linearise_rows(state(problem, b), scale, tau, before(b), A_.data() + first, D_.data() + first,
                     g);
    else
      linearise(state(problem, b), scale, tau, before(b), D_.data() + first, g);
    first += static_cast<std::size_t>(block.size * block.size);
  }
  if (compliant_ && !absorb_compliance(problem)) return false;
  if (order == Order::plain) {
    if (coupled_ ? !coupled_matrix_.factor(A_, D_) : !matrix_.assemble(problem, D_)) return false;
    ++iterations_;
  }
  if (coupled_ ? !solve_coupled(problem) : !solve_velocity(problem)) return false;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    slip_step(state(problem, b), epsilon2 * unit_of(problem.blocks[b]), before(b),
              dlambda_.data() + problem.blocks[b].offset, dslip_.data() + 2 * b);
  return true;
}

// du, dw and dλ where C couples no blocks, D and g given.
bool InteriorPointSolver::solve_velocity(const ComplementarityProblem& problem) {
  respond(problem, gap_, scratch_);
  du_ = defect_;
  problem.J.multiply_transposed_add(scratch_.data(), du_.data());
  matrix_.solve(du_);
  if (!du_.allFinite()) return false;
  dw_ = gap_;
  problem.J.multiply_add(du_.data(), dw_.data());
  respond(problem, dw_, dlambda_);
  problem.C.multiply_add(dlambda_.data(), dw_.data());
  return true;
}

// The same in every other form, A, B (in D_) and the right-hand side (in g_) given.
bool InteriorPointSolver::solve_coupled(const ComplementarityProblem& problem) {
  du_ = defect_;
  respond(problem, gap_, dlambda_);
  if (!coupled_matrix_.solve(du_, dlambda_)) return false;
  dw_ = gap_;
  problem.J.multiply_add(du_.data(), dw_.data());
  problem.C.multiply_add(dlambda_.data(), dw_.data());
  return true;
}

double InteriorPointSolver::longest(const ComplementarityProblem& problem, double reach) const {
  double length = reach;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const int offset = problem.blocks[b].offset;
    length = longest_inside(state(problem, b),
                            {dlambda_.data() + offset, dw_.data() + offset, dslip_.data() + 2 * b},
                            length);
  }
  return length;
}

// ε² of where the point is.
double InteriorPointSolver::mean_product(const ComplementarityProblem& problem) const {
  double sum = 0.0;
  int count = 0;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    add_products(state(problem, b), 1.0 / unit_of(problem.blocks[b]), sum, count);
  return count > 0 ? sum / count : 0.0;
}

void InteriorPointSolver::advance(const ComplementarityProblem& problem, double length) {
  kept_lambda_ = lambda_, kept_w_ = w_, kept_slip_ = slip_;
  u_ += length * du_;
  lambda_ += length * dlambda_;
  w_ += length * dw_;
  slip_ += length * dslip_;
  contacts_.resize(problem.blocks.size());
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const int offset = problem.blocks[b].offset;
    contacts_[b] =
        indicated(state(problem, b), {&problem.blocks[b], kept_lambda_.data() + offset,
                                      kept_w_.data() + offset, kept_slip_.data() + 2 * b});
  }
}

// Judges the impulses, polished where the set may be known; true if they are solved.
bool InteriorPointSolver::judge_point(const ComplementarityProblem& problem, double epsilon) {
  candidate_.lambda = lambda_;
  for (const Block& block : problem.blocks)
    project(block, 1.0, candidate_.lambda.data() + block.offset);
  Residual residual = judge_.measure(problem, candidate_);
  if (residual.relative < polished_under_ && epsilon < 0.1 * polished_ && !settled(residual)) {
    polished_ = epsilon;
    residual = polish_.improve(problem, operator_, judge_, {accuracy(), 6, &contacts_, &until_},
                               candidate_, residual);
  }
  return offer(candidate_.lambda, residual);
}

// What is left of the linear equations: p + Jᵀλ − M u and J u + C λ + b − w.
void InteriorPointSolver::measure_gaps(const ComplementarityProblem& problem) {
  gap_ = problem.b - w_;
  problem.J.multiply_add(u_.data(), gap_.data());
  problem.C.multiply_add(lambda_.data(), gap_.data());
  scratch_ = -u_;
  defect_ = problem.p;
  problem.M.multiply_add(scratch_.data(), defect_.data());
  problem.J.multiply_transposed_add(lambda_.data(), defect_.data());
}

// Of the equations that bend, per block in the unit of w.
double InteriorPointSolver::bend(const ComplementarityProblem& problem) const {
  double sum = 0.0;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    sum += bent(state(problem, b), scale_of(problem.blocks[b]));
  return std::sqrt(sum / static_cast<double>(problem.blocks.size()));
}

void InteriorPointSolver::iterate(const ComplementarityProblem& problem) {
  const double unit = judge_.free_norm() / std::sqrt(static_cast<double>(problem.blocks.size()));
  coupled_ = problem.unknowns() == 0 || !gather_compliance(problem);
  compliant_ = !coupled_ && !problem.C.empty();
  if (coupled_) coupled_matrix_.prepare(problem, judge_.scales());
  candidate_.lambda.setZero();  // a guess at the edges would hold the path back
  start(problem, unit);
  polished_ = std::numeric_limits<double>::infinity();
  int short_steps = 0, restarts = 0;
  while (!out_of_limits() && restarts <= most_restarts) {
    measure_gaps(problem);
    const double now = mean_product(problem);
    if (!newton_step(problem, 0.0, Order::plain)) return;
    const double reach = longest(problem, 1.0);
    const bool waits = bend(problem) > most_bent * std::sqrt(now);
    const double centering =
        waits ? waiting_centering : std::max(std::pow(1.0 - reach, 3.0), smallest_centering);
    const bool correct = !waits && reach > reach_to_correct;
    if (!newton_step(problem, centering * now, correct ? Order::corrected : Order::centred)) return;
    const double length =
        std::min(1.0, std::max(to_the_edge, 1.0 - 10.0 * centering) * longest(problem, 2.0));
    advance(problem, length);
    short_steps = length < 0.1 ? short_steps + 1 : 0;
    const double epsilon = std::sqrt(mean_product(problem));
    if (short_steps == most_short_steps) {  // off the path: back onto it, further inside
      candidate_.lambda = lambda_;
      start(problem, 10.0 * epsilon);
      ++restarts;
      short_steps = 0;
      continue;
    }
    if (judge_point(problem, epsilon) || epsilon < smallest_epsilon * unit) return;
  }
}

SolverRegistry::Entry interior_point_entry() {
  using Settings = InteriorPointSolver::Settings;
  return entry_of<Solver, InteriorPointSolver>(
      interior_point_name,
      "Primal-dual interior point on the exact law, finished by Newton on the active set.",
      "Acary, Armand, Nguyen 2023",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Newton steps before giving up.", "", 0, 1e9},
       {&Settings::largest, "largest", "Unknowns up to which the Newton matrix is factored.", "", 1,
        1e7}});
}

}  // namespace vinci
