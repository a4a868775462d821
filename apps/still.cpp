// SPDX-License-Identifier: Apache-2.0
#include "apps/still.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"
#include "vinci/recording/recorder.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

bool is_scene(const std::string& ending) {
  return ending == ".yaml" || ending == ".yml";
}

const char* robot_key(const std::string& ending) {
  if (ending == ".urdf") return "urdf";
  if (ending == ".sdf") return "sdf";
  return ending == ".mjcf" || ending == ".xml" ? "mjcf" : nullptr;
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
      << ": {" << key << ": " << quoted(fs::absolute(file).string());
  for (std::size_t i = 0; i < search.size(); ++i)
    out << (i == 0 ? ", search: [" : ", ") << quoted(fs::absolute(search[i]).string());
  out << (search.empty() ? "}\n" : "]}\n");
  if (!out.flush()) throw Failure("cannot be written", scene.string());
  return scene;
}

void record_start(const Scene& scene, const fs::path& file) {
  for (const std::string& note : scene.notes()) say(stderr, "note: {}\n", note);
  const Simulation simulation(scene);
  Recorder recorder(file, simulation);
  recorder.finish(simulation);
}

}  // namespace

Stills::Stills(const std::vector<std::string>& files, const std::vector<std::string>& allowed) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path file = files[i];
    const std::string ending = file.extension().string();
    const char* const key = robot_key(ending);
    if (!is_scene(ending) && key == nullptr) {
      recordings_.push_back(file);
      continue;
    }
    if (!fs::exists(file)) throw Error("there is no such file", files[i]);
    // Of its own: two files may have one name.
    const fs::path folder = folder_.path() / std::to_string(i);
    fs::create_directory(folder);
    std::vector<fs::path> readable(allowed.begin(), allowed.end());
    fs::path scene = file;
    if (key != nullptr) {
      scene = robot_scene_file(file, key, allowed, folder);
      readable.push_back(fs::absolute(file).parent_path());
    }
    recordings_.push_back(folder / (file.stem().string() + ".h5"));
    record_start(Scene::load(scene, {}, readable), recordings_.back());
  }
}

}  // namespace vinci
