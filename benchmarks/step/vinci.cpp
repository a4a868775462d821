// SPDX-License-Identifier: Apache-2.0
// Vinci with its defaults but for the choices: Stewart–Trinkle, exact cone, solver chosen by
// itself.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "step/engine.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

std::string vector_text(const Vector3& v, bool planar) {
  return planar ? fmt::format("[{}, {}]", v.x(), v.y())
                : fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z());
}

std::string turn_text(const Quaternion& q, bool planar) {
  return planar ? fmt::format("angle: {}", 2.0 * std::atan2(q.z(), q.w()))
                : fmt::format("rotation: {{quaternion: [{}, {}, {}, {}]}}", q.w(), q.x(), q.y(),
                              q.z());
}

std::string body_text(const std::string& name, const PlacedBox& box, const Layout& layout,
                      bool fixed) {
  return fmt::format(
      "  {}: {{{}shapes: [{{box: {}, material: all{}}}], position: {}, {}}}\n", name,
      fixed ? "freedom: fixed, " : "", vector_text(2.0 * box.half_extents, layout.planar),
      fixed ? "" : fmt::format(", density: {}", density), vector_text(box.center, layout.planar),
      turn_text(box.rotation, layout.planar));
}

std::string scene_text(const Layout& layout, const VinciChoices& choices) {
  std::string text =
      fmt::format("world: {}\ngravity: {}\nmaterials: {{all: {{friction: {}}}}}\nbodies:\n",
                  layout.planar ? "planar" : "spatial",
                  layout.planar ? vector_text({0.0, -gravity, 0.0}, true)
                                : vector_text({0.0, 0.0, -gravity}, false),
                  layout.friction);
  for (std::size_t i = 0; i < layout.fixed.size(); ++i)
    text += body_text(fmt::format("fixed{}", i), layout.fixed[i], layout, true);
  for (std::size_t i = 0; i < layout.boxes.size(); ++i)
    text += body_text(fmt::format("box{}", i), layout.boxes[i], layout, false);
  text += fmt::format("run: {{step: {}, duration: 1e6, diagnose: '{}'", layout.step,
                      choices.diagnose ? "flag" : "off");
  if (choices.tolerance > 0.0)
    text += fmt::format(", solver: {{name: auto, tolerance: {}}}", choices.tolerance);
  return text + "}\n";
}

class VinciEngine : public Engine {
 public:
  VinciEngine(const Layout& layout, const VinciChoices& choices)
      : diagnose_(choices.diagnose),
        simulation_(Scene::parse(scene_text(layout, choices), layout.name)) {
    for (std::size_t i = 0; i < layout.boxes.size(); ++i)
      bodies_.push_back(simulation_.model().find_body(fmt::format("box{}", i)));
  }

  std::string name() const override { return diagnose_ ? "flag" : "Vinci"; }
  void step() override { simulation_.step(); }
  void positions(std::vector<Vector3>& centers) const override {
    centers.clear();
    for (const int body : bodies_) centers.push_back(simulation_.state().poses[body].position);
  }
  double penetration() const override { return std::max(0.0, simulation_.report().penetration); }
  int contacts() const override { return simulation_.report().contact_count; }
  double residual() const override { return simulation_.report().solve.residual.relative; }

 private:
  bool diagnose_;
  Simulation simulation_;
  std::vector<int> bodies_;  // of the boxes
};

}  // namespace

std::unique_ptr<Engine> make_vinci(const Layout& layout, const VinciChoices& choices) {
  return std::make_unique<VinciEngine>(layout, choices);
}

}  // namespace vinci
