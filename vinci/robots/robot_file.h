// SPDX-License-Identifier: Apache-2.0
// Model files of robots: URDF, and subsets of MJCF and SDF. All mistakes of a file are told at
// once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/base/error.h"
#include "vinci/robots/description.h"

namespace vinci {

inline constexpr std::size_t max_robot_bytes = 8u << 20;  // of one file
inline constexpr std::size_t max_robot_elements = 100'000;
inline constexpr int max_robot_depth = 64;
inline constexpr std::size_t max_robot_links = 2'000;        // and as many joints
inline constexpr std::size_t max_robot_geometries = 10'000;  // visuals and collisions
inline constexpr std::size_t max_robot_value = 16'384;       // characters of an attribute or text
inline constexpr std::size_t max_robot_name = 256;           // characters of a name

struct RobotMistake {
  std::string file;
  int line = 0;  // from 1; 0 if the mistake has no place
  std::string message;
  std::string text() const;  // file:line: message
};

class RobotError : public Error {
 public:
  explicit RobotError(std::vector<RobotMistake> mistakes);
  const std::vector<RobotMistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<RobotMistake> mistakes_;
};

struct RobotReading {
  // Folders in which `package://` and `model://` names are looked for, and whose files may be read.
  std::vector<std::filesystem::path> search;
  std::vector<std::filesystem::path> allowed;  // further folders that may be read
  bool strict = false;                         // warnings are mistakes
};

// The format is told by the ending (.urdf, .sdf, .mjcf), or by the first element. Nothing outside
// of the file's folder is read, but for folders that `reading` names. Throws RobotError.
RobotDescription read_robot(const std::filesystem::path& file, const RobotReading& reading = {});

// The same of a text, which reads no other files: meshes are taken for granted.
RobotDescription parse_robot(std::string_view text, const std::string& name = "robot",
                             const RobotReading& reading = {});

}  // namespace vinci
