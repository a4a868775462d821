// SPDX-License-Identifier: Apache-2.0
// Reference cases 05, 06 and 06b in space, on the scenes of experiments/plate: a particle on a
// plate that rocks, and in the Circle field.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test::plates {
namespace {

using Values = std::map<std::string, double>;
using Choice = std::map<std::string, std::string>;

Simulation on_plate(const std::string& name, const Values& parameters, const Choice& options,
                    std::shared_ptr<Controller> controller = nullptr) {
  RunOverrides overrides = chosen(options);
  overrides.parameters = parameters;
  if (controller) overrides.code.controllers.push_back({"frozen", std::move(controller)});
  return Simulation(
      Scene::load(std::string(VINCI_SOURCE_DIR) + "/experiments/plate/" + name + ".yaml"),
      overrides);
}

std::string number(double value) {
  return fmt::format("{:.17g}", value);
}

constexpr double period = 0.03, alpha = 180.0, depth = 0.05;  // s, rad/s², m

struct Angle {
  double angle, rate, acceleration;
};

// θ of [Berard 2009, eq. 15].
Angle rocking_angle(double time) {
  const double t = time - period * std::floor(time / period);
  if (t < period / 2) return {alpha * t * (t / 2 - period / 4), alpha * (t - period / 4), alpha};
  return {-alpha * (t * t / 2 - 0.75 * period * t + period * period / 4),
          -alpha * (t - 0.75 * period), -alpha};
}

// Along the plate, m.
double place_on_plate(const State& state, int particle) {
  const Angle now = rocking_angle(state.time + 1e-12);
  const Vector3& x = state.poses[particle].position;
  return std::cos(now.angle) * x.y() + std::sin(now.angle) * x.z();
}

struct Run {
  const char *name, *stepper, *cone;
};

constexpr Run runs[] = {{"cone", "stewart-trinkle", "quadratic"},
                        {"pyramid", "stewart-trinkle", "pyramid"},
                        {"cone_anitescu_potra", "anitescu-potra", "quadratic"},
                        {"pyramid_anitescu_potra", "anitescu-potra", "pyramid"}};

class RockingInSpace : public testing::TestWithParam<Run> {};

// Along the directions of a pyramid, where it is the cone.
TEST_P(RockingInSpace, the_particle_wanders_as_the_reference_says_for_fifty_periods) {
  const auto data = reference("case05_rocking_plate")["expected"];
  for (const auto& [mu, rows] : data["trajectory_from_rest_in_world_r0_0p03"].items()) {
    Simulation simulation = on_plate("rocking", {{"mu", std::stod(mu)}},
                                     {{"step", "1e-4"},
                                      {"duration", "1.5"},
                                      {"stepper", GetParam().stepper},
                                      {"cone", GetParam().cone}});
    const int particle = body(simulation, "particle");
    std::size_t next = 0;
    while (!simulation.finished() && next < rows.size()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      if (std::abs(simulation.state().time - rows[next]["t"].get<double>()) > 1e-9) continue;
      // The tolerance of the reference is for the first 20 periods; the plate draws errors in with
      // the particle, so it lasts.
      EXPECT_NEAR(place_on_plate(simulation.state(), particle), rows[next]["r"].get<double>(), 6e-5)
          << mu << " period " << rows[next]["period"];
      EXPECT_NEAR(simulation.state().poses[particle].position.x(), 0.0, 1e-9);
      ++next;
    }
    EXPECT_EQ(rows[next - 1]["period"], 50);
  }
}

TEST_P(RockingInSpace, the_place_after_five_periods_converges_at_least_linearly) {
  const auto rows =
      reference("case05_rocking_plate")["expected"]["trajectory_from_rest_in_world_r0_0p03"]["0.3"];
  std::vector<double> steps, errors;
  for (const int parts : {38, 76, 150, 300}) {
    steps.push_back(period / parts);
    Simulation simulation = on_plate("rocking", {},
                                     {{"step", number(steps.back())},
                                      {"duration", "0.15"},
                                      {"stepper", GetParam().stepper},
                                      {"cone", GetParam().cone}});
    run_exactly(simulation);
    errors.push_back(std::abs(place_on_plate(simulation.state(), body(simulation, "particle")) -
                              rows[2]["r"].get<double>()));
  }
  EXPECT_GE(fitted_order(steps, errors), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Runs, RockingInSpace, testing::ValuesIn(runs),
                         [](const auto& variant) { return variant.param.name; });

// The asymptotic velocity belongs to a particle whose forces see one place r₀, however it moves in
// a period: what θ'² r and θ'' r lack of it acts on the particle besides.
class Frozen final : public Controller {
 public:
  Frozen(double place, double h) : place_(place), h_(h) {}
  void act(const Model& model, const State& state, double, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX>) override {
    const int particle = model.find_body("particle");
    const Angle now = rocking_angle(state.time + 0.5 * h_);
    const double mass = model.bodies[particle].mass.mass;
    const double off = mass * (place_ - place_on_plate(state, particle));
    const Vector3 along(0.0, std::cos(now.angle), std::sin(now.angle));
    const Vector3 up(0.0, -std::sin(now.angle), std::cos(now.angle));
    forces.segment<3>(model.bodies[particle].velocity_offset) +=
        off * (now.rate * now.rate * along - now.acceleration * up);
  }

 private:
  double place_, h_;
};

// m/s, the mean of the last four periods.
double asymptotic_velocity(double mu, double r, int parts, int periods) {
  const double h = period / parts;
  Simulation simulation = on_plate("rocking", {{"mu", mu}, {"start", r}},
                                   {{"step", number(h)}, {"duration", number(period * periods)}},
                                   std::make_shared<Frozen>(r, h));
  const int particle = body(simulation, "particle");
  double before = r;
  for (int k = 0; k < periods * parts; ++k) {
    if (k == (periods - 4) * parts) before = place_on_plate(simulation.state(), particle);
    EXPECT_LE(simulation.step().solve.residual.relative, 1e-10);
  }
  return (place_on_plate(simulation.state(), particle) - before) / (4 * period);
}

// In the step in which the slip turns round, friction has one sign all along: an error of speed of
// up to 2 μ g h, twice a period. The 0.5% that the reference asks of h = T/300 is less than that
// where r or μ is small: an implicit Euler step of its own equations is off by 33% at μ = 0.1 and
// 6% at μ = 0.3 there. So 0.5% and that error, and 0.5% alone once the step is fine enough.
TEST(RockingAsymptotic, velocities_are_those_of_the_table) {
  const auto table = reference("case05_rocking_plate")["expected"]["v_ss"];
  int compared = 0;
  for (const auto& [mu, data] : table.items())
    for (std::size_t i = 0; i < data["rows"].size(); i += 2) {
      const auto& row = data["rows"][i];
      const double friction = std::stod(mu), r = row["r"], exact = row["v_ss_exact_frozen_r"];
      const double found = asymptotic_velocity(friction, r, 300, friction < 0.2 ? 40 : 16);
      const double turning = 4 * friction * 9.81 * period / 300;
      EXPECT_NEAR(found, exact, 0.005 * std::abs(exact) + turning) << mu << " " << r;
      // The closed form has no sticking.
      if (row["stick_time_per_period"].get<double>() == 0.0) {
        const double closed = data["closed_b_with_centrifugal"].get<double>() * r +
                              data["closed_c"].get<double>() * r * r * r;
        EXPECT_NEAR(found, closed, 0.03 * std::abs(closed) + turning) << mu << " " << r;
      }
      ++compared;
    }
  EXPECT_EQ(compared, 20);
}

TEST(RockingAsymptotic, velocities_are_within_half_a_percent_where_the_step_is_fine) {
  const auto table = reference("case05_rocking_plate")["expected"]["v_ss"];
  for (const char* mu : {"0.3", "0.5", "0.7"}) {
    const auto& row = table[mu]["rows"][6];
    const double exact = row["v_ss_exact_frozen_r"];
    EXPECT_NEAR(asymptotic_velocity(std::stod(mu), row["r"], 2400, 12), exact,
                0.005 * std::abs(exact))
        << mu << " " << row["r"];
  }
}

double distance(const Simulation& simulation, const nlohmann::json& place) {
  const Vector3 x = position(simulation, "particle");
  return std::hypot(x.x() - place[0].get<double>(), x.y() - place[1].get<double>());
}

class CircleField : public testing::TestWithParam<const char*> {};  // stepper

TEST_P(CircleField, the_exact_cone_stays_within_a_millimetre_for_5_s) {
  const auto expected = reference("case06_circle_quadratic")["expected"];
  Simulation simulation = on_plate("circle", {}, {{"step", "1e-4"}, {"stepper", GetParam()}});
  std::size_t next = 0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    if (std::abs(simulation.state().time - expected["times"][next].get<double>()) > 1e-9) continue;
    EXPECT_LE(distance(simulation, expected["xy"][next]), 1e-3) << simulation.state().time;
    ++next;
  }
  EXPECT_EQ(next, expected["times"].size());
}

TEST(CircleOrbit, the_exact_cone_converges_linearly) {
  const auto expected = reference("case06_circle_quadratic")["expected"];
  std::vector<double> steps = {2e-5, 1e-5, 5e-6}, errors;
  for (const double h : steps) {
    Simulation simulation = on_plate("circle", {}, {{"step", number(h)}, {"duration", "0.3"}});
    run_exactly(simulation);
    errors.push_back(distance(simulation, expected["xy"][1]));
  }
  EXPECT_GE(fitted_order(steps, errors), 0.7);
}

// Reference tolerance: a tenth of the listed error at h <= 1e-5, beside what the reference is
// uncertain by: at 0.1 s that is more than the errors of 8 and of 64 directions.
TEST_P(CircleField, pyramids_are_as_wrong_as_the_reference_says) {
  const auto expected = reference("case06b_circle_pyramid")["expected"];
  int determined = 0;
  for (const char* directions : {"4", "8", "16", "32", "64"}) {
    const auto& row = expected["n"][directions];
    Simulation simulation = on_plate("circle", {},
                                     {{"step", "1e-5"},
                                      {"duration", "0.6"},
                                      {"cone", "pyramid"},
                                      {"directions", directions},
                                      {"stepper", GetParam()}});
    for (std::size_t i = 0; !simulation.finished();) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      if (std::abs(simulation.state().time - expected["times"][i].get<double>()) > 1e-9) continue;
      const double listed = row["err"][i], uncertain = row["num_uncertainty"];
      EXPECT_NEAR(distance(simulation, expected["quadratic_xy"][i]), listed,
                  0.1 * listed + uncertain)
          << directions << " directions at " << expected["times"][i];
      determined += listed > 2.0 * uncertain ? 1 : 0;
      ++i;
    }
  }
  EXPECT_GE(determined, 12);  // of 15
}

// As the paper does it: cone and pyramids with h = 1e-4, over 5 s. The listed largest distance
// within a factor of 2, falling with the directions.
TEST(CircleOrbit, more_directions_are_less_wrong_over_5_s) {
  const auto listed =
      reference("case06b_circle_pyramid")["expected"]["paper_protocol_h1e4_max_err"];
  const char* const directions[] = {"4", "8", "16", "32", "64"};
  Simulation cone = on_plate("circle", {}, {{"step", "1e-4"}});
  std::vector<Simulation> pyramids;
  for (const char* n : directions)
    pyramids.push_back(
        on_plate("circle", {}, {{"step", "1e-4"}, {"cone", "pyramid"}, {"directions", n}}));
  std::vector<double> most(pyramids.size(), 0.0);
  while (!cone.finished()) {
    ASSERT_LE(cone.step().solve.residual.relative, 1e-10);
    for (std::size_t i = 0; i < pyramids.size(); ++i) {
      ASSERT_LE(pyramids[i].step().solve.residual.relative, 1e-10);
      const Vector3 off = position(pyramids[i], "particle") - position(cone, "particle");
      most[i] = std::max(most[i], off.norm());
    }
  }
  for (std::size_t i = 0; i < most.size(); ++i) {
    const double expected = listed[directions[i]];
    EXPECT_GE(most[i], expected / 2.0) << directions[i];
    EXPECT_LE(most[i], expected * 2.0) << directions[i];
    EXPECT_LT(most[i], i > 0 ? most[i - 1] : infinity) << directions[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Steppers, CircleField,
                         testing::Values("stewart-trinkle", "anitescu-potra"),
                         [](const auto& variant) {
                           return std::string(variant.param) == "stewart-trinkle"
                                      ? "stewart_trinkle"
                                      : "anitescu_potra";
                         });

}  // namespace
}  // namespace vinci::test::plates
