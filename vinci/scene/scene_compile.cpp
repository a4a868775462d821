// SPDX-License-Identifier: Apache-2.0
// The scene tree with numbers for all expressions: a Model.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "vinci/elements/builtin.h"
#include "vinci/geometry/triangle_mesh.h"
#include "vinci/model/state.h"
#include "vinci/scene/scene_body.h"
#include "vinci/scene/scene_constraints.h"
#include "vinci/scene/scene_control.h"
#include "vinci/scene/scene_friction.h"
#include "vinci/scene/scene_joints.h"
#include "vinci/scene/scene_moments.h"
#include "vinci/scene/scene_stabilisation.h"

namespace vinci {

namespace {

class Compiler {
 public:
  Compiler(const SceneData& scene, const Numbers& numbers, Mistakes& mistakes)
      : scene_(scene),
        numbers_(numbers),
        mistakes_(mistakes),
        model_(std::make_shared<Model>()),
        read_(scene, numbers),
        friction_(scene, numbers, mistakes),
        moments_(scene, numbers, mistakes),
        impacts_(numbers, mistakes) {}

  std::shared_ptr<const Model> run() {
    model_->title = scene_.title;
    model_->world = scene_.world;
    model_->parameters = numbers_.values();
    read_gravity();
    if (scene_.root.has("table")) part("table");
    read_materials();
    read_surfaces();
    read_bodies();
    JointReader joints(scene_, numbers_, mistakes_, *model_);
    const Node *jointed = part("joints"), *coupled = part("couplings");
    const Node* framed = part("frames");
    if (fine_) fine_ = joints.read(jointed, coupled);
    if (fine_) joints.read_named_frames(framed);
    read_excluded_pairs();
    if (!fine_ || !mistakes_.none()) {
      for (const char* key : {"trajectories", "controllers", "signals", "constraints", "machines"})
        part(key);
      check_machine_states(scene_.root.find("machines"), mistakes_);
      return nullptr;
    }
    friction_.check_pairs(*model_);
    moments_.check_pairs(*model_);
    impacts_.check_pairs(*model_);
    number_coordinates();
    if (!model_->joints.empty()) joints.set_velocities();
    read_elements();
    const ControlSections controls{part("trajectories"), part("controllers"), part("signals")};
    if (fine_ && mistakes_.none())
      fine_ = read_controls(controls, scene_, numbers_, mistakes_, *model_);
    const Node *constraints = part("constraints"), *machines = part("machines");
    if (fine_ && mistakes_.none())
      fine_ = read_constraints(constraints, machines, scene_, numbers_, mistakes_, *model_);
    else
      check_machine_states(scene_.root.find("machines"), mistakes_);
    return fine_ && mistakes_.none() ? model_ : nullptr;
  }

 private:
  // The part of the scene under a top-level key, if it is there and its numbers are right.
  const Node* part(const char* key) {
    const Node* node = scene_.root.find(key);
    const SceneKey* known = scene_grammar(scene_.world).find(key);
    if (!node || !known) return nullptr;  // one of the other world was reported before
    if (check_numbers(*node, known->value, numbers_, mistakes_)) return node;
    fine_ = false;
    return nullptr;
  }

  void read_gravity() {
    model_->gravity =
        scene_.world == World::planar ? Vector3(0.0, -9.81, 0.0) : Vector3(0.0, 0.0, -9.81);
    // On a table gravity presses and does not pull.
    if (scene_.root.has("table")) model_->gravity.setZero();
    if (const Node* gravity = part("gravity")) model_->gravity = read_.vector(*gravity);
  }

  // A pair has friction √(μa μb) and the larger restitution of the two.
  void read_materials() {
    const Node* materials = scene_.root.find("materials");
    const bool fine = part("materials") || !materials;
    std::vector<double> restitution;
    for (std::size_t i = 0; materials && i < materials->children.size(); ++i) {
      const Node& node = materials->children[i];
      model_->materials.push_back({node.key, fine ? layer(node) : std::nullopt});
      restitution.push_back(fine ? read_.number(node, "restitution", 0.0) : 0.0);
      friction_.add_material(fine ? &node : nullptr);
      moments_.add_material(fine ? &node : nullptr);
      impacts_.add_material(fine ? &node : nullptr);
    }
    if (!materials || !materials->has("default")) {
      model_->materials.push_back({"default"});
      restitution.push_back(0.0);
      friction_.add_material(nullptr);
      moments_.add_material(nullptr);
      impacts_.add_material(nullptr);
    }
    for (std::size_t a = 0; a < restitution.size(); ++a)
      for (std::size_t b = 0; b < restitution.size(); ++b) {
        Surface surface = friction_.combined(a, b);
        surface.restitution = std::max(restitution[a], restitution[b]);
        surface.moments = moments_.combined(a, b);
        impacts_.combine(a, b, surface);
        model_->surfaces.push_back(std::move(surface));
      }
  }

  std::optional<Layer> layer(const Node& node) {
    if (!node.has("stiffness")) {
      for (const char* key : {"damping", "tangential-stiffness", "tangential-damping",
                              "coupling-stiffness", "thickness"})
        if (const Node* alone = node.find(key))
          mistakes_.add(*alone,
                        "a material without `stiffness` is rigid and has no layer; give its "
                        "stiffness in N/m as well");
      return {};
    }
    Layer layer;
    layer.stiffness = read_.number(node, "stiffness", 0.0);
    layer.damping = read_.number(node, "damping", 0.0);
    layer.tangential_stiffness = read_.number(node, "tangential-stiffness", layer.stiffness);
    layer.tangential_damping = read_.number(
        node, "tangential-damping", layer.damping * (layer.tangential_stiffness / layer.stiffness));
    layer.coupling = read_.number(node, "coupling-stiffness", 0.0);
    if (node.has("thickness")) layer.thickness = read_.number(node, "thickness", 0.0);
    // Roots, so that nothing overflows.
    const double most = std::sqrt(layer.stiffness) * std::sqrt(layer.tangential_stiffness);
    if (!(std::abs(layer.coupling) < most))
      mistakes_.add(
          *node.find("coupling-stiffness"),
          fmt::format("{:.6g} N/m: the layer would push where it is pulled, its stiffness "
                      "matrix is not positive definite; accepted: less than {:.6g} N/m, "
                      "the root of stiffness times tangential-stiffness",
                      layer.coupling, most));
    return layer;
  }

  std::size_t material(const Node& name) const {
    const auto found =
        std::find_if(model_->materials.begin(), model_->materials.end(),
                     [&](const Material& material) { return material.name == name.text; });
    return static_cast<std::size_t>(found - model_->materials.begin());
  }

  void read_surfaces() {
    const Node* surfaces = part("surfaces");
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (std::size_t i = 0; surfaces && i < surfaces->children.size(); ++i) {
      const Node& node = surfaces->children[i];
      const Node& between = *node.find("between");
      const std::size_t a = material(between.children[0]), b = material(between.children[1]);
      if (!seen.insert(std::minmax(a, b)).second)
        mistakes_.add(between, "this pair of materials has been given already");
      Surface& one = model_->surfaces[a * model_->materials.size() + b];
      Surface& other = model_->surfaces[b * model_->materials.size() + a];
      ContactMoments moments = one.moments;
      friction_.read_pair(node, {a, b}, one, other);
      moments_.read_pair(node, moments);
      one.moments = other.moments = moments;
      impacts_.read_pair(node, a, b, one);
      other.impact = one.impact;
      other.never_slides = one.never_slides;
      one.restitution = other.restitution = read_.number(node, "restitution", one.restitution);
    }
  }

  void read_bodies() {
    const Node* bodies = scene_.root.find("bodies");
    if (!bodies || !bodies->is_map()) return;
    const SceneValue& value = scene_grammar(scene_.world).find("bodies")->value.items[0];
    BodyReader reader(scene_, numbers_, mistakes_, *model_);
    bool all = true;
    for (const Node& node : bodies->children)
      all &= check_numbers(node, value, numbers_, mistakes_) && reader.add(node);
    fine_ &= all;
    give_hulls_triangles();
    // A body with a mistake might be a support.
    if (all) fine_ &= reader.stand(*bodies);
  }

  // Hulls meet meshes as what they are made of: triangles.
  void give_hulls_triangles() {
    const auto is_mesh = [](const PlacedShape& placed) { return triangles_of(placed.shape); };
    if (!std::any_of(model_->shapes.begin(), model_->shapes.end(), is_mesh)) return;
    for (PlacedShape& placed : model_->shapes)
      if (auto* hull = std::get_if<Polyhedron>(&placed.shape))
        hull->surface = make_triangle_mesh(*hull);
  }

  void read_excluded_pairs() {
    const Node* exclude = scene_.root.find("exclude");
    std::map<std::string, int> index;
    for (std::size_t i = 0; exclude && i < model_->bodies.size(); ++i)
      index[model_->bodies[i].name] = static_cast<int>(i);
    for (std::size_t i = 0; exclude && !exclude->bad && i < exclude->children.size(); ++i) {
      const Node& pair = exclude->children[i];
      const auto a = index.find(pair.children[0].text), b = index.find(pair.children[1].text);
      if (a == index.end() || b == index.end()) continue;
      if (a == b) mistakes_.add(pair, "a body and itself; accepted: two different bodies");
      model_->excluded_pairs.push_back(std::minmax(a->second, b->second));
    }
    auto& pairs = model_->excluded_pairs;
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  }

  Anchor anchor(const Node& node, std::size_t side) const {
    Anchor anchor;
    anchor.body = model_->find_body(node.find("between")->children[side].text);
    if (const Node* at = node.find("at")) anchor.point = read_.vector(at->children[side]);
    return anchor;
  }

  // What acts between bodies, one section per kind.
  void read_elements() {
    const State start = initial_state(*model_);
    for (const ElementKind& kind : element_kinds()) {
      const Node* section = part(kind.section.c_str());
      for (std::size_t i = 0; section && i < section->children.size(); ++i) {
        const Node& node = section->children[i];
        ElementPlace place{node.key, anchor(node, 0), anchor(node, 1)};
        if (place.a.body == place.b.body)
          mistakes_.add(*node.find("between"),
                        "a body and itself; accepted: two different bodies, or a body and world");
        OptionValues values(kind.options);
        for (const OptionSpec& spec : kind.options.specs())
          if (const Node* given = node.find(spec.name)) values.set(spec.name, numbers_(*given));
        if (const std::string reason = kind.why_not(values); !reason.empty())
          mistakes_.add(node, reason);
        place.distance =
            (anchor_point(place.b, start.poses) - anchor_point(place.a, start.poses)).norm();
        model_->elements.push_back(kind.make(std::move(place), values));
      }
    }
  }

  void number_coordinates() {
    Model& model = *model_;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      Body& body = model.bodies[b];
      body.velocity_offset = model.velocity_count;
      body.velocity_size = velocity_entries(body.freedom);
      model.velocity_count += body.velocity_size;
      for (int k = 0; k < body.velocity_size; ++k) {
        const int coordinate = body.velocity_size == 3 && k == 2 ? 5 : k;
        const bool prescribed = body.drives[static_cast<std::size_t>(coordinate)].prescribed;
        model.coordinate.push_back(coordinate);
        model.free_index.push_back(prescribed ? -1 : model.free_count++);
      }
    }
  }

  const SceneData& scene_;
  const Numbers& numbers_;
  Mistakes& mistakes_;
  std::shared_ptr<Model> model_;
  ShapeReader read_;
  FrictionReader friction_;
  MomentReader moments_;
  ImpactReader impacts_;
  bool fine_ = true;
};

}  // namespace

std::shared_ptr<const Model> compile_model(const SceneData& scene, const Numbers& numbers,
                                           Mistakes& mistakes) {
  return Compiler(scene, numbers, mistakes).run();
}

}  // namespace vinci
