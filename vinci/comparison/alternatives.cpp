// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/alternatives.h"

#include <algorithm>
#include <cmath>

#include "vinci/stepping/island_diagnosis.h"

namespace vinci {
namespace {

// Where sliding in space keeps a list of solutions from being complete: as many choices as
// elsewhere, because each solution is a branch.
constexpr long curved_choices = 4000;

}  // namespace

double motion_distance(const Model& model, const VectorX& a, const VectorX& b) {
  double most = 0.0;
  for (const Body& body : model.bodies) {
    double sum = 0.0;
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i) {
      const double weight =
          model.coordinate[static_cast<std::size_t>(i)] >= 3 ? motion_radius(body) : 1.0;
      sum += weight * (a[i] - b[i]) * (weight * (a[i] - b[i]));
    }
    most = std::max(most, sum);
  }
  return std::sqrt(most);
}

struct StepChooser::Work {
  IslandDiagnosis islands{{.curved_choices = curved_choices}};
};

StepChooser::StepChooser() : work_(std::make_unique<Work>()) {}
StepChooser::~StepChooser() = default;

void StepChooser::begin(std::vector<int> taken) {
  taken_ = std::move(taken);
  points_.clear();
  problems_ = unseen_ = unproved_ = 0;
  free_ = false;
}

void StepChooser::look(const SolvedProblem& solved, Solution& solution, StepReport& report) {
  free_ = free_ || report.free_motions > 0;
  if (solved.problem.rows() > 0) {
    const int count = work_->islands.find(solved);
    for (int island = 0; island < count; ++island) visit(solved, island, solution);
  }
  ++problems_;
}

void StepChooser::visit(const SolvedProblem& solved, int island, Solution& solution) {
  IslandDiagnosis& islands = work_->islands;
  const Diagnosis* const found = islands.ask(solved, solution, island);
  if (found == nullptr) return;
  if (!found->complete) ++(found->searched ? unproved_ : unseen_);
  if (found->solutions.size() < 2) return;
  const std::size_t number = points_.size();
  ChoicePoint point{.problem = problems_,
                    .bodies = islands.measure().group,
                    .alternatives = static_cast<int>(found->solutions.size()),
                    .distance = found->distance,
                    .continuum = found->continuum};
  point.bodies.erase(std::unique(point.bodies.begin(), point.bodies.end()), point.bodies.end());
  if (number < taken_.size()) point.taken = std::min(taken_[number], point.alternatives - 1);
  if (point.taken > 0) {
    const Solution& other = found->solutions[static_cast<std::size_t>(point.taken)];
    islands.islands().scatter_rows(island, other.lambda, solution.lambda);
    islands.islands().scatter_unknowns(island, other.u, solution.u);
  }
  points_.push_back(std::move(point));
}

}  // namespace vinci
