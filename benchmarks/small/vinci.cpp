// SPDX-License-Identifier: Apache-2.0
// Vinci with its defaults.
#include <fmt/format.h>

#include "small/engine.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

std::string scene_text(const SmallCase& what) {
  const double along = small_gravity * std::sin(what.slope);
  const double down = -small_gravity * std::cos(what.slope);
  const bool planar = what.planar;
  const std::string shape = what.is_round()
                                ? fmt::format("{}: {}", planar ? "circle" : "sphere", half_edge)
                            : planar ? fmt::format("box: [{0}, {0}]", 2.0 * half_edge)
                                     : fmt::format("box: [{0}, {0}, {0}]", 2.0 * half_edge);
  std::string motion = "freedom: fixed";
  if (what.amplitude > 0.0)
    motion = fmt::format("motion: {{x: {}*sin({}*t), y: 0, {}}}", what.amplitude, what.rate,
                         planar ? "angle: 0" : "z: 0, roll: 0, pitch: 0, yaw: 0");
  return fmt::format(
      "world: {}\n"
      "gravity: [{}, {}{}]\n"
      "materials: {{m: {{friction: {}}}}}\n"
      "bodies:\n"
      "  floor: {{{}, shapes: [{{{}: {{}}, material: m}}]}}\n"
      "  body: {{shapes: [{{{}, material: m, density: {}}}], position: [0, {}{}], velocity: [{}, "
      "0{}]}}\n"
      "run: {{step: {}, duration: 1e6}}\n",
      planar ? "planar" : "spatial", along, planar ? "" : "0, ", down, what.friction, motion,
      planar ? "half-plane" : "half-space", shape, block_density, planar ? "" : "0, ", half_edge,
      what.speed, planar ? "" : ", 0", small_step);
}

class Engine : public SmallEngine {
 public:
  explicit Engine(const SmallCase& what)
      : simulation_(Scene::parse(scene_text(what), what.name)),
        body_(static_cast<std::size_t>(simulation_.model().find_body("body"))) {}
  void step() override { simulation_.step(); }
  double place() const override { return simulation_.state().poses[body_].position.x(); }

 private:
  Simulation simulation_;
  std::size_t body_;
};

}  // namespace

std::unique_ptr<SmallEngine> make_small_vinci(const SmallCase& what) {
  return std::make_unique<Engine>(what);
}

}  // namespace vinci
