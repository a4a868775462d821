// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/alternatives.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/islands.h"
#include "vinci/proofs/all_solutions.h"

namespace vinci {
namespace {

// Of one island; a count, so that what is found does not depend on the machine.
constexpr int most_rows = 24;
constexpr long most_choices = 4000;
// Velocities differ by more than this share of the speeds at hand, or they are the same; and by
// more than the residuals leave at such a condition.
constexpr double same_share = 1e-6, condition = 1e5;

// The radius of a body, or its radius of gyration where it has no bound, m.
double radius_of(const Body& body) {
  if (std::isfinite(body.bounding_radius)) return body.bounding_radius;
  return body.mass.mass > 0.0 ? std::sqrt(body.mass.inertia.trace() / body.mass.mass) : 1.0;
}

bool has_pieces(const ComplementarityProblem& problem) {
  return std::none_of(problem.blocks.begin(), problem.blocks.end(),
                      [](const Block& block) { return block.law == Law::rolling; });
}

}  // namespace

double motion_distance(const Model& model, const VectorX& a, const VectorX& b) {
  double most = 0.0;
  for (const Body& body : model.bodies) {
    double sum = 0.0;
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i) {
      const double weight =
          model.coordinate[static_cast<std::size_t>(i)] >= 3 ? radius_of(body) : 1.0;
      sum += weight * (a[i] - b[i]) * (weight * (a[i] - b[i]));
    }
    most = std::max(most, sum);
  }
  return std::sqrt(most);
}

struct StepChooser::Work {
  // Solutions of different velocities, the answer first.
  void find(const SolvedProblem& solved, const Solution& answer);
  void add(const Accuracy& accuracy, const FoundSolution& one);
  double size(const VectorX& u) const;
  void measure(const Model& model, int island);

  Islands islands;
  ComplementarityProblem weighted, part;
  VectorX weight, numbers;  // per unknown of the whole problem
  VectorX part_weight, part_numbers;
  std::vector<int> body_of, group;  // per unknown: of the problem, of the island
  Solution part_answer;
  Judge judge;
  std::vector<Solution> found;
  double distance = 0.0, speed = 0.0, own_residual = 0.0;
  bool continuum = false, seen = false, complete = false;
};

StepChooser::StepChooser() : work_(std::make_unique<Work>()) {}
StepChooser::~StepChooser() = default;

void StepChooser::begin(std::vector<int> taken) {
  taken_ = std::move(taken);
  points_.clear();
  problems_ = unseen_ = unproved_ = 0;
}

double StepChooser::Work::size(const VectorX& u) const {
  double most = 0.0, sum = 0.0;
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (i > 0 && group[k] != group[k - 1]) sum = 0.0;
    sum += part_weight[i] * u[i] * (part_weight[i] * u[i]);
    most = std::max(most, sum);
  }
  return std::sqrt(most);
}

// What differences of the island's unknowns count, and the bodies that they move.
void StepChooser::Work::measure(const Model& model, int island) {
  weight.setOnes(model.free_count);
  numbers.resize(model.free_count);
  body_of.assign(static_cast<std::size_t>(model.free_count), 0);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i) {
      const int unknown = model.free_index[static_cast<std::size_t>(i)];
      if (unknown < 0) continue;
      body_of[static_cast<std::size_t>(unknown)] = static_cast<int>(b);
      numbers[unknown] = unknown;
      if (model.coordinate[static_cast<std::size_t>(i)] >= 3) weight[unknown] = radius_of(body);
    }
  }
  islands.gather_unknowns(island, weight, part_weight);
  islands.gather_unknowns(island, numbers, part_numbers);
  group.clear();
  for (Eigen::Index i = 0; i < part_numbers.size(); ++i)
    group.push_back(body_of[static_cast<std::size_t>(part_numbers[i])]);
}

void StepChooser::Work::add(const Accuracy& accuracy, const FoundSolution& one) {
  const double residual = one.residual.relative;
  const VectorX& u = one.solution.u;
  const double here = std::max(speed, size(u));
  const double same = std::max(same_share, condition * std::max(residual, own_residual)) * here;
  double farthest = 0.0;
  for (const Solution& known : found) {
    const double apart = size(u - known.u);
    if (apart <= same) return;
    farthest = std::max(farthest, apart);
  }
  // One that the judge does not confirm is none, and could be another one.
  if (!(residual <= accuracy.acceptable())) {
    complete = false;
    return;
  }
  distance = std::max(distance, farthest);
  found.push_back(one.solution);
}

void StepChooser::Work::find(const SolvedProblem& solved, const Solution& answer) {
  found.assign(1, answer);
  distance = 0.0;
  continuum = complete = false;
  seen = part.rows() <= most_rows && has_pieces(part);
  if (!seen) return;
  judge.prepare(part);
  own_residual = judge.measure(part, answer).relative;
  speed = std::max(size(answer.u), judge.free_norm());
  const AllSolutions all =
      all_solutions(part, {.rows = most_rows, .choices = most_choices, .seconds = infinity});
  // Of an answer that is none, nothing follows.
  complete = all.complete && !all.solutions.empty() && own_residual <= solved.accuracy.acceptable();
  for (const FoundSolution& one : all.solutions) add(solved.accuracy, one);
  if (!judge.regular())
    for (const FoundSolution& one : all.solutions) continuum = continuum || one.dimension > 0;
}

void StepChooser::look(const SolvedProblem& solved, Solution& solution, StepReport&) {
  if (solved.problem.rows() > 0) {
    const bool resting = solved.inertia != nullptr;
    if (resting) {
      work_->weighted = solved.problem;
      work_->weighted.M = *solved.inertia;
    }
    const int count = work_->islands.find(resting ? work_->weighted : solved.problem);
    for (int island = 0; island < count; ++island) visit(solved, island, solution);
  }
  ++problems_;
}

void StepChooser::visit(const SolvedProblem& solved, int island, Solution& solution) {
  Work& work = *work_;
  work.islands.extract(solved.problem, island, work.part);
  work.islands.gather_rows(island, solution.lambda, work.part_answer.lambda);
  work.islands.gather_unknowns(island, solution.u, work.part_answer.u);
  work.measure(solved.model, island);
  work.find(solved, work.part_answer);
  if (!work.seen)
    ++unseen_;
  else if (!work.complete)
    ++unproved_;
  if (work.found.size() < 2) return;
  const std::size_t number = points_.size();
  ChoicePoint point{.problem = problems_,
                    .bodies = work.group,
                    .alternatives = static_cast<int>(work.found.size()),
                    .distance = work.distance,
                    .continuum = work.continuum};
  point.bodies.erase(std::unique(point.bodies.begin(), point.bodies.end()), point.bodies.end());
  if (number < taken_.size()) point.taken = std::min(taken_[number], point.alternatives - 1);
  if (point.taken > 0) {
    const Solution& other = work.found[static_cast<std::size_t>(point.taken)];
    work.islands.scatter_rows(island, other.lambda, solution.lambda);
    work.islands.scatter_unknowns(island, other.u, solution.u);
  }
  points_.push_back(std::move(point));
}

}  // namespace vinci
