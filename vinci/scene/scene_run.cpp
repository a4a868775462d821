// SPDX-License-Identifier: Apache-2.0
// The run's choices, the changes during it, and the scene as one text for its recording.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "vinci/scene/scene_data.h"
#include "vinci/scene/scene_meshes.h"

namespace vinci {

namespace {

// Time that compiling takes, in units of a plain number's: polygons are checked edge against edge.
double compile_cost(const Node& node) {
  const auto size = static_cast<double>(node.children.size());
  double cost = 1.0;
  if (node.key == "polygon") cost += 0.01 * size * size;
  if (node.key == "polyhedron") cost += 10.0 * size;
  if (node.is_map() && node.has("tip")) cost += 1e4;  // led along a line or a circle
  for (const Node& child : node.children) cost += compile_cost(child);
  return cost;
}

bool uses_parameters(const Expression& expression, const SceneData& scene) {
  for (std::size_t i = first_parameter; i < scene.variables.size(); ++i)
    if (expression.uses(i)) return true;
  return false;
}

void set_place(const SceneData& scene, RunChoices& run, const std::string& option,
               const Node& node) {
  run.places[option] = {scene.files[static_cast<std::size_t>(node.file)], node.line};
}

// The kinds of a plugin's options are not known here: what is a number is evaluated, anything
// else stays as written.
void read_plugin(const SceneData& scene, RunChoices& run, const Node& node,
                 const Numbers& numbers) {
  for (const Node& child : node.children) {
    if (child.key == "name") {
      run.values[node.key] = child.text;
      continue;
    }
    set_place(scene, run, node.key + "." + child.key, child);
    std::string& text = run.plugin_values[{node.key, child.key}];
    text = child.text;
    double plain = 0.0;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data(), end, plain).ptr == end) continue;
    try {
      Node number = child;
      number.expression =
          std::make_shared<Expression>(Expression::parse(child.text, scene.variables));
      const double value = numbers(number);
      if (std::isfinite(value)) text = fmt::format("{:.17g}", value);
      run.has_parameters = run.has_parameters || uses_parameters(*number.expression, scene);
    } catch (const Error&) {
      continue;
    }
  }
}

Node point_node(const Vector3& point) {
  Node list;
  list.kind = Node::Kind::list;
  for (int i = 0; i < 3; ++i) {
    Node number;
    number.kind = Node::Kind::scalar;
    number.text = fmt::format("{:.17g}", point[i]);
    list.children.push_back(std::move(number));
  }
  return list;
}

}  // namespace

void read_changes(SceneData& scene, const Numbers& numbers, Mistakes& mistakes) {
  const Node* changes = scene.root.find("changes");
  if (!changes) return;
  const SceneValue& value = scene_grammar(scene.world).find("changes")->value;
  if (!check_numbers(*changes, value, numbers, mistakes)) return;
  for (const Node& node : changes->children) {
    ParameterChange change;
    change.at = numbers(*node.find("at"));
    for (const Node& child : node.find("set")->children) change.set[child.key] = numbers(child);
    scene.changes.push_back(std::move(change));
  }
  std::stable_sort(scene.changes.begin(), scene.changes.end(),
                   [](const ParameterChange& a, const ParameterChange& b) { return a.at < b.at; });
}

// Every model that the run will use can be made. Their number is bounded with the scene's size,
// so that loading ends soon.
void check_changes(const SceneData& scene, Mistakes& mistakes) {
  constexpr double most_cost = 4e6;
  const double most = std::floor(most_cost / compile_cost(scene.root));
  if (static_cast<double>(scene.changes.size()) > std::max(most, 1.0))
    return mistakes.add(*scene.root.find("changes"),
                        fmt::format("{} changes of a scene of this size; accepted: at most {}",
                                    scene.changes.size(), std::max(most, 1.0)));
  std::map<std::string, double> values;
  for (const ParameterChange& change : scene.changes) {
    for (const auto& [name, value] : change.set) values[name] = value;
    mistakes.set_remark(fmt::format(" (after the change at {} s)", change.at));
    compile_model(scene, Numbers(scene, values, mistakes), mistakes);
    if (!mistakes.none()) return;
  }
  mistakes.set_remark("");
}

void read_run(SceneData& scene, const Numbers& numbers, Mistakes& mistakes) {
  if (const Node* run = scene.root.find("run"))
    scene.run = read_choices(scene, *run, numbers, mistakes);
}

RunChoices read_choices(const SceneData& scene, const Node& node, const Numbers& numbers,
                        Mistakes& mistakes) {
  RunChoices run;
  const SceneValue& value = scene_grammar(scene.world).find("run")->value;
  if (!node.is_map()) return run;
  check_numbers(node, value, numbers, mistakes);
  for (const Node& choice : node.children) {
    if (choice.bad || !value.find(choice.key)) continue;
    const SceneValue& kind = value.find(choice.key)->value;
    set_place(scene, run, choice.key, choice);
    if (kind.kind == SceneValue::Kind::number) {
      const double number = numbers(choice);
      run.values[choice.key] =
          kind.whole ? fmt::format("{:.0f}", number) : fmt::format("{:.17g}", number);
      run.has_parameters =
          run.has_parameters || (choice.expression && uses_parameters(*choice.expression, scene));
    } else if (choice.is_map()) {
      read_plugin(scene, run, choice, numbers);
    } else {
      run.values[choice.key] = choice.text;
    }
  }
  return run;
}

void write_source(SceneData& scene, Mistakes& mistakes) {
  Node root = scene.root;
  std::erase_if(root.children, [](const Node& child) { return child.key == "meshes"; });
  if (!scene.mesh.empty()) {
    Node meshes;
    meshes.kind = Node::Kind::map;
    meshes.key = "meshes";
    for (const auto& [name, points] : scene.mesh) {
      Node mesh;
      mesh.kind = Node::Kind::list;
      mesh.key = name;
      for (const Vector3& point : points) mesh.children.push_back(point_node(point));
      meshes.children.push_back(std::move(mesh));
    }
    root.children.push_back(std::move(meshes));
  }
  std::erase_if(root.children, [](const Node& child) { return child.key == "mesh-triangles"; });
  if (!scene.triangles.empty()) root.children.push_back(triangle_nodes(scene));
  if (count_values(root) > max_scene_values)
    mistakes.add(
        {scene.files[0], 0, "",
         fmt::format("the scene has more than {} values with its meshes", max_scene_values)});
  scene.source = write_yaml(root);
  if (scene.source.size() > max_scene_bytes)
    mistakes.add({scene.files[0], 0, "",
                  fmt::format("the scene is of {} bytes with its meshes; accepted: at most {} MiB, "
                              "about 120000 triangles",
                              scene.source.size(), max_scene_bytes >> 20)});
}

}  // namespace vinci
