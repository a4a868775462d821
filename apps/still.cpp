// SPDX-License-Identifier: Apache-2.0
#include "apps/still.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"
#include "vinci/recording/recorder.h"
#include "vinci/robots/robot_file.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

bool is_scene(const std::string& ending) {
  return ending == ".yaml" || ending == ".yml";
}

bool is_robot(const std::string& ending) {
  return ending == ".urdf" || ending == ".sdf" || ending == ".mjcf" || ending == ".xml";
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A scene of one robot: `robots` says all that is to be said of how its file is read.
fs::path robot_scene_file(const fs::path& file, const std::string& key,
                          const std::vector<std::string>& search, const fs::path& folder) {
  std::string name = file.stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_'; }, '_');
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "robot" + name;
  const fs::path scene = folder / (name + ".yaml");
  std::ofstream out(scene);
  out << "title: " << quoted(file.filename().string()) << "\nworld: spatial\nrobots:\n  " << name
      << ": {" << key << ": " << quoted(fs::relative(file, folder).string());
  for (std::size_t i = 0; i < search.size(); ++i)
    out << (i == 0 ? ", search: [" : ", ") << quoted(fs::relative(search[i], folder).string());
  out << (search.empty() ? "}\n" : "]}\n");
  if (!out.flush()) throw Failure("cannot be written", scene.string());
  return scene;
}

// Mistakes and what is left out are told with the name of the file as it was given.
void tell_remarks(const RobotDescription& robot) {
  for (const auto* remarks : {&robot.warnings, &robot.left_out})
    for (const RobotDescription::Remark& remark : *remarks)
      say(stderr, "note: {}: {}\n", robot.where(remark.place), remark.text);
}

void record_start(const Scene& scene, const fs::path& file) {
  const Simulation simulation(scene);
  Recorder recorder(file, simulation);
  recorder.finish(simulation);
}

}  // namespace

Stills::Stills(const std::vector<std::string>& files, const std::vector<std::string>& allowed) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path file = files[i];
    const std::string ending = file.extension().string();
    if (!is_scene(ending) && !is_robot(ending)) {
      recordings_.push_back(file);
      continue;
    }
    if (!fs::exists(file)) throw Error("there is no such file", files[i]);
    // Of its own: two files may have one name.
    const fs::path folder = folder_.path() / std::to_string(i);
    fs::create_directory(folder);
    std::vector<fs::path> readable(allowed.begin(), allowed.end());
    recordings_.push_back(folder / (file.stem().string() + ".h5"));
    if (is_scene(ending)) {
      const Scene scene = Scene::load(file, {}, readable);
      for (const std::string& note : scene.notes()) say(stderr, "note: {}\n", note);
      record_start(scene, recordings_.back());
      continue;
    }
    const RobotDescription robot = read_robot(file, {readable, {}, false});
    tell_remarks(robot);
    const fs::path scene = robot_scene_file(file, robot.format, allowed, folder);
    readable.push_back(fs::absolute(file).parent_path());
    record_start(Scene::load(scene, {}, readable), recordings_.back());
  }
}

}  // namespace vinci
