// SPDX-License-Identifier: Apache-2.0
#include "vinci/stepping/step_diagnosis.h"

#include <algorithm>
#include <cmath>

#include "vinci/formulation/free_motion.h"
#include "vinci/model/state.h"
#include "vinci/stepping/island_diagnosis.h"

namespace vinci {
namespace {

// Motions of islands combine freely.
int combined(int a, int b) {
  constexpr int most = 1'000'000;
  return static_cast<int>(std::min<std::int64_t>(most, std::int64_t{a} * b));
}

}  // namespace

struct StepDiagnosis::Impl {
  Impl(bool keep, std::int64_t seed)
      : keeps(keep), islands({.seed = static_cast<std::uint64_t>(seed)}) {}

  void keep(const SolvedProblem& solved, const Owners& owners, const Solution& solution, int island,
            const Diagnosis& diagnosis, StepReport& report);
  FoundState state_of(const EntityRows& rows, double zero) const;

  bool keeps;
  IslandDiagnosis islands;
  VectorX velocities, rates, u, lambda, w;  // of the whole problem
};

StepDiagnosis::StepDiagnosis(bool keeps, std::int64_t seed)
    : impl_(std::make_unique<Impl>(keeps, seed)) {}
StepDiagnosis::~StepDiagnosis() = default;

void StepDiagnosis::look(const SolvedProblem& solved, const Owners& owners,
                         const Solution& solution, StepReport& report) {
  Impl& impl = *impl_;
  report.uniqueness = std::max(report.uniqueness, Uniqueness::unique);
  report.solutions = std::max(report.solutions, 1);
  if (solved.inertia != nullptr && report.free_motions > 0) report.uniqueness = Uniqueness::several;
  if (solved.problem.rows() == 0) return;
  // An impact law has not reported yet.
  const bool judged = report.solve.status == SolveStatus::solved;
  const double residual = judged ? report.solve.residual.relative : -1.0;
  if (impl.islands.is_plain(solved, solution, residual)) return;
  const int count = impl.islands.find(solved);
  int found = 1;
  for (int k = 0; k < count; ++k) {
    const Diagnosis* const one = impl.islands.ask(solved, solution, k, residual);
    if (one == nullptr) continue;
    report.uniqueness = std::max(report.uniqueness, one->verdict);
    report.solution_distance = std::max(report.solution_distance, one->distance);
    report.open_loads = std::max(report.open_loads, one->open_loads);
    found = combined(found, static_cast<int>(one->solutions.size()));
    if (impl.keeps && one->verdict == Uniqueness::several)
      impl.keep(solved, owners, solution, k, *one, report);
  }
  report.solutions = std::max(report.solutions, found);
}

// What a contact does, by the rows of the whole problem.
FoundState StepDiagnosis::Impl::state_of(const EntityRows& rows, double zero) const {
  const bool support = rows.key.kind == EntityKind::support;
  const int first = support ? rows.first : rows.first + 1;
  const int count = rows.count - (support ? 0 : 1);
  if (!support && lambda[rows.first] <= 0.0) return FoundState::open;
  double slip = rows.count >= 4 ? lambda[rows.first + rows.count - 1] : 0.0;  // σ of a pyramid
  for (int i = first; i < first + count && rows.count < 4; ++i)
    slip = std::max(slip, std::abs(w[i]));
  return slip > zero ? FoundState::slides : FoundState::sticks;
}

void StepDiagnosis::Impl::keep(const SolvedProblem& solved, const Owners& owners,
                               const Solution& solution, int island, const Diagnosis& diagnosis,
                               StepReport& report) {
  const Model& model = solved.model;
  const ComplementarityProblem& asked = islands.problem();
  const MotionMeasure& measure = islands.measure();
  const std::vector<int>& local = islands.unknowns();
  std::vector<char> mine(static_cast<std::size_t>(solved.problem.rows()), 0);
  for (const int row : islands.islands().rows_of(island)) mine[static_cast<std::size_t>(row)] = 1;
  for (std::size_t k = 0; k < diagnosis.solutions.size(); ++k) {
    const Solution& one = diagnosis.solutions[k];
    FoundMotion& motion = report.motions.emplace_back();
    motion.island = island;
    motion.number = static_cast<int>(k);
    velocities = owners.velocities;
    u = solution.u;
    for (std::size_t i = 0; i < local.size(); ++i)
      u[local[i]] = one.u[static_cast<Eigen::Index>(i)];
    for (int i = 0; i < model.velocity_count; ++i)
      if (model.free_index[i] >= 0) velocities[i] = u[model.free_index[i]];
    if (solved.tree != nullptr) {
      rates.setZero(model.joint_rate_count);
      solved.tree->spread_unknowns(u, velocities, rates);
    }
    int last = -1;
    for (const int body : measure.group)
      if (body != last) motion.bodies.push_back({last = body, body_twist(model, velocities, body)});
    w = asked.b;
    asked.J.multiply_add(one.u.data(), w.data());
    asked.C.multiply_add(one.lambda.data(), w.data());
    const double zero =
        solved.accuracy.zero() *
        std::max({w.cwiseAbs().maxCoeff(), asked.b.cwiseAbs().maxCoeff(), measure.size(one.u)});
    const VectorX part_w = w;
    w.setZero(solved.problem.rows());
    lambda.setZero(solved.problem.rows());
    islands.islands().scatter_rows(island, part_w, w);
    islands.islands().scatter_rows(island, one.lambda, lambda);
    for (const EntityRows& rows : owners.entities) {
      const bool touches =
          rows.key.kind == EntityKind::contact || rows.key.kind == EntityKind::support;
      if (rows.count == 0 || !touches || !mine[static_cast<std::size_t>(rows.first)]) continue;
      motion.contacts.push_back({rows.key, rows.point, state_of(rows, zero),
                                 rows.key.kind == EntityKind::contact ? lambda[rows.first] : 0.0});
    }
  }
}

}  // namespace vinci
