// SPDX-License-Identifier: Apache-2.0
// Reports of steps, and the tables that describe them and the summaries of runs.
#include <fmt/format.h>

#include "python/core/core.h"
#include "vinci/recording/frame_fields.h"

namespace vinci::python {
namespace {

// Seconds by the names of the stages, everything else as it is.
py::object shown(const ReportValue& value) {
  const auto* seconds = std::get_if<StageSeconds>(&value);
  if (seconds == nullptr) return py::cast(value);
  py::dict named;
  for (int i = 0; i < stage_count; ++i)
    named[to_string(static_cast<Stage>(i))] = (*seconds)[static_cast<std::size_t>(i)];
  return named;
}

// How Python annotates a value; seconds by stage are a dictionary in reports, elsewhere a tuple.
std::string type_of(const ReportValue& value, const char* stages) {
  const char* names[] = {"int", "float", "bool", "str", stages};
  return names[value.index()];
}

py::dict described(const char* name, const std::string& type, const char* text, const char* unit) {
  return py::dict("name"_a = name, "type"_a = type, "text"_a = text, "unit"_a = unit);
}

// For scripts/report_fields.py and vinci/recording.py.
py::dict report_fields() {
  const char* stages = "tuple[float, float, float, float]";
  py::list step, frame, summary;
  for (const StepField& field : step_fields())
    step.append(described(field.name, type_of(field.value({}), "dict[str, float]"), field.text,
                          field.unit));
  for (const FrameField& field : frame_fields()) {
    // Enumerations are recorded as numbers.
    std::string type = type_of(field.value({}), stages);
    if (type == "str") type = "int";
    frame.append(described(field.name, type, field.text, field.unit));
    frame[frame.size() - 1]["column"] = field.column;
  }
  for (const SummaryField& field : summary_fields()) {
    summary.append(described(field.name, type_of(field.value({}), stages), field.text, field.unit));
    py::list columns;
    for (const Hdf5Column& column : field.stored) columns.append(column.name);
    summary[summary.size() - 1]["columns"] = columns;
  }
  return py::dict("step"_a = step, "frame"_a = frame, "summary"_a = summary);
}

}  // namespace

void add_report(py::module_& module) {
  py::class_<StepReport> report(module, "StepReport", R"(What a step says of itself.

>>> report = vinci.Simulation(scenes / "stack.yaml").step()
>>> report.status, report.contacts
('solved', 20))");
  for (const StepField& field : step_fields()) {
    const std::string unit = *field.unit == 0 ? "" : fmt::format(" Unit: {}.", field.unit);
    report.def_property_readonly(
        field.name, [&field](const StepReport& r) { return shown(field.value(r)); },
        py::doc((field.text + unit).c_str()));
  }
  report.def("__repr__", [](const StepReport& r) {
    return fmt::format("<vinci.StepReport {}, residual {:.2g}, {} contacts, {} active>",
                       to_string(r.solve.status), r.solve.residual.relative, r.contact_count,
                       r.active_count);
  });
  module.def("_report_fields", &report_fields);
}

}  // namespace vinci::python
