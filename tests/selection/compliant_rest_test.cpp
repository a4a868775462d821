// SPDX-License-Identifier: Apache-2.0
// Loads that hold bodies still, where statics by hand says that there are any, and none elsewhere.
#include "vinci/selection/compliant_rest.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/statics.h"
#include "vinci/base/regular_polygon.h"
#include "vinci/selection/load_selection.h"
#include "vinci/solvers/auto_solver.h"

namespace vinci {
namespace {

using namespace test;

// Contacts of bodies of the masses given, each with a normal and one tangent or two; a pyramid is
// asked for by its directions.
class Contacts {
 public:
  Contacts(VectorX masses, VectorX momentum, double friction, int directions = 0)
      : masses_(std::move(masses)),
        momentum_(std::move(momentum)),
        friction_(friction),
        directions_(directions) {}

  void add(const VectorX& normal, const VectorX& along) { rows_.push_back({normal, along}); }
  void add(const VectorX& normal, const VectorX& along, const VectorX& across) {
    rows_.push_back({normal, along, across});
  }

  ComplementarityProblem problem() const {
    std::vector<VectorX> rows;
    std::vector<Block> blocks;
    std::vector<std::array<double, 3>> entries;  // of C
    for (const std::vector<VectorX>& contact : rows_) {
      const auto first = static_cast<int>(rows.size());
      if (directions_ == 0) {
        rows.insert(rows.end(), contact.begin(), contact.end());
        blocks.push_back(rubbing(first, static_cast<int>(contact.size()), friction_));
        continue;
      }
      rows.push_back(contact[0]);
      const int sigma = first + 1 + directions_;
      for (int j = 0; j < directions_; ++j) {
        const Vector2 d = polygon_corner(directions_, j);
        rows.push_back(d.x() * contact[1] + d.y() * contact[2]);
        entries.push_back({double(first + 1 + j), double(sigma), 1.0});
        entries.push_back({double(sigma), double(first + 1 + j), -1.0});
      }
      entries.push_back({double(sigma), double(first), friction_});
      rows.push_back(VectorX::Zero(masses_.size()));
      for (int row = first; row <= sigma; ++row) blocks.push_back(touching(row));
    }
    const auto count = static_cast<int>(rows.size());
    MatrixX J(count, masses_.size()), C = MatrixX::Zero(count, count);
    for (int i = 0; i < count; ++i) J.row(i) = rows[static_cast<std::size_t>(i)].transpose();
    for (const auto& [row, column, value] : entries) C(int(row), int(column)) = value;
    ComplementarityProblem result = statics(J, momentum_, VectorX::Zero(count), blocks);
    result.M = SparseRows::from_dense(masses_.asDiagonal().toDenseMatrix());
    if (!entries.empty()) result.C = SparseRows::from_dense(C);
    return result;
  }

 private:
  VectorX masses_, momentum_;
  double friction_;
  int directions_;
  std::vector<std::vector<VectorX>> rows_;
};

// The rest that is found for a problem, in the components of its forces.
struct Found {
  bool any = false;
  VectorX lambda;
  double missing = 0.0;  // |p + Jᵀλ|, what the loads leave of the momentum
  double beyond = 0.0;   // the greatest share by which friction is outside of its cone
};

Found find_rest(const ComplementarityProblem& problem) {
  ContactUnits units;
  EXPECT_TRUE(units.read(problem));
  Judge judge;
  judge.prepare(problem);
  VectorX scales;
  units.scales(judge.scales(), scales);
  CompliantRest rest;
  rest.load(units.problem(), judge.mass(), units.units(), scales);
  Found found;
  found.any = rest.find(found.lambda);
  if (!found.any) return found;
  VectorX left = problem.p;
  const SparseRows& J = units.problem().J;
  for (int row = 0; row < units.problem().rows(); ++row)
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      left[J.indices[k]] += J.values[k] * found.lambda[row];
  found.missing = left.norm();
  for (const ContactUnit& unit : units.units()) {
    const double most = unit.limit * found.lambda[unit.first];
    double friction = 0.0;
    for (int j = 0; j < std::max(unit.sides, 1); ++j) {
      const int sides = std::max(unit.sides, 1);
      if (unit.sides == 0) {
        friction = found.lambda.segment(unit.first_tangent(), unit.tangents()).norm();
        continue;
      }
      const Vector2 outwards =
          (polygon_corner(sides, j) + polygon_corner(sides, (j + 1) % sides)).normalized();
      friction = std::max(friction, found.lambda.segment<2>(unit.first + 1).dot(outwards) /
                                        polygon_corner(sides, j).dot(outwards));
    }
    found.beyond = std::max(found.beyond, friction - most);
  }
  return found;
}

// Unknowns (x, y) of a bead, weight 1, between two fixed walls. Friction 1/2 each asks for loads of
// 1/(2μ): nothing but friction asks for any.
TEST(CompliantRest, a_bead_wedged_between_walls_has_the_least_loads_that_hold_it) {
  for (const double mu : {0.1, 0.5, 2.0}) {
    Contacts bead(VectorX::Ones(2), numbers({0, -1}), mu);
    bead.add(numbers({1, 0}), numbers({0, 1}));
    bead.add(numbers({-1, 0}), numbers({0, 1}));
    const Found found = find_rest(bead.problem());
    ASSERT_TRUE(found.any) << mu;
    const VectorX least = numbers({0.5 / mu, 0.5, 0.5 / mu, 0.5});
    EXPECT_LE((found.lambda - least).norm(), 1e-9 * least.norm()) << mu;
  }
}

// A box (x, y, ω, and z in space) hangs between the wall x = −a and a jaw (x) that presses with the
// force 1. The wall touches it at the heights ±c, the jaw at d ± c. Where d > 2c, the loads turn
// the box by at least d − 2c, however they are shared, and unequal friction must take that up: the
// weight held is at most 2μ − (d − 2c)/a, by one corner of each pad.
Contacts hung(double weight, double d, double mu, int directions, double jaw_mass) {
  const double a = 0.5, c = 0.1;
  VectorX masses = numbers({1, 1, 0.2, 1, jaw_mass});
  Contacts box(masses, numbers({0, -weight, 0, 0, -1}), mu, directions);
  for (const double y : {c, -c})
    box.add(numbers({1, 0, -y, 0, 0}), numbers({0, 1, -a, 0, 0}), numbers({0, 0, 0, 1, 0}));
  for (const double y : {d + c, d - c})
    box.add(numbers({-1, 0, y, 0, 1}), numbers({0, 1, a, 0, 0}), numbers({0, 0, 0, 1, 0}));
  return box;
}
double most_weight(double d, double mu) {
  return 2.0 * mu - std::max(0.0, d - 0.2) / 0.5;
}

TEST(CompliantRest, a_box_is_held_up_to_the_weight_that_statics_allows) {
  for (const int directions : {0, 4, 8, 64})
    for (const double d : {0.0, 0.15, 0.25, 0.4})
      for (const double mu : {0.45, 0.9})
        for (const double jaw_mass : {1.0, 1e-3, 1e3}) {
          const double most = most_weight(d, mu);
          ASSERT_GT(most, 0.0);
          for (const double part : {0.5, 0.9, 0.999}) {
            const Found found = find_rest(hung(part * most, d, mu, directions, jaw_mass).problem());
            EXPECT_TRUE(found.any) << directions << " " << d << " " << mu << " " << part;
            if (!found.any) continue;
            EXPECT_LE(found.missing, 1e-12) << directions << " " << d << " " << mu << " " << part;
            EXPECT_LE(found.beyond, 1e-12) << directions << " " << d << " " << mu << " " << part;
          }
          const Found none = find_rest(hung(1.001 * most, d, mu, directions, jaw_mass).problem());
          EXPECT_TRUE(!none.any || none.missing > 1e-6 || none.beyond > 1e-6)
              << directions << " " << d << " " << mu;
        }
}

double speed_of_box(double weight, double d, double mu, int directions, double jaw_mass) {
  const ComplementarityProblem problem = hung(weight, d, mu, directions, jaw_mass).problem();
  AutoSolver solver;
  Solution solution{VectorX::Zero(5), VectorX::Zero(problem.rows())};
  LoadSelection selection;
  const VectorX still = VectorX::Zero(5);
  const SolveReport report = selection.solve(problem, solver, {}, solution, &still);
  EXPECT_EQ(report.status, SolveStatus::solved);
  return solution.u.norm();
}

TEST(CompliantRest, a_box_stays_if_any_loads_hold_it_and_falls_otherwise) {
  for (const int directions : {0, 4, 16})
    for (const double d : {0.15, 0.25, 0.4})
      for (const double jaw_mass : {1.0, 1e-3, 1e3}) {
        const double mu = 0.6, most = most_weight(d, mu);
        const double free = 1.0 + 1.0 / jaw_mass;  // of the jaw, if nothing stops it
        EXPECT_LE(speed_of_box(0.99 * most, d, mu, directions, jaw_mass), 1e-12 * free)
            << directions << " " << d << " " << jaw_mass;
        EXPECT_GT(speed_of_box(1.01 * most, d, mu, directions, jaw_mass), 1e-4)
            << directions << " " << d << " " << jaw_mass;
      }
}

// A block between floor and roof with nothing to spare, weight 1: loads that wedge it always exist.
// What slides at v goes on at v − μ; what stands goes on standing under a push of 2.
TEST(CompliantRest, a_block_that_slides_in_a_channel_does_not_stop_dead) {
  const double mu = 0.4;
  for (const double speed : {1.0, 5.0, 100.0, 0.0}) {
    const double push = speed > 0.0 ? 0.0 : 2.0;
    Contacts block(VectorX::Ones(2), numbers({speed + push, -1}), mu);
    block.add(numbers({0, 1}), numbers({1, 0}));
    block.add(numbers({0, -1}), numbers({1, 0}));
    const ComplementarityProblem problem = block.problem();
    AutoSolver solver;
    Solution solution{VectorX::Zero(2), VectorX::Zero(4)};
    const VectorX before = numbers({speed, 0});
    const SolveReport report = LoadSelection().solve(problem, solver, {}, solution, &before);
    EXPECT_EQ(report.status, SolveStatus::solved);
    EXPECT_NEAR(solution.u[0], speed > 0.0 ? speed - mu : 0.0, 1e-12 * (1.0 + speed));
    EXPECT_NEAR(solution.u[1], 0.0, 1e-12);
  }
}

// Loads of an impact may foretell rest of what moves: only velocities tell.
TEST(CompliantRest, what_an_impact_stops_on_paper_does_not_stand_still) {
  Contacts block(VectorX::Ones(2), numbers({1, -1}), 0.4);
  block.add(numbers({0, 1}), numbers({1, 0}));
  block.add(numbers({0, -1}), numbers({1, 0}));
  const ComplementarityProblem problem = block.problem();
  ContactUnits units;
  ASSERT_TRUE(units.read(problem));
  Judge judge;
  judge.prepare(problem);
  VectorX scales;
  units.scales(judge.scales(), scales);
  CompliantRest rest;
  rest.load(units.problem(), judge.mass(), units.units(), scales);
  const VectorX impact = numbers({3, -0.5, 2, -0.5}), stopped = VectorX::Zero(4);
  const VectorX sliding = numbers({1, -0.4, 0, 0}), w = numbers({0, 0.6, 0, 0.6});
  const VectorX moving = numbers({1, 0}), standing = numbers({0, 0});
  EXPECT_FALSE(rest.foretold({impact, stopped, 1.0, &moving}, sliding, w));
  EXPECT_TRUE(rest.foretold({impact, stopped, 1.0, &standing}, sliding, w));
}

}  // namespace
}  // namespace vinci
