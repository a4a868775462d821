// SPDX-License-Identifier: Apache-2.0
// Comparisons, convergence studies and branches: arguments in plain form, answers as JSON, which
// python/vinci/analysis.py turns into objects. Runs go on in threads without the GIL; HDF5 is used
// while it is held.
#include <pybind11/stl/filesystem.h>

#include "python/core/code.h"
#include "vinci/comparison/branches.h"
#include "vinci/comparison/compare.h"
#include "vinci/comparison/converge.h"

namespace vinci::python {
namespace {

using Texts = std::map<std::string, std::string>;
using Numbers = std::map<std::string, double>;
using AxisList = std::vector<std::pair<std::string, std::vector<std::string>>>;

std::vector<Axis> axes_of(const AxisList& list) {
  std::vector<Axis> axes;
  for (const auto& [name, values] : list) axes.push_back({name, values});
  return axes;
}

RunOverrides overrides_of(const Texts& options, const Numbers& parameters) {
  RunOverrides overrides;
  overrides.parameters = parameters;
  sort_options(options, overrides);
  return overrides;
}

// `progress`: None, or a function of the steps done and all there are.
RunManyOptions run_options_of(int jobs, const py::object& progress) {
  RunManyOptions run;
  if (jobs < 0) throw Error("accepted: 1 or more, or 0 for one per processor", "jobs");
  run.jobs = jobs;
  run.go_on = [tell = Held(progress)](std::int64_t done, std::int64_t total) {
    check_signals();
    py::gil_scoped_acquire gil;
    if (!tell->is_none()) (*tell)(done, total);
    return true;
  };
  run.with_files = [](const std::function<void()>& use) {
    py::gil_scoped_acquire gil;
    use();
  };
  return run;
}

// The whole comparison, and the part of it that a page takes.
std::pair<std::string, std::string> compare_runs(const Scene& scene, const Texts& options,
                                                 const Numbers& parameters, const AxisList& across,
                                                 const py::dict& how, const py::object& progress) {
  CompareOptions wanted;
  if (!how["tolerance"].is_none()) wanted.tolerance = how["tolerance"].cast<double>();
  wanted.reference = how["reference"].cast<std::string>();
  wanted.run = run_options_of(how["jobs"].cast<int>(), progress);
  wanted.run.overwrite = how["overwrite"].cast<bool>();
  if (!how["folder"].is_none()) wanted.folder = how["folder"].cast<std::filesystem::path>();
  const auto plugins = known_plugins();
  py::gil_scoped_release release;
  const auto all =
      compare(scene, overrides_of(options, parameters), axes_of(across), plugins, wanted);
  return {comparison_json(*all), comparison_json(*all, {1000, 12})};
}

// The study, and its plot as SVG.
std::pair<std::string, std::string> converge_runs(const Scene& scene, const Texts& options,
                                                  const Numbers& parameters, const AxisList& across,
                                                  const py::dict& how, const py::object& progress) {
  ConvergeOptions wanted;
  wanted.quantities = how["quantities"].cast<std::vector<std::string>>();
  wanted.steps = how["steps"].cast<std::vector<double>>();
  const std::map<std::string, Over> overs{
      {"end", Over::end}, {"max", Over::largest}, {"min", Over::smallest}, {"mean", Over::mean}};
  const auto over = overs.find(how["over"].cast<std::string>());
  if (over == overs.end()) throw Error("accepted: end, max, min, mean", "over");
  wanted.over = over->second;
  if (!how["at"].is_none()) wanted.at = how["at"].cast<double>();
  if (!py::isinstance<py::str>(how["reference"]))
    wanted.reference = how["reference"].cast<double>();
  else if (const auto rule = how["reference"].cast<std::string>(); rule == "richardson")
    wanted.reference = ReferenceRule::richardson;
  else if (rule != "finest")
    throw Error("accepted: 'finest', 'richardson', or the exact value", "reference");
  wanted.run = run_options_of(how["jobs"].cast<int>(), progress);
  const auto plugins = known_plugins();
  py::gil_scoped_release release;
  const auto all =
      converge(scene, overrides_of(options, parameters), axes_of(across), plugins, wanted);
  return {convergence_json(*all), convergence_svg(*all)};
}

// The tree of branches, and its page without a viewer.
std::pair<std::string, std::string> follow_runs(const Scene& scene, const Texts& options,
                                                const Numbers& parameters, const py::dict& how,
                                                const py::object& progress) {
  BranchOptions wanted;
  wanted.most = how["most"].cast<int>();
  wanted.quantities = how["quantities"].cast<std::vector<std::string>>();
  if (!how["tolerance"].is_none()) wanted.tolerance = how["tolerance"].cast<double>();
  wanted.go_on = run_options_of(0, progress).go_on;
  const auto plugins = known_plugins();
  py::gil_scoped_release release;
  const auto tree = follow_branches(scene, overrides_of(options, parameters), plugins, wanted);
  return {branches_json(*tree), branches_page(*tree, "")};
}

}  // namespace

void add_analysis(py::module_& module) {
  module.def("_compare", &compare_runs, "scene"_a, "options"_a, "parameters"_a, "across"_a, "how"_a,
             "progress"_a);
  module.def("_converge", &converge_runs, "scene"_a, "options"_a, "parameters"_a, "across"_a,
             "how"_a, "progress"_a);
  module.def("_branches", &follow_runs, "scene"_a, "options"_a, "parameters"_a, "how"_a,
             "progress"_a);
}

}  // namespace vinci::python
