// SPDX-License-Identifier: Apache-2.0
// Recordings: reading runs. Long reads are done in parts, between which Ctrl-C is heard.
#include "vinci/recording/recording.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "python/core/core.h"
#include "python/core/events.h"
#include "vinci/recording/frame_fields.h"

namespace vinci::python {
namespace {

constexpr std::int64_t part_bytes = 16 << 20;

// A column of the array that shows frames, and how a frame's value gets into it.
struct Column {
  const char* type;    // of numpy
  std::size_t offset;  // in the row
  std::function<void(const FrameInfo&, char*)> put;
};

template <class Number, class Get>
Column column(const char* type, Get get) {
  return {type, 0, [get](const FrameInfo& info, char* to) {
            const auto number = static_cast<Number>(get(info));
            std::memcpy(to, &number, sizeof number);
          }};
}

Column own_column(const FrameField& field) {
  const auto real = [own = field.own](const FrameInfo& f) { return std::get<double>(own(f)); };
  const auto whole = [own = field.own](const FrameInfo& f) {
    return std::get<std::int64_t>(own(f));
  };
  if (std::holds_alternative<double>(field.own({}))) return column<double>("f8", real);
  return field.wide ? column<std::int64_t>("i8", whole) : column<std::int32_t>("i4", whole);
}

// Enumerations are numbers here, as they are in the file.
Column report_column(const FrameField& field) {
  return std::visit(
      [&](auto place) -> Column {
        using Value = std::remove_reference_t<decltype(place(std::declval<StepReport&>()))>;
        const auto get = [place](const FrameInfo& f) { return at(place, f.report); };
        if constexpr (std::is_same_v<Value, double>)
          return column<double>("f8", get);
        else if constexpr (std::is_same_v<Value, bool>)
          return column<bool>("?", get);
        else if constexpr (std::is_same_v<Value, StageSeconds>)
          return column<StageSeconds>("(4,)f8", get);
        else if constexpr (std::is_pointer_v<Value>)
          throw Error("is a text, and has no column", field.name);
        else
          return field.wide ? column<std::int64_t>("i8", get) : column<std::int32_t>("i4", get);
      },
      field.step->place);
}

// The array's rows; every column begins at a multiple of eight bytes.
struct FrameTable {
  std::vector<Column> columns;
  std::size_t bytes = 0;
  py::dtype type;

  FrameTable() {
    for (const FrameField& field : frame_fields()) {
      columns.push_back(field.step == nullptr ? own_column(field) : report_column(field));
      columns.back().offset = bytes;
      bytes += std::holds_alternative<StageSeconds>(field.value({})) ? sizeof(StageSeconds) : 8;
    }
    RowType row(bytes);
    for (std::size_t i = 0; i < columns.size(); ++i)
      row.field(frame_fields()[i].name, columns[i].type,
                static_cast<std::ptrdiff_t>(columns[i].offset));
    type = row.dtype();
  }
};

// Lives as long as the process: arrays of its type may outlive the module.
const FrameTable& frame_table() {
  static const auto* const table = new FrameTable;
  return *table;
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
  const FrameTable& table = frame_table();
  std::vector<char> rows(static_cast<std::size_t>(count) * table.bytes);
  char* to = rows.data();
  in_parts({first, count, stride}, part_bytes / static_cast<std::int64_t>(sizeof(FrameInfo)),
           [&](const FrameRange& part, std::int64_t) {
             for (const FrameInfo& info : handle.get().infos(part)) {
               for (const Column& each : table.columns) each.put(info, to + each.offset);
               to += table.bytes;
             }
           });
  return owning(table.type, {count}, std::move(rows));
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

py::array joints_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                           std::int64_t stride) {
  const Recording& recording = handle.get();
  const auto width = static_cast<py::ssize_t>(recording.joint_columns().size());
  return numbers({first, count, stride}, {width},
                 [&](const FrameRange& part) { return recording.joints(part); });
}

py::array controls_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                             std::int64_t stride) {
  const Recording& recording = handle.get();
  const auto width = static_cast<py::ssize_t>(recording.control_columns().size());
  return numbers({first, count, stride}, {width},
                 [&](const FrameRange& part) { return recording.controls(part); });
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

// Of the frames from `first` up to, but without, `end`.
py::tuple events_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t end) {
  std::vector<RecordedEvent> events;
  in_parts({first, std::max<std::int64_t>(0, end - first), 1}, 4096,
           [&](const FrameRange& part, std::int64_t) {
             const std::vector<RecordedEvent> read =
                 handle.get().events(part.first, part.first + part.count - 1);
             events.insert(events.end(), read.begin(), read.end());
           });
  return event_table(std::move(events), EventNames(handle.get().model_json(0)));
}

// With the number of rows before those of each frame, and of all.
py::tuple modes_of_frames(RecordingHandle& handle, std::int64_t first, std::int64_t count,
                          std::int64_t stride) {
  std::vector<std::int64_t> starts = {0};
  std::vector<ConstraintMode> rows;
  in_parts({first, count, stride}, 4096, [&](const FrameRange& part, std::int64_t) {
    const ModeRows read = handle.get().modes(part);
    const std::int64_t before = starts.back();
    for (std::size_t i = 1; i < read.starts.size(); ++i) starts.push_back(before + read.starts[i]);
    rows.insert(rows.end(), read.rows.begin(), read.rows.end());
  });
  const auto ends = static_cast<py::ssize_t>(starts.size());
  return py::make_tuple(mode_table(std::move(rows), EventNames(handle.get().model_json(0))),
                        owning(py::dtype::of<std::int64_t>(), {ends}, std::move(starts)));
}

// As (step, part, island, number, {body: velocity}, [state]).
py::list motions_of(RecordingHandle& handle, std::int64_t frame) {
  py::list list;
  for (const RecordedMotion& motion : handle.get().motions(frame)) {
    py::dict bodies;
    for (const FoundMotion::Moved& moved : motion.bodies) {
      const Vector3 &v = moved.twist.linear, &w = moved.twist.angular;
      bodies[py::cast(handle.get().body_names()[static_cast<std::size_t>(moved.body)])] =
          std::vector<double>{v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
    }
    py::list states;
    for (const FoundMotion::Touched& touched : motion.contacts)
      states.append(to_string(touched.state));
    list.append(
        py::make_tuple(motion.step, motion.part, motion.island, motion.number, bodies, states));
  }
  return list;
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
  const RunSummary summary = handle.get().summary();
  py::dict values;
  for (const SummaryField& field : summary_fields())
    values[field.name] = py::cast(field.value(summary));
  return values;
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
  recording.def("_joints", &joints_of_frames);
  recording.def("_control_columns", [](RecordingHandle& r) { return r.get().control_columns(); });
  recording.def("_controls", &controls_of_frames);
  recording.def("_joint_columns", [](RecordingHandle& r) { return r.get().joint_columns(); });
  recording.def("_contacts", &contacts_of_frames);
  recording.def("_motions", &motions_of);
  recording.def("_events", &events_of_frames);
  recording.def("_modes", &modes_of_frames);
  recording.def_property_readonly(
      "is_event_driven", [](RecordingHandle& r) { return r.get().is_event_driven(); },
      "Whether an event-driven stepper made it; others have no events and no modes.");
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
      "scene_text", [](RecordingHandle& r) { return readable(r.get().scene_text()); },
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
      [](RecordingHandle& r, const std::filesystem::path& folder) {
        return export_csv(r.get(), folder);
      },
      "folder"_a,
      "Writes `steps.csv`, `states.csv`, `contacts.csv` and further tables of what the run has "
      "into "
      "the folder, which is made; their names.");
}

}  // namespace vinci::python
