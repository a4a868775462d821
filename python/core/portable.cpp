// SPDX-License-Identifier: Apache-2.0
// The transcendental functions that have the same bits on every processor: vinci.portable.
#include "python/core/core.h"
#include "vinci/base/functions.h"

namespace vinci::python {

void add_portable(py::module_& module) {
  module.def("_sin", portable::sin);
  module.def("_cos", portable::cos);
  module.def("_tan", portable::tan);
  module.def("_asin", portable::asin);
  module.def("_acos", portable::acos);
  module.def("_atan", portable::atan);
  module.def("_exp", portable::exp);
  module.def("_log", portable::log);
  module.def("_sinh", portable::sinh);
  module.def("_cosh", portable::cosh);
  module.def("_tanh", portable::tanh);
  module.def("_atan2", portable::atan2);
  module.def("_pow", portable::pow);
}

}  // namespace vinci::python
