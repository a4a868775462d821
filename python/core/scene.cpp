// SPDX-License-Identifier: Apache-2.0
// Scenes: what the user wrote.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "python/core/core.h"
#include "vinci/model/run_options.h"

namespace vinci::python {
namespace {

std::map<std::string, double> numbers_of(const py::kwargs& parameters) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : parameters) {
    const auto key = name.cast<std::string>();
    try {
      values[key] = value.cast<double>();
    } catch (const py::cast_error&) {
      throw Error("is not a number", "parameters." + key);
    }
  }
  return values;
}

void save_scene(const Scene& scene, const std::filesystem::path& path) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file << scene.source();
  file.close();
  std::error_code code;
  if (file) std::filesystem::rename(partial, path, code);
  if (!file || code) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw Error("cannot be written", path.string());
  }
}

py::list changes_of(const Scene& scene) {
  py::list list;
  for (const ParameterChange& change : scene.changes())
    list.append(py::dict("at"_a = change.at, "set"_a = change.set));
  return list;
}

py::dict run_of(const Scene& scene) {
  py::dict run;
  for (const auto& [name, text] : scene.run().values) run[py::str(name)] = text;
  for (const auto& [key, text] : scene.run().plugin_values)
    run[py::str(key.first + "." + key.second)] = text;
  return run;
}

}  // namespace

void add_scene(py::module_& module) {
  py::class_<Scene> scene(module, "Scene", R"(What the user wrote: a checked scene.

Its numbers may be expressions of named parameters and of time; lengths in m, angles in rad, masses
in kg unless a unit is written behind the number. A mistake raises SceneError, which lists all of
them.

>>> scene = vinci.Scene.parse('''
... world: planar
... parameters: {radius: 0.1}
... bodies:
...   floor: {freedom: fixed, shapes: [{half-plane: {}}]}
...   ball: {shapes: [{circle: radius}], position: [0, 1]}
... ''')
>>> scene.parameters
{'radius': 0.1})");
  scene.def_static(
      "load",
      [](const std::filesystem::path& path, const std::vector<std::filesystem::path>& allow_paths) {
        py::gil_scoped_release release;
        return Scene::load(path, {}, allow_paths);
      },
      "path"_a, "allow_paths"_a = std::vector<std::filesystem::path>(),
      R"(Reads a scene file (YAML) with the files it includes.

They lie in the scene's folder, below it, or in one of the folders `allow_paths`.

>>> vinci.Scene.load(scenes / "stack.yaml").title
'stack of ten boxes')");
  scene.def_static(
      "parse",
      [](const std::string& text, const std::string& name) {
        py::gil_scoped_release release;
        return Scene::parse(text, name);
      },
      "text"_a, "name"_a = "scene", R"(Reads a scene from a text (YAML or JSON).

`name` stands for the file in messages. A text includes no files and reads no meshes.

>>> vinci.Scene.parse("{world: planar, bodies: {ball: {shapes: [{circle: 0.1}]}}}").title
'')");
  scene.def_static(
      "from_dict",
      [](const py::object& scene_dict, const std::string& name) {
        return py::module_::import("vinci.scenes").attr("parse")(scene_dict, name).cast<Scene>();
      },
      "scene"_a, "name"_a = "scene", R"(Makes a scene of dicts, lists, numbers and texts.

The keys are those of scene files; NumPy numbers and arrays are fine. Mistakes name the path of
their key.

>>> scene = vinci.Scene.from_dict({
...     "world": "planar",
...     "bodies": {"ball": {"shapes": [{"circle": 0.1}], "position": np.array([0, 1])}},
... })
>>> scene.compile().body("ball").freedom
'planar')");
  scene.def("to_yaml", &Scene::source, R"(The scene as one text that stands for itself.

Included files and the hulls of meshes are brought in; `Scene.parse` makes the same models of it.

>>> text = vinci.Scene.load(scenes / "stack.yaml").to_yaml()
>>> vinci.Scene.parse(text).to_yaml() == text
True)");
  scene.def("save", &save_scene, "path"_a,
            R"(Writes `to_yaml()` to a file, completely or not at all.

>>> vinci.Scene.load(scenes / "stack.yaml").save(tmp / "copy.yaml"))");
  scene.def(
      "compile",
      [](const Scene& self, const py::kwargs& parameters) {
        const auto values = numbers_of(parameters);
        py::gil_scoped_release release;
        return ModelHandle{self.compile(values)};
      },
      R"(The model with these values of parameters; the others keep theirs.

>>> model = vinci.Scene.load(scenes / "stack.yaml").compile(size=0.2)
>>> model.parameters["size"]
0.2)");
  scene.def_property_readonly("title", &Scene::title, "Title, '' if the scene has none.");
  scene.def_property_readonly("parameters", &Scene::parameters,
                              "Values of the parameters as the scene gives them, by name; SI.");
  scene.def_property_readonly("changes", &changes_of,
                              "Changes of parameters during a run: `{'at': seconds, 'set': {name: "
                              "value}}`, in the order of time.");
  scene.def_property_readonly(
      "run", &run_of,
      "What the scene chooses for its run, as texts by option; options of plugins as "
      "'solver.tolerance'.");
  scene.def("__repr__", [](const Scene& self) {
    return fmt::format("<vinci.Scene '{}' with {} parameter{}>", self.title(),
                       self.parameters().size(), self.parameters().size() == 1 ? "" : "s");
  });
  scene.def(py::pickle([](const Scene& self) { return py::make_tuple(1, self.source()); },
                       [](const py::tuple& state) {
                         if (state.size() != 2 || state[0].cast<int>() != 1)
                           throw Error("was pickled by another version of vinci", "Scene");
                         return Scene::parse(state[1].cast<std::string>());
                       }));
  module.def("scene_schema", &scene_schema, "The JSON Schema of scene files, as text.");
}

}  // namespace vinci::python
