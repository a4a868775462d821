// SPDX-License-Identifier: Apache-2.0
// Directions that a solution leaves open, and the walk along them.
#include "vinci/proofs/solution_family.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "vinci/pivoting/linear_program.h"
#include "vinci/proofs/friction_sets.h"

namespace vinci {
namespace {

// Steps of a walk, in units: the first, the longest, and the one at which it ends.
constexpr double first_step = 0.02, longest_step = 0.05, shortest_step = 1e-9;
constexpr int most_members = 400, newton_steps = 8;
// A member this far from the first, in units: the family has no end.
constexpr double far = 50.0;

// The right singular vectors of a matrix, largest values first, and how many of them are not zero.
struct RightVectors {
  MatrixX vectors;
  Eigen::Index rank = 0;
};
RightVectors right_vectors(const MatrixX& matrix, double zero) {
  RightVectors found;
  found.vectors = MatrixX::Identity(matrix.cols(), matrix.cols());
  if (matrix.cols() == 0 || matrix.rows() == 0) return found;
  const Eigen::JacobiSVD<MatrixX> svd(matrix, Eigen::ComputeFullV);
  found.vectors = svd.matrixV();
  while (found.rank < svd.singularValues().size() && svd.singularValues()[found.rank] > zero)
    ++found.rank;
  return found;
}

}  // namespace

// The forces of every contact on the unknowns: what directions of pyramids that cancel do not show.
void SolutionFamily::gather_forces(const ComplementarityProblem& problem, const MatrixX& directions,
                                   MatrixX& forces) const {
  std::vector<FrictionSet> sets;
  find_friction_sets(problem, sets);
  const int n = problem.unknowns();
  std::vector<int> contact(static_cast<std::size_t>(problem.rows()), -1);
  int count = 0;
  const auto give = [&](int row) {
    if (row >= 0) contact[static_cast<std::size_t>(row)] = count;
  };
  for (const FrictionSet& set : sets) {
    give(set.normal);
    for (int row = set.first; row < set.first + set.count; ++row) give(row);
    ++count;
  }
  forces.setZero(n * count, directions.cols());
  const VectorX& unit = equations_.units();
  double longest = 0.0;
  for (int row = 0; row < problem.rows(); ++row)
    for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k) {
      const int i = problem.J.indices[k];
      if (contact[static_cast<std::size_t>(row)] < 0) continue;
      const double lever = problem.J.values[k] * unit[i];
      longest = std::max(longest, std::abs(lever));
      forces.row(n * contact[static_cast<std::size_t>(row)] + i) += lever * directions.row(n + row);
    }
  if (longest > 0.0) forces /= longest;
}

// A basis of what the inequalities leave of these directions: those that they do not see, and
// vectors that keep them, found one by one in what those before do not span.
MatrixX SolutionFamily::allowed(const MatrixX& directions) const {
  const auto& inequalities = equations_.inequalities();
  if (inequalities.empty() || directions.cols() == 0) return directions;
  const Eigen::Index k = directions.cols();
  MatrixX rows(static_cast<Eigen::Index>(inequalities.size()), k);
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = inequalities[static_cast<std::size_t>(i)].transpose() * directions;
  const RightVectors seen = right_vectors(rows, visible);
  // Coordinates of what is seen: few, even where much is open.
  const MatrixX front = seen.vectors.leftCols(seen.rank);
  const MatrixX reduced = rows * front;
  MatrixX found(seen.rank, 0);
  while (found.cols() < seen.rank) {
    MatrixX rest = MatrixX::Identity(seen.rank, seen.rank);
    if (found.cols() > 0) {
      const Eigen::HouseholderQR<MatrixX> qr(found);
      rest = (qr.householderQ() * MatrixX::Identity(seen.rank, seen.rank))
                 .rightCols(seen.rank - found.cols());
    }
    bool more = false;
    for (Eigen::Index c = 0; c < rest.cols() && !more; ++c)
      for (const double sign : {1.0, -1.0}) {
        LinearProgram program;
        program.reset(static_cast<int>(seen.rank));
        for (Eigen::Index i = 0; i < reduced.rows(); ++i)
          program.add_at_least(reduced.row(i).transpose(), 0.0);
        for (Eigen::Index i = 0; i < seen.rank; ++i)
          for (const double side : {1.0, -1.0})
            program.add_at_least(side * VectorX::Unit(seen.rank, i), -1.0);
        VectorX x;
        const VectorX goal = sign * rest.col(c);
        if (program.maximise(goal, x) != LinearProgram::Status::optimal || goal.dot(x) <= visible)
          continue;
        found.conservativeResize(seen.rank, found.cols() + 1);
        found.col(found.cols() - 1) = x.normalized();
        more = true;
        break;
      }
    if (!more) break;
  }
  MatrixX basis(k, found.cols() + k - seen.rank);
  basis.leftCols(found.cols()) = front * found;
  basis.rightCols(k - seen.rank) = seen.vectors.rightCols(k - seen.rank);
  return directions * basis;
}

Freedoms SolutionFamily::freedoms(const ComplementarityProblem& problem, const SparseRows& inertia,
                                  const Solution& solution, const Accuracy& accuracy) {
  Freedoms freedoms;
  if (!LocalEquations::takes(problem)) return freedoms;
  accuracy_ = accuracy;
  judge_.prepare(problem);
  equations_.measure(problem, inertia, solution, accuracy);
  equations_.write(problem, solution);
  const MatrixX left = allowed(equations_.directions());
  freedoms.decided = true;
  freedoms.ways = left;
  const RightVectors moving = right_vectors(left.topRows(problem.unknowns()), visible);
  const int size = problem.unknowns() + problem.rows();
  freedoms.motions = freedoms.loads = MatrixX(size, 0);
  if (left.cols() == 0) return freedoms;
  freedoms.motions = left * moving.vectors.leftCols(moving.rank);
  const MatrixX still = left * moving.vectors.rightCols(left.cols() - moving.rank);
  MatrixX forces;
  gather_forces(problem, still, forces);
  const RightVectors loading = right_vectors(forces, visible);
  if (still.cols() > 0) freedoms.loads = still * loading.vectors.leftCols(loading.rank);
  return freedoms;
}

double SolutionFamily::distance(const Solution& a, const Solution& b) const {
  const Eigen::Index n = a.u.size(), m = a.lambda.size();
  const VectorX& unit = equations_.units();
  return std::max(
      n > 0 ? (a.u - b.u).cwiseQuotient(unit.head(n)).cwiseAbs().maxCoeff() : 0.0,
      m > 0 ? (a.lambda - b.lambda).cwiseQuotient(unit.tail(m)).cwiseAbs().maxCoeff() : 0.0);
}

bool SolutionFamily::correct(const ComplementarityProblem& problem, Solution& trial) {
  for (int i = 0; i <= newton_steps; ++i) {
    if (judge_.measure(problem, trial).relative <= accuracy_.tolerance) return true;
    if (i == newton_steps || !equations_.improve(problem, trial)) break;
  }
  return false;
}

// Steps along the direction that lies in the equations' own, each corrected; shorter ones where the
// correction leads away or the judge is not content, until there are none.
void SolutionFamily::follow(const ComplementarityProblem& problem, Solution at, VectorX direction,
                            std::vector<Solution>& found) {
  const Solution start = at;
  double step = first_step;
  while (step >= shortest_step && static_cast<int>(found.size()) < most_members &&
         distance(at, start) < far) {
    Solution expected = at;
    equations_.add(direction, step, expected);
    Solution trial = expected;
    if (!correct(problem, trial) || distance(trial, expected) > 0.3 * step) {
      step *= 0.5;
      continue;
    }
    at = trial;
    found.push_back(at);
    step = std::min(1.5 * step, longest_step);
    equations_.write(problem, at);
    const MatrixX left = equations_.directions();
    const VectorX next = left * (left.transpose() * direction);
    if (next.norm() < 0.5) continue;  // a corner: straight on
    direction = next.normalized();
  }
}

std::vector<Solution> SolutionFamily::along(const ComplementarityProblem& problem,
                                            const Solution& solution, const VectorX& direction) {
  const VectorX unit = direction.normalized();
  std::vector<Solution> back, members;
  follow(problem, solution, -unit, back);
  members.assign(back.rbegin(), back.rend());
  members.push_back(solution);
  std::vector<Solution> forth;
  follow(problem, solution, unit, forth);
  members.insert(members.end(), forth.begin(), forth.end());
  return members;
}

}  // namespace vinci
