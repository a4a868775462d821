// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/quadratic_cone.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/settings.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/local_solve.h"

namespace vinci {

namespace {

constexpr const char* quadratic_cone_name = "quadratic-cone";

}  // namespace

QuadraticCone::QuadraticCone() {
  form_.function = [this](const VectorX& z, VectorX& value) { evaluate(z, value); };
  form_.derivative = [this](const VectorX& z, SparseRows& jacobian) { differentiate(z, jacobian); };
}

const char* QuadraticCone::reason_against(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks) {
    switch (block.law) {
      case Law::equality:
      case Law::nonnegative:
      case Law::box:
      case Law::ball:
      case Law::coulomb:
      case Law::second_order:
        continue;
      default:
        return "a law has no quadratic constraint of this form: use gauss-seidel or auto";
    }
  }
  return nullptr;
}

QuadraticCone::Shape QuadraticCone::shape(const Block& block) {
  if (block.law == Law::ball)
    return block.upper > 0.0 && std::isfinite(block.upper) ? Shape::ball : Shape::none;
  if (block.law != Law::coulomb && block.law != Law::second_order) return Shape::none;
  return block.friction > 0.0 ? Shape::cone : Shape::none;
}

// z = (u, λ, σ), σ of the blocks that have one in their order.
void QuadraticCone::number_rows() {
  row_.assign(rows_, {});
  slip_of_block_.assign(problem_->blocks.size(), -1);
  slips_ = 0;
  for (std::size_t b = 0; b < problem_->blocks.size(); ++b) {
    const Block& block = problem_->blocks[b];
    const bool has_normal = block.law == Law::coulomb || block.law == Law::second_order;
    const int slip = shape(block) == Shape::none ? -1 : unknowns_ + rows_ + slips_++;
    slip_of_block_[b] = slip;
    for (int i = 0; i < block.size; ++i) {
      Row& row = row_[block.offset + i];
      row.block = static_cast<int>(b);
      row.slip = slip;
      row.is_tangent = slip >= 0 && !(has_normal && i == 0);
      row.is_off =
          slip < 0 && ((has_normal && i > 0) || (block.law == Law::ball && block.upper == 0.0));
    }
  }
}

void QuadraticCone::set_bounds() {
  const int size = unknowns_ + rows_ + slips_;
  form_.lower.setConstant(size, -infinity);
  form_.upper.setConstant(size, infinity);
  form_.lower.tail(slips_).setZero();
  for (const Block& block : problem_->blocks) {
    const int k = unknowns_ + block.offset;
    if (block.law == Law::nonnegative || block.law == Law::coulomb ||
        block.law == Law::second_order)
      form_.lower[k] = 0.0;
    if (block.law == Law::box) {
      form_.lower[k] = block.lower / impulse_[block.offset];
      form_.upper[k] = block.upper / impulse_[block.offset];
    }
  }
}

void QuadraticCone::set_pattern() {
  const int size = unknowns_ + rows_ + slips_;
  SparseRows& pattern = form_.pattern;
  pattern.reset(size);
  const auto close = [&] {
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    for (const int column : columns_) pattern.push(column, 0.0);
    pattern.end_row();
    columns_.clear();
  };
  columns_.clear();
  for (int i = 0; i < unknowns_; ++i) {
    for (int k = problem_->M.starts[i]; k < problem_->M.starts[i + 1]; ++k)
      columns_.push_back(problem_->M.indices[k]);
    for (int k = transposed_.starts[i]; k < transposed_.starts[i + 1]; ++k)
      columns_.push_back(unknowns_ + transposed_.indices[k]);
    close();
  }
  for (int i = 0; i < rows_; ++i) {
    const Row& row = row_[i];
    columns_.push_back(unknowns_ + i);
    if (!row.is_off) {
      for (int k = problem_->J.starts[i]; k < problem_->J.starts[i + 1]; ++k)
        columns_.push_back(problem_->J.indices[k]);
      for (int k = problem_->C.starts[i]; k < problem_->C.starts[i + 1]; ++k)
        columns_.push_back(unknowns_ + problem_->C.indices[k]);
      if (row.slip >= 0) {
        columns_.push_back(unknowns_ + problem_->blocks[row.block].offset);
        columns_.push_back(row.slip);
      }
    }
    close();
  }
  for (std::size_t b = 0; b < problem_->blocks.size(); ++b) {
    if (slip_of_block_[b] < 0) continue;
    const Block& block = problem_->blocks[b];
    for (int i = 0; i < block.size; ++i) columns_.push_back(unknowns_ + block.offset + i);
    close();
  }
}

void QuadraticCone::transpose() {
  const SparseRows& J = problem_->J;
  transposed_.starts.assign(unknowns_ + 1, 0);
  for (const int column : J.indices) ++transposed_.starts[column + 1];
  for (int j = 0; j < unknowns_; ++j) transposed_.starts[j + 1] += transposed_.starts[j];
  transposed_.indices.resize(J.indices.size());
  transposed_.values.resize(J.indices.size());
  columns_.assign(transposed_.starts.begin(), transposed_.starts.end() - 1);
  for (int i = 0; i < J.rows; ++i)
    for (int k = J.starts[i]; k < J.starts[i + 1]; ++k) {
      const int place = columns_[J.indices[k]]++;
      transposed_.indices[place] = i;
      transposed_.values[place] = J.values[k];
    }
}

// Units that make u, λ and both kinds of equations of order one.
void QuadraticCone::set_units(const Judge& judge) {
  velocity_ = judge.free_norm();
  weight_ = judge.weights() / velocity_;
  impulse_ = velocity_ * judge.scales().cwiseInverse();
  motion_.setConstant(unknowns_, velocity_);
  force_.setZero(unknowns_);
  for (int i = 0; i < unknowns_; ++i) {
    double lever = 0.0;
    for (int k = transposed_.starts[i]; k < transposed_.starts[i + 1]; ++k)
      lever = std::max(lever, std::abs(transposed_.values[k]));
    if (lever > 0.0) motion_[i] = velocity_ / lever;
  }
  for (int i = 0; i < unknowns_; ++i) {
    for (int k = problem_->M.starts[i]; k < problem_->M.starts[i + 1]; ++k)
      force_[i] =
          std::max(force_[i], std::abs(problem_->M.values[k]) * motion_[problem_->M.indices[k]]);
    for (int k = transposed_.starts[i]; k < transposed_.starts[i + 1]; ++k)
      force_[i] =
          std::max(force_[i], std::abs(transposed_.values[k]) * impulse_[transposed_.indices[k]]);
    force_[i] = force_[i] > 0.0 ? 1.0 / force_[i] : 1.0;
  }
}

void QuadraticCone::build(const ComplementarityProblem& problem, const Judge& judge) {
  problem_ = &problem;
  unknowns_ = problem.unknowns();
  rows_ = problem.rows();
  transpose();
  set_units(judge);
  number_rows();
  set_bounds();
  set_pattern();
}

// u, λ in the problem's units, and w in ours.
void QuadraticCone::unpack(const VectorX& z) const {
  u_ = z.head(unknowns_).cwiseProduct(motion_);
  lambda_ = z.segment(unknowns_, rows_).cwiseProduct(impulse_);
  w_ = problem_->b;
  problem_->J.multiply_add(u_.data(), w_.data());
  problem_->C.multiply_add(lambda_.data(), w_.data());
  w_.array() *= weight_.array();
}

// The radius of the set of λ_t: μ λ_n, or r.
double QuadraticCone::radius(const Block& block, const VectorX& z) const {
  return block.law == Law::ball ? block.upper / impulse_[block.offset]
                                : block.friction * z[unknowns_ + block.offset];
}

// Large coefficients of friction and radii are divided out of the equations.
double QuadraticCone::size_of(const Block& block) const {
  return std::max(1.0,
                  block.law == Law::ball ? block.upper / impulse_[block.offset] : block.friction);
}

void QuadraticCone::evaluate(const VectorX& z, VectorX& value) const {
  unpack(z);
  balance_ = -problem_->p;
  problem_->M.multiply_add(u_.data(), balance_.data());
  lambda_ = -lambda_;
  problem_->J.multiply_transposed_add(lambda_.data(), balance_.data());
  value.head(unknowns_) = balance_.cwiseProduct(force_);
  for (std::size_t b = 0; b < problem_->blocks.size(); ++b) {
    const Block& block = problem_->blocks[b];
    const int slip = slip_of_block_[b];
    double inside = 0.0;
    for (int i = 0; i < block.size; ++i) {
      const int row = block.offset + i, k = unknowns_ + row;
      value[k] = row_[row].is_off ? z[k] : w_[row];
      if (slip < 0) continue;
      if (row_[row].is_tangent) {
        value[k] = (radius(block, z) * w_[row] + z[slip] * z[k]) / size_of(block);
        inside -= z[k] * z[k];
      } else if (block.law == Law::second_order) {
        value[k] -= block.friction * z[slip];
      }
    }
    if (slip < 0) continue;
    const double r = radius(block, z), size = size_of(block);
    value[slip] = (r * r + inside) / (size * size);
  }
}

namespace {

// Adds to an entry that the pattern has.
void add_entry(SparseRows& matrix, int row, int column, double value) {
  const auto first = matrix.indices.begin() + matrix.starts[row];
  const auto last = matrix.indices.begin() + matrix.starts[row + 1];
  const auto place = std::lower_bound(first, last, column) - matrix.indices.begin();
  matrix.values[static_cast<std::size_t>(place)] += value;
}

}  // namespace

// factor ∂w/∂(u, λ) of a row, added to that row of the Jacobian.
void QuadraticCone::add_velocity_row(int row, double factor, SparseRows& jacobian) const {
  const double scale = factor * weight_[row];
  if (scale == 0.0) return;
  const SparseRows &J = problem_->J, &C = problem_->C;
  for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
    add_entry(jacobian, unknowns_ + row, J.indices[k], scale * J.values[k] * motion_[J.indices[k]]);
  for (int k = C.starts[row]; k < C.starts[row + 1]; ++k)
    add_entry(jacobian, unknowns_ + row, unknowns_ + C.indices[k],
              scale * C.values[k] * impulse_[C.indices[k]]);
}

void QuadraticCone::differentiate_block(std::size_t b, const VectorX& z,
                                        SparseRows& jacobian) const {
  const Block& block = problem_->blocks[b];
  const int slip = slip_of_block_[b], normal = unknowns_ + block.offset;
  const bool is_cone = block.law != Law::ball;
  const double size = size_of(block), r = slip >= 0 ? radius(block, z) : 0.0;
  for (int i = 0; i < block.size; ++i) {
    const int row = block.offset + i, k = unknowns_ + row;
    if (row_[row].is_off) {
      add_entry(jacobian, k, k, 1.0);
    } else if (!row_[row].is_tangent) {
      add_velocity_row(row, 1.0, jacobian);
      if (slip >= 0 && block.law == Law::second_order)
        add_entry(jacobian, k, slip, -block.friction);
    } else {
      add_velocity_row(row, r / size, jacobian);
      if (is_cone) add_entry(jacobian, k, normal, block.friction * w_[row] / size);
      add_entry(jacobian, k, k, z[slip] / size);
      add_entry(jacobian, k, slip, z[k] / size);
      add_entry(jacobian, slip, k, -2.0 * z[k] / (size * size));
    }
  }
  if (slip >= 0 && is_cone)
    add_entry(jacobian, slip, normal, 2.0 * r * block.friction / (size * size));
}

void QuadraticCone::differentiate(const VectorX& z, SparseRows& jacobian) const {
  unpack(z);
  std::fill(jacobian.values.begin(), jacobian.values.end(), 0.0);
  for (int i = 0; i < unknowns_; ++i) {
    const SparseRows& M = problem_->M;
    for (int k = M.starts[i]; k < M.starts[i + 1]; ++k)
      add_entry(jacobian, i, M.indices[k], force_[i] * M.values[k] * motion_[M.indices[k]]);
    for (int k = transposed_.starts[i]; k < transposed_.starts[i + 1]; ++k)
      add_entry(jacobian, i, unknowns_ + transposed_.indices[k],
                -force_[i] * transposed_.values[k] * impulse_[transposed_.indices[k]]);
  }
  for (std::size_t b = 0; b < problem_->blocks.size(); ++b) differentiate_block(b, z, jacobian);
}

void QuadraticCone::guess(const Solution& solution, const VectorX& w, VectorX& z) const {
  z.setZero(unknowns_ + rows_ + slips_);
  z.head(unknowns_) = solution.u.cwiseQuotient(motion_);
  z.segment(unknowns_, rows_) = solution.lambda.cwiseQuotient(impulse_);
  for (std::size_t b = 0; b < problem_->blocks.size(); ++b) {
    if (slip_of_block_[b] < 0) continue;
    const Block& block = problem_->blocks[b];
    double slip = 0.0;
    for (int i = block.offset; i < block.offset + block.size; ++i)
      if (row_[i].is_tangent) slip = std::hypot(slip, w[i] * weight_[i]);
    z[slip_of_block_[b]] = slip;
  }
}

void QuadraticCone::recover(const VectorX& z, Solution& solution) const {
  solution.u = z.head(unknowns_).cwiseProduct(motion_);
  solution.lambda = z.segment(unknowns_, rows_).cwiseProduct(impulse_);
}

QuadraticConeSolver::QuadraticConeSolver(const Settings& settings)
    : SolveFrame(quadratic_cone_name, {settings.tolerance}), settings_(settings) {
  PathNewton::Settings& newton = newton_.settings();
  newton.tolerance = 0.0;  // the judge decides
  newton.max_iterations = settings.max_iterations;
  newton.restarts = settings.restarts;
  newton_.accept = [this](const VectorX& z) { return judge_point(z); };
  newton_.restart = [this](int attempt, VectorX& z) { spread(attempt, z); };
}

const char* QuadraticConeSolver::reason_against(const ComplementarityProblem& problem) const {
  if (problem.rows() + problem.unknowns() > settings_.largest)
    return "more rows and unknowns than the option 'largest' allows";
  return QuadraticCone::reason_against(problem);
}

std::string QuadraticConeSolver::refusal(const ComplementarityProblem& problem) const {
  const char* const reason = reason_against(problem);
  return reason ? reason : "";
}

const char* QuadraticConeSolver::prepare(const ComplementarityProblem& problem) {
  problem_ = &problem;
  return reason_against(problem);
}

bool QuadraticConeSolver::judge_point(const VectorX& z) {
  cone_.recover(z, trial_);
  project_all(*problem_, trial_.lambda);
  return offer(trial_.lambda, judge_.measure(*problem_, trial_), &judge_.u());
}

// At λ = 0 all derivatives of the friction rows vanish: such a guess is moved by one sweep of exact
// local solves, or, where M is singular, by one projection.
void QuadraticConeSolver::leave_zero(VectorX& guess) {
  if (!guess.isZero(0.0)) return;
  const bool regular = operator_.prepare(*problem_);
  if (regular) operator_.restart(guess);
  const VectorX& scales = judge_.scales();
  local_.resize(problem_->rows());
  for (std::size_t b = 0; b < problem_->blocks.size(); ++b) {
    const Block& block = problem_->blocks[b];
    if (block.law == Law::equality) continue;
    double *const lambda = guess.data() + block.offset, *const w = local_.data();
    if (regular) {
      operator_.velocity(static_cast<int>(b), guess, w);
      if (!solve_local(block, operator_.diagonal(static_cast<int>(b)), w, lambda))
        std::fill_n(lambda, block.size, 0.0);
      operator_.move(static_cast<int>(b), lambda);
    } else {
      for (int i = 0; i < block.size; ++i)
        lambda[i] = -judge_.w()[block.offset + i] / scales[block.offset + i];
      project(block, 1.0, lambda);
    }
  }
  if (!guess.allFinite()) guess.setZero();
}

// Other starts: every contact closed and sliding a little, at impulses from large to small.
void QuadraticConeSolver::spread(int attempt, VectorX& z) const {
  const double size = std::pow(10.0, (attempt % 2 == 0 ? -1 : 1) * (attempt / 2));
  const VectorX& lower = cone_.problem().lower;
  for (Eigen::Index k = 0; k < z.size(); ++k)
    z[k] = lower[k] == 0.0 ? std::max(z[k], size) : 0.5 * z[k];
}

SolveFrame::Ending QuadraticConeSolver::run(const ComplementarityProblem& problem,
                                            Solution& solution) {
  if (offer(solution.lambda, judge_.measure(problem, solution), &judge_.u())) return {};
  cone_.build(problem, judge_);
  leave_zero(solution.lambda);
  judge_.measure(problem, solution);
  solution.u = judge_.u();
  cone_.guess(solution, judge_.w(), z_);
  newton_.settings().time_limit = until_.remaining();
  newton_.settings().interruption = until_.interruption();
  const NonlinearReport newton = newton_.solve(cone_.problem(), z_);
  iterations_ = newton.iterations;
  if (newton.status == SolveStatus::limit) return {SolveStatus::limit};
  return {SolveStatus::inaccurate, newton.note};
}

SolverRegistry::Entry quadratic_cone_entry() {
  using Settings = QuadraticConeSolver::Settings;
  return entry_of<Solver, QuadraticConeSolver>(
      quadratic_cone_name,
      "Friction with its quadratic constraint as a mixed nonlinear complementarity problem, solved "
      "by Newton's method with complementary pivoting; keeps u, takes a singular M.",
      "Berard, Nguyen, Trinkle 2009, eqs. (1)-(6); Dirkse, Ferris 1995",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations",
        "Newton, crash and gradient steps over all starts.", "", 1.0, 1e6},
       {&Settings::restarts, "restarts", "Other starts where one ends at no solution.", "", 0.0,
        100.0},
       {&Settings::largest, "largest", "Rows and unknowns up to which a problem is taken.", "", 0.0,
        1e7}});
}

}  // namespace vinci
