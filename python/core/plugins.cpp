// SPDX-License-Identifier: Apache-2.0
// What can be chosen by name.
#include <filesystem>
#include <set>

#include <pybind11/stl/filesystem.h>

#include "python/core/core.h"
#include "vinci/model/run_options.h"

namespace vinci::python {
namespace {

// Of this process; touched only while the GIL is held.
struct Known {
  std::shared_ptr<const Plugins> plugins = std::make_shared<const Plugins>(builtin_plugins());
  std::set<std::filesystem::path> libraries;
};

Known& known() {
  static Known value;
  return value;
}

py::dict option_dict(const OptionSpec& spec) {
  py::dict option("text"_a = spec.text, "default"_a = spec.fallback, "unit"_a = spec.unit);
  const bool number = spec.fallback.index() < 2;
  if (number && spec.lower > -infinity) option["lower"] = spec.lower;
  if (number && spec.upper < infinity) option["upper"] = spec.upper;
  if (!spec.choices.empty()) option["choices"] = spec.choices;
  return option;
}

py::dict options_dict(const OptionTable& table) {
  py::dict options;
  for (const OptionSpec& spec : table.specs()) options[py::str(spec.name)] = option_dict(spec);
  return options;
}

template <class Interface>
py::dict entries(const Registry<Interface>& registry) {
  py::dict list;
  for (const auto& entry : registry.entries())
    list[py::str(entry.name)] = py::dict("text"_a = entry.text, "reference"_a = entry.reference,
                                         "options"_a = options_dict(entry.options));
  return list;
}

void load_library(const std::filesystem::path& path) {
  std::error_code code;
  const std::filesystem::path real = std::filesystem::canonical(path, code);
  if (!code && known().libraries.contains(real)) return;
  Plugins extended = *known().plugins;
  load_plugin(extended, path);
  known().plugins = std::make_shared<const Plugins>(std::move(extended));
  known().libraries.insert(real);
}

}  // namespace

std::shared_ptr<const Plugins> known_plugins() {
  return known().plugins;
}

void add_plugins(py::module_& module) {
  module.def(
      "solvers", [] { return entries(known_plugins()->solvers); },
      R"(The solvers that can be chosen by name, with their texts and options.

>>> vinci.solvers()["lemke"]["options"]["tolerance"]["default"]
1e-12)");
  module.def(
      "steppers", [] { return entries(known_plugins()->steppers); },
      R"(The time-stepping methods that can be chosen by name, with their texts and options.

>>> list(vinci.steppers())
['stewart-trinkle', 'anitescu-potra', 'song-pang-kumar', 'second-order', 'event-driven'])");
  module.def(
      "detectors", [] { return entries(known_plugins()->detectors); },
      R"(The collision detectors that can be chosen by name, with their texts and options.

>>> list(vinci.detectors())
['exact'])");
  module.def(
      "impact_laws", [] { return entries(known_plugins()->impact_laws); },
      R"(The impact laws that can be chosen by name, with their texts and options.

>>> list(vinci.impact_laws())
['newton', 'poisson'])");
  module.def(
      "run_options", [] { return options_dict(run_option_table()); },
      R"(The options of a run: keys of `run` in scenes, keywords of `Simulation` (with _ for -).

>>> vinci.run_options()["step"]["unit"]
's')");
  module.def("load_plugin", &load_library, "path"_a,
             "Loads a shared library whose solvers, steppers, detectors and impact laws can then "
             "be chosen by name; a second time nothing happens.");
}

}  // namespace vinci::python
