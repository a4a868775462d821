// SPDX-License-Identifier: Apache-2.0
// Certificates of steps: arguments in plain form, the answer as JSON, which
// python/vinci/certificate.py turns into an object.
#include "vinci/simulation/certify.h"

#include "python/core/code.h"

namespace vinci::python {

void add_certify(py::module_& module) {
  module.def(
      "_certify",
      [](const Scene& scene, const std::map<std::string, std::string>& options,
         const std::map<std::string, double>& parameters, double at) {
        RunOverrides overrides;
        overrides.parameters = parameters;
        sort_options(options, overrides);
        const auto plugins = known_plugins();
        py::gil_scoped_release release;
        Simulation simulation(scene, overrides, plugins);
        simulation.stop_when([] {
          check_signals();
          return false;
        });
        const StepCertificate certificate = certify_at(simulation, at);
        return certificate_json(certificate, simulation.model());
      },
      "scene"_a, "options"_a, "parameters"_a, "at"_a);
}

}  // namespace vinci::python
