// SPDX-License-Identifier: Apache-2.0
// Whether the motion is the only one where there are joints: `diagnose` and `certify` against
// closed forms of a brake shoe that jams, and against all modes of random mechanisms, tried one by
// one.
#include <cmath>
#include <random>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "vinci/complementarity/residual.h"
#include "vinci/simulation/certify.h"

namespace vinci::test {
namespace {

struct Way {
  const char* name;
  bool planar;
  const char* coordinates;
};

// A shoe on a hinge at the height `arm` over a belt that drags it down. It touches the belt at
// `lead` before the hinge. Sliding, friction presses it on by μ arm per load and the load lifts it
// by lead: beyond μ = lead/arm it can jam, whatever lifts it.
struct Shoe {
  double friction = 1.0, lead = 0.3, arm = 0.5;
  std::string hinge;  // keys of the joint

  double jams_at() const { return lead / arm; }
  std::string yaml(const Way& way, const std::string& motion) const {
    const bool planar = way.planar;
    const char* const z = planar ? "" : ", 0";
    return fmt::format(
        R"(
world: {}
gravity: [0, 0{z}]
materials: {{m: {{friction: {}}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{box: {}, position: [0, -0.5{z}], surface-velocity: [1, 0{z}], material: m}}]}}
  shoe: {{mass: 2, inertia: {}, center: [0, 0{z}], position: [{:.17g}, {:.17g}{z}], shapes: [{{{}: 0.05, position: [{:.17g}, {:.17g}{z}], material: m}}]}}
joints:
  hinge: {{revolute: [world, shoe], at: [[{:.17g}, {:.17g}{z}], [0, 0{z}]], {}}}
run: {{motion: {}, coordinates: {}, step: 1 ms, duration: 0.01}}
)",
        planar ? "planar" : "spatial", friction, planar ? "[4, 1]" : "[4, 1, 4]",
        planar ? "0.1" : "[0.1, 0.1, 0.1]", lead, arm, planar ? "circle" : "sphere", -lead,
        -arm + 0.05, lead, arm, hinge, motion, way.coordinates, fmt::arg("z", z));
  }
};

class UniqueJoints : public testing::TestWithParam<Way> {
 protected:
  StepReport diagnosed(const Shoe& shoe, const std::string& motion = "dynamic") {
    Simulation simulation = simulate(shoe.yaml(GetParam(), motion), chosen({{"diagnose", "all"}}));
    return simulation.step();
  }
  StepCertificate certified(const Shoe& shoe, const std::string& motion = "dynamic") {
    Simulation simulation = simulate(shoe.yaml(GetParam(), motion));
    return certify_step(simulation);
  }
};

TEST_P(UniqueJoints, a_shoe_that_can_jam_has_two_motions) {
  Shoe shoe;
  shoe.hinge = "motor: {torque: -1}";  // lifts it
  shoe.friction = 1.05 * shoe.jams_at();
  const StepReport report = diagnosed(shoe);
  EXPECT_EQ(report.uniqueness, Uniqueness::several);
  EXPECT_EQ(report.solutions, 2);
  // It stands still, or turns by h T/I; its centre of mass is the hinge.
  ASSERT_EQ(report.motions.size(), 2u);
  double least = 1.0, most = 0.0;
  for (const FoundMotion& motion : report.motions) {
    const double rate = std::abs(motion.bodies.at(0).twist.angular.z());
    least = std::min(least, rate);
    most = std::max(most, rate);
  }
  EXPECT_NEAR(least, 0.0, 1e-10);
  EXPECT_NEAR(most, 1e-3 / 0.1, 1e-9);
  const StepCertificate certificate = certified(shoe);
  EXPECT_EQ(certificate.verdict.exists, Existence::proved);
  EXPECT_EQ(certificate.verdict.motion, Only::several);
  EXPECT_FALSE(certificate.others.empty());
}

TEST_P(UniqueJoints, a_shoe_with_less_friction_has_one) {
  for (const char* hinge : {"motor: {torque: -1}", "motor: {torque: 1}"}) {
    Shoe shoe;
    shoe.hinge = hinge;
    shoe.friction = 0.9 * shoe.jams_at();
    const StepReport report = diagnosed(shoe);
    const StepCertificate certificate = certified(shoe);
    EXPECT_EQ(report.solutions, 1) << hinge;
    if (report.uniqueness == Uniqueness::unknown && !GetParam().planar) {
      // Sliding in space is never searched as a whole: no other was found.
      EXPECT_EQ(certificate.verdict.motion, Only::isolated) << hinge;
      continue;
    }
    EXPECT_EQ(report.uniqueness, Uniqueness::unique) << hinge;
    EXPECT_TRUE(certificate.is_certain()) << hinge << certificate.verdict.motion_reason;
  }
}

// Friction in the hinge beyond what lifts the shoe: it stands still in every solution, whatever the
// belt bears.
TEST_P(UniqueJoints, a_hinge_that_sticks_leaves_loads_open_and_no_motion) {
  Shoe shoe;
  shoe.friction = 1.05 * shoe.jams_at();
  shoe.hinge = "friction: 1.5, motor: {torque: -1}";
  const StepReport report = diagnosed(shoe);
  EXPECT_EQ(report.solutions, 1);
  if (GetParam().planar) {
    EXPECT_EQ(report.uniqueness, Uniqueness::unique);
    EXPECT_EQ(certified(shoe).verdict.motion, Only::unique);
  }
  EXPECT_NE(report.uniqueness, Uniqueness::several);
  shoe.hinge = "friction: 0.5, motor: {torque: -1}";
  EXPECT_EQ(diagnosed(shoe).uniqueness, Uniqueness::several);
}

// A servo with a limit lifts it, without inertia: at its speed, or not at all.
TEST_P(UniqueJoints, without_inertia_a_servo_lifts_the_shoe_or_does_not) {
  Shoe shoe;
  shoe.friction = 1.05 * shoe.jams_at();
  shoe.hinge = "motor: {velocity: -0.2, damping: 100, limit: 3}";
  const StepReport report = diagnosed(shoe, "quasi-static");
  EXPECT_EQ(report.ending, Ending::none);
  EXPECT_EQ(report.uniqueness, Uniqueness::several);
  EXPECT_EQ(certified(shoe, "quasi-static").verdict.motion, Only::several);
  shoe.friction = 0.9 * shoe.jams_at();
  EXPECT_EQ(diagnosed(shoe, "quasi-static").uniqueness, Uniqueness::unique);
  const StepCertificate certificate = certified(shoe, "quasi-static");
  EXPECT_TRUE(certificate.is_certain()) << certificate.verdict.motion_reason;
}

// Pressed on without inertia, beyond the jam: belt and hinge bear it, and it does not move.
TEST_P(UniqueJoints, what_is_missing_of_a_balance_is_certified) {
  Shoe shoe;
  shoe.hinge = "motor: {torque: -1}";  // nothing but the jam holds it
  shoe.friction = 0.9 * shoe.jams_at();
  const StepCertificate certificate = certified(shoe, "quasi-static");
  EXPECT_EQ(certificate.verdict.exists, Existence::none);
  ASSERT_EQ(certificate.missing.size(), 1u);
  EXPECT_EQ(certificate.missing[0].body, 1);
  // At least the torque at the hinge; a force at the centre of mass would not help.
  EXPECT_NEAR(std::abs(certificate.missing[0].torque.z()), 1.0, 1e-9);
}

// --- loops whose rows repeat each other
// ------------------------------------------------------------

constexpr const char* loop = R"(
world: spatial
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, inertia: [0.01, 0.01, 0.01]}
  coupler: {mass: 2, inertia: [0.01, 0.01, 0.01]}
  rocker: {mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  A: {revolute: [world, crank], at: [[0, 0, 0], [-0.075, 0, 0]], position: 1.3, friction: 0.2, motor: {velocity: 1, damping: 100}}
  B: {revolute: [crank, coupler], at: [[0.075, 0, 0], [-0.175, 0, 0]]}
  D: {revolute: [world, rocker], at: [[0.4, 0, 0], [-0.15, 0, 0]], friction: 0.1}
  C: {revolute: [coupler, rocker], at: [[0.175, 0, 0], [0.15, 0, 0]]}
run: {step: 1 ms, duration: 1}
)";

TEST(UniqueLoops, a_planar_loop_in_space_has_open_loads_and_one_motion) {
  for (const char* coordinates : {"reduced", "maximal"})
    for (const char* motion : {"dynamic", "first-order", "quasi-static"}) {
      const RunOverrides overrides =
          chosen({{"coordinates", coordinates}, {"motion", motion}, {"diagnose", "flag"}});
      Simulation simulation = simulate(loop, overrides);
      EXPECT_EQ(simulation.step().uniqueness, Uniqueness::unique) << coordinates << motion;
      Simulation another = simulate(loop, overrides);
      const StepCertificate certificate = certify_step(another);
      EXPECT_EQ(certificate.verdict.exists, Existence::proved);
      EXPECT_EQ(certificate.verdict.motion, Only::unique)
          << coordinates << motion << certificate.verdict.motion_reason;
      // What no joint can move takes no part in reduced coordinates.
      const bool all = std::string(coordinates) == "maximal";
      EXPECT_EQ(certificate.verdict.loads, all ? Only::several : Only::unique)
          << coordinates << motion << certificate.verdict.loads_reason;
    }
}

// Without motor and friction the loop falls without inertia; level, nothing asks it to move.
TEST(UniqueLoops, a_loop_that_nothing_resists_has_a_free_motion) {
  for (const char* coordinates : {"reduced", "maximal"}) {
    std::string yaml = loop;
    for (const char* words :
         {", friction: 0.2, motor: {velocity: 1, damping: 100}", ", friction: 0.1"})
      yaml.erase(yaml.find(words), std::string(words).size());
    yaml.replace(yaml.find("-9.81"), 5, "0");
    Simulation simulation =
        simulate(yaml, chosen({{"coordinates", coordinates}, {"motion", "quasi-static"}}));
    const StepCertificate certificate = certify_step(simulation);
    EXPECT_EQ(certificate.verdict.exists, Existence::proved);
    EXPECT_EQ(certificate.verdict.motion, Only::several);
    ASSERT_EQ(certificate.free.size(), 1u) << coordinates;
    EXPECT_TRUE(certificate.free[0].both_ways);
    // The joints stay together along it: both bars turn about their hinges in the world.
    const auto& bodies = certificate.free[0].bodies;
    const int crank = body(simulation, "crank"), rocker = body(simulation, "rocker");
    for (const auto& [b, x] : {std::pair{crank, 0.075}, std::pair{rocker, 0.15}}) {
      EXPECT_GT(std::abs(bodies[b].angular.z()), 0.01);
      EXPECT_NEAR(bodies[b].linear.norm(), x * std::abs(bodies[b].angular.z()), 1e-9);
    }
  }
}

// --- all modes of random mechanisms
// ----------------------------------------------------------------

// Every choice of pieces of the laws of a planar problem, each solved by least squares: velocities
// that the judge accepts.
class Modes {
 public:
  explicit Modes(const ComplementarityProblem& problem) : problem_(problem) {
    n_ = problem.unknowns();
    m_ = problem.rows();
    J_ = MatrixX(problem.J.view());
    C_ = MatrixX(problem.C.view());
    M_ = MatrixX(problem.M.view());
    judge_.prepare(problem);
    equations_.setZero(n_ + m_, n_ + m_);
    values_.setZero(n_ + m_);
    equations_.topLeftCorner(n_, n_) = M_;
    equations_.topRightCorner(n_, m_) = -J_.transpose();
    values_.head(n_) = problem.p;
    descend(0);
  }
  const std::vector<VectorX>& velocities() const { return found_; }

 private:
  void motion(int row, double sign = 1.0) {
    equations_.row(n_ + row).setZero();
    equations_.row(n_ + row).head(n_) = sign * J_.row(row);
    equations_.row(n_ + row).tail(m_) = sign * C_.row(row);
    values_[n_ + row] = -sign * problem_.b[row];
  }
  void force(int row, double value) {
    equations_.row(n_ + row).setZero();
    equations_(n_ + row, n_ + row) = 1.0;
    values_[n_ + row] = value;
  }
  void descend(std::size_t b) {
    if (b == problem_.blocks.size()) return solve();
    const Block& block = problem_.blocks[b];
    const int row = block.offset;
    if (block.law == Law::equality) {
      for (int i = row; i < row + block.size; ++i) motion(i);
      return descend(b + 1);
    }
    if (block.law == Law::box) {
      for (const double bound : {block.lower, block.upper}) {
        force(row, bound);
        descend(b + 1);
      }
      motion(row);
      return descend(b + 1);
    }
    force(row, 0.0);  // open
    for (int i = row + 1; i < row + block.size; ++i) force(i, 0.0);
    descend(b + 1);
    motion(row);
    if (block.size == 1) return descend(b + 1);
    motion(row + 1);
    descend(b + 1);
    for (const double sign : {1.0, -1.0}) {
      motion(row);
      force(row + 1, 0.0);
      equations_(n_ + row + 1, n_ + row) = sign * block.friction;
      descend(b + 1);
    }
  }
  void solve() {
    const VectorX x = equations_.completeOrthogonalDecomposition().solve(values_);
    if (!x.allFinite()) return;
    const Solution solution{x.head(n_), x.tail(m_)};
    if (judge_.measure(problem_, solution).relative > 1e-9) return;
    found_.push_back(solution.u);
  }

  const ComplementarityProblem& problem_;
  int n_ = 0, m_ = 0;
  MatrixX J_, C_, M_, equations_;
  VectorX values_;
  Judge judge_;
  std::vector<VectorX> found_;
};

// A chain of links over a belt that its tip and a shoe on its first link touch or nearly touch.
std::string chain(std::mt19937& random, const char* coordinates, const char* motion) {
  const auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  const int links = 1 + static_cast<int>(random() % 3);
  std::string bodies, joints, couplings;
  std::vector<double> turn(links), length(links);
  double angle = 0.0, x = 0.0, y = 0.0;
  std::vector<std::pair<double, double>> ends;
  for (int i = 0; i < links; ++i) {
    turn[i] = i == 0 ? draw(-2.6, -0.5) : draw(-0.9, 0.9);
    length[i] = draw(0.2, 0.6);
    angle += turn[i];
    x += length[i] * std::cos(angle);
    y += length[i] * std::sin(angle);
    ends.emplace_back(x, y);
  }
  double lowest = 0.0;
  for (const auto& end : ends) lowest = std::min(lowest, end.second);
  for (int i = 0; i < links; ++i) {
    bodies += fmt::format(
        "  l{}: {{mass: {:.6f}, inertia: {:.6f}, shapes: [{{circle: 0.02, position: [{:.17g}, 0], "
        "material: m}}]}}\n",
        i, draw(0.5, 2.0), draw(0.01, 0.1), length[i] / 2);
    std::string more = fmt::format("position: {:.17g}, velocity: {:.6f}", turn[i], draw(-1.0, 1.0));
    if (random() % 2 == 0) more += fmt::format(", friction: {:.6f}", draw(0.1, 6.0));
    const int motor = static_cast<int>(random() % 3);
    if (motor == 0) more += fmt::format(", motor: {{torque: {:.6f}}}", draw(-8.0, 8.0));
    if (motor == 1)
      more += fmt::format(", motor: {{velocity: {:.6f}, damping: {:.6f}, limit: {:.6f}}}",
                          draw(-1.0, 1.0), draw(1.0, 50.0), draw(0.5, 8.0));
    joints += i == 0 ? fmt::format(
                           "  j0: {{revolute: [world, l0], at: [[0, {:.17g}], [{:.17g}, 0]], "
                           "{}}}\n",
                           0.02 - lowest, -length[0] / 2, more)
                     : fmt::format(
                           "  j{}: {{revolute: [l{}, l{}], at: [[{:.17g}, 0], [{:.17g}, 0]], "
                           "{}}}\n",
                           i, i - 1, i, length[i - 1] / 2, -length[i] / 2, more);
  }
  if (links > 1 && random() % 3 == 0)
    couplings =
        fmt::format("couplings: {{c: {{joints: [j0, j1], ratio: {0:.6f}, offset: {1:.17g}{2}}}}}\n",
                    0.5, turn[1] - 0.5 * turn[0], random() % 2 == 0 ? ", breakaway: 2" : "");
  return fmt::format(
      "world: planar\nmaterials: {{m: {{friction: {:.6f}}}}}\nbodies:\n  belt: {{freedom: fixed, "
      "shapes: [{{half-plane: {{}}, surface-velocity: [{:.6f}, 0], material: "
      "m}}]}}\n{}joints:\n{}{}"
      "run: {{motion: {}, coordinates: {}, step: 5 ms, duration: 1}}\n",
      draw(0.1, 3.0), draw(-1.0, 1.0), bodies, joints, couplings, motion, coordinates);
}

TEST(UniqueMechanisms, nobody_finds_another_motion_where_one_is_called_the_only_one) {
  int unique = 0, several = 0, unknown = 0, found = 0;
  for (const char* motion : {"dynamic", "first-order", "quasi-static"})
    for (const char* coordinates : {"reduced", "maximal"})
      for (int seed = 0; seed < 60; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        Simulation simulation = simulate(chain(random, coordinates, motion),
                                         chosen({{"diagnose", "flag"}, {"impact-time", "none"}}));
        const StepReport report = simulation.step();
        if (report.ending != Ending::none || report.fell_back || report.substeps > 1 ||
            report.solve.residual.relative > 1e-10)
          continue;
        (report.uniqueness == Uniqueness::unique    ? unique
         : report.uniqueness == Uniqueness::several ? several
                                                    : unknown) += 1;
        const Modes modes(simulation.problem());
        const VectorX& own = simulation.solution().u;
        bool others = false;
        for (const VectorX& u : modes.velocities())
          others = others || (u - own).norm() > 1e-5 * (1.0 + own.norm());
        found += others ? 1 : 0;
        if (report.uniqueness == Uniqueness::unique) {
          EXPECT_FALSE(others) << motion << ' ' << coordinates << ' ' << seed;
        }
      }
  EXPECT_GT(unique, 100);
  EXPECT_GT(several, 0);
  RecordProperty("unique", unique);
  RecordProperty("several", several);
  RecordProperty("unknown", unknown);
  RecordProperty("found", found);
  std::printf("%d unique, %d several (%d by hand), %d unknown\n", unique, several, found, unknown);
}

INSTANTIATE_TEST_SUITE_P(Ways, UniqueJoints,
                         testing::Values(Way{"PlanarReduced", true, "reduced"},
                                         Way{"PlanarMaximal", true, "maximal"},
                                         Way{"SpatialReduced", false, "reduced"},
                                         Way{"SpatialMaximal", false, "maximal"}),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace vinci::test
