// SPDX-License-Identifier: Apache-2.0
// The judge of infeasibility certificates. It shares M⁻¹ with the solvers, nothing else.
#include "vinci/complementarity/certificate.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_moments.h"
#include "vinci/linear/mass_factor.h"

namespace vinci {

namespace {

// How many times larger than qᵀy the terms of a solution would have to be. Rounding would then
// leave w uncertain by 1e11 ε = 2e-5 of q: no judge would call it solved.
constexpr double out_of_reach = 1e11;
// The roundings of a term before it is summed: a few products, and the up to 12 sums on each side
// of the solves with M.
constexpr double roundings = 32.0;

// g = Wᵀy and q, each with the sum of the sizes of its terms.
struct Products {
  VectorX g, g_terms, q, q_terms;
};

bool multiply(const ComplementarityProblem& problem, const VectorX& y, Products& result) {
  const int n = problem.unknowns();
  const SparseRows absolute_J = [&] {
    SparseRows J = problem.J;
    for (double& value : J.values) value = std::abs(value);
    return J;
  }();
  SparseRows absolute_C = problem.C;
  for (double& value : absolute_C.values) value = std::abs(value);
  result.g.setZero(problem.rows());
  result.g_terms.setZero(problem.rows());
  problem.C.multiply_transposed_add(y.data(), result.g.data());
  const VectorX size = y.cwiseAbs();
  absolute_C.multiply_transposed_add(size.data(), result.g_terms.data());
  result.q = problem.b;
  result.q_terms = problem.b.cwiseAbs();
  if (n == 0) return true;
  MassFactor forward, backward;
  if (!forward.factor(problem.M) || !backward.factor(problem.M.transposed())) return false;
  VectorX force = VectorX::Zero(n), motion(n);
  problem.J.multiply_transposed_add(y.data(), force.data());
  backward.solve(force.data(), motion.data());
  problem.J.multiply_add(motion.data(), result.g.data());
  force.setZero();
  absolute_J.multiply_transposed_add(size.data(), force.data());
  backward.solve_absolute(force.data(), motion.data());
  absolute_J.multiply_add(motion.data(), result.g_terms.data());
  forward.solve(problem.p.data(), motion.data());
  problem.J.multiply_add(motion.data(), result.q.data());
  force = problem.p.cwiseAbs();
  forward.solve_absolute(force.data(), motion.data());
  absolute_J.multiply_add(motion.data(), result.q_terms.data());
  return true;
}

// Sums up over the blocks: the violations, sup gᵀλ, and the sizes of its terms.
class Account {
 public:
  explicit Account(const Products& products) : products_(products) {}
  void add(const Block& block, const VectorX& y);
  double violation() const { return violation_; }
  double supremum() const { return supremum_; }
  double terms() const { return terms_; }

 private:
  // `excess` > 0 over `size`, the terms of the sum that it remained of.
  void demand(double excess, double size) {
    if (excess > 0.0) violation_ = std::max(violation_, size > 0.0 ? excess / size : 1.0);
  }
  void gain(double value, double size) {
    supremum_ += value;
    terms_ += size;
  }
  void add_box(int row, double lower, double upper, double y);
  void add_ball(const Block& block, const VectorX& y);
  void add_cone(const Block& block, const VectorX& y);

  const Products& products_;
  double violation_ = 0.0, supremum_ = 0.0, terms_ = 0.0;
};

void Account::add_box(int row, double lower, double upper, double y) {
  const double g = products_.g[row], size = products_.g_terms[row];
  // w is free in sign on the side of a finite bound.
  if (std::isfinite(upper)) demand(y, std::abs(y));
  if (std::isfinite(lower)) demand(-y, std::abs(y));
  const double bound = g > 0.0 ? upper : lower;
  if (std::isfinite(bound)) {
    gain(g * bound, size * std::max(std::isfinite(lower) ? std::abs(lower) : 0.0,
                                    std::isfinite(upper) ? std::abs(upper) : 0.0));
  } else {
    demand(std::abs(g), size);
  }
}

void Account::add_ball(const Block& block, const VectorX& y) {
  const auto rows = Eigen::seqN(block.offset, block.size);
  const double length = products_.g(rows).norm(), size = products_.g_terms(rows).norm();
  demand(y(rows).norm(), y(rows).norm());
  if (std::isfinite(block.upper))
    gain(block.upper * length, block.upper * size);
  else
    demand(length, size);
}

// λ in K = {|λ_t| <= μ λ_n, |λ_r| <= μ_r λ_n, ...}; w_n >= 0 and the others free, or w in the dual
// cone of K.
void Account::add_cone(const Block& block, const VectorX& y) {
  const double normal = y[block.offset];
  const double bound = block.law == Law::second_order ? block.friction * normal : 0.0;
  demand(-normal, std::abs(normal));
  double rise = products_.g[block.offset], terms = products_.g_terms[block.offset];
  for (const law::Ball& ball : law::balls_of(block)) {
    const auto rows = Eigen::seqN(block.offset + ball.first, ball.count);
    const double slip = y(rows).norm();
    // One rounding of the length is none of y's fault.
    demand(slip - bound * (1.0 + 8.0 * machine_epsilon), slip);
    rise += ball.limit * products_.g(rows).norm();
    terms += ball.limit * products_.g_terms(rows).norm();
  }
  demand(rise, terms);
}

void Account::add(const Block& block, const VectorX& y) {
  const int row = block.offset;
  switch (block.law) {
    case Law::nonnegative: {
      const double g = products_.g[row];
      demand(-y[row], std::abs(y[row]));
      demand(g, products_.g_terms[row]);
      return;
    }
    case Law::box:
      return add_box(row, block.lower, block.upper, y[row]);
    case Law::ball:
      return add_ball(block, y);
    case Law::coulomb:
    case Law::second_order:
    case Law::moments:
      return add_cone(block, y);
    case Law::equality:
      for (int i = row; i < row + block.size; ++i) {
        const double g = products_.g[i];
        demand(std::abs(g), products_.g_terms[i]);
      }
      return;
  }
}

}  // namespace

Infeasibility infeasibility(const ComplementarityProblem& problem, const VectorX& y) {
  Infeasibility result;
  if (!problem.why_invalid().empty() || y.size() != problem.rows() || !y.allFinite()) return result;
  Products products;
  // Any positive multiple of y says the same: the largest entry is taken as 1, so that products
  // neither overflow nor vanish.
  const double largest = y.size() > 0 ? y.cwiseAbs().maxCoeff() : 0.0;
  if (largest == 0.0) return result;
  const VectorX unit = y / largest;
  if (!multiply(problem, unit, products)) return result;
  if (!products.g.allFinite() || !products.q.allFinite()) return result;
  Account account(products);
  for (const Block& block : problem.blocks) account.add(block, unit);
  const double sum = account.supremum() + products.q.dot(unit);
  const double terms = account.terms() + products.q_terms.dot(unit.cwiseAbs());
  if (!std::isfinite(sum) || !std::isfinite(terms) || !(terms > 0.0)) return result;
  result.margin = -sum / terms;
  result.violation = account.violation();
  const double rounding = machine_epsilon * (roundings + problem.rows());
  result.proves_no_solution =
      result.margin > rounding && result.margin >= out_of_reach * result.violation;
  return result;
}

}  // namespace vinci
