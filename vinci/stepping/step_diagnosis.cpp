// SPDX-License-Identifier: Apache-2.0
#include "vinci/stepping/step_diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/complementarity/islands.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/model/state.h"
#include "vinci/solvers/diagnosis.h"

namespace vinci {
namespace {

// Motions of islands combine freely.
int combined(int a, int b) {
  constexpr int most = 1'000'000;
  return static_cast<int>(std::min<std::int64_t>(most, std::int64_t{a} * b));
}

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

// The radius of a body, or its radius of gyration where it has no bound, m.
double radius_of(const Body& body) {
  if (std::isfinite(body.bounding_radius)) return body.bounding_radius;
  return body.mass.mass > 0.0 ? std::sqrt(body.mass.inertia.trace() / body.mass.mass) : 1.0;
}

}  // namespace

struct StepDiagnosis::Impl {
  Impl(bool keep, std::int64_t seed)
      : keeps(keep), diagnoser({.seed = static_cast<std::uint64_t>(seed)}) {}

  void measure_model(const Model& model);
  void take(const SolvedProblem& solved, const Owners& owners, int island, StepReport& report);
  void keep(const SolvedProblem& solved, const Owners& owners, int island, StepReport& report);
  ContactState state_of(const EntityRows& rows, double zero) const;

  bool keeps;
  Diagnoser diagnoser;
  Islands islands;
  ComplementarityProblem weighted, part, part_weight;
  Solution part_solution;
  VectorX weight, all, velocities, lambda, w;  // of the whole problem
  std::vector<int> body_of, group;             // per unknown
  MotionMeasure measure;                       // of an island
  std::vector<int> local;                      // numbers of its unknowns
  Diagnosis diagnosis;
};

StepDiagnosis::StepDiagnosis(bool keeps, std::int64_t seed)
    : impl_(std::make_unique<Impl>(keeps, seed)) {}
StepDiagnosis::~StepDiagnosis() = default;

// What a difference of an unknown counts, m/s per its unit, and the body that it moves.
void StepDiagnosis::Impl::measure_model(const Model& model) {
  weight.setOnes(model.free_count);
  body_of.assign(static_cast<std::size_t>(model.free_count), 0);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i) {
      const int unknown = model.free_index[i];
      if (unknown < 0) continue;
      body_of[static_cast<std::size_t>(unknown)] = static_cast<int>(b);
      if (model.coordinate[i] >= 3) weight[unknown] = radius_of(body);
    }
  }
}

void StepDiagnosis::look(const SolvedProblem& solved, const Owners& owners,
                         const Solution& solution, StepReport& report) {
  Impl& impl = *impl_;
  report.uniqueness = std::max(report.uniqueness, Uniqueness::unique);
  report.solutions = std::max(report.solutions, 1);
  const bool resting = solved.inertia != nullptr;
  if (resting && report.free_motions > 0) report.uniqueness = Uniqueness::several;
  if (solved.problem.rows() == 0) return;
  impl.measure_model(solved.model);
  if (resting) {
    impl.weighted = solved.problem;
    impl.weighted.M = joined(solved.problem.M, *solved.inertia);  // what viscosity couples, too
  }
  const int count = impl.islands.find(resting ? impl.weighted : solved.problem);
  if (resting) impl.weighted.M = *solved.inertia;
  int found = 1;
  for (int k = 0; k < count; ++k) {
    impl.islands.gather_rows(k, solution.lambda, impl.part_solution.lambda);
    impl.islands.gather_unknowns(k, solution.u, impl.part_solution.u);
    impl.take(solved, owners, k, report);
    found = combined(found, static_cast<int>(impl.diagnosis.solutions.size()));
  }
  report.solutions = std::max(report.solutions, found);
}

void StepDiagnosis::Impl::take(const SolvedProblem& solved, const Owners& owners, int island,
                               StepReport& report) {
  islands.extract(solved.problem, island, part);
  const bool resting = solved.inertia != nullptr;
  if (resting) islands.extract(weighted, island, part_weight);
  islands.gather_unknowns(island, weight, measure.weight);
  const int n = part.unknowns();
  all.resize(solved.problem.unknowns());
  for (Eigen::Index i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i);
  VectorX numbers;
  islands.gather_unknowns(island, all, numbers);
  local.resize(static_cast<std::size_t>(n));
  measure.group.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    local[k] = static_cast<int>(numbers[i]);
    measure.group[k] = body_of[static_cast<std::size_t>(local[k])];
  }
  diagnosis = diagnoser({.problem = part,
                         .inertia = resting ? &part_weight.M : nullptr,
                         .solution = part_solution,
                         .measure = measure,
                         .accuracy = solved.accuracy});
  report.uniqueness = std::max(report.uniqueness, diagnosis.verdict);
  report.solution_distance = std::max(report.solution_distance, diagnosis.distance);
  report.open_loads = std::max(report.open_loads, diagnosis.open_loads);
  if (keeps && diagnosis.verdict == Uniqueness::several) keep(solved, owners, island, report);
}

// What a contact does, by the rows of the whole problem.
ContactState StepDiagnosis::Impl::state_of(const EntityRows& rows, double zero) const {
  const bool support = rows.key.kind == EntityKind::support;
  const int first = support ? rows.first : rows.first + 1;
  const int count = rows.count - (support ? 0 : 1);
  if (!support && lambda[rows.first] <= 0.0) return ContactState::open;
  double slip = rows.count >= 4 ? lambda[rows.first + rows.count - 1] : 0.0;  // σ of a pyramid
  for (int i = first; i < first + count && rows.count < 4; ++i)
    slip = std::max(slip, std::abs(w[i]));
  return slip > zero ? ContactState::slides : ContactState::sticks;
}

void StepDiagnosis::Impl::keep(const SolvedProblem& solved, const Owners& owners, int island,
                               StepReport& report) {
  const Model& model = solved.model;
  std::vector<char> mine(static_cast<std::size_t>(solved.problem.rows()), 0);
  for (const int row : islands.rows_of(island)) mine[static_cast<std::size_t>(row)] = 1;
  for (std::size_t k = 0; k < diagnosis.solutions.size(); ++k) {
    const Solution& one = diagnosis.solutions[k];
    FoundMotion& motion = report.motions.emplace_back();
    motion.island = island;
    motion.number = static_cast<int>(k);
    velocities = owners.velocities;
    for (int i = 0; i < model.velocity_count; ++i) {
      const auto place = std::lower_bound(local.begin(), local.end(), model.free_index[i]);
      if (model.free_index[i] >= 0 && place != local.end() && *place == model.free_index[i])
        velocities[i] = one.u[place - local.begin()];
    }
    int last = -1;
    for (const int body : measure.group)
      if (body != last) motion.bodies.push_back({last = body, body_twist(model, velocities, body)});
    w = part.b;
    part.J.multiply_add(one.u.data(), w.data());
    part.C.multiply_add(one.lambda.data(), w.data());
    const double zero =
        solved.accuracy.zero() *
        std::max({w.cwiseAbs().maxCoeff(), part.b.cwiseAbs().maxCoeff(), measure.size(one.u)});
    const VectorX part_w = w;
    w.setZero(solved.problem.rows());
    lambda.setZero(solved.problem.rows());
    islands.scatter_rows(island, part_w, w);
    islands.scatter_rows(island, one.lambda, lambda);
    for (const EntityRows& rows : owners.entities) {
      if (rows.count == 0 || rows.key.kind == EntityKind::element ||
          !mine[static_cast<std::size_t>(rows.first)])
        continue;
      motion.contacts.push_back({rows.key, rows.point, state_of(rows, zero),
                                 rows.key.kind == EntityKind::contact ? lambda[rows.first] : 0.0});
    }
  }
}

}  // namespace vinci
