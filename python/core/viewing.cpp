// SPDX-License-Identifier: Apache-2.0
// The viewer from Python: its server, pages that hold recordings, pictures and videos. All of it
// reads HDF5, so the GIL is held, and handed around a few times a second.
#include <pybind11/stl/filesystem.h>

#include "python/core/core.h"
#include "vinci/viewing/page.h"
#include "vinci/viewing/render.h"
#include "vinci/viewing/server.h"
#include "vinci/viewing/study_server.h"

namespace vinci::python {
namespace {

using Paths = std::vector<std::filesystem::path>;

// Lets other threads have a turn, and raises KeyboardInterrupt where Ctrl-C was pressed.
bool go_on() {
  { py::gil_scoped_release turn; }
  check_signals();
  return true;
}

py::dict page(const Paths& recordings, const std::filesystem::path& path, bool overwrite,
              double max_size, std::int64_t every, const std::string& comparison) {
  PageOptions options;
  if (!(max_size > 0.0 && max_size <= 2000.0))
    throw Error("accepted: MB, above 0 and at most 2000", "max_size");
  if (every < 0) throw Error("accepted: 0 (as the size demands) or more", "every");
  options.max_bytes = static_cast<std::uint64_t>(max_size * 1e6);
  options.stride = every;
  options.overwrite = overwrite;
  options.comparison = comparison;
  options.go_on = go_on;
  const PageResult result = write_page(path, recordings, options);
  py::list kept;
  for (const PageRun& run : result.runs) kept.append(run.kept);
  return py::dict("bytes"_a = result.bytes, "frames"_a = kept);
}

// The address is reported before it serves.
void serve(const Paths& recordings, int port, const py::function& tell) {
  ServerOptions options;
  options.port = port;
  ViewServer server(recordings, options);
  tell(server.address());
  server.serve(go_on);
}

// The command simulates a case again: its number and the file of the recording are added.
void serve_study(const Study& study, const std::filesystem::path& folder,
                 const std::vector<std::string>& command, int port, const py::function& tell) {
  ServerOptions options;
  options.port = port;
  const auto replay = [command](std::uint64_t number, const std::filesystem::path& file) {
    std::vector<std::string> words = command;
    words.push_back(std::to_string(number));
    words.push_back(file.string());
    return words;
  };
  StudyServer server(StudyWatch(study, {folder}, {"study.repeat(", ")", ", \"case.h5\")"}), replay,
                     options);
  tell(server.address());
  server.serve(go_on);
}

py::dict picture(const Paths& recordings, const std::filesystem::path& path,
                 const py::dict& values) {
  RenderOptions options;
  auto take = [&](const char* name, auto& field) {
    if (!values.contains(name) || values[name].is_none()) return;
    try {
      field = values[name].cast<std::decay_t<decltype(field)>>();
    } catch (const py::cast_error&) {
      throw Error("is of another type, or has another length, than the option takes", name);
    }
  };
  take("width", options.width);
  take("height", options.height);
  take("fps", options.rate);
  take("speed", options.speed);
  take("start", options.from);
  take("stop", options.to);
  take("at", options.at);
  take("theme", options.theme);
  take("layout", options.layout);
  take("contacts", options.contacts);
  take("cones", options.cones);
  take("joints", options.joints);
  take("grasp", options.grasp);
  take("follow", options.follow);
  take("camera", options.camera);
  take("overwrite", options.overwrite);
  options.go_on = go_on;
  const RenderResult result = render(recordings, path, options);
  return py::dict("bytes"_a = result.bytes, "pictures"_a = result.pictures);
}

}  // namespace

void add_viewing(py::module_& module) {
  module.def("_write_page", &page, "recordings"_a, "path"_a, "overwrite"_a, "max_size"_a, "every"_a,
             "comparison"_a = "");
  module.def("_serve", &serve, "recordings"_a, "port"_a, "tell"_a);
  module.def("_serve_study", &serve_study, "study"_a, "folder"_a, "command"_a, "port"_a, "tell"_a);
  module.def("_render", &picture, "recordings"_a, "path"_a, "options"_a);
}

}  // namespace vinci::python
