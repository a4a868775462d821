// SPDX-License-Identifier: Apache-2.0
// C++ errors as the exceptions of vinci/errors.py.
#include "python/core/core.h"

namespace vinci::python {
namespace {

void raise(const char* type, const py::tuple& arguments) {
  const py::object made = py::module_::import("vinci.errors").attr(type)(*arguments);
  PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
}

py::list diagnostics_of(const SceneError& error) {
  const py::object type = py::module_::import("vinci.errors").attr("Diagnostic");
  py::list list;
  for (const Diagnostic& mistake : error.diagnostics())
    list.append(type(mistake.file, mistake.line, mistake.key, mistake.message));
  return list;
}

}  // namespace

void add_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const SceneError& error) {
      raise("SceneError", py::make_tuple(diagnostics_of(error)));
    } catch (const Error& error) {
      raise("Error", py::make_tuple(error.message(), error.where()));
    }
  });
}

}  // namespace vinci::python
