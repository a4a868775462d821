// SPDX-License-Identifier: Apache-2.0
// Code that takes part in a run: a controller with a memory pushes a block to a mark on a table,
// and the table is shaken by a motion given in code.
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "vinci/simulation/simulation.h"

namespace {

// Force = p · error − d · speed + i · ∫ error dt, of the block's x; the integral is its memory.
class PushToMark : public vinci::Controller {
 public:
  explicit PushToMark(double mark) : mark_(mark) {}
  int memory_size() const override { return 1; }
  void act(const vinci::Model& model, const vinci::State& state, double h,
           Eigen::Ref<vinci::VectorX> forces, Eigen::Ref<vinci::VectorX> memory) override {
    const int block = model.find_body("block");
    const int x = model.bodies[static_cast<std::size_t>(block)].velocity_offset;
    const double error = mark_ - state.poses[static_cast<std::size_t>(block)].position.x();
    memory[0] += h * error;
    forces[x] += 60.0 * error - 12.0 * state.velocities[x] + 80.0 * memory[0];
  }

 private:
  double mark_;  // m
};

// 2 mm to and fro at 5 rad/s.
class Shake : public vinci::Motion {
 public:
  vinci::Jet at(double time) const override {
    const double a = 0.002, w = 5.0;
    return {a * std::sin(w * time), a * w * std::cos(w * time), -a * w * w * std::sin(w * time)};
  }
};

}  // namespace

int main() {
  const vinci::Scene scene = vinci::Scene::parse(R"(
    world: planar
    materials: {wood: {friction: 0.2}}
    bodies:
      table: {shapes: [{half-plane: {}, material: wood}], motion: {x: 0, y: 0, angle: 0}}
      block: {shapes: [{box: [0.1, 0.1], material: wood, density: 100}], position: [0, 0.05]}
    run: {step: 1 ms, duration: 3 s}
  )");
  vinci::RunOverrides overrides;
  overrides.code.controllers.push_back({"push to mark", std::make_shared<PushToMark>(0.5)});
  overrides.code.motions[{"table", "x"}] = std::make_shared<Shake>();
  vinci::Simulation simulation(scene, overrides);
  while (!simulation.finished()) simulation.step();

  const vinci::State& state = simulation.state();
  std::printf("after %.0f s the block is %.1f mm from its mark, the integral %.4f m s\n",
              state.time, 1000.0 * (0.5 - state.poses[1].position.x()), state.controls[0]);
  std::printf("state hash %016" PRIx64 "\n", hash(state));
}
