// SPDX-License-Identifier: Apache-2.0
// Newton's and Poisson's laws with Coulomb friction, and what holds for every law.
//
// Newton:   0 <= Λ_n ⟂ w_n + e w_n⁻ >= 0 where the contact closes, w_n⁻ < 0.
// Poisson:  compression     0 <= Λ_n ⟂ w_n >= 0, which ends with the velocities u_C;
//           decompression   e Λ_nC <= Λ_nD ⟂ w_n >= 0, friction on the cone of Λ_nD, from u_C on
//           [Anitescu 1997; Pfeiffer 1996]; Λ = Λ_C + Λ_D.
// With Λ_nD = e Λ_nC + x the friction limit is μ x + μ e Λ_nC: a Coulomb block over x and a ball of
// the known radius μ e Λ_nC on the same tangents, whose forces oppose the same slip; of a pyramid,
// μ e Λ_nC in b of σ.
#include "vinci/stepping/impact_law.h"

#include <algorithm>
#include <cmath>

#include "vinci/selection/load_selection.h"

namespace vinci {
namespace {

void take_worst(const SolveReport& stage, SolveReport& all) {
  const int iterations = all.iterations + stage.iterations;
  const bool worse = stage.residual.relative > all.residual.relative ||
                     (all.status == SolveStatus::solved && stage.status != SolveStatus::solved);
  if (worse) all = stage;
  all.iterations = iterations;
}

class NewtonLaw : public ImpactLaw {
 public:
  ImpactReport apply(const ImpactProblem& impact, Solver& solver, Solution& answer) override {
    problem_ = impact.inelastic;
    selection_.take_boxes(impact.box);
    for (const ImpactContact& contact : impact.contacts)
      problem_.b[contact.row] += contact.restitution * std::min(0.0, contact.before[0]);
    ImpactReport report{selection_.solve(problem_, solver, {}, answer)};
    if (report.solve.status != SolveStatus::no_solution) return report;
    answer.u.setZero();
    answer.lambda.setZero();
    return {selection_.solve(impact.inelastic, solver, {}, answer), true};
  }

 private:
  ComplementarityProblem problem_;
  LoadSelection selection_;
};

class PoissonLaw : public ImpactLaw {
 public:
  // Decompression has balls of friction beside the blocks of the probe.
  std::string why_not(const ImpactProblem& probe, const Solver& solver) const override {
    PoissonLaw stage;
    stage.compression_.lambda = VectorX::Ones(probe.inelastic.rows());
    stage.decompress(probe);
    return solver.why_not(stage.problem_);
  }

  ImpactReport apply(const ImpactProblem& impact, Solver& solver, Solution& answer) override {
    compression_ = answer;
    selection_.take_boxes(impact.box);
    ImpactReport report{selection_.solve(impact.inelastic, solver, {}, compression_)};
    answer = compression_;
    if (!decompress(impact)) return report;
    decompression_.u = compression_.u;
    decompression_.lambda.setZero(problem_.rows());
    const SolveReport second = selection_.solve(problem_, solver, {}, decompression_);
    report.fell_back = second.status == SolveStatus::no_solution;
    if (report.fell_back) return report;
    take_worst(second, report.solve);
    add(impact, answer);
    return report;
  }

 private:
  // The problem of decompression; false where nothing rebounds.
  bool decompress(const ImpactProblem& impact) {
    const ComplementarityProblem& first = impact.inelastic;
    rebound_.setZero(first.rows());
    for (const ImpactContact& contact : impact.contacts)
      rebound_[contact.row] = contact.restitution * std::max(0.0, compression_.lambda[contact.row]);
    if (rebound_.isZero(0.0)) return false;
    problem_.M = first.M;
    problem_.J = first.J;
    problem_.C = first.C;
    problem_.blocks = first.blocks;
    problem_.p = first.p;
    sum_ = compression_.lambda + rebound_;
    first.J.multiply_transposed_add(sum_.data(), problem_.p.data());
    int rows = first.rows(), further = 0;
    for (const ImpactContact& contact : impact.contacts)
      if (!impact.pyramid) further += contact.size - 1;
    problem_.b.resize(rows + further);
    problem_.b.head(rows) = first.b;
    add_yielding(first);
    for (const ImpactContact& contact : impact.contacts) {
      if (contact.size == 1) continue;
      const double limit = contact.friction * rebound_[contact.row];
      if (impact.pyramid)
        problem_.b[contact.row + contact.size - 1] += limit;
      else
        add_ball(contact, limit, rows);
    }
    problem_.C.cols = rows;
    return true;
  }

  // Rows of joints answer to the impulses of both stages.
  void add_yielding(const ComplementarityProblem& first) {
    for (const Block& block : first.blocks)
      for (int i = block.offset; block.law == Law::equality && i < block.offset + block.size; ++i)
        for (int k = first.C.starts[i]; k < first.C.starts[i + 1]; ++k)
          problem_.b[i] += first.C.values[k] * sum_[first.C.indices[k]];
  }

  // Friction of the known part of the normal impulse: the tangent rows once more.
  void add_ball(const ImpactContact& contact, double limit, int& rows) {
    const int size = contact.size - 1;
    problem_.blocks.push_back({.law = Law::ball, .offset = rows, .size = size, .upper = limit});
    for (int i = 0; i < size; ++i) {
      const int row = contact.row + 1 + i;
      const auto begin = static_cast<std::size_t>(problem_.J.starts[row]);
      const auto end = static_cast<std::size_t>(problem_.J.starts[row + 1]);
      for (std::size_t k = begin; k < end; ++k) {
        const int column = problem_.J.indices[k];
        const double value = problem_.J.values[k];
        problem_.J.push(column, value);
      }
      problem_.J.end_row();
      problem_.C.end_row();
      problem_.b[rows + i] = problem_.b[row];
    }
    rows += size;
  }

  // Both stages together, on the rows of the impact.
  void add(const ImpactProblem& impact, Solution& answer) const {
    const int rows = impact.inelastic.rows();
    answer.u = decompression_.u;
    answer.lambda += rebound_ + decompression_.lambda.head(rows);
    int ball = rows;
    for (const ImpactContact& contact : impact.contacts) {
      if (contact.size == 1) continue;
      const int sigma = contact.row + contact.size - 1;
      if (impact.pyramid) answer.lambda[sigma] = decompression_.lambda[sigma];
      for (int i = 1; i < contact.size && !impact.pyramid; ++i)
        answer.lambda[contact.row + i] += decompression_.lambda[ball++];
    }
  }

  ComplementarityProblem problem_;  // of decompression
  LoadSelection selection_;
  Solution compression_, decompression_;
  VectorX rebound_;  // e Λ_nC in the normal rows
  VectorX sum_;
};

}  // namespace

std::string ImpactLaw::why_not(const ImpactProblem&, const Solver&) const {
  return {};
}

double impact_residual(const ImpactProblem& impact, Judge& judge, Solution& answer) {
  if (answer.lambda.size() != impact.inelastic.rows() || !answer.lambda.allFinite())
    return infinity;
  answer.u.resize(impact.inelastic.unknowns());
  judge.prepare(impact.inelastic);
  judge.measure(impact.inelastic, answer);
  answer.u = judge.u();
  if (!answer.u.allFinite()) return infinity;
  double worst = 0.0;
  for (const ImpactContact& contact : impact.contacts) {
    const auto impulse = contact_impulse(contact, answer.lambda);
    const int tangents = impact.pyramid ? contact.size - 2 : contact.size - 1;
    double friction = 0.0;
    if (contact.size > 1)
      friction =
          impact.pyramid ? impulse.segment(1, tangents).sum() : impulse.tail(tangents).norm();
    double broken = std::max(-impulse[0], friction - contact.friction * impulse[0]);
    for (int i = 1; impact.pyramid && i <= tangents; ++i) broken = std::max(broken, -impulse[i]);
    worst = std::max({worst, judge.scales()[contact.row] * broken, -judge.w()[contact.row]});
  }
  for (const Block& block : impact.inelastic.blocks)
    if (block.law == Law::equality)
      worst =
          std::max(worst, judge.w().segment(block.offset, block.size).lpNorm<Eigen::Infinity>());
  return worst / judge.free_norm();
}

void add_builtin_impact_laws(ImpactLawRegistry& registry) {
  registry.add({"newton",
                "Contacts that close leave each other with e times the speed of their approach. "
                "With friction it may raise the energy in oblique impacts.",
                "Newton, Philosophiae Naturalis Principia Mathematica (1687)",
                {},
                [](const OptionValues&) { return std::make_unique<NewtonLaw>(); }});
  registry.add({"poisson",
                "Compression until nothing closes any more, then decompression with at least e "
                "times the normal impulses of compression; friction in both.",
                "Anitescu and Potra, Nonlinear Dynamics 14 (1997) 231-247; Pfeiffer and Glocker, "
                "Multibody Dynamics with Unilateral Contacts (1996)",
                {},
                [](const OptionValues&) { return std::make_unique<PoissonLaw>(); }});
}

}  // namespace vinci
