// SPDX-License-Identifier: Apache-2.0
// Certificates of steps of scenes: the fence and the pushed blocks of experiments/fence against
// reference cases 07 and 20, and Painlevé's rod.
#include "vinci/simulation/certify.h"

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

Simulation experiment(const std::string& name, const std::map<std::string, double>& parameters,
                      const std::map<std::string, std::string>& options = {}) {
  RunOverrides overrides = chosen(options);
  overrides.parameters = parameters;
  return Simulation(
      Scene::load(std::string(VINCI_SOURCE_DIR) + "/experiments/fence/" + name + ".yaml"),
      overrides);
}

const Twist& block(const Simulation& simulation, const StepSolution& solution) {
  return solution.bodies[static_cast<std::size_t>(body(simulation, "block"))];
}

// Force of the contact between these bodies on the block.
Vector3 force_of(const Simulation& simulation, const StepCertificate& certificate,
                 const StepSolution& solution, const std::string& other) {
  const int a = body(simulation, other), b = body(simulation, "block");
  for (std::size_t i = 0; i < certificate.contacts.size(); ++i) {
    const CertifiedContact& contact = certificate.contacts[i];
    if (contact.body_a == a && contact.body_b == b) return solution.forces[i];
    if (contact.body_a == b && contact.body_b == a) return -solution.forces[i];
  }
  return Vector3::Constant(std::nan(""));
}

// Where the centre of mass stands does not matter: velocities are asked for at the origin below.
Vector3 at_origin(const Twist& twist) {
  return twist.at(Vector3(0, 0, -0.04));
}

TEST(CertifyFence, frictionless_is_free_in_the_plane_and_with_friction_nothing_is) {
  for (const char* motion : {"quasi-static", "dqc"}) {
    Simulation smooth =
        experiment("fence", {{"mu_floor", 0.0}, {"mu_fence", 0.0}}, {{"motion", motion}});
    const StepCertificate free = certify_step(smooth);
    EXPECT_EQ(free.verdict.exists, Existence::proved);
    EXPECT_EQ(free.verdict.motion, Only::several);
    EXPECT_EQ(free.verdict.proposition_1, false);
    ASSERT_EQ(free.free.size(), 2u);  // paper: dx and dy unconstrained, dz = 0
    for (const FreeMotion& one : free.free) {
      const Twist& twist = one.bodies[static_cast<std::size_t>(body(smooth, "particle"))];
      EXPECT_NEAR(twist.linear.norm(), 1.0, 1e-12);
      EXPECT_NEAR(twist.linear.z(), 0.0, 1e-12);
      EXPECT_TRUE(one.both_ways);
    }
    Simulation rough = experiment("fence", {}, {{"motion", motion}});
    const StepCertificate held = certify_step(rough);
    EXPECT_EQ(held.verdict.motion, Only::unique);
    EXPECT_EQ(held.verdict.proposition_1, true);
    EXPECT_TRUE(held.is_certain());
    // At the fence: proposition 1 holds, nothing else is near.
    Simulation pushed = experiment("fence", {}, {{"motion", motion}});
    const StepCertificate at = certify_at(pushed, 1.0);
    EXPECT_EQ(at.time, 1.0);
    EXPECT_EQ(at.verdict.proposition_1, true);
    EXPECT_NE(at.verdict.motion, Only::several);
    EXPECT_NE(at.verdict.motion, Only::unknown);
  }
}

// Floor and fence without friction, the fence touching without force: case 07's fourth decision.
TEST(CertifyFence, a_fence_without_force_lets_the_particle_leave) {
  Simulation simulation = experiment(
      "fence", {{"mu_floor", 0.0}, {"mu_fence", 0.0}, {"start_x", 0.9}}, {{"step", "0.01"}});
  const StepCertificate certificate = certify_at(simulation, 1.57);
  EXPECT_EQ(certificate.verdict.proposition_1, false);
  EXPECT_EQ(certificate.verdict.motion, Only::several);
}

class CertifyBlock : public testing::TestWithParam<const char*> {};

TEST_P(CertifyBlock, three_feet_move_as_the_reference_says) {
  const auto cases = reference("case20_quasistatic3d")["expected"]["block"];
  for (const char* name :
       {"three_points_floor_level_frictionless", "three_points_high_push_frictionless",
        "three_points_high_push_sliding_contact"}) {
    SCOPED_TRACE(name);
    const auto& c = cases[name];
    Simulation simulation = experiment("tripod",
                                       {{"mu_nose", c["mu_contact"]},
                                        {"nose_y", c["contact"][1]},
                                        {"nose_z", c["contact"][2]},
                                        {"push_x", c["pusher_velocity"][0]},
                                        {"push_y", c["pusher_velocity"][1]}},
                                       {{"solver", GetParam()}});
    const StepCertificate certificate = certify_step(simulation);
    ASSERT_EQ(certificate.verdict.exists, Existence::proved);
    EXPECT_EQ(certificate.verdict.proposition_1, true);
    EXPECT_TRUE(certificate.verdict.motion == Only::unique ||
                certificate.verdict.motion == Only::isolated);
    const Twist& twist = block(simulation, certificate.solution);
    const double size = 0.02;
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(at_origin(twist)[i], c["body_velocity_at_origin"][i].get<double>(), 1e-6 * size);
    EXPECT_NEAR(twist.angular.z(), c["omega"].get<double>(), 1e-6 * std::abs(size / 0.07));
    const Vector3 push = force_of(simulation, certificate, certificate.solution, "pusher");
    EXPECT_NEAR(push.x(), c["pusher_force"][0].get<double>(), 1e-6 * 7.848);
    EXPECT_NEAR(push.y(), c["pusher_force"][1].get<double>(), 1e-6 * 7.848);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(
          force_of(simulation, certificate, certificate.solution, "pad-" + std::to_string(i + 1))
              .z(),
          c["support_loads"][i].get<double>(), 1e-6 * 7.848);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, CertifyBlock, testing::Values("auto", "gauss-seidel"),
                         [](const auto& variant) {
                           return std::string(variant.param) == "auto" ? "auto" : "gauss_seidel";
                         });

// The range of a quantity over a family.
template <class Quantity>
std::pair<double, double> range(const std::vector<StepSolution>& family, const Quantity& of) {
  double low = infinity, high = -infinity;
  for (const StepSolution& member : family) {
    low = std::min(low, of(member));
    high = std::max(high, of(member));
  }
  return {low, high};
}

TEST(CertifyContinua, a_pusher_that_sticks_in_space_has_the_continuum_of_the_reference) {
  const auto c =
      reference("case20_quasistatic3d")["expected"]["block"]["three_points_sticking_contact"];
  Simulation simulation = experiment(
      "tripod",
      {{"mu_nose", c["mu_contact"]}, {"nose_y", c["contact"][1]}, {"nose_z", c["contact"][2]}});
  const StepCertificate certificate = certify_step(simulation);
  EXPECT_EQ(certificate.verdict.proposition_1, true);  // for given loads
  EXPECT_EQ(certificate.verdict.motion, Only::several);
  EXPECT_EQ(certificate.verdict.loads, Only::several);
  ASSERT_EQ(certificate.families.size(), 1u);
  const auto& family = certificate.families[0];
  const auto spin = [&](const StepSolution& one) { return block(simulation, one).angular.z(); };
  const auto vertical = [&](const StepSolution& one) {
    return force_of(simulation, certificate, one, "pusher").z();
  };
  const auto [least, most] = range(family, spin);
  EXPECT_NEAR(least, c["omega_range"][0].get<double>(), 1e-6);
  EXPECT_NEAR(most, c["omega_range"][1].get<double>(), 1e-6);
  const auto [down, up] = range(family, vertical);
  EXPECT_NEAR(down, c["family"].front()["vertical_friction"].get<double>(), 1e-5);
  EXPECT_NEAR(up, c["family"].back()["vertical_friction"].get<double>(), 1e-5);
}

TEST(CertifyContinua, four_feet_have_the_continuum_of_the_reference) {
  const auto cases = reference("case20_quasistatic3d")["expected"]["block"];
  const auto& c = cases["four_points_push_off_centre"];
  Simulation off = experiment("four_feet", {{"nose_y", c["contact"][1]}});
  const StepCertificate certificate = certify_step(off);
  EXPECT_EQ(certificate.verdict.proposition_1, true);
  EXPECT_EQ(certificate.verdict.motion, Only::several);
  ASSERT_EQ(certificate.families.size(), 1u);
  const auto spin = [&](const StepSolution& one) { return block(off, one).angular.z(); };
  const auto [least, most] = range(certificate.families[0], spin);
  // The listed family ends at 99.9 % of the largest split; beyond it the spin goes on as steeply,
  // or up to twice.
  const auto &last = c["family"][8], &before = c["family"][7];
  const double slope = (last["omega"].get<double>() - before["omega"].get<double>()) /
                       (last["split"].get<double>() - before["split"].get<double>());
  const double beyond = 0.25 * 7.848 - last["split"].get<double>();
  EXPECT_NEAR(least, c["omega_range"][0].get<double>(), 2.0 * std::abs(slope) * beyond);
  EXPECT_LE(least, c["omega_range"][0].get<double>());
  // At the middle, which members surround: as far from it as their spacing, squared.
  EXPECT_NEAR(most, c["omega_range"][1].get<double>(), 1e-3 * std::abs(most));
  // Every member lies on the listed line of loads, N = mg/4 + split (1, −1, 1, −1).
  for (const StepSolution& member : certificate.families[0]) {
    double loads[4];
    for (int i = 0; i < 4; ++i)
      loads[i] = force_of(off, certificate, member, "pad-" + std::to_string(i + 1)).z();
    const double split = loads[0] - 0.25 * 7.848;
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(loads[i], 0.25 * 7.848 + (i % 2 == 0 ? split : -split), 1e-8);
  }
  // Through the centre the loads are free and the motion is not.
  Simulation centred = experiment("four_feet", {{"nose_y", 0.0}});
  const StepCertificate straight = certify_step(centred);
  EXPECT_EQ(straight.verdict.loads, Only::several);
  EXPECT_NE(straight.verdict.motion, Only::several);
  EXPECT_NEAR(block(centred, straight.solution).angular.z(), 0.0, 1e-9);
}

// One step from every listed state has one solution at h > 0.
TEST(CertifyPainleve, every_listed_state_has_one_solution) {
  const auto data = reference("case04_painleve_rod");
  int decided = 0;
  for (const auto& c : data["expected"]["cases"]) {
    const double theta = c["theta_deg"].get<double>() * M_PI / 180.0, l = 0.5;
    const double rate = c["thetadot"], slip = c["tip_slip_velocity"];
    Simulation simulation = simulate(fmt::format(
        R"(
world: planar
materials: {{m: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  rod:
    shapes: [{{polygon: [[-0.5, 0], [0.5, -0.01], [0.5, 0.01]], material: m}}]
    mass: 1
    inertia: 0.0833333333333333
    center: [0, 0]
    position: [{:.17g}, {:.17g}]
    angle: {:.17g}
    velocity: [{:.17g}, {:.17g}]
    spin: {}
run: {{step: 1e-4, duration: 1}}
)",
        c["mu"].get<double>(), l * std::cos(theta), l * std::sin(theta), theta,
        slip - rate * l * std::sin(theta), rate * l * std::cos(theta), rate));
    const StepCertificate certificate = certify_step(simulation);
    SCOPED_TRACE(c.dump());
    EXPECT_EQ(certificate.verdict.exists, Existence::proved);
    EXPECT_EQ(certificate.verdict.motion, Only::unique);
    EXPECT_NEAR(certificate.solution.bodies[1].linear.x(),
                c["ST_step_h1e_4"][0]["v_plus"][0].get<double>(), 1e-9);
    ++decided;
  }
  EXPECT_EQ(decided, 7);
}

TEST(Certify, a_run_that_ends_is_certified_in_the_step_that_ended_it) {
  // The incline steepens until nothing holds the block.
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.4}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  block: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, pose: {on: floor, at: 0}, force: {x: 40*t}}
run: {step: 10 ms, duration: 1, motion: quasi-static}
)");
  const StepCertificate certificate = certify_at(simulation, 0.5);
  EXPECT_FALSE(certificate.reached);
  EXPECT_EQ(certificate.verdict.exists, Existence::none);
  EXPECT_NEAR(certificate.time, 0.1, 1e-12);  // 40 t > 0.4 · 9.81 from 0.0981 s on
  ASSERT_EQ(certificate.missing.size(), 1u);
  EXPECT_EQ(certificate.missing[0].body, 1);
  EXPECT_LT(certificate.missing[0].force.x(), 0.0);
  EXPECT_FALSE(certificate.is_certain());
  EXPECT_THROW(certify_at(simulation, -1.0), Error);
}

}  // namespace
}  // namespace vinci::test
