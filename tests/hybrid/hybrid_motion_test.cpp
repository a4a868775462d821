// SPDX-License-Identifier: Apache-2.0
// Motions through events against the reference cases 03b and 24, closed forms, and themselves.
#include <random>

#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

WallMass ball(const nlohmann::json& p) {
  WallMass mass({p["a1"], {p["a0"], p["a2"]}});
  mass.steady = -9.81;
  return mass;
}

// The largest error of an event's time; all states are those of the reference.
double worst_time(const nlohmann::json& reference, double accuracy) {
  const auto& p = reference["parameters"];
  const WallMass mass = ball(p);
  HybridMotion motion(mass, {accuracy}, VectorX::Constant(1, p["q0"].get<double>()),
                      VectorX::Constant(1, p["v0"].get<double>()));
  motion.advance(p["t_end"]);
  const auto& expected = reference["expected"];
  EXPECT_EQ(static_cast<int>(motion.events().size()), expected["number_of_events"].get<int>());
  double worst = 0.0;
  for (std::size_t i = 0; i < expected["events"].size(); ++i) {
    const HybridEvent& event = motion.events().at(i);
    EXPECT_EQ(static_cast<int>(event.from), expected["events"][i]["from"].get<int>());
    EXPECT_EQ(static_cast<int>(event.to), expected["events"][i]["to"].get<int>());
    worst = std::max(worst, std::abs(event.time - expected["events"][i]["t"].get<double>()));
  }
  return worst;
}

TEST(HybridMotion, bounces_when_the_reference_does) {
  for (const char* damping : {"0", "1", "10", "20"})
    EXPECT_LE(worst_time(reference(std::string("case03b_merl_ball_a1_") + damping), 1e-10), 1e-9)
        << damping;
}

TEST(HybridMotion, errors_fall_with_the_accuracy_over_five_decades) {
  for (const char* damping : {"0", "1", "10", "20"}) {
    const auto expected = reference(std::string("case03b_merl_ball_a1_") + damping);
    for (const double accuracy : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10})
      EXPECT_LE(worst_time(expected, accuracy), 10.0 * accuracy) << damping << ' ' << accuracy;
  }
}

TEST(HybridMotion, a_settled_ball_rests_without_overlap) {
  const auto p = reference("case03b_merl_ball_a1_10")["parameters"];
  const WallMass mass = ball(p);
  HybridMotion motion(mass, {}, VectorX::Ones(1), VectorX::Zero(1));
  motion.advance(10.0);
  EXPECT_NEAR(motion.positions()[0], 0.0, 1e-9);
  EXPECT_NEAR(motion.multipliers()[0], 9.81, 1e-7);
}

TEST(HybridMotion, the_spring_and_the_wall_move_as_the_reference) {
  const auto motions = reference("case24_event_linear")["expected"]["motion"];
  for (const auto& [name, expected] : motions.items()) {
    const auto& p = expected["parameters"];
    WallMass mass({p["a1"], {p["a0"], p["a2"]}});
    mass.mass = p["m"], mass.stiffness = p["k"], mass.damping = p["c"], mass.rest = p["xr"];
    HybridMotion motion(mass, {1e-10}, VectorX::Constant(1, p["x0"].get<double>()),
                        VectorX::Constant(1, p["v0"].get<double>()));
    motion.set_inputs(VectorX::Constant(1, p["u"].get<double>()));
    for (std::size_t i = 0; i < expected["t"].size(); ++i) {
      motion.advance(expected["t"][i]);
      EXPECT_NEAR(motion.positions()[0], expected["x"][i].get<double>(), 1e-7) << name << i;
      EXPECT_NEAR(motion.velocities()[0], expected["v"][i].get<double>(), 1e-7) << name << i;
      EXPECT_NEAR(motion.multipliers()[0], expected["lam"][i].get<double>(), 1e-5) << name << i;
    }
    ASSERT_EQ(motion.events().size(), expected["events"].size()) << name;
    for (std::size_t i = 0; i < motion.events().size(); ++i) {
      EXPECT_NEAR(motion.events()[i].time, expected["events"][i]["t"].get<double>(), 1e-8) << name;
      EXPECT_EQ(static_cast<int>(motion.events()[i].to), expected["events"][i]["state"].get<int>());
    }
  }
}

// The ball is 0.13 s beyond the ceiling if nothing holds it; a step of the integrator is longer.
TEST(HybridMotion, what_happens_within_a_step_of_the_integrator_is_seen) {
  for (const double speed : {3.2, 3.14, 3.1321, 3.13209}) {  // 3.132092 gets there
    WallMass mass({400.0, {4e4}});
    mass.steady = g;  // a wall at x = 0, a pull away from it
    const double start = 0.5;
    HybridMotion motion(mass, {1e-9}, VectorX::Constant(1, start), VectorX::Constant(1, -speed));
    motion.advance(1.0);
    const double square = speed * speed - 2.0 * g * start;
    if (square < 0.0) {
      EXPECT_TRUE(motion.events().empty()) << speed;
      continue;
    }
    ASSERT_FALSE(motion.events().empty()) << speed;
    EXPECT_NEAR(motion.events().front().time, (speed - std::sqrt(square)) / g, 1e-8) << speed;
  }
}

TEST(HybridMotion, goes_on_bit_for_bit_from_its_states) {
  const WallMass mass = ball(reference("case03b_merl_ball_a1_1")["parameters"]);
  HybridMotion whole(mass, {}, VectorX::Ones(1), VectorX::Zero(1));
  for (const double stop : {0.3, 0.47, 0.52, 1.4}) {
    whole.advance(stop);
    HybridMotion second(mass, {}, whole.state());
    HybridMotion first(mass, {}, whole.state());
    first.advance(stop + 0.2);
    second.advance(stop + 0.2);
    EXPECT_EQ(first.positions(), second.positions());
  }
  HybridMotion stepped(mass, {}, VectorX::Ones(1), VectorX::Zero(1));
  for (const double stop : {0.3, 0.47, 0.52, 1.4}) stepped.advance(stop);
  EXPECT_EQ(stepped.positions(), whole.positions());
  EXPECT_EQ(stepped.velocities(), whole.velocities());
}

// A force that pulls a mass off while it sinks in and then lets go: it must not fall through.
class PulledOff : public ConstrainedSystemOf<PulledOff> {
 public:
  int coordinate_count() const override { return 1; }
  int input_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    frame.balance[0] = frame.accelerations[0] + 9.81 - frame.inputs[0] - frame.multipliers[0];
    frame.gaps[0] = {frame.positions[0], frame.velocities[0], frame.accelerations[0]};
  }

 private:
  std::vector<Constraint> constraints_{{"floor", ConstraintKind::contact, {20.0, {100.0}}}};
};

TEST(HybridMotion, what_was_pulled_off_while_sinking_is_caught_again) {
  const PulledOff mass;
  HybridMotion motion(mass, {}, VectorX::Constant(1, 0.01), VectorX::Constant(1, -1.0));
  motion.advance(0.02);
  ASSERT_EQ(motion.states()[0], ContactState::contact);
  motion.set_inputs(VectorX::Constant(1, 40.0));
  ASSERT_EQ(motion.states()[0], ContactState::ballistic);
  ASSERT_TRUE(motion.sinking()[0]);
  motion.advance(0.021);
  motion.set_inputs(VectorX::Zero(1));
  motion.advance(5.0);
  EXPECT_EQ(motion.states()[0], ContactState::contact);
  EXPECT_NEAR(motion.positions()[0], 0.0, 1e-8);
}

// Chains of masses between walls, joined by springs and rigid links, with random numbers.
class RandomChain : public ConstrainedSystemOf<RandomChain> {
 public:
  explicit RandomChain(unsigned seed) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
    };
    count = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < count; ++i) {
      masses.push_back(std::pow(10.0, between(-1.0, 1.0)));
      stiffnesses.push_back(random() % 2 == 0 ? 0.0 : between(1.0, 200.0));
      start.push_back(between(0.0, 1.0));
      speeds.push_back(between(-2.0, 2.0));
      const Stabilisation floor =
          random() % 3 == 0 ? settling_in(between(0.005, 0.1))
                            : Stabilisation{between(1.0, 40.0), {between(50.0, 1e3), 1e5}};
      constraints_.push_back({"floor", ConstraintKind::contact, floor});
    }
    if (count > 1 && random() % 2 == 0)
      constraints_.push_back({"rod", ConstraintKind::link, settling_in(0.05)});
  }
  int coordinate_count() const override { return count; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto &x = frame.positions, &v = frame.velocities, &a = frame.accelerations;
    for (int i = 0; i < count; ++i) {
      T force = T(-9.81 * masses[i]) + frame.multipliers[i];
      force -= stiffnesses[i] * (i > 0 ? x[i] - x[i - 1] : x[i] - 0.5);
      if (i + 1 < count) force += stiffnesses[i + 1] * (x[i + 1] - x[i]);
      frame.balance[i] = masses[i] * a[i] - force;
      frame.gaps[i] = {x[i], v[i], a[i]};
    }
    if (static_cast<int>(constraints_.size()) > count) {  // the first two keep their distance
      const double distance = start[1] - start[0];
      frame.gaps[count] = {x[1] - x[0] - distance, v[1] - v[0], a[1] - a[0]};
      frame.balance[1] -= frame.multipliers[count];
      frame.balance[0] += frame.multipliers[count];
    }
  }
  int count = 0;
  std::vector<double> masses, stiffnesses, start, speeds;

 private:
  std::vector<Constraint> constraints_;
};

TEST(HybridMotion, never_pulls_and_ends_for_500_random_chains) {
  int events = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const RandomChain chain(seed);
    VectorX x = Eigen::Map<const VectorX>(chain.start.data(), chain.count);
    VectorX v = Eigen::Map<const VectorX>(chain.speeds.data(), chain.count);
    if (static_cast<int>(chain.constraints().size()) > chain.count) v[1] = v[0];
    HybridMotion motion(chain, {1e-7, 2000}, x, v);
    for (int part = 1; part <= 20; ++part) {
      try {
        motion.advance(0.05 * part);
      } catch (const Error& error) {
        // A rod between masses that both stand on the floor holds what the floor holds already.
        ASSERT_NE(std::string(error.what()).find("rod"), std::string::npos)
            << seed << ' ' << error.what();
        break;
      }
      for (int i = 0; i < chain.count; ++i) {
        EXPECT_GE(motion.multipliers()[i], -1e-6) << seed;
        if (motion.states()[i] == ContactState::free) {
          EXPECT_GE(motion.positions()[i], -1e-9) << seed;
        }
        if (motion.states()[i] != ContactState::contact) {
          EXPECT_EQ(motion.multipliers()[i], 0.0);
        }
      }
    }
    events += static_cast<int>(motion.events().size());
  }
  EXPECT_GT(events, 2000);
}

TEST(HybridMotion, bad_input_is_named) {
  const WallMass fine({1.0, {100.0}}), springless({1.0, {}}), negative({-1.0, {100.0}});
  const VectorX one = VectorX::Ones(1);
  EXPECT_THROW(HybridMotion(fine, {1e-20}, one, one), Error);
  EXPECT_THROW(HybridMotion(fine, {}, VectorX::Ones(2), one), Error);
  EXPECT_THROW(HybridMotion(fine, {}, one * infinity, one), Error);
  EXPECT_THROW(HybridMotion(negative, {}, one, one), Error);
  try {
    HybridMotion(springless, {}, one, one);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "wall");
  }
  HybridMotion motion(fine, {}, one, one);
  EXPECT_THROW(motion.advance(-1.0), Error);
  EXPECT_THROW(motion.set_inputs(VectorX::Ones(2)), Error);
}

}  // namespace
}  // namespace vinci
