// SPDX-License-Identifier: Apache-2.0
#include "vinci/robots/robot_file.h"

#include <fmt/format.h>

#include "vinci/base/input_file.h"
#include "vinci/robots/readers.h"

namespace vinci {

std::string RobotMistake::text() const {
  return line > 0 ? fmt::format("{}:{}: {}", file, line, message)
                  : fmt::format("{}: {}", file, message);
}

namespace {

std::string joined_mistakes(const std::vector<RobotMistake>& mistakes) {
  std::string text;
  for (const RobotMistake& mistake : mistakes) text += (text.empty() ? "" : "\n") + mistake.text();
  return text;
}

void read_root(const RobotSource& source) {
  const std::string& name = source.root.name;
  if (name == "robot") {
    read_urdf(source);
  } else if (name == "mujoco") {
    read_mjcf(source);
  } else if (name == "sdf") {
    read_sdf(source);
  } else {
    source.findings.mistake(source.root.place,
                            fmt::format("the document is a {}; accepted: <robot> (URDF), <mujoco> "
                                        "(MJCF) or <sdf>",
                                        tag(source.root)));
  }
}

RobotDescription read_text(std::string_view text, const std::string& name, const ModelFiles& files,
                           bool strict) {
  RobotDescription robot;
  robot.files.push_back(name);
  Findings findings(robot);
  try {
    const XmlElement root = read_xml(text, 0, findings);
    if (!root.name.empty()) {
      read_root({root, files, robot, findings});
      check_robot(robot, findings);
    }
    if (strict)
      for (const RobotDescription::Remark& warning : robot.warnings)
        findings.mistake(warning.place, warning.text);
  } catch (const TooManyRobotMistakes&) {
  }
  if (!findings.none()) throw RobotError(findings.take());
  return robot;
}

}  // namespace

RobotError::RobotError(std::vector<RobotMistake> mistakes)
    : Error(joined_mistakes(mistakes)), mistakes_(std::move(mistakes)) {}

RobotDescription read_robot(const std::filesystem::path& file, const RobotReading& reading) {
  if (const std::string problem = input_problem(file, max_robot_bytes); !problem.empty())
    throw RobotError({{file.string(), 0, problem}});
  return read_text(read_input(file, max_robot_bytes), file.string(), ModelFiles(file, reading),
                   reading.strict);
}

RobotDescription parse_robot(std::string_view text, const std::string& name,
                             const RobotReading& reading) {
  return read_text(text, name, ModelFiles(), reading.strict);
}

bool find_mesh(const RobotSource& source, RobotGeometry& geometry, const std::string& name,
               bool is_visual, const std::string& folder) {
  const ModelFiles::Found found = source.files.mesh(name, folder);
  geometry.kind = RobotShapeKind::mesh;
  geometry.file = found.path;
  if (found.problem.empty()) return true;
  const std::string text = fmt::format("mesh {}: {}", quote(name), found.problem);
  if (is_visual)
    source.findings.leave_out(geometry.place, "visual " + text);
  else
    source.findings.mistake(geometry.place, text);
  return false;
}

Vector3 unit_axis(const Vector3& axis, const RobotPlace& place, Findings& findings) {
  const double size = axis.cwiseAbs().maxCoeff();
  if (!(size > 0.0)) {
    findings.mistake(place, "the axis has no length; accepted: 3 numbers that are not all 0");
    return Vector3::UnitZ();
  }
  const Vector3 scaled = axis / size;  // squares of large numbers are beyond all numbers
  return scaled / scaled.norm();
}

}  // namespace vinci
