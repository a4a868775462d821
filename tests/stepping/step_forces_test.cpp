// SPDX-License-Identifier: Apache-2.0
// Forces of a step: the scene's, then the controllers' in order.
#include "vinci/stepping/step_forces.h"

#include <gtest/gtest.h>

#include "tests/support/example_model.h"

namespace vinci {
namespace {

// Doubles what it finds and counts its calls in its memory, each by its own step.
class Double : public Controller {
 public:
  explicit Double(int size) : size_(size) {}
  int memory_size() const override { return size_; }
  void act(const Model&, const State&, double, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX> memory) override {
    forces *= 2.0;
    forces.array() += 1.0;
    for (int i = 0; i < size_; ++i) memory[i] += i + 1;
    if (spoil) memory[0] = std::nan("");
  }
  bool spoil = false;

 private:
  int size_;
};

struct StepForces : ::testing::Test {
  StepForces() : model(example_model({example_body("arm", Freedom::planar)})) {
    model.gravity = Vector3(0.0, -10.0, 0.0);
    state.poses.resize(1);
    state.velocities = VectorX::Zero(3);
    context.in.model = &model;
    context.in.controllers = controllers;
  }
  void add(std::shared_ptr<Controller> controller) {
    controllers.push_back({"c" + std::to_string(controllers.size()), std::move(controller)});
    context.in.controllers = controllers;
    state.controls.setZero(state.controls.size() + controllers.back().controller->memory_size());
  }
  Model model;
  State state;
  StepContext context;
  std::vector<NamedController> controllers;
  VectorX forces;
};

TEST_F(StepForces, without_controllers_they_are_the_applied_ones) {
  step_forces(context, state, 0.1, forces);
  EXPECT_EQ(forces, Vector3(0.0, -20.0, 0.0));
  EXPECT_TRUE(context.out.controllers_acted);
}

TEST_F(StepForces, controllers_act_in_order_each_on_its_own_memory) {
  add(std::make_shared<Double>(2));
  add(std::make_shared<Double>(0));
  add(std::make_shared<Double>(1));
  step_forces(context, state, 0.1, forces);
  EXPECT_EQ(forces, Vector3(7.0, -153.0, 7.0));  // ((2 f + 1) 2 + 1) 2 + 1
  EXPECT_EQ(context.out.controls, Vector3(1.0, 2.0, 1.0));
  EXPECT_EQ(state.controls, Vector3::Zero());  // the stepper's to advance
}

TEST_F(StepForces, memory_that_is_no_number_is_an_error) {
  const auto bad = std::make_shared<Double>(1);
  bad->spoil = true;
  add(bad);
  EXPECT_THROW(step_forces(context, state, 0.1, forces), Error);
}

TEST_F(StepForces, memory_of_another_size_is_an_error) {
  add(std::make_shared<Double>(2));
  state.controls.resize(1);
  EXPECT_THROW(step_forces(context, state, 0.1, forces), Error);
}

}  // namespace
}  // namespace vinci
