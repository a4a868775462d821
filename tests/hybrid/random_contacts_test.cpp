// SPDX-License-Identifier: Apache-2.0
// Random bodies over random contacts that rub strongly: impacts, jams, wedges and several slips at
// once. In the plane all get to their end; nothing pulls, and energy is never more than at the
// start.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/hybrid/systems.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

// Unit masses under constant forces; gaps and slips are linear in the coordinates.
class RandomContacts : public ConstrainedSystemOf<RandomContacts> {
 public:
  MatrixX gaps, slips;
  VectorX offsets, loads, speeds;

  RandomContacts(unsigned seed, int freedoms, int contacts, int directions)
      : gaps(contacts, freedoms),
        slips(contacts * directions, freedoms),
        offsets(contacts),
        loads(freedoms),
        speeds(freedoms),
        directions_(directions) {
    std::mt19937 generator(seed);
    const auto draw = [&](double from, double to) {
      return from + (to - from) * (static_cast<double>(generator()) / 4294967296.0);
    };
    const auto bell = [&] {
      double sum = -6.0;
      for (int i = 0; i < 12; ++i) sum += draw(0.0, 1.0);
      return sum;
    };
    for (int j = 0; j < freedoms; ++j) {
      speeds[j] = bell();
      loads[j] = 3.0 * bell();
    }
    for (int i = 0; i < contacts; ++i) {
      for (int j = 0; j < freedoms; ++j) gaps(i, j) = bell();
      for (int d = 0; d < directions; ++d)
        for (int j = 0; j < freedoms; ++j) slips(i * directions + d, j) = bell();
      offsets[i] = draw(0.0, 0.05);
      const int normal = i * (1 + directions);
      const double friction = draw(0.2, 3.0);
      constraints_.push_back(
          {"gap " + std::to_string(i), ConstraintKind::contact, settling_in(2e-3)});
      for (int d = 0; d < directions; ++d) {
        constraints_.push_back({"slip " + std::to_string(i), ConstraintKind::friction,
                                settling_in(2e-3), normal, friction});
        constraints_.back().second = d == 1;
      }
    }
  }

  int coordinate_count() const override { return static_cast<int>(loads.size()); }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  double energy(const VectorX& q, const VectorX& v) const {
    return 0.5 * v.squaredNorm() - loads.dot(q);
  }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const int n = coordinate_count();
    for (int j = 0; j < n; ++j) frame.balance[j] = frame.accelerations[j] - loads[j];
    for (int row = 0; row < static_cast<int>(constraints_.size()); ++row) {
      const int contact = row / (1 + directions_), part = row % (1 + directions_) - 1;
      Series<T> gap(T(part < 0 ? offsets[contact] : 0.0), T(0.0), T(0.0));
      for (int j = 0; j < n; ++j) {
        const double r = part < 0 ? gaps(contact, j) : slips(contact * directions_ + part, j);
        if (part < 0) gap.value += r * frame.positions[j];
        gap.first += r * frame.velocities[j];
        gap.second += r * frame.accelerations[j];
        frame.balance[j] -= r * frame.multipliers[row];
      }
      frame.gaps[row] = gap;
    }
  }

 private:
  int directions_;
  std::vector<Constraint> constraints_;
};

struct JamTally {
  int jolts = 0, ended = 0;
};

void run_contacts(unsigned seed, int freedoms, int contacts, int directions, JamTally& tally) {
  SCOPED_TRACE(seed);
  const RandomContacts system(seed, freedoms, contacts, directions);
  const VectorX start = VectorX::Zero(freedoms);
  const double before = system.energy(start, system.speeds);
  const double scale = 1.0 + 0.5 * system.speeds.squaredNorm();
  HybridMotion motion(system, {1e-8}, start, system.speeds);
  for (int step = 1; step <= 20; ++step) {
    motion.forget_events();
    try {
      motion.advance(0.01 * step);
    } catch (const Failure& failure) {
      ++tally.ended;
      return;
    }
    const auto& events = motion.events();
    for (std::size_t i = 1; i < events.size(); ++i) {
      const HybridEvent &one = events[i - 1], &next = events[i];
      if (next.time > one.time || next.velocities == one.velocities) continue;
      ++tally.jolts;
      EXPECT_LE(
          system.energy(next.positions, next.velocities),
          system.energy(one.positions, one.velocities) + motion.given_energy() + 1e-9 * scale);
    }
    for (int c = 0; c < contacts; ++c) EXPECT_GE(motion.multipliers()[c * (1 + directions)], -1e-8);
  }
  EXPECT_LE(
      system.energy(motion.positions(), motion.velocities()),
      before + motion.given_energy() + motion.state().works.cwiseMax(0.0).sum() + 1e-6 * scale);
}

TEST(RandomContacts, of_bodies_in_the_plane_get_to_their_end) {
  JamTally tally;
  for (unsigned seed = 0; seed < 60; ++seed)
    for (const int contacts : {1, 2, 3}) run_contacts(seed, 4, contacts, 1, tally);
  EXPECT_EQ(tally.ended, 0);
  EXPECT_GT(tally.jolts, 10);
}

TEST(RandomContacts, with_fewer_freedoms_than_constraints_get_to_their_end) {
  JamTally tally;
  for (unsigned seed = 0; seed < 60; ++seed) run_contacts(seed, 3, 2, 1, tally);
  EXPECT_EQ(tally.ended, 0);
  EXPECT_GT(tally.jolts, 3);
}

// Some may end: a slip that finds no direction to begin along (docs/theory/event_driven.md,
// Limits).
TEST(RandomContacts, of_bodies_in_space_take_energy_and_do_not_pull) {
  JamTally tally;
  for (unsigned seed = 0; seed < 100; ++seed) run_contacts(seed, 3, 1, 2, tally);
  EXPECT_GT(tally.jolts, 1);
}

}  // namespace
}  // namespace vinci
