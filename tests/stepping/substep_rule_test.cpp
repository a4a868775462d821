// SPDX-License-Identifier: Apache-2.0
// Substeps before, in and after contact, from the state alone.
#include "vinci/stepping/substep_rule.h"

#include <gtest/gtest.h>

#include "vinci/collision/contact.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/scene/scene.h"

namespace vinci::test {
namespace {

// A rod over a soft floor; m = 1 kg, k = 1e4 N/m, τ = 10 ms.
class SubstepRules : public testing::Test {
 protected:
  SubstepRules()
      : model_(Scene::parse(R"(
world: planar
materials: {soft: {stiffness: 1e4, damping: 100}, hard: {}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: soft}]}
  rod: {shapes: [{capsule: {length: 0.4, radius: 0.01}, material: hard}], mass: 1, inertia: 0.0133}
)")
                   .compile({})),
        state_(initial_state(*model_)) {
    DetectorRegistry detectors("detector");
    add_builtin_detectors(detectors);
    detector_ = detectors.make("exact", OptionValues(detectors.at("exact").options));
  }

  void place(double height, double angle, double vy, double spin) {
    state_.poses[1] = {Vector3(0.0, height, 0.0),
                       Quaternion(Eigen::AngleAxisd(angle, Vector3::UnitZ()))};
    state_.velocities << 0.0, vy, spin;
  }
  double size(double remaining) {
    VectorX foreseen = state_.velocities;
    foreseen[1] -= 9.81 * remaining;
    contacts_.clear();
    detector_->detect(*model_, state_.poses, std::vector<double>{0.0, 1.0}, contacts_);
    patches_.arrange(*model_, state_.poses, contacts_);
    patches_.recall(*model_, state_.memory);
    return rule_.size(*model_, state_, foreseen, contacts_, patches_, remaining);
  }
  double gap() {
    double least = 1.0;
    for (const Contact& contact : contacts_) least = std::min(least, contact.gap);
    return least;
  }

  std::shared_ptr<const Model> model_;
  State state_;
  std::unique_ptr<CollisionDetector> detector_;
  ContactSet contacts_;
  PatchPoints points_{{1, 0.0, 0.0}};
  LayerPatches patches_{points_};
  SubstepRule rule_{{0.02, 0.01}};
};

TEST_F(SubstepRules, a_body_that_meets_nothing_takes_the_whole_step) {
  place(0.5, 0.0, 0.0, 0.0);
  EXPECT_EQ(size(1e-3), 1e-3);
  place(0.02, 0.0, 5.0, 0.0);  // near, and leaving
  EXPECT_EQ(size(1e-3), 1e-3);
}

// Turning and falling, with steps longer than the time to the contact: the tip comes down on a
// curve.
TEST_F(SubstepRules, a_turning_rod_approaches_the_floor_in_few_substeps_and_does_not_overshoot) {
  for (const double spin : {-15.0, -3.0, 4.0, 20.0}) {
    place(0.2, 0.4, -1.0, spin);
    int substeps = 0;
    for (; substeps < 50; ++substeps) {
      const double h = size(0.1);
      if (gap() <= 1e-5) break;  // a hundredth of a substep in contact
      ASSERT_LT(h, 0.1);
      state_.velocities[1] -= 9.81 * h;
      state_.poses[1] = advanced(model_->bodies[1], state_.poses[1],
                                 body_twist(*model_, state_.velocities, 1), h);
    }
    EXPECT_LE(substeps, 10) << spin;
    // What the parabola leaves out of the arc, ω³ r t³/6, in the last part, t <= 0.2 ms.
    EXPECT_GE(gap(), -2e-6) << spin;
  }
}

TEST_F(SubstepRules, a_loaded_layer_is_resolved_by_its_frequency) {
  place(0.01, 0.0, -0.5, 0.0);
  static_cast<void>(size(1e-3));
  for (const Contact& contact : contacts_)
    state_.memory.impulses.push_back({contact.key, 0, Vector3(1.0, 0.0, 0.0)});
  // At a tip: 1/m + r²/I = 1 + 0.04/0.0133 1/kg.
  const double frequency = std::sqrt(1e4 * (1.0 + 0.04 / 0.0133));
  const double found = size(1e-3);
  EXPECT_LE(found, 0.02 / frequency);
  // Equal parts of what remains.
  EXPECT_NEAR(1e-3 / found, std::ceil(1e-3 * frequency / 0.02), 1e-9);
}

TEST_F(SubstepRules, a_layer_in_equilibrium_asks_for_nothing_and_one_that_swings_does) {
  const double pressed = 9.81 / 1e4;  // both tips together bear it
  place(0.01 - pressed, 0.0, 0.0, 0.0);
  static_cast<void>(size(1e-3));
  ASSERT_EQ(contacts_.size(), 2u);
  for (const Contact& contact : contacts_) {
    state_.memory.impulses.push_back({contact.key, 0, Vector3(1.0, 0.0, 0.0)});
    state_.memory.layers.push_back({contact.key, 0, Vector3(pressed, 0.0, 0.0)});
  }
  EXPECT_EQ(size(1e-3), 1e-3);
  state_.velocities[1] = 0.01;  // swings by 0.01/ω
  EXPECT_LT(size(1e-3), 1e-3);
  state_.velocities[1] = 0.0;
  for (LayerMemory& layer : state_.memory.layers) layer.deformation_a[0] *= 1.1;
  EXPECT_LT(size(1e-3), 1e-3);
}

TEST_F(SubstepRules, a_layer_that_was_left_behind_recovers_in_whole_steps) {
  place(0.01 - 1e-4, 0.0, 1.0, 0.0);
  static_cast<void>(size(1e-3));
  for (const Contact& contact : contacts_)
    state_.memory.layers.push_back({contact.key, 0, Vector3(2e-4, 0.0, 0.0)});
  EXPECT_EQ(size(1e-3), 1e-3);
}

}  // namespace
}  // namespace vinci::test
