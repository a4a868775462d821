// SPDX-License-Identifier: Apache-2.0
// Vinci with its defaults: Stewart–Trinkle, exact cone, solver chosen by itself.
#include <algorithm>

#include <fmt/format.h>

#include "step/engine.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

std::string vector_text(const Vector3& v, bool planar) {
  return planar ? fmt::format("[{}, {}]", v.x(), v.y())
                : fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z());
}

std::string body_text(const std::string& name, const PlacedBox& box, const Layout& layout,
                      bool fixed) {
  return fmt::format(
      "  {}: {{{}shapes: [{{box: {}, material: all{}}}], position: {}}}\n", name,
      fixed ? "freedom: fixed, " : "", vector_text(2.0 * box.half_extents, layout.planar),
      fixed ? "" : fmt::format(", density: {}", density), vector_text(box.center, layout.planar));
}

std::string scene_text(const Layout& layout, bool diagnose) {
  std::string text =
      fmt::format("world: {}\ngravity: {}\nmaterials: {{all: {{friction: {}}}}}\nbodies:\n",
                  layout.planar ? "planar" : "spatial",
                  layout.planar ? vector_text({0.0, -gravity, 0.0}, true)
                                : vector_text({0.0, 0.0, -gravity}, false),
                  friction);
  for (std::size_t i = 0; i < layout.fixed.size(); ++i)
    text += body_text(fmt::format("fixed{}", i), layout.fixed[i], layout, true);
  for (std::size_t i = 0; i < layout.boxes.size(); ++i)
    text += body_text(fmt::format("box{}", i), layout.boxes[i], layout, false);
  return text + fmt::format("run: {{step: {}, duration: 1e6, diagnose: '{}'}}\n", step_size,
                            diagnose ? "flag" : "off");
}

class VinciEngine : public Engine {
 public:
  VinciEngine(const Layout& layout, bool diagnose)
      : diagnose_(diagnose), simulation_(Scene::parse(scene_text(layout, diagnose), layout.name)) {
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

std::unique_ptr<Engine> make_vinci(const Layout& layout, bool diagnose) {
  return std::make_unique<VinciEngine>(layout, diagnose);
}

}  // namespace vinci
