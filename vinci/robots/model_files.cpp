// SPDX-License-Identifier: Apache-2.0
#include "vinci/robots/model_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/input_file.h"

namespace vinci {

namespace {
constexpr std::uintmax_t most_robot_mesh_bytes = 256u << 20;
}  // namespace

ModelFiles::ModelFiles(const std::filesystem::path& model, const RobotReading& reading)
    : is_text_(false), folder_(model.parent_path()), search_(reading.search) {
  if (folder_.empty()) folder_ = ".";
  const auto add = [&](const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::path real = std::filesystem::canonical(folder, error);
    if (!error) roots_.push_back(std::move(real));
  };
  add(folder_);
  for (const std::filesystem::path& folder : reading.search) add(folder);
  for (const std::filesystem::path& folder : reading.allowed) add(folder);
}

std::string ModelFiles::place_problem(const std::filesystem::path& path) const {
  std::error_code error;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  const auto holds = [&](const std::filesystem::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first ==
           folder.end();
  };
  if (!error && std::any_of(roots_.begin(), roots_.end(), holds)) return "";
  return "the file is outside of the model's folder; accepted: files in it, or in a folder that "
         "`search` names";
}

ModelFiles::Found ModelFiles::looked_up(const std::string& name, const std::string& folder) const {
  namespace fs = std::filesystem;
  if (name.empty() || name.find('\0') != std::string::npos) return {"", "this names no file"};
  std::vector<fs::path> candidates;
  const std::size_t scheme = name.find("://");
  if (scheme == std::string::npos) {
    candidates.push_back(fs::path(name).is_absolute() ? fs::path(name) : folder_ / folder / name);
  } else {
    const std::string kind = name.substr(0, scheme), rest = name.substr(scheme + 3);
    if (kind == "file") {
      candidates.push_back(rest);
    } else if (kind == "package" || kind == "model") {
      const std::size_t slash = rest.find('/');
      if (slash == std::string::npos || slash == 0 || slash + 1 == rest.size())
        return {"", fmt::format("accepted: {}://NAME/FILE", kind)};
      const std::string package = rest.substr(0, slash), file = rest.substr(slash + 1);
      std::vector<fs::path> places{folder_};
      places.insert(places.end(), search_.begin(), search_.end());
      for (const fs::path& place : places) {
        candidates.push_back(place / package / file);
        std::error_code error;
        if (fs::canonical(place, error).filename() == package) candidates.push_back(place / file);
      }
    } else {
      return {"", fmt::format("'{}' is not read; accepted: a file, package://, model:// or file://",
                              kind.substr(0, 20))};
    }
  }
  std::string first_problem;
  for (const fs::path& candidate : candidates) {
    std::string problem = place_problem(candidate);
    if (problem.empty()) problem = input_problem(candidate, most_robot_mesh_bytes);
    if (problem.empty()) {
      std::error_code error;
      return {fs::canonical(candidate, error).string(), ""};
    }
    if (first_problem.empty()) first_problem = problem;
  }
  if (scheme != std::string::npos && name[0] != 'f' && first_problem == "there is no such file")
    first_problem = "there is no such file in the model's folder nor in those that `search` names";
  return {"", first_problem};
}

ModelFiles::Found ModelFiles::mesh(const std::string& name, const std::string& folder) const {
  std::string ending = std::filesystem::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (ending != ".stl" && ending != ".obj") return {"", "accepted: .stl and .obj files"};
  if (is_text_) return {name, ""};
  return looked_up(name, folder);
}

ModelFiles::Found ModelFiles::model(const std::string& name) const {
  if (is_text_) return {"", "a model given as text includes no files; read it from a file"};
  Found found = looked_up(name, "");
  if (found.problem.empty()) found.problem = input_problem(found.path, max_robot_bytes);
  if (!found.problem.empty()) found.path.clear();
  return found;
}

}  // namespace vinci
