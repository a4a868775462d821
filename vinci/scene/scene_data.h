// SPDX-License-Identifier: Apache-2.0
// The checked scene tree and the tools that work on it; private to scene/. The stages of loading:
//   files -> one merged tree (scene_load.cpp) -> structure and names against the grammar
//   (scene_check.cpp) -> parameter values -> numbers against their bounds -> Model
//   (scene_compile.cpp, scene_shapes.cpp).
// Every stage collects its mistakes, and leaves parts marked `bad` alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vinci/scene/document.h"
#include "vinci/scene/scene.h"
#include "vinci/scene/scene_grammar.h"
#include "vinci/scene/yaml_tree.h"

namespace vinci {

// Variables of every expression: t, q, v and two without a name, then the parameters in the order
// of the scene.
inline constexpr std::size_t time_variable = 0, position_variable = 1, velocity_variable = 2;
inline constexpr std::size_t first_parameter = 5;
// The functions of implicit curves have x and y in place of t and q, and nothing in place of v.
inline constexpr std::size_t x_variable = 0, y_variable = 1;
// Coefficients of friction have those of FrictionVariable (model/friction_law.h): t, x, y, z,
// speed.

struct SceneData {
  std::vector<std::string> files;  // as messages show them
  Node root;
  World world = World::spatial;
  std::string title, source;
  // Of robots: warnings, and what was left out; of constraints and machines: what is odd.
  std::vector<std::string> notes;
  std::vector<std::string> variables;                // t, q, v, two without a name, parameters
  std::map<std::string, std::vector<Vector3>> mesh;  // hull vertices by file name
  // Triangles by file name, at the scale of the file.
  std::map<std::string, std::shared_ptr<const TriangleMesh>> triangles;
  std::map<std::string, double> defaults;  // values of the parameters
  std::vector<ParameterChange> changes;
  RunChoices run;
};

// Too many to go on; caught where loading begins.
struct TooManyMistakes {};

// Collects mistakes with their places. A key path is found by searching the tree for the node.
class Mistakes {
 public:
  explicit Mistakes(const SceneData& scene) : scene_(scene) {}

  void add(const Node& where, std::string message);
  void add(Diagnostic diagnostic);
  bool none() const { return diagnostics_.empty(); }
  std::size_t count() const { return diagnostics_.size(); }
  std::vector<Diagnostic> take();  // in the order of files and lines
  // Said at the end of every message from now on: "(after changes[0])".
  void set_remark(std::string remark) { remark_ = std::move(remark); }

 private:
  const SceneData& scene_;
  std::vector<Diagnostic> diagnostics_;
  std::string remark_;
};

// Key path of a node of the tree: bodies.block.shapes[0].box.
std::string path_of(const Node& root, const Node& node);

// Structure, names and syntax of expressions; marks bad nodes and readies numbers for evaluation.
bool check_structure(Node& node, const SceneValue& value, const SceneData& scene,
                     Mistakes& mistakes);

// Values of the parameters, and with them of every number in the tree.
class Numbers {
 public:
  // Overrides replace a parameter's own value; what depends on it follows.
  Numbers(const SceneData& scene, const std::map<std::string, double>& overrides,
          Mistakes& mistakes);

  double operator()(const Node& number) const;    // NaN if it depends on an unknown parameter
  Expression function(const Node& number) const;  // of the variables, parameters bound
  bool depends_on_unknown(const Node& number) const;
  std::map<std::string, double> values() const;  // of the parameters

 private:
  std::size_t waits_for(std::size_t i) const;
  void evaluate(std::size_t i, Mistakes& mistakes);
  void break_cycle(std::size_t start, Mistakes& mistakes);
  void forget(std::size_t i);

  const SceneData& scene_;
  std::vector<double> variables_;  // NaN for those that are no parameters
  std::vector<char> unknown_;      // the parameter has a mistake
  bool has_unknown_ = false;
  std::vector<const Node*> pending_;  // parameters that are still to be evaluated
};

// Bounds and finiteness of all numbers below the node. False also, without a report, if one depends
// on a parameter that has a mistake.
bool check_numbers(const Node& node, const SceneValue& value, const Numbers& numbers,
                   Mistakes& mistakes);

// Parts of a scene besides the model.
void read_run(SceneData& scene, const Numbers& numbers, Mistakes& mistakes);
// Of a map that has the grammar of `run`.
RunChoices read_choices(const SceneData& scene, const Node& node, const Numbers& numbers,
                        Mistakes& mistakes);
void read_changes(SceneData& scene, const Numbers& numbers, Mistakes& mistakes);
void check_changes(const SceneData& scene, Mistakes& mistakes);
void write_source(SceneData& scene, Mistakes& mistakes);

// Nothing if there was a mistake.
std::shared_ptr<const Model> compile_model(const SceneData& scene, const Numbers& numbers,
                                           Mistakes& mistakes);

}  // namespace vinci
