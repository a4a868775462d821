// SPDX-License-Identifier: Apache-2.0
// The judge. It shares with the solvers M⁻¹ and the laws, nothing else: every number of it is
// recomputed here from the problem and λ.
#include "vinci/complementarity/residual.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"

namespace vinci {

namespace {

// The same of a row with all entries of the components that it acts on, in their order, as those of
// contacts; negative where it is another one.
double whole_row_product(const SparseRows& J, int row, const MassFactor& factor) {
  double sum = 0.0;
  for (int k = J.starts[row], end = J.starts[row + 1]; k < end;) {
    const int c = factor.component_of(J.indices[k]);
    const std::span<const int> rows = factor.members(c);
    const auto size = static_cast<int>(rows.size());
    if (size == 1) {
      sum += J.values[k] * (factor.inverse(c)[0] * J.values[k]);
      ++k;
      continue;
    }
    if (size > end - k || !std::equal(rows.begin(), rows.end(), J.indices.begin() + k)) return -1.0;
    const double* a = factor.inverse(c);
    const double* const own = J.values.data() + k;
    for (int i = 0; i < size; ++i, a += size) {
      double product = 0.0;
      for (int j = 0; j < size; ++j) product += a[j] * own[j];
      sum += own[i] * product;
    }
    k += size;
  }
  return sum;
}

// Row · M⁻¹ · rowᵀ; `scratch` is zero on entry and on return in the block-diagonal case.
double row_product(const SparseRows& J, int row, const MassFactor& factor, VectorX& scratch) {
  const int begin = J.starts[row], end = J.starts[row + 1];
  const int n = J.cols;
  double sum = 0.0;
  if (!factor.block_diagonal()) {
    scratch.setZero();
    for (int k = begin; k < end; ++k) scratch[J.indices[k]] = J.values[k];
    factor.solve(scratch.data(), scratch.data() + n);
    for (int k = begin; k < end; ++k) sum += J.values[k] * scratch[n + J.indices[k]];
    return sum;
  }
  if (const double whole = whole_row_product(J, row, factor); whole >= 0.0) return whole;
  for (int k = begin; k < end; ++k) scratch[J.indices[k]] = J.values[k];
  for (int k = begin; k < end; ++k) {
    const int c = factor.component_of(J.indices[k]);
    const std::span<const int> rows = factor.members(c);
    const double* a = factor.inverse(c) +
                      static_cast<std::size_t>(factor.position_of(J.indices[k])) * rows.size();
    double product = 0.0;
    for (std::size_t j = 0; j < rows.size(); ++j) product += a[j] * scratch[rows[j]];
    sum += J.values[k] * product;
  }
  for (int k = begin; k < end; ++k) scratch[J.indices[k]] = 0.0;
  return sum;
}

// The diagonal of W = J M⁻¹ Jᵀ + C.
void delassus_diagonal(const ComplementarityProblem& problem, const MassFactor& factor,
                       VectorX& scratch, VectorX& diagonal) {
  scratch.setZero(2 * static_cast<Eigen::Index>(problem.unknowns()));
  diagonal.setZero(problem.rows());
  if (problem.unknowns() > 0)
    for (int row = 0; row < problem.rows(); ++row)
      diagonal[row] = row_product(problem.J, row, factor, scratch);
  for (int row = 0; row < problem.rows(); ++row)
    for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
      if (problem.C.indices[k] == row) diagonal[row] += problem.C.values[k];
}

// Of the velocities whose difference q is. Eight roundings of them, which is what a row of a few
// dozen terms leaves, are then a tenth of the usual tolerance 1e-11.
constexpr double floor_share = 8.0 * machine_epsilon / 1e-12;

// Below this a norm says nothing and 1 is divided by instead.
double or_one(double norm) {
  return norm < machine_epsilon ? 1.0 : norm;
}

bool is_scalar(const ComplementarityProblem& problem) {
  if (problem.unknowns() > 0) return false;
  for (const Block& block : problem.blocks)
    if (block.law != Law::equality && block.law != Law::nonnegative && block.law != Law::box)
      return false;
  return true;
}

double finite_or_infinity(double x) {
  return std::isfinite(x) ? x : infinity;
}

Residual not_finite() {
  return {infinity, infinity, infinity, 0.0};
}

// λ_r/ℓ and ℓ w_r are measured. Without resistance to it w_r is free and does not count.
void scale_moments(const Block& block, double own, double moment, double* scale, double* weight) {
  const int row = block.offset;
  const double length = law::moment_length(own, moment, block);
  std::fill_n(scale + row, block.size, own);
  for (const law::Ball& ball : law::balls_of(block)) {
    if (!ball.moment) continue;
    std::fill_n(scale + row + ball.first, ball.count, own / length);
    std::fill_n(weight + row + ball.first, ball.count, ball.limit > 0.0 ? length : 0.0);
  }
}

// From the diagonal of W in `scale`: the scales s and the weights of w (ones on entry). `borrowed`
// is working memory. A row without a diagonal of its own (the slip speed of a pyramid) borrows the
// largest of the rows that C couples it to: λ is a speed there, d w its constraint as a speed.
void scale_blocks(const ComplementarityProblem& problem, double* borrowed, double* scale,
                  double* weight) {
  const int m = problem.rows();
  std::fill_n(borrowed, m, 0.0);
  for (int row = 0; row < m; ++row)
    for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k) {
      const int column = problem.C.indices[k];
      borrowed[row] = std::max(borrowed[row], std::abs(scale[column]));
      borrowed[column] = std::max(borrowed[column], std::abs(scale[row]));
    }
  for (const Block& block : problem.blocks) {
    const int row = block.offset;
    if (block.law == Law::moments) {
      const int forces = law::moment_start(block), moments = block.size - forces;
      const Eigen::Map<const VectorX> force(scale + row, forces);
      const Eigen::Map<const VectorX> moment(scale + row + forces, moments);
      const double own = std::abs(force.mean());
      scale_moments(block, own > 0.0 ? own : 1.0, moments > 0 ? moment.mean() : 0.0, scale, weight);
      continue;
    }
    double mean = 0.0, coupled = 0.0;
    for (int i = row; i < row + block.size; ++i) {
      mean += scale[i] / block.size;
      coupled = std::max(coupled, borrowed[i]);
    }
    mean = std::abs(mean);
    const bool own = mean > 0.0;
    for (int i = row; i < row + block.size; ++i) {
      scale[i] = own ? mean : 1.0;
      // An equality row without a diagonal constrains a velocity all the same.
      weight[i] = own || coupled == 0.0 || block.law == Law::equality ? 1.0 : coupled;
    }
  }
}

// Where M is singular: the floor of what rows that yield add to w under the forces that act.
double yielding_floor(const ComplementarityProblem& problem) {
  const double force = problem.p.norm();
  double sum = 0.0;
  for (const Block& block : problem.blocks) {
    if (block.law != Law::equality && block.law != Law::box) continue;
    const double most =
        block.law == Law::box ? std::max(std::abs(block.lower), std::abs(block.upper)) : infinity;
    for (int row = block.offset; row < block.offset + block.size; ++row) {
      const double yield = problem.C.diagonal(row) * std::min(force, most);
      sum += yield * yield;
    }
  }
  return floor_share * std::sqrt(sum);
}

double weighted_norm(int size, const double* x, const double* weight) {
  double sum = 0.0;
  for (int i = 0; i < size; ++i) sum += weight[i] * x[i] * (weight[i] * x[i]);
  return std::sqrt(sum);
}

double scalar_residual(const std::vector<Block>& blocks, const double* lambda, const double* w) {
  double largest = 0.0;
  for (const Block& block : blocks)
    for (int i = block.offset; i < block.offset + block.size; ++i) {
      double r = w[i];
      if (block.size == 1) natural_map(block, 1.0, &lambda[i], &w[i], &r);
      largest = std::max(largest, std::abs(r));
    }
  return largest;
}

struct Squares {
  double velocity = 0.0, impulse = 0.0;
  void add(double r, double impulse_unit) {
    velocity += r * r;
    impulse += r / impulse_unit * (r / impulse_unit);
  }
};

void add_blocks(const std::vector<Block>& blocks, const double* lambda, const double* velocity,
                const double* scale, const double* weight, Squares& sum) {
  for (const Block& block : blocks) {
    const int row = block.offset;
    if (block.law == Law::equality) {
      for (int i = row; i < row + block.size; ++i) sum.add(velocity[i], scale[i]);
      continue;
    }
    double w[largest_contact], r[largest_contact];
    const bool moments = block.law == Law::moments;
    const double length = moments ? scale[row] / scale[row + block.size - 1] : 1.0;
    for (int i = 0; i < block.size; ++i)
      w[i] = (moments ? 1.0 : weight[row + i]) * velocity[row + i];
    natural_map(block, scale[row], &lambda[row], w, r, length);
    for (int i = 0; i < block.size; ++i) sum.add(r[i], scale[row] * weight[row]);
  }
}

// One unit in the last place of every term that is summed into w:
// ε (|J| |M⁻¹| (|Jᵀ||λ| + |p|) + |C||λ| + |b|), in the norm of the residual. `motion` is the part
// behind |J|, per unknown.
double rounding_norm(const ComplementarityProblem& problem, bool scalar, const double* motion,
                     const double* lambda, const double* scale, const double* weight) {
  const SparseRows &J = problem.J, &C = problem.C;
  double sum = 0.0, largest = 0.0;
  const auto add = [&](int row, double amplification) {
    double terms = std::abs(problem.b[row]);
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      terms += std::abs(J.values[k]) * motion[J.indices[k]];
    for (int k = C.starts[row]; k < C.starts[row + 1]; ++k)
      terms += std::abs(C.values[k] * lambda[C.indices[k]]);
    terms *= weight[row] * amplification;
    sum += terms * terms;
    largest = std::max(largest, terms);
  };
  for (const Block& block : problem.blocks) {
    // w_t enters Coulomb's natural map a second time, as μ |w_t|, and w_r as μ_r |w_r|.
    if (block.law == Law::moments) {
      const double length = scale[block.offset] / scale[block.offset + block.size - 1];
      add(block.offset, 1.0);
      for (const law::Ball& ball : law::scaled(law::balls_of(block), length))
        for (int i = 0; i < ball.count; ++i) add(block.offset + ball.first + i, 1.0 + ball.limit);
      continue;
    }
    const double tangential = block.law == Law::coulomb ? 1.0 + block.friction : 1.0;
    for (int i = 0; i < block.size; ++i) add(block.offset + i, i == 0 ? 1.0 : tangential);
  }
  return machine_epsilon * (scalar ? largest : std::sqrt(sum));
}

}  // namespace

void Judge::prepare(const ComplementarityProblem& problem) {
  const int n = problem.unknowns(), m = problem.rows();
  scalar_ = is_scalar(problem);
  regular_ = mass_.factor(problem.M);
  u_.resize(n);
  force_.resize(n);
  scratch_.resize(n);
  w_.resize(m);
  prepare_scales(problem);
  // The free local velocity q.
  w_ = problem.b;
  if (regular_ && n > 0) {
    mass_.solve(problem.p.data(), u_.data());
    problem.J.multiply_add(u_.data(), w_.data());
  }
  if (scalar_)
    norm_ = m > 0 ? w_.cwiseAbs().maxCoeff() : 0.0;
  else
    norm_ = weighted_norm(m, w_.data(), weight_.data());
  norm_ = or_one(std::max(norm_, floor_of(problem)));
}

// The least velocity that a residual is relative to: what rounding leaves of the terms of q is then
// a residual below the usual tolerance. u_ are the velocities without λ.
double Judge::floor_of(const ComplementarityProblem& problem) const {
  if (scalar_ || problem.unknowns() == 0) return 0.0;
  if (!regular_) return yielding_floor(problem);
  double sum = 0.0;
  const double* const u = u_.data();
  for (int row = 0; row < problem.rows(); ++row) {
    double terms = std::abs(problem.b[row]);
    for (int k = problem.J.starts[row], end = problem.J.starts[row + 1]; k < end; ++k)
      terms += std::abs(problem.J.values[k] * u[problem.J.indices[k]]);
    sum += weight_[row] * terms * (weight_[row] * terms);
  }
  return floor_share * std::sqrt(sum);
}

void Judge::prepare_scales(const ComplementarityProblem& problem) {
  const int m = problem.rows();
  weight_.setOnes(m);
  if (scalar_) {
    scale_.setOnes(m);
    return;
  }
  if (!regular_) {
    // No W: one velocity over one force for every row, from b and p.
    equation_scale_ =
        or_one(std::max(problem.b.norm(), yielding_floor(problem))) / or_one(problem.p.norm());
    scale_.setConstant(m, equation_scale_);
    for (const Block& block : problem.blocks)
      if (block.law == Law::moments)
        scale_moments(block, equation_scale_, 0.0, scale_.data(), weight_.data());
    return;
  }
  delassus_diagonal(problem, mass_, row_scratch_, scale_);
  scale_blocks(problem, w_.data(), scale_.data(), weight_.data());
}

void Judge::recompute(const ComplementarityProblem& problem, const Solution& solution) {
  const int n = problem.unknowns();
  const VectorX& lambda = solution.lambda;
  equation_ = 0.0;
  if (n > 0) {
    force_ = problem.p;
    problem.J.multiply_transposed_add(lambda.data(), force_.data());
    if (regular_) {
      mass_.solve(force_.data(), u_.data());
    } else {
      u_ = solution.u;
      force_ = -force_;
      problem.M.multiply_add(u_.data(), force_.data());
      equation_ = equation_scale_ * force_.norm();
    }
  }
  w_ = problem.b;
  problem.J.multiply_add(u_.data(), w_.data());
  problem.C.multiply_add(lambda.data(), w_.data());
}

Residual Judge::measure(const ComplementarityProblem& problem, const Solution& solution) {
  const VectorX& lambda = solution.lambda;
  if (lambda.size() != problem.rows() || !lambda.allFinite()) return not_finite();
  if (!regular_ && (solution.u.size() != problem.unknowns() || !solution.u.allFinite()))
    return not_finite();
  recompute(problem, solution);
  if (!w_.allFinite() || !u_.allFinite()) return not_finite();
  Residual result;
  if (scalar_) {
    result.velocity = result.impulse = scalar_residual(problem.blocks, lambda.data(), w_.data());
  } else {
    Squares sum{equation_ * equation_, 0.0};
    add_blocks(problem.blocks, lambda.data(), w_.data(), scale_.data(), weight_.data(), sum);
    result.velocity = std::sqrt(sum.velocity);
    result.impulse = std::sqrt(sum.impulse);
  }
  result.relative = finite_or_infinity(result.velocity / norm_);
  result.velocity = finite_or_infinity(result.velocity);
  result.impulse = finite_or_infinity(result.impulse);
  result.rounding = rounding_of(problem, lambda);
  return result;
}

double Judge::rounding_of(const ComplementarityProblem& problem, const VectorX& lambda) {
  const SparseRows& J = problem.J;
  if (problem.unknowns() > 0) {
    force_ = problem.p.cwiseAbs();
    double* const force = force_.data();
    for (int row = 0; row < J.rows; ++row) {
      const double load = lambda[row];
      if (load == 0.0) continue;
      for (int k = J.starts[row], end = J.starts[row + 1]; k < end; ++k)
        force[J.indices[k]] += std::abs(J.values[k] * load);
    }
    if (regular_)
      mass_.solve_absolute(force_.data(), scratch_.data());
    else
      scratch_ = u_.cwiseAbs();
  }
  const double norm = rounding_norm(problem, scalar_, scratch_.data(), lambda.data(), scale_.data(),
                                    weight_.data());
  return std::isfinite(norm) ? norm / norm_ : 0.0;
}

void SmallJudge::prepare(const ComplementarityProblem& problem) {
  const int m = problem.rows();
  scalar_ = is_scalar(problem);
  std::fill_n(weight_, m, 1.0);
  std::fill_n(scale_, m, scalar_ ? 1.0 : 0.0);
  double norm = 0.0;
  if (!scalar_) {
    for (int row = 0; row < m; ++row)
      for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
        if (problem.C.indices[k] == row) scale_[row] += problem.C.values[k];
    scale_blocks(problem, w_, scale_, weight_);
    norm = weighted_norm(m, problem.b.data(), weight_);
  } else {
    for (int i = 0; i < m; ++i) norm = std::max(norm, std::abs(problem.b[i]));
  }
  norm_ = or_one(norm);
}

Residual SmallJudge::measure(const ComplementarityProblem& problem, const double* lambda) {
  const int m = problem.rows();
  std::copy_n(problem.b.data(), m, w_);
  problem.C.multiply_add(lambda, w_);
  double sum_of_all = 0.0;
  for (int i = 0; i < m; ++i) sum_of_all += w_[i] + lambda[i];
  if (!std::isfinite(sum_of_all)) return not_finite();
  Residual result;
  if (scalar_) {
    result.velocity = result.impulse = scalar_residual(problem.blocks, lambda, w_);
  } else {
    Squares sum;
    add_blocks(problem.blocks, lambda, w_, scale_, weight_, sum);
    result.velocity = std::sqrt(sum.velocity);
    result.impulse = std::sqrt(sum.impulse);
  }
  result.relative = finite_or_infinity(result.velocity / norm_);
  return result;
}

double SmallJudge::rounding(const ComplementarityProblem& problem, const double* lambda) const {
  const double norm = rounding_norm(problem, scalar_, nullptr, lambda, scale_, weight_);
  return std::isfinite(norm) ? norm / norm_ : 0.0;
}

Residual residual(const ComplementarityProblem& problem, const Solution& solution) {
  if (!problem.why_invalid().empty()) return not_finite();
  return Judge()(problem, solution);
}

}  // namespace vinci
