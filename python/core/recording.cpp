// SPDX-License-Identifier: Apache-2.0
// Recordings: reading runs. Long reads are done in parts, between which Ctrl-C is heard.
#include "vinci/recording/recording.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "python/core/core.h"

namespace vinci::python {
namespace {

constexpr std::int64_t part_bytes = 16 << 20;

const py::dtype& frame_type() {
  static const py::dtype* const type = [] {
    const FrameInfo f{};
    const auto at = [&](const auto& member) { return offset_in(f, member); };
    return new py::dtype(RowType(sizeof f)
                             .field("step", "i8", at(f.step))
                             .field("time", "f8", at(f.time))
                             .field("contacts", "i4", at(f.contacts))
                             .field("active", "i4", at(f.active))
                             .field("iterations", "i4", at(f.iterations))
                             .field("passes", "i4", at(f.passes))
                             .field("status", "i4", at(f.status))
                             .field("model", "i4", at(f.model))
                             .field("residual", "f8", at(f.residual))
                             .field("velocity_residual", "f8", at(f.velocity_residual))
                             .field("impulse_residual", "f8", at(f.impulse_residual))
                             .field("penetration", "f8", at(f.penetration))
                             .field("kinetic", "f8", at(f.kinetic))
                             .field("potential", "f8", at(f.potential))
                             .field("seconds", "(4,)f8", at(f.seconds))
                             .field("fell_back", "?", at(f.fell_back))
                             .field("free_motions", "i4", at(f.free_motions))
                             .field("substeps", "i8", at(f.substeps))
                             .field("impacts", "i8", at(f.impacts))
                             .dtype());
  }();
  return *type;
}

class RecordingHandle {
 public:
  explicit RecordingHandle(const std::filesystem::path& path) : recording_(path) {}
  Recording& get() {
    if (!recording_) throw Error("is closed", "recording");
    return *recording_;
  }
  void close() { recording_.reset(); }
  bool is_open() const { return recording_.has_value(); }

 private:
  std::optional<Recording> recording_;
};

// Calls read(range) on parts of `frames_a_part` frames.
template <class Read>
void in_parts(const FrameRange& range, std::int64_t frames_a_part, Read read) {
  const std::int64_t most = std::max<std::int64_t>(1, frames_a_part);
  for (std::int64_t done = 0; done < range.count; done += most) {
    read(FrameRange{range.first + done * range.stride, std::min(most, range.count - done),
                    range.stride},
         done);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

// An array of doubles, `width` of them a frame.
template <class Read>
py::array numbers(const FrameRange& range, std::vector<py::ssize_t> shape, Read read) {
  std::int64_t width = 1;
  for (const py::ssize_t size : shape) width *= size;
  shape.insert(shape.begin(), range.count);
  py::array_t<double> array(shape);
  in_parts(range, part_bytes / std::max<std::int64_t>(8, 8 * width),
           [&](const FrameRange& part, std::int64_t done) {
             const std::vector<double> rows = read(part);
             if (!rows.empty())
               std::memcpy(array.mutable_data() + done * width, rows.data(),
                           rows.size() * sizeof(double));
           });
  return array;
}

py::array frames_of(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                    std::int64_t stride) {
  std::vector<FrameInfo> infos;
  infos.reserve(static_cast<std::size_t>(count));
  in_parts({first, count, stride}, part_bytes / static_cast<std::int64_t>(sizeof(FrameInfo)),
           [&](const FrameRange& part, std::int64_t) {
             const auto rows = handle.get().infos(part);
             infos.insert(infos.end(), rows.begin(), rows.end());
           });
  return owning(frame_type(), {count}, std::move(infos));
}

py::array poses_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                          std::int64_t stride, int body) {
  const Recording& recording = handle.get();
  const auto bodies = static_cast<py::ssize_t>(recording.body_names().size());
  std::vector<py::ssize_t> shape = {7};
  if (body < 0) shape.insert(shape.begin(), bodies);
  return numbers({first, count, stride}, std::move(shape),
                 [&](const FrameRange& part) { return recording.poses(part, body); });
}

py::array velocities_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                               std::int64_t stride, int body) {
  const Recording& recording = handle.get();
  py::ssize_t width = 0;
  const int bodies = static_cast<int>(recording.body_names().size());
  for (int b = 0; b < bodies; ++b)
    if (body < 0 || b == body) width += recording.velocity_entries(b).second;
  return numbers({first, count, stride}, {width},
                 [&](const FrameRange& part) { return recording.velocities(part, body); });
}

py::array elements_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                             std::int64_t stride) {
  const Recording& recording = handle.get();
  const auto width = static_cast<py::ssize_t>(recording.element_columns().size());
  return numbers({first, count, stride}, {width},
                 [&](const FrameRange& part) { return recording.elements(part); });
}

py::tuple contacts_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                             std::int64_t stride) {
  std::vector<std::int64_t> starts = {0};
  std::vector<ContactRow> rows;
  in_parts({first, count, stride}, 256, [&](const FrameRange& part, std::int64_t) {
    const ContactRows read = handle.get().contacts(part);
    const std::int64_t before = starts.back();
    for (std::size_t i = 1; i < read.starts.size(); ++i) starts.push_back(before + read.starts[i]);
    rows.insert(rows.end(), read.rows.begin(), read.rows.end());
  });
  const auto size = static_cast<py::ssize_t>(rows.size());
  const auto ends = static_cast<py::ssize_t>(starts.size());
  return py::make_tuple(owning(contact_row_type(), {size}, std::move(rows)),
                        owning(py::dtype::of<std::int64_t>(), {ends}, std::move(starts)));
}

Bodies bodies_of(const Recording& recording) {
  auto table = std::make_shared<BodyTable>();
  table->names = recording.body_names();
  for (int body = 0; body < static_cast<int>(table->names.size()); ++body) {
    const auto [first, count] = recording.velocity_entries(body);
    table->offsets.push_back(first);
    table->sizes.push_back(count);
  }
  return table;
}

py::dict summary_of(RecordingHandle& handle) {
  const RunSummary s = handle.get().summary();
  return py::dict(
      "steps"_a = s.steps, "inexact_steps"_a = s.inexact_steps,
      "worst_residual"_a = s.worst_residual, "worst_residual_step"_a = s.worst_residual_step,
      "worst_penetration"_a = s.worst_penetration, "contacts_max"_a = s.contacts_max,
      "contacts_mean"_a = s.contacts_mean, "iterations_mean"_a = s.iterations_mean,
      "energy_first"_a = s.energy_first, "energy_last"_a = s.energy_last,
      "wall_seconds"_a = s.wall_seconds, "stage_seconds"_a = s.stage_seconds,
      "fallback_steps"_a = s.fallback_steps, "free_steps"_a = s.free_steps,
      "substeps"_a = s.substeps, "coarse_steps"_a = s.coarse_steps, "impacts"_a = s.impacts,
      "free_body"_a = s.free_body, "ending"_a = s.ending, "diverged"_a = s.diverged,
      "diverged_body"_a = s.diverged_body, "state_hash"_a = s.state_hash);
}

std::vector<std::string> freedoms_of(RecordingHandle& handle) {
  std::vector<std::string> names;
  for (const Freedom freedom : handle.get().freedoms()) names.emplace_back(to_string(freedom));
  return names;
}

}  // namespace

// The rest is in vinci/recording.py.
void add_recording(py::module_& module) {
  py::class_<RecordingHandle> recording(module, "Recording");
  recording.def(py::init<const std::filesystem::path&>(), "path"_a);
  recording.def("close", &RecordingHandle::close,
                "Closes the file; arrays and states that were read stay.");
  recording.def_property_readonly("closed", [](const RecordingHandle& r) { return !r.is_open(); });
  recording.def("_frames", &frames_of);
  recording.def("_poses", &poses_of_frames);
  recording.def("_velocities", &velocities_of_frames);
  recording.def("_elements", &elements_of_frames);
  recording.def("_element_columns", [](RecordingHandle& r) { return r.get().element_columns(); });
  recording.def("_contacts", &contacts_of_frames);
  recording.def("_state", [](RecordingHandle& r, std::int64_t frame) {
    return StateHandle{std::make_shared<State>(r.get().state(frame)), bodies_of(r.get())};
  });
  recording.def("_summary", &summary_of);
  recording.def("_freedoms", &freedoms_of);
  recording.def("_model",
                [](RecordingHandle& r, int version) { return r.get().model_json(version); });
  recording.def("_options", [](RecordingHandle& r) { return r.get().options_json(); });
  recording.def("_velocity_entries",
                [](RecordingHandle& r, int body) { return r.get().velocity_entries(body); });
  recording.def("__len__", [](RecordingHandle& r) { return r.get().frames(); });
  recording.def_property_readonly("path", [](RecordingHandle& r) { return r.get().path(); });
  recording.def_property_readonly(
      "finished", [](RecordingHandle& r) { return r.get().finished(); },
      "Its writer closed it properly.");
  recording.def_property_readonly(
      "has_writer", [](RecordingHandle& r) { return r.get().has_writer(); },
      "A run was writing it when it was opened.");
  recording.def_property_readonly(
      "total_steps", [](RecordingHandle& r) { return r.get().total_steps(); },
      "Steps that the run is meant to have.");
  recording.def_property_readonly("title", [](RecordingHandle& r) { return r.get().title(); });
  recording.def_property_readonly(
      "version", [](RecordingHandle& r) { return r.get().version(); },
      "Of the program that made it.");
  recording.def_property_readonly(
      "created", [](RecordingHandle& r) { return r.get().created(); }, "UTC, ISO 8601.");
  recording.def_property_readonly(
      "scene_text", [](RecordingHandle& r) { return r.get().scene_text(); },
      "The scene it was made of, as one text.");
  recording.def_property_readonly("body_names",
                                  [](RecordingHandle& r) { return r.get().body_names(); });
  recording.def_property_readonly(
      "models", [](RecordingHandle& r) { return r.get().models(); },
      "Number of compiled models: one more for each change of parameters.");
  recording.def(
      "refresh", [](RecordingHandle& r) { r.get().refresh(); },
      "Looks again how many frames are complete, if a run is writing the file.");
  recording.def(
      "to_csv",
      [](RecordingHandle& r, const std::filesystem::path& folder) { export_csv(r.get(), folder); },
      "folder"_a,
      "Writes `steps.csv`, `states.csv` and `contacts.csv` into the folder, which is made.");
}

}  // namespace vinci::python
