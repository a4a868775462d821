// SPDX-License-Identifier: Apache-2.0
// Recorders: writing runs.
#include <filesystem>

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "python/core/simulation.h"

namespace vinci::python {

Recorder& RecorderHandle::get() {
  if (!recorder_) throw Error("is closed", "recorder");
  return *recorder_;
}

// Whatever happens, the file is closed afterwards.
void RecorderHandle::finish() {
  if (!recorder_) return;
  Recorder recorder = std::move(*recorder_);
  recorder_.reset();
  recorder.finish(simulation());
}

namespace {

void set_interval(Recorder& recorder, double seconds) {
  if (!(seconds >= 0.0 && seconds <= 3600.0))
    throw Error(fmt::format("is {}; accepted: 0 to 3600 s", seconds), "flush_interval");
  recorder.set_flush_interval(seconds);
}

std::unique_ptr<RecorderHandle> record(const std::filesystem::path& path,
                                       const py::object& simulation, bool overwrite,
                                       double flush_interval) {
  Recorder recorder(path, simulation.cast<SimulationHandle&>().get(), overwrite);
  set_interval(recorder, flush_interval);
  return std::make_unique<RecorderHandle>(std::move(recorder), simulation);
}

std::unique_ptr<RecorderHandle> resume(const std::filesystem::path& path,
                                       const py::object& simulation, double flush_interval) {
  auto& handle = simulation.cast<SimulationHandle&>();
  // Its state is set: arrays that show contacts keep theirs.
  handle.set_state(State(handle.get().state()));
  Recorder recorder = Recorder::resume(path, handle.get());
  set_interval(recorder, flush_interval);
  return std::make_unique<RecorderHandle>(std::move(recorder), simulation);
}

}  // namespace

void add_recorder(py::module_& module) {
  py::class_<RecorderHandle> recorder(module, "Recorder", R"(Writes a run to a recording (HDF5).

The file can be read at any time, also while it is written or after the process was killed.
`flush_interval` is the wall time between flushes in s: what a killed run loses at most. Use it as
a context manager: it is closed with the last complete step whatever happens inside.
`Simulation.run(record=path)` does all this.

>>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", duration=0.01)
>>> with vinci.Recorder(tmp / "ball.h5", sim) as recorder:
...     while not sim.finished:
...         _ = sim.step()
...         recorder.after_step()
>>> len(vinci.Recording(tmp / "ball.h5"))
11)");
  recorder.def(py::init(&record), "path"_a, "simulation"_a, "overwrite"_a = false,
               "flush_interval"_a = Recorder::default_flush_interval);
  recorder.def_static("resume", &resume, "path"_a, "simulation"_a,
                      "flush_interval"_a = Recorder::default_flush_interval,
                      R"(Continues a recording after its last complete frame.

The simulation is made of the same scene, options and code, and is set to the state of that frame.

>>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", duration=0.01)
>>> _ = sim.run(until=0.005, record=tmp / "part.h5")
>>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml", duration=0.01)
>>> with vinci.Recorder.resume(tmp / "part.h5", sim) as recorder:
...     print(sim.state.step)
5)");
  recorder.def("after_step", &RecorderHandle::after_step,
               "To be called after every step: takes a frame when one is due.");
  recorder.def(
      "flush", [](RecorderHandle& r) { r.get().flush(); }, "Writes all frames taken so far.");
  recorder.def("finish", &RecorderHandle::finish,
               "Writes the last frame and the summary, and closes; a second time nothing.");
  recorder.def_property_readonly("closed", [](const RecorderHandle& r) { return !r.is_open(); });
  recorder.def_property_readonly("simulation", [](const RecorderHandle& r) { return r.owner(); });
  recorder.def("__enter__", [](const py::object& self) { return self; });
  recorder.def("__exit__", [](RecorderHandle& r, const py::args&) { r.finish(); });
}

}  // namespace vinci::python
