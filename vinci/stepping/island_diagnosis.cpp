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

void IslandDiagnosis::add_measure(int body, double weight, int unknown) {
  whole_.rows.push(unknown, weight);
  whole_.rows.end_row();
  whole_.group.push_back(body);
}

// A body that hangs on joints moves by all of them on its way to the root.
void IslandDiagnosis::measure_hanging(const Model& model, const Tree& tree, int b) {
  tree.columns(b, columns_);
  std::sort(columns_.begin(), columns_.end(),
            [](const BodyColumn& x, const BodyColumn& y) { return x.unknown < y.unknown; });
  const double radius = motion_radius(model.bodies[static_cast<std::size_t>(b)]);
  for (int coordinate = 0; coordinate < 6 && !columns_.empty(); ++coordinate) {
    for (const BodyColumn& column : columns_)
      whole_.rows.push(column.unknown, coordinate < 3
                                           ? column.twist.linear[coordinate]
                                           : radius * column.twist.angular[coordinate - 3]);
    whole_.rows.end_row();
    whole_.group.push_back(b);
  }
}

// What differences of the unknowns count, m/s, body by body.
void IslandDiagnosis::measure_model(const SolvedProblem& solved) {
  if (measured_) return;
  measured_ = true;
  const Model& model = solved.model;
  whole_.rows.reset(model.free_count);
  whole_.group.clear();
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    if (solved.tree != nullptr && solved.tree->link_of(b) >= 0) {
      measure_hanging(model, *solved.tree, b);
      continue;
    }
    const Body& body = model.bodies[static_cast<std::size_t>(b)];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (const int unknown = model.free_index[i]; unknown >= 0)
        add_measure(b, model.coordinate[i] >= 3 ? motion_radius(body) : 1.0, unknown);
  }
}

// Of these unknowns alone, by their places in the list.
void IslandDiagnosis::take_measure(const MotionMeasure& whole, const std::vector<int>& unknowns) {
  measure_.rows.reset(static_cast<int>(unknowns.size()));
  measure_.group.clear();
  for (int row = 0; row < whole.rows.rows; ++row) {
    bool any = false;
    for (int k = whole.rows.starts[row]; k < whole.rows.starts[row + 1]; ++k) {
      const auto place = std::lower_bound(unknowns.begin(), unknowns.end(), whole.rows.indices[k]);
      if (place == unknowns.end() || *place != whole.rows.indices[k]) continue;
      measure_.rows.push(static_cast<int>(place - unknowns.begin()), whole.rows.values[k]);
      any = true;
    }
    if (!any) continue;
    measure_.rows.end_row();
    measure_.group.push_back(whole.group[static_cast<std::size_t>(row)]);
  }
}

bool IslandDiagnosis::is_plain(const SolvedProblem& solved, const Solution& solution,
                               double residual) {
  constexpr int of_a_body = 6;
  return solved.inertia == nullptr && solved.problem.unknowns() <= of_a_body &&
         diagnoser_.is_plain(solved.problem, solution, solved.accuracy, residual);
}

int IslandDiagnosis::find(const SolvedProblem& solved) {
  measured_ = false;
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
  measure_model(solved);
  measure_ = whole_;
  numbers_.resize(static_cast<std::size_t>(solved.problem.unknowns()));
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
  measure_model(solved);
  all_.resize(solved.problem.unknowns());
  for (Eigen::Index i = 0; i < all_.size(); ++i) all_[i] = static_cast<double>(i);
  islands_.gather_unknowns(island, all_, chosen_);
  const auto n = static_cast<std::size_t>(part_.unknowns());
  numbers_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    numbers_[i] = static_cast<int>(chosen_[static_cast<Eigen::Index>(i)]);
  take_measure(whole_, numbers_);
  asked_ = &part_;
  return &diagnoser_({.problem = part_,
                      .inertia = resting ? &part_weight_.M : nullptr,
                      .solution = part_solution_,
                      .measure = measure_,
                      .accuracy = solved.accuracy,
                      .has_doubt = !resting});
}

}  // namespace vinci
