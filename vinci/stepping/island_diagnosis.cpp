// SPDX-License-Identifier: Apache-2.0
#include "vinci/stepping/island_diagnosis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vinci {
namespace {

// The entries of both; columns ascend in both.
SparseRows joined(const SparseRows& a, const SparseRows& b) {
  SparseRows sum;
  sum.reset(b.cols);
  for (int row = 0; row < b.rows; ++row) {
    int i = a.starts[row], j = b.starts[row];
    while (i < a.starts[row + 1] || j < b.starts[row + 1]) {
      const int left = i < a.starts[row + 1] ? a.indices[i] : b.cols;
      const int right = j < b.starts[row + 1] ? b.indices[j] : b.cols;
      sum.push(std::min(left, right), std::abs(left <= right ? a.values[i++] : 0.0) +
                                          std::abs(right <= left ? b.values[j++] : 0.0));
    }
    sum.end_row();
  }
  return sum;
}

}  // namespace

double motion_radius(const Body& body) {
  if (std::isfinite(body.bounding_radius)) return body.bounding_radius;
  return body.mass.mass > 0.0 ? std::sqrt(body.mass.inertia.trace() / body.mass.mass) : 1.0;
}

// What a difference of an unknown counts, m/s per its unit, and the body that it moves.
void IslandDiagnosis::measure_model(const Model& model) {
  if (!body_of_.empty()) return;
  weight_.setOnes(model.free_count);
  body_of_.assign(static_cast<std::size_t>(model.free_count), 0);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i) {
      const int unknown = model.free_index[i];
      if (unknown < 0) continue;
      body_of_[static_cast<std::size_t>(unknown)] = static_cast<int>(b);
      if (model.coordinate[i] >= 3) weight_[unknown] = motion_radius(body);
    }
  }
}

bool IslandDiagnosis::is_plain(const SolvedProblem& solved, const Solution& solution,
                               double residual) {
  constexpr int of_a_body = 6;
  return solved.inertia == nullptr && solved.problem.unknowns() <= of_a_body &&
         diagnoser_.is_plain(solved.problem, solution, solved.accuracy, residual);
}

int IslandDiagnosis::find(const SolvedProblem& solved) {
  body_of_.clear();
  if (solved.inertia == nullptr) return islands_.find(solved.problem);
  weighted_ = solved.problem;
  weighted_.M = joined(solved.problem.M, *solved.inertia);  // what viscosity couples, too
  const int count = islands_.find(weighted_);
  weighted_.M = *solved.inertia;
  return count;
}

const Diagnosis* IslandDiagnosis::ask(const SolvedProblem& solved, const Solution& solution,
                                      int island, double residual) {
  const bool whole = solved.inertia == nullptr && islands_.count() == 1 &&
                     islands_.unknowns(0) == solved.problem.unknowns();
  return whole ? ask_whole(solved, solution, residual) : ask_part(solved, solution, island);
}

// The one island that there is: nothing is copied.
const Diagnosis* IslandDiagnosis::ask_whole(const SolvedProblem& solved, const Solution& solution,
                                            double residual) {
  if (diagnoser_.is_plain(solved.problem, solution, solved.accuracy, residual)) return nullptr;
  measure_model(solved.model);
  measure_.weight = weight_;
  measure_.group = body_of_;
  numbers_.resize(body_of_.size());
  std::iota(numbers_.begin(), numbers_.end(), 0);
  asked_ = &solved.problem;
  return &diagnoser_({.problem = solved.problem,
                      .solution = solution,
                      .measure = measure_,
                      .accuracy = solved.accuracy,
                      .residual = residual,
                      .has_doubt = true});
}

const Diagnosis* IslandDiagnosis::ask_part(const SolvedProblem& solved, const Solution& solution,
                                           int island) {
  islands_.gather_rows(island, solution.lambda, part_solution_.lambda);
  islands_.gather_unknowns(island, solution.u, part_solution_.u);
  islands_.extract(solved.problem, island, part_);
  const bool resting = solved.inertia != nullptr;
  if (!resting && diagnoser_.is_plain(part_, part_solution_, solved.accuracy)) return nullptr;
  if (resting) islands_.extract(weighted_, island, part_weight_);
  measure_model(solved.model);
  islands_.gather_unknowns(island, weight_, measure_.weight);
  all_.resize(solved.problem.unknowns());
  for (Eigen::Index i = 0; i < all_.size(); ++i) all_[i] = static_cast<double>(i);
  islands_.gather_unknowns(island, all_, chosen_);
  const auto n = static_cast<std::size_t>(part_.unknowns());
  numbers_.resize(n);
  measure_.group.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers_[i] = static_cast<int>(chosen_[static_cast<Eigen::Index>(i)]);
    measure_.group[i] = body_of_[static_cast<std::size_t>(numbers_[i])];
  }
  asked_ = &part_;
  return &diagnoser_({.problem = part_,
                      .inertia = resting ? &part_weight_.M : nullptr,
                      .solution = part_solution_,
                      .measure = measure_,
                      .accuracy = solved.accuracy,
                      .has_doubt = !resting});
}

}  // namespace vinci
