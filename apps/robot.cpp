// SPDX-License-Identifier: Apache-2.0
// `vinci robot`: what a model file holds; or the scene that it stands for.
#include <fmt/format.h>

#include "apps/command.h"
#include "apps/table.h"
#include "apps/text.h"
#include "vinci/robots/robot_file.h"
#include "vinci/scene/scene_robots.h"

namespace vinci {
namespace {

struct RobotFlags {
  std::string file;
  std::vector<std::string> search;
  bool strict = false, scene = false;
};

// Infinities are null.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json links_json(const RobotDescription& robot) {
  Json links = Json::array();
  for (const RobotLink& link : robot.links) {
    Json json = {{"name", link.name},
                 {"line", link.place.line},
                 {"mass", link.inertial ? link.inertial->mass : 0.0},
                 {"visuals", link.visuals.size()},
                 {"collisions", link.collisions.size()}};
    if (link.inertial) {
      const Vector3& c = link.inertial->pose.position;
      const Matrix3 m = link.inertial->inertia_in_link();
      json["center"] = {c.x(), c.y(), c.z()};
      json["inertia"] = {
          {m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
    }
    links.push_back(std::move(json));
  }
  return links;
}

Json joints_json(const RobotDescription& robot) {
  Json joints = Json::array();
  for (const RobotJoint& joint : robot.joints) {
    Json json = {{"name", joint.name},
                 {"line", joint.place.line},
                 {"kind", to_string(joint.kind)},
                 {"parent", joint.parent},
                 {"child", joint.child},
                 {"axis", {joint.axis.x(), joint.axis.y(), joint.axis.z()}}};
    Json freedoms = Json::array();
    for (const RobotFreedom& freedom : joint.freedoms)
      freedoms.push_back({{"lower", finite(freedom.lower)},
                          {"upper", finite(freedom.upper)},
                          {"effort", finite(freedom.effort)},
                          {"velocity", finite(freedom.velocity)},
                          {"damping", freedom.damping},
                          {"friction", freedom.friction},
                          {"armature", freedom.armature}});
    json["freedoms"] = freedoms;
    if (joint.mimic)
      json["mimic"] = {{"joint", joint.mimic->joint},
                       {"multiplier", joint.mimic->multiplier},
                       {"offset", joint.mimic->offset}};
    joints.push_back(std::move(json));
  }
  return joints;
}

Json remarks_json(const RobotDescription& robot,
                  const std::vector<RobotDescription::Remark>& remarks) {
  Json list = Json::array();
  for (const RobotDescription::Remark& remark : remarks)
    list.push_back(
        {{"where", robot.where(remark.place)}, {"text", remark.text}, {"count", remark.count}});
  return list;
}

std::string range_text(const RobotJoint& joint) {
  if (joint.freedoms.size() != 1 || !joint.freedoms[0].is_limited()) return "-";
  return fmt::format("{} to {}", short_number(joint.freedoms[0].lower),
                     short_number(joint.freedoms[0].upper));
}

void print_joints(const RobotDescription& robot) {
  std::vector<Column> columns{{"", "joint", {}, true},  {"", "kind", {}, true},
                              {"", "parent", {}, true}, {"", "child", {}, true},
                              {"limits", "rad or m"},   {"effort", "N m or N"}};
  for (const RobotJoint& joint : robot.joints) {
    const bool single = joint.freedoms.size() == 1;
    const double effort = single ? joint.freedoms[0].effort : infinity;
    const std::string cells[] = {
        shortened(joint.name, 24),   to_string(joint.kind),
        shortened(joint.parent, 20), shortened(joint.child, 20),
        range_text(joint),           effort < infinity ? short_number(effort) : "-"};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].rows.push_back(cells[i]);
  }
  if (robot.joints.empty()) return;
  say(stdout, "\n");
  print_heads(columns);
  for (std::size_t row = 0; row < robot.joints.size(); ++row) print_row(columns, row);
}

void print_links(const RobotDescription& robot) {
  std::vector<Column> columns{{"", "link", {}, true}, {"mass", "kg"}, {"", "shapes"}};
  for (const RobotLink& link : robot.links) {
    columns[0].rows.push_back(shortened(link.name, 32));
    columns[1].rows.push_back(link.has_mass() ? short_number(link.inertial->mass) : "-");
    columns[2].rows.push_back(fmt::format("{}", link.collisions.size()));
  }
  say(stdout, "\n");
  print_heads(columns);
  for (std::size_t row = 0; row < robot.links.size(); ++row) print_row(columns, row);
}

void print_remarks(const RobotDescription& robot, const char* title,
                   const std::vector<RobotDescription::Remark>& remarks) {
  if (remarks.empty()) return;
  say(stdout, "\n{}\n", title);
  for (const RobotDescription::Remark& remark : remarks)
    say(stdout, "  {}: {}{}\n", robot.where(remark.place), remark.text,
        remark.count > 1 ? fmt::format(" ({} times)", remark.count) : "");
}

int run_robot(const RobotFlags& flags, const Command& command) {
  RobotReading reading;
  reading.strict = flags.strict;
  reading.search.assign(flags.search.begin(), flags.search.end());
  const RobotDescription robot = read_robot(flags.file, reading);
  if (flags.scene) {
    const std::string scene = robot_scene(robot);
    if (command.json)
      print({{"ok", true}, {"scene", scene}});
    else
      say(stdout, scene);
    return exit_good;
  }
  int freedoms = 0;
  for (const RobotJoint& joint : robot.joints)
    if (!joint.mimic) freedoms += freedom_count(joint.kind);
  if (command.json) {
    print({{"ok", true},
           {"file", flags.file},
           {"name", robot.name},
           {"format", robot.format},
           {"mass", robot.mass()},
           {"freedoms", freedoms},
           {"base_is_free", robot.base_is_free},
           {"links", links_json(robot)},
           {"joints", joints_json(robot)},
           {"actuators", robot.actuators.size()},
           {"constraints", robot.constraints.size()},
           {"warnings", remarks_json(robot, robot.warnings)},
           {"left_out", remarks_json(robot, robot.left_out)}});
    return exit_good;
  }
  say(stdout, "{} ({}): {}, {}, {}, {} kg\n", robot.name, robot.format,
      plural(static_cast<std::int64_t>(robot.links.size()), "link"),
      plural(static_cast<std::int64_t>(robot.joints.size()), "joint"), plural(freedoms, "freedom"),
      short_number(robot.mass()));
  print_links(robot);
  print_joints(robot);
  print_remarks(robot, "Warnings", robot.warnings);
  print_remarks(robot, "Left out", robot.left_out);
  return exit_good;
}

}  // namespace

void add_robot(CLI::App& app, Command& command) {
  auto flags = std::make_shared<RobotFlags>();
  CLI::App* subcommand =
      add_subcommand(app, "robot", "Show what a robot's model file holds, or the scene it makes.");
  subcommand->add_option("model", flags->file, "The model file (URDF, MJCF or SDF).")
      ->type_name("")
      ->required();
  subcommand->add_option("--search", flags->search, "A folder for package:// names and meshes.")
      ->type_name("FOLDER");
  subcommand->add_flag("--strict", flags->strict, "Warnings are mistakes.");
  subcommand->add_flag("--scene", flags->scene, "Write the scene that the model stands for.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_robot(*flags, command); };
  });
}

}  // namespace vinci
