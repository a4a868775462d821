// SPDX-License-Identifier: Apache-2.0
// Random LCPs, mixed LCPs and relays.
#include <algorithm>

#include "tests/random/families.h"

namespace vinci::test {

MatrixX random_semidefinite(Draw& draw, int size, int rank) {
  const MatrixX factor = draw.normals(size, std::max(rank, 1)) / std::sqrt(std::max(rank, 1));
  return factor * factor.transpose();
}

MatrixX random_skew(Draw& draw, int size) {
  const MatrixX x = draw.normals(size, size) / std::sqrt(size);
  return x - x.transpose();
}

std::vector<Block> scalar_blocks(int size, Law law) {
  std::vector<Block> blocks(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) blocks[i] = {.law = law, .offset = i, .size = 1};
  return blocks;
}

ComplementarityProblem local_problem(const MatrixX& W, const VectorX& q,
                                     std::vector<Block> blocks) {
  ComplementarityProblem problem;
  const int m = static_cast<int>(q.size());
  problem.M.reset(0);
  problem.J.reset(0);
  for (int i = 0; i < m; ++i) problem.J.end_row();
  problem.C = SparseRows::from_dense(W);
  problem.p.resize(0);
  problem.b = q;
  problem.blocks = std::move(blocks);
  return problem;
}

namespace {

// Units of λ and w over twelve orders of magnitude each way, in half of the problems. Where λ is a
// far smaller number than w, the residual min(λ, w) hardly sees w: one solution, but many answers.
struct Units {
  double lambda = 1.0, w = 1.0;
  explicit Units(Draw& draw) {
    if (draw.chance(0.5)) return;
    lambda = draw.log_uniform(1e-12, 1e12);
    w = draw.log_uniform(1e-12, 1e12);
  }
  void apply(RandomProblem& random) const {
    ComplementarityProblem& problem = random.problem;
    for (double& value : problem.C.values) value *= w / lambda;
    problem.b *= w;
    for (Block& block : problem.blocks) {
      block.lower *= lambda;
      block.upper *= lambda;
    }
    random.known *= lambda;
    random.unique = random.unique && lambda > 1e-2 * w;
  }
};

RandomProblem lcp(Draw& draw, const MatrixX& W, const VectorX& q, bool unique = false) {
  RandomProblem random;
  random.unique = unique;
  random.problem = local_problem(W, q, scalar_blocks(static_cast<int>(q.size()), Law::nonnegative));
  Units(draw).apply(random);
  return random;
}

// z and w with zᵀw = 0, a share of both zero.
struct Planted {
  VectorX z, w;
  Planted(Draw& draw, int size, double degenerate) : z(VectorX::Zero(size)), w(z) {
    for (int i = 0; i < size; ++i) {
      if (draw.chance(degenerate)) continue;
      (draw.chance(0.5) ? z : w)[i] = draw.uniform(0.1, 2.0);
    }
  }
};

RandomProblem planted_lcp(Draw& draw, const MatrixX& W, double degenerate, bool unique = false) {
  const Planted planted(draw, static_cast<int>(W.rows()), degenerate);
  RandomProblem random;
  random.problem = local_problem(W, planted.w - W * planted.z,
                                 scalar_blocks(static_cast<int>(W.rows()), Law::nonnegative));
  random.known = planted.z;
  random.unique = unique;
  Units(draw).apply(random);
  return random;
}

RandomProblem definite(Draw& draw, int size) {
  const MatrixX W = random_semidefinite(draw, size, size) + 0.1 * MatrixX::Identity(size, size);
  RandomProblem random = lcp(draw, W, draw.normals(size), true);
  random.theory = Theory::solvable;
  return random;
}

RandomProblem definite_nonsymmetric(Draw& draw, int size) {
  const MatrixX W = random_semidefinite(draw, size, size) + random_skew(draw, size) +
                    0.1 * MatrixX::Identity(size, size);
  RandomProblem random = lcp(draw, W, draw.normals(size), true);
  random.theory = Theory::solvable;
  return random;
}

// Triangular up to the order of the rows, with a positive diagonal: all principal minors are
// positive, the symmetric part is indefinite.
RandomProblem p_matrix(Draw& draw, int size) {
  MatrixX W = MatrixX::Zero(size, size);
  std::vector<int> order(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) order[i] = i;
  for (int i = size - 1; i > 0; --i) std::swap(order[i], order[draw.integer(0, i)]);
  for (int i = 0; i < size; ++i) {
    W(order[i], order[i]) = draw.uniform(0.5, 1.5);
    for (int j = 0; j < i; ++j) W(order[i], order[j]) = 3.0 * draw.normal() / std::sqrt(size);
  }
  RandomProblem random = planted_lcp(draw, W, 0.0, true);
  random.theory = Theory::solvable;
  return random;
}

RandomProblem singular_feasible(Draw& draw, int size) {
  MatrixX W = random_semidefinite(draw, size, draw.integer(0, size - 1));
  if (draw.chance(0.3)) W += random_skew(draw, size);
  RandomProblem random = planted_lcp(draw, W, draw.chance(0.5) ? 0.0 : 0.3);
  random.theory = Theory::solvable;
  return random;
}

// Small whole numbers, repeated rows, many ties.
RandomProblem degenerate(Draw& draw, int size) {
  const int half = (size + 1) / 2;
  MatrixX factor(size, draw.integer(1, half));
  for (double& value : factor.reshaped()) value = draw.integer(-1, 1);
  for (int i = half; i < size; ++i) factor.row(i) = factor.row(draw.integer(0, half - 1));
  const MatrixX W = factor * factor.transpose();
  Planted planted(draw, size, 0.5);
  planted.z = planted.z.array().ceil();
  planted.w = planted.w.array().ceil();
  RandomProblem random;
  random.problem =
      local_problem(W, planted.w - W * planted.z, scalar_blocks(size, Law::nonnegative));
  random.known = planted.z;
  random.theory = Theory::solvable;
  Units(draw).apply(random);
  return random;
}

// W = A Aᵀ with Aᵀy = 0 for some y > 0, and yᵀq < 0.
RandomProblem singular_infeasible(Draw& draw, int size) {
  VectorX y = VectorX::Zero(size);
  for (double& value : y)
    if (draw.chance(0.5)) value = draw.uniform(0.2, 1.0);
  y[draw.integer(0, size - 1)] = 1.0;
  MatrixX factor = draw.normals(size, draw.integer(1, size));
  factor -= y * (y.transpose() * factor) / y.squaredNorm();
  VectorX q = draw.normals(size);
  q -= y * (y.dot(q) + draw.uniform(0.1, 1.0)) / y.squaredNorm();
  RandomProblem random = lcp(draw, factor * factor.transpose() / size, q);
  random.theory = Theory::impossible;
  return random;
}

// Pivoting may need exponentially many steps on any matrix at all: these stay small.
constexpr int largest_indefinite = 40;

RandomProblem indefinite(Draw& draw, int size) {
  size = std::min(size, largest_indefinite);
  const MatrixX W = draw.normals(size, size);
  return draw.chance(0.5) ? planted_lcp(draw, W, 0.1) : lcp(draw, W, draw.normals(size));
}

// One row of W has no positive entry, and its q is negative.
RandomProblem indefinite_infeasible(Draw& draw, int size) {
  size = std::min(size, largest_indefinite);
  MatrixX W = draw.normals(size, size);
  VectorX q = draw.normals(size);
  const int row = draw.integer(0, size - 1);
  W.row(row) = -W.row(row).cwiseAbs();
  q[row] = -draw.uniform(0.1, 1.0);
  RandomProblem random = lcp(draw, W, q);
  random.theory = Theory::impossible;
  return random;
}

// Rows and columns of unlike units: D W D.
RandomProblem unlike_rows(Draw& draw, int size) {
  RandomProblem random = definite(draw, size);
  VectorX d(size);
  for (double& value : d) value = draw.log_uniform(1e-3, 1e3);
  ComplementarityProblem& problem = random.problem;
  for (int i = 0; i < size; ++i)
    for (int k = problem.C.starts[i]; k < problem.C.starts[i + 1]; ++k)
      problem.C.values[k] *= d[i] * d[problem.C.indices[k]];
  problem.b = problem.b.cwiseProduct(d);
  random.unique = false;  // unique, but not as well conditioned as the comparison asks
  return random;
}

// Equalities first, as the layout /mlcp wants them; some of them repeated.
RandomProblem mixed(Draw& draw, int size) {
  const int equalities = draw.integer(1, size);
  const bool regular = draw.chance(0.5);
  MatrixX factor = draw.normals(size, regular ? size : draw.integer(1, size)) / std::sqrt(size);
  if (!regular)
    for (int i = 1; i < equalities; ++i)
      if (draw.chance(0.3)) factor.row(i) = factor.row(draw.integer(0, i - 1));
  MatrixX W = factor * factor.transpose();
  if (regular) W += 0.1 * MatrixX::Identity(size, size);
  Planted planted(draw, size, 0.1);
  for (int i = 0; i < equalities; ++i) {
    planted.w[i] = 0.0;
    planted.z[i] = draw.normal();
  }
  std::vector<Block> blocks = scalar_blocks(size, Law::nonnegative);
  for (int i = 0; i < equalities; ++i) blocks[i].law = Law::equality;
  RandomProblem random;
  random.problem = local_problem(W, planted.w - W * planted.z, std::move(blocks));
  random.known = planted.z;
  random.theory = Theory::solvable;
  random.unique = regular;
  Units(draw).apply(random);
  return random;
}

// Two equal equalities with unlike right-hand sides.
RandomProblem mixed_infeasible(Draw& draw, int size) {
  size = std::max(size, 2);
  MatrixX factor = draw.normals(size, draw.integer(1, size)) / std::sqrt(size);
  factor.row(1) = factor.row(0);
  VectorX q = draw.normals(size);
  q[1] = q[0] + draw.uniform(0.1, 1.0);
  std::vector<Block> blocks = scalar_blocks(size, Law::nonnegative);
  blocks[0].law = blocks[1].law = Law::equality;
  RandomProblem random;
  random.problem = local_problem(factor * factor.transpose(), q, std::move(blocks));
  random.theory = Theory::impossible;
  Units(draw).apply(random);
  return random;
}

RandomProblem boxes(Draw& draw, const MatrixX& W, bool unique) {
  const int size = static_cast<int>(W.rows());
  std::vector<Block> blocks = scalar_blocks(size, Law::box);
  for (Block& block : blocks) {
    block.lower = draw.uniform(-2.0, 0.5);
    block.upper = draw.chance(0.1) ? block.lower : block.lower + draw.log_uniform(1e-3, 1e3);
  }
  RandomProblem random;
  random.problem = local_problem(W, draw.normals(size), std::move(blocks));
  random.unique = unique;
  Units(draw).apply(random);
  return random;
}

RandomProblem relay(Draw& draw, int size) {
  const bool regular = draw.chance(0.5);
  MatrixX W = random_semidefinite(draw, size, regular ? size : draw.integer(1, size));
  if (regular) W += 0.1 * MatrixX::Identity(size, size);
  RandomProblem random = boxes(draw, W, regular);
  random.theory = Theory::solvable;
  return random;
}

RandomProblem relay_indefinite(Draw& draw, int size) {
  size = std::min(size, largest_indefinite);
  return boxes(draw, draw.normals(size, size), false);
}

constexpr KnownFailure relay_failures[] = {{687, newton_stalls}, {850, cycles}};

constexpr Family scalar_table[] = {
    {"lcp_definite", "positive definite: one solution", definite},
    {"lcp_nonsymmetric", "positive definite, not symmetric: one solution", definite_nonsymmetric},
    {"lcp_p_matrix", "triangular P-matrix: one solution", p_matrix},
    {"lcp_singular", "semidefinite with a planted solution", singular_feasible},
    {"lcp_degenerate", "semidefinite, whole numbers, ties and repetitions", degenerate},
    {"lcp_unlike_rows", "definite, rows of units over 1e6", unlike_rows},
    {"lcp_singular_infeasible", "semidefinite, infeasible by a planted y", singular_infeasible,
     0.5},
    {"lcp_indefinite", "any matrix, half of them with a planted solution", indefinite, 0.2},
    {"lcp_indefinite_infeasible", "any matrix, one impossible row", indefinite_infeasible},
    {"mlcp", "semidefinite with redundant equalities and a planted solution", mixed},
    {"mlcp_infeasible", "contradictory equalities", mixed_infeasible},
    {"relay", "semidefinite on a bounded box", relay, 1.0, relay_failures},
    {"relay_indefinite", "any matrix on a bounded box: there is a solution", relay_indefinite, 0.2},
};

}  // namespace

std::span<const Family> scalar_families() {
  return scalar_table;
}

}  // namespace vinci::test
