// SPDX-License-Identifier: Apache-2.0
// Impact laws on problems whose answers are known: rows of balls, an oblique rod, energy.
#include "vinci/stepping/impact_law.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

std::unique_ptr<ImpactLaw> law(const std::string& name) {
  ImpactLawRegistry registry("impact-law");
  add_builtin_impact_laws(registry);
  return registry.make(name);
}

std::unique_ptr<Solver> auto_solver() {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  return registry.make("auto");
}

struct ContactSpec {
  double restitution = 0.0, friction = 0.0;
  std::vector<VectorX> rows;  // normal, tangents
};

ImpactProblem problem_of(const MatrixX& mass, const VectorX& before,
                         const std::vector<ContactSpec>& contacts) {
  ImpactProblem impact;
  ComplementarityProblem& problem = impact.inelastic;
  problem.M = SparseRows::from_dense(mass);
  problem.p = mass * before;
  impact.before = before;
  problem.J.reset(static_cast<int>(before.size()));
  int row = 0;
  for (const ContactSpec& spec : contacts) {
    const int size = static_cast<int>(spec.rows.size());
    ImpactContact contact{row, size, spec.restitution, spec.friction, Vector3::Zero()};
    for (int i = 0; i < size; ++i) {
      contact.before[i] = spec.rows[i].dot(before);
      for (int j = 0; j < before.size(); ++j) problem.J.push(j, spec.rows[i][j]);
      problem.J.end_row();
    }
    problem.blocks.push_back({.law = size == 1 ? Law::nonnegative : Law::coulomb,
                              .offset = row,
                              .size = size,
                              .friction = spec.friction});
    impact.contacts.push_back(contact);
    row += size;
  }
  problem.C.reset(row);
  for (int i = 0; i < row; ++i) problem.C.end_row();
  problem.b = VectorX::Zero(row);
  return impact;
}

struct Outcome {
  Solution answer;
  ImpactReport report;
  double broken = 0.0;  // of what holds for every law
};

Outcome strike(const std::string& name, const ImpactProblem& impact) {
  const auto solver = auto_solver();
  Outcome outcome;
  outcome.answer.u = VectorX::Zero(impact.inelastic.unknowns());
  outcome.answer.lambda = VectorX::Zero(impact.inelastic.rows());
  outcome.report = law(name)->apply(impact, *solver, outcome.answer);
  Judge judge;
  outcome.broken = impact_residual(impact, judge, outcome.answer);
  EXPECT_LE(outcome.report.solve.residual.relative, 1e-10);
  EXPECT_LE(outcome.broken, 1e-10);
  return outcome;
}

// Three equal balls in a row, touching; the first one arrives with 1 m/s.
ImpactProblem three_balls(double first, double second) {
  VectorX before(3), left(3), right(3);
  before << 1, 0, 0;
  left << -1, 1, 0;
  right << 0, -1, 1;
  return problem_of(MatrixX::Identity(3, 3), before, {{first, 0, {left}}, {second, 0, {right}}});
}

void expect_velocities(const Outcome& outcome, double a, double b, double c) {
  EXPECT_NEAR((outcome.answer.u - Vector3(a, b, c)).norm(), 0.0, 1e-12);
}

TEST(ImpactLaw, three_touching_balls_share_the_impact_in_one_instant) {
  // With one e both laws give ((1 − 2e)/3, (1 + e)/3, (1 + e)/3): nothing closes between the last
  // two before, so Newton's law holds them together, and so does compression.
  for (const double e : {0.0, 0.5, 1.0})
    for (const char* name : {"newton", "poisson"})
      expect_velocities(strike(name, three_balls(e, e)), (1 - 2 * e) / 3, (1 + e) / 3, (1 + e) / 3);
}

TEST(ImpactLaw, newton_and_poisson_part_where_only_the_second_contact_is_elastic) {
  // Newton sees no approach between the last two and lets the three go on together. Poisson gives
  // them back the impulse 1/3 of compression: (1/3, 0, 2/3), where the first would run into the
  // second, so these two share 1/3.
  expect_velocities(strike("newton", three_balls(0, 1)), 1.0 / 3, 1.0 / 3, 1.0 / 3);
  expect_velocities(strike("poisson", three_balls(0, 1)), 1.0 / 6, 1.0 / 6, 2.0 / 3);
}

// A uniform rod of 1 kg and half-length 1 m whose lower tip hits a floor.
struct Rod {
  double tilt = M_PI / 4, friction = 0.0, restitution = 0.0;
  Vector3 before = Vector3(0.0, -1.0, 0.0);  // vx, vy, ω
  Matrix3 mass() const { return Vector3(1.0, 1.0, 1.0 / 3.0).asDiagonal(); }
  Eigen::Matrix<double, 2, 3> rows() const {
    const double x = -std::cos(tilt), y = -std::sin(tilt);
    Eigen::Matrix<double, 2, 3> j;
    j << 0.0, 1.0, x, 1.0, 0.0, -y;
    return j;
  }
  ImpactProblem problem() const {
    const auto j = rows();
    if (friction == 0.0)
      return problem_of(mass(), before, {{restitution, 0.0, {VectorX(j.row(0).transpose())}}});
    return problem_of(
        mass(), before,
        {{restitution, friction, {VectorX(j.row(0).transpose()), VectorX(j.row(1).transpose())}}});
  }
  double energy(const VectorX& u) const { return 0.5 * u.dot(mass() * u); }
};

// W Λ + q = 0 where it sticks, Λ_t = ∓μ Λ_n and w_n = 0 where it slides: Newton's law of one
// contact with q = w⁻ + e w_n⁻; compression with e = 0.
Vector2 single_impact(const Matrix2& W, Vector2 w, double e, double mu) {
  w[0] *= 1.0 + e;
  const Vector2 stick = W.inverse() * -w;
  if (std::abs(stick[1]) <= mu * stick[0]) return stick;
  for (const double s : {1.0, -1.0}) {
    const double normal = -w[0] / (W(0, 0) - s * mu * W(0, 1));
    const Vector2 slide(normal, -s * mu * normal);
    if (normal >= 0.0 && s * (w[1] + W.row(1).dot(slide)) >= 0.0) return slide;
  }
  ADD_FAILURE() << "no closed form";
  return Vector2::Zero();
}

Vector2 poisson_impact(const Matrix2& W, const Vector2& w, double e, double mu) {
  const Vector2 compression = single_impact(W, w, 0.0, mu);
  const Vector2 after = w + W * compression;
  const double normal = e * compression[0];
  const double stick = -(after[1] + W(1, 0) * normal) / W(1, 1);
  const double friction = std::clamp(stick, -mu * normal, mu * normal);
  const Vector2 sum = compression + Vector2(normal, friction);
  EXPECT_GE((w + W * sum)[0], 0.0) << "decompression would need more than e times compression";
  return sum;
}

TEST(ImpactLaw, oblique_rod_meets_the_closed_forms_of_newton_and_poisson) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<> unit(0.0, 1.0);
  int sliding = 0, sticking = 0;
  for (int i = 0; i < 200; ++i) {
    Rod rod{0.2 + 1.2 * unit(engine), 0.05 + unit(engine), unit(engine),
            Vector3(4.0 * unit(engine) - 2.0, -1.0, 4.0 * unit(engine) - 2.0)};
    const auto j = rod.rows();
    const Vector2 w = j * rod.before;
    if (w[0] > -0.05) continue;
    const Matrix2 W = j * rod.mass().inverse() * j.transpose();
    // Beyond it friction jams the tip, and Newton's law has several answers or none.
    if (rod.friction * std::abs(W(0, 1)) > 0.9 * W(0, 0)) continue;
    const Vector2 newton = single_impact(W, w, rod.restitution, rod.friction);
    const Vector2 poisson = poisson_impact(W, w, rod.restitution, rod.friction);
    // Tolerance: the solvers' 1e-12 times the size of the impulses.
    EXPECT_NEAR((strike("newton", rod.problem()).answer.lambda - newton).norm(), 0.0, 1e-10);
    EXPECT_NEAR((strike("poisson", rod.problem()).answer.lambda - poisson).norm(), 0.0, 1e-10);
    (std::abs((w + W * newton)[1]) < 1e-12 ? sticking : sliding) += 1;
  }
  EXPECT_GT(sliding, 20);
  EXPECT_GT(sticking, 20);
}

TEST(ImpactLaw, newton_with_friction_gains_energy_on_an_oblique_rod_and_poisson_does_not) {
  // The rod turns towards its tip: friction stops the slip in the course of the impact, and the
  // rebound that Newton asks for is bought with energy that nobody had.
  const Rod rod{0.8, 1.1, 1.0, Vector3(0.0, -1.0, 1.8)};
  const double before = rod.energy(rod.before);
  EXPECT_GT(rod.energy(strike("newton", rod.problem()).answer.u), 1.4 * before);
  EXPECT_LT(rod.energy(strike("poisson", rod.problem()).answer.u), before);
}

TEST(ImpactLaw, poisson_on_a_single_contact_never_gains_energy) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<> unit(0.0, 1.0);
  for (int i = 0; i < 400; ++i) {
    const Rod rod{1.5 * unit(engine), 1.5 * unit(engine), unit(engine),
                  Vector3(6.0 * unit(engine) - 3.0, -1.0, 6.0 * unit(engine) - 3.0)};
    const double before = rod.energy(rod.before);
    EXPECT_LE(rod.energy(strike("poisson", rod.problem()).answer.u), before * (1.0 + 1e-12));
  }
}

TEST(ImpactLaw, without_friction_and_with_one_e_neither_law_gains_energy) {
  // T⁺ − T⁻ = ½ Σ Λ (w⁺ + w⁻): Newton gives w⁺ = −e w⁻ where Λ > 0. Compression is a projection,
  // and decompression with one e goes on by no more than what it took. Random masses in a row.
  std::mt19937 engine(3);
  std::uniform_real_distribution<> unit(0.0, 1.0);
  for (int i = 0; i < 200; ++i) {
    const int size = 2 + static_cast<int>(5.0 * unit(engine));
    VectorX masses(size), before(size);
    for (int k = 0; k < size; ++k) masses[k] = 0.1 + unit(engine), before[k] = unit(engine) - 0.5;
    std::sort(before.begin(), before.end(), std::greater<>());  // nothing parts before
    const double e = unit(engine);
    std::vector<ContactSpec> contacts;
    for (int k = 0; k + 1 < size; ++k) {
      VectorX row = VectorX::Zero(size);
      row[k] = -1.0, row[k + 1] = 1.0;
      contacts.push_back({e, 0.0, {row}});
    }
    const ImpactProblem impact = problem_of(masses.asDiagonal(), before, contacts);
    const double first = before.dot(masses.cwiseProduct(before));
    for (const char* name : {"newton", "poisson"}) {
      const VectorX u = strike(name, impact).answer.u;
      EXPECT_LE(u.dot(masses.cwiseProduct(u)), first * (1.0 + 1e-12)) << name;
    }
  }
}

TEST(ImpactLaw, spatial_friction_of_decompression_opposes_the_slip) {
  // A particle: rows are the axes. Sliding throughout, Λ_t = −μ (1 + e) Λ_nC along the slip.
  Vector3 before(3.0, 4.0, -1.0);
  VectorX n(3), t1(3), t2(3);
  n << 0, 0, 1;
  t1 << 1, 0, 0;
  t2 << 0, 1, 0;
  const ImpactProblem impact =
      problem_of(MatrixX::Identity(3, 3), before, {{0.5, 0.2, {n, t1, t2}}});
  for (const char* name : {"newton", "poisson"}) {
    const VectorX lambda = strike(name, impact).answer.lambda;
    EXPECT_NEAR((lambda - Vector3(1.5, -0.2 * 1.5 * 0.6, -0.2 * 1.5 * 0.8)).norm(), 0.0, 1e-10)
        << name;
  }
}

TEST(ImpactLaw, impulses_outside_the_cone_or_into_the_surface_are_measured) {
  const Rod rod{M_PI / 4, 0.3, 0.0};
  const ImpactProblem impact = rod.problem();
  Judge judge;
  Solution pulled{VectorX::Zero(3), Vector2(-1.0, 0.0)}, nothing{VectorX::Zero(3), Vector2::Zero()},
      skewed{VectorX::Zero(3), Vector2(5.0, 4.0)};
  EXPECT_GT(impact_residual(impact, judge, pulled), 0.1);
  EXPECT_GT(impact_residual(impact, judge, nothing), 0.1);  // still closing
  EXPECT_GT(impact_residual(impact, judge, skewed), 0.1);   // friction beyond μ Λ_n
}

}  // namespace
}  // namespace vinci
