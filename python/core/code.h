// SPDX-License-Identifier: Apache-2.0
// Controllers, motions, solvers, steppers and impact laws written in Python, as C++ sees them. Each
// adapter takes the GIL for its calls; a Python exception passes through the C++ frames and reaches
// the caller with its traceback.
#pragma once

#include "python/core/simulation.h"

namespace vinci::python {

// Where code that takes part finds the model of its simulation, once that is made.
using Owner = std::shared_ptr<std::weak_ptr<Simulation>>;
ModelHandle model_handle(const Owner& owner, const Model& model);

// `name` of the object, or the name of its class or function.
std::string code_name(const py::handle& object);

std::unique_ptr<Solver> python_solver(const Held& object, const std::string& name);
std::unique_ptr<ImpactLaw> python_impact_law(const Held& object, const std::string& name);
// The options are those of the built-in method, which a step may be made of.
std::unique_ptr<TimeStepper> python_stepper(const Held& object, const Owner& owner,
                                            const OptionValues& options);
inline constexpr const char* inner_stepper = "stewart-trinkle";

// "solver.tolerance" is an option of a plugin, "step" one of the run.
void sort_options(const std::map<std::string, std::string>& options, RunOverrides& overrides);

// The arguments of vinci.Simulation, in plain form: options as texts by name ("step", or
// "solver.tolerance"), controllers by name in order, motions by (body, coordinate); solver,
// stepper and impact law are None or objects.
std::unique_ptr<SimulationHandle> make_simulation(
    const Scene& scene, const std::map<std::string, std::string>& options,
    const std::map<std::string, double>& parameters,
    const std::vector<std::pair<std::string, py::object>>& controllers,
    const std::map<std::pair<std::string, std::string>, py::object>& motions,
    const py::object& solver, const py::object& stepper, const py::object& impact_law);

}  // namespace vinci::python
