// SPDX-License-Identifier: Apache-2.0
// C++ errors as the exceptions of vinci/errors.py, and Ctrl-C as KeyboardInterrupt.
#include "python/core/core.h"

namespace vinci::python {
namespace {

unsigned long main_thread = 0;  // set when the module is loaded

void raise(const char* type, const py::tuple& arguments) {
  const py::object made = py::module_::import("vinci.errors").attr(type)(*arguments);
  PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
}

py::list diagnostics_of(const SceneError& error) {
  const py::object type = py::module_::import("vinci.errors").attr("Diagnostic");
  py::list list;
  for (const Diagnostic& mistake : error.diagnostics())
    list.append(type(readable(mistake.file), mistake.line, readable(mistake.key),
                     readable(mistake.message)));
  return list;
}

}  // namespace

py::str readable(const std::string& text) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "backslashreplace");
  if (!decoded) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

// Signals are handled in the main thread alone: others do not wait for the GIL.
void check_signals() {
  if (PyThread_get_thread_ident() != main_thread) return;
  py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void add_errors(py::module_&) {
  const py::object thread = py::module_::import("threading").attr("main_thread")();
  main_thread = thread.attr("ident").cast<unsigned long>();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const SceneError& error) {
      raise("SceneError", py::make_tuple(diagnostics_of(error)));
    } catch (const Error& error) {
      raise("Error", py::make_tuple(readable(error.message()), readable(error.where())));
    }
  });
}

}  // namespace vinci::python
