// SPDX-License-Identifier: Apache-2.0
// What the user wrote: a checked scene tree whose numbers are still expressions of named
// parameters.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vinci/base/error.h"
#include "vinci/model/model.h"

namespace vinci {

struct Diagnostic {
  std::string file;
  int line = 0;              // from 1; 0 if the mistake has no place
  std::string key;           // bodies.block.shapes[0].box
  std::string message;       // what is wrong; what is accepted
  std::string text() const;  // file:line: key: message
};

// All mistakes of a scene at once.
class SceneError : public Error {
 public:
  explicit SceneError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// A parameter change during the run.
struct ParameterChange {
  double at = 0.0;  // s
  std::map<std::string, double> set;
};

// The run's choices as written; names and option values are checked when a Simulation is made.
struct RunChoices {
  std::map<std::string, std::string>
      values;  // option name of the run table -> text ("step" -> "0.001")
  // Options of the plugins: {"solver", "tolerance"} -> text.
  std::map<std::pair<std::string, std::string>, std::string> plugin_values;
  std::map<std::string, std::pair<std::string, int>> places;  // option -> file, line, for messages
  bool has_parameters = false;  // a number of them is an expression of parameters
};

// What somebody who knows the plugins has to say of a run's choices; its mistakes join the others.
using RunCheck = std::function<std::vector<Diagnostic>(const RunChoices&)>;

struct SceneData;  // the checked tree, private to scene/

class Scene {
 public:
  // Reads, resolves includes, checks everything; throws SceneError with all mistakes. Files that
  // the scene names lie in its own folder, below it, or in one of those `allowed`. A scene given as
  // text includes no files and reads no meshes.
  static Scene load(const std::filesystem::path& file, const RunCheck& check = {},
                    const std::vector<std::filesystem::path>& allowed = {});
  static Scene parse(std::string_view yaml, const std::string& name = "scene");

  const std::string& title() const;
  // The scene as one text that stands for itself: as written, or with included files and the hulls
  // of meshes brought in. Scene::parse() makes the same models of it.
  const std::string& source() const;
  // What is odd about the robots of the scene, and what was left out of their files.
  const std::vector<std::string>& notes() const;
  const std::map<std::string, double>& parameters() const;  // defaults, evaluated
  const std::vector<ParameterChange>& changes() const;
  const RunChoices& run() const;
  // With other values of parameters, as compile() takes them: numbers that depend on them follow.
  RunChoices run(const std::map<std::string, double>& overrides) const;

  // Numbers for all expressions. Parameters in `overrides` have that value, those that depend on
  // them follow; unknown ones and values that make the scene impossible (a negative radius, a mass
  // of zero) throw SceneError.
  std::shared_ptr<const Model> compile(const std::map<std::string, double>& overrides = {}) const;

 private:
  explicit Scene(std::shared_ptr<const SceneData> data) : data_(std::move(data)) {}

  std::shared_ptr<const SceneData> data_;
};

// The published JSON Schema of scene files.
std::string scene_schema();

}  // namespace vinci
