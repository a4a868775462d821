// SPDX-License-Identifier: Apache-2.0
#include "vinci/scene/scene_robots.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "vinci/robots/robot_file.h"
#include "vinci/scene/robot_nodes.h"
#include "vinci/scene/scene_data.h"

namespace vinci {

namespace {

Node& child_of(Node& parent, const char* key, Node::Kind kind) {
  if (Node* found = parent.find(key)) return *found;
  Node node;
  node.kind = kind;
  node.key = key;
  node.line = node.key_line = parent.line;
  node.file = parent.file;
  parent.children.push_back(std::move(node));
  return parent.children.back();
}

void set_place(Node& node, const Node& place) {
  node.file = place.file;
  node.line = node.key_line = place.key_line > 0 ? place.key_line : place.line;
  for (Node& child : node.children) set_place(child, place);
}

// A scalar that is a number or a constant expression.
std::optional<double> constant_of(const Node& node) {
  if (!node.is_scalar()) return {};
  try {
    const Expression expression = Expression::parse(node.text, {});
    const double value = expression.value({});
    if (std::isfinite(value)) return value;
  } catch (const Error&) {
  }
  return {};
}

std::optional<std::vector<double>> constants_of(const Node* node, std::size_t count) {
  if (!node || !node->is_list() || node->children.size() != count) return {};
  std::vector<double> values;
  for (const Node& child : node->children) {
    const auto value = constant_of(child);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

class Expansion {
 public:
  Expansion(Node& root, const RobotFolders& folders, RobotReport& report)
      : root_(root), folders_(folders), report_(report) {}

  void run() {
    const Node* found = root_.find("robots");
    if (!found) return;
    const Node robots = *found;
    std::erase_if(root_.children, [](const Node& child) { return child.key == "robots"; });
    if (!robots.is_map()) return fail(robots, "not robots by name; accepted: {NAME: {urdf: FILE}}");
    // Those that are attached wait for what they are attached to.
    std::vector<const Node*> waiting;
    for (const Node& robot : robots.children) waiting.push_back(&robot);
    while (!waiting.empty()) {
      std::vector<const Node*> later;
      for (const Node* robot : waiting) {
        if (must_wait(*robot, waiting))
          later.push_back(robot);
        else
          add(*robot);
      }
      if (later.size() == waiting.size()) {
        fail(*later[0], "robots are attached to each other in a circle");
        return;
      }
      waiting = std::move(later);
    }
  }

 private:
  void fail(const Node& node, std::string message) { report_.mistake(node, std::move(message)); }

  static bool must_wait(const Node& robot, const std::vector<const Node*>& waiting) {
    const Node* attach = robot.find("attach");
    if (!attach || !attach->is_scalar()) return false;
    return std::any_of(waiting.begin(), waiting.end(), [&](const Node* other) {
      return attach->text.rfind(other->key + ".", 0) == 0;
    });
  }

  bool check_keys(const Node& robot) {
    if (!robot.is_map()) {
      fail(robot, "not a robot; accepted: {urdf: FILE, base: ..., joints: ...}");
      return false;
    }
    const std::vector<std::string> known{"urdf",   "mjcf",   "sdf",      "base",
                                         "attach", "joints", "collide",  "couplings",
                                         "search", "strict", "material", "meshes"};
    bool fine = true;
    for (const Node& child : robot.children) {
      if (std::find(known.begin(), known.end(), child.key) != known.end()) continue;
      fail(child,
           fmt::format("unknown key{}; accepted: {}", suggestion(child.key, known), listed(known)));
      fine = false;
    }
    return fine;
  }

  bool flag(const Node& robot, const char* key, bool otherwise) {
    const Node* node = robot.find(key);
    if (!node) return otherwise;
    if (node->is_scalar() && (node->text == "true" || node->text == "false"))
      return node->text == "true";
    fail(*node, "accepted: true or false");
    return otherwise;
  }

  std::filesystem::path folder_of(const Node& node) const {
    const auto index = static_cast<std::size_t>(node.file);
    return index < folders_.folders.size() ? folders_.folders[index] : std::filesystem::path();
  }

  // The model file of a robot, read; nothing if there was a mistake.
  std::optional<RobotDescription> read(const Node& robot) {
    const Node* file = nullptr;
    for (const char* format : {"urdf", "mjcf", "sdf"}) {
      const Node* node = robot.find(format);
      if (node && file) {
        fail(*node, "a robot of two model files; accepted: one of urdf, mjcf, sdf");
        return {};
      }
      if (node) file = node;
    }
    if (!file || !file->is_scalar() || file->text.empty()) {
      fail(file ? *file : robot,
           "there is no model file; accepted: urdf: FILE, mjcf: FILE or sdf: "
           "FILE");
      return {};
    }
    if (folders_.is_text) {
      fail(*file, "a scene given as text reads no model files; load it from a file");
      return {};
    }
    RobotReading reading;
    reading.strict = flag(robot, "strict", false);
    reading.allowed = folders_.allowed;
    if (const Node* search = robot.find("search")) {
      if (!search->is_list()) fail(*search, "accepted: a list of folders");
      for (const Node& folder : search->children)
        reading.search.push_back(folder_of(folder) / folder.text);
    }
    const std::filesystem::path path = folder_of(*file) / file->text;
    if (std::filesystem::path(file->text).is_absolute() || !is_allowed(path, reading.search)) {
      fail(*file, fmt::format("{}: the file is outside of the scene's folder; --allow-path FOLDER "
                              "lets scenes read there",
                              in_quotes(file->text)));
      return {};
    }
    try {
      RobotDescription description = read_robot(path, reading);
      if (description.format != file->key) {
        fail(*file, fmt::format("the file is {}; write {}: {}", description.format,
                                description.format, file->text));
        return {};
      }
      for (const auto& warning : description.warnings)
        report_.notes.push_back(
            fmt::format("{}: {}", description.where(warning.place), warning.text));
      for (const auto& remark : description.left_out)
        report_.notes.push_back(
            fmt::format("{}: left out: {}{}", description.where(remark.place), remark.text,
                        remark.count > 1 ? fmt::format(" ({} times)", remark.count) : ""));
      return description;
    } catch (const RobotError& error) {
      for (const RobotMistake& mistake : error.mistakes()) fail(*file, mistake.text());
      return {};
    }
  }

  // Files below the scene's folder, folders that the caller allows, or those of `search` that are
  // themselves allowed.
  bool is_allowed(const std::filesystem::path& path,
                  std::vector<std::filesystem::path>& search) const {
    namespace fs = std::filesystem;
    std::vector<fs::path> roots;
    const auto add_root = [&](const fs::path& folder) {
      std::error_code error;
      fs::path real = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
      if (!error) roots.push_back(std::move(real));
    };
    if (!folders_.folders.empty()) add_root(folders_.folders[0]);
    for (const fs::path& folder : folders_.allowed) add_root(folder);
    const auto holds = [&](const fs::path& file) {
      std::error_code error;
      const fs::path real = fs::weakly_canonical(fs::absolute(file, error), error);
      return !error && std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) {
        return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first ==
               root.end();
      });
    };
    std::erase_if(search, [&](const fs::path& folder) { return !holds(folder); });
    return holds(path);
  }

  // --- base ---

  // Position and rotation as numbers; nothing, and a mistake, if they depend on something.
  std::optional<Pose> numeric_pose(const Node& base) {
    Pose pose;
    if (const Node* position = base.find("position")) {
      const auto p = constants_of(position, 3);
      if (!p) {
        fail(*position, "accepted here: three numbers without parameters");
        return {};
      }
      pose.position = {(*p)[0], (*p)[1], (*p)[2]};
    }
    const Node* rotation = base.find("rotation");
    if (!rotation) return pose;
    const Node *angle_node = rotation->find("angle"), *axis_node = rotation->find("axis");
    if (const auto rpy = constants_of(rotation->find("rpy"), 3)) {
      pose.rotation = rotation_of({(*rpy)[0], (*rpy)[1], (*rpy)[2]});
    } else if (const auto q = constants_of(rotation->find("quaternion"), 4)) {
      pose.rotation = Quaternion((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized();
    } else if (const auto axis = constants_of(axis_node, 3); axis && angle_node) {
      const auto angle = constant_of(*angle_node);
      const Vector3 direction((*axis)[0], (*axis)[1], (*axis)[2]);
      if (!angle || !(direction.norm() > 0.0)) {
        fail(*rotation, "accepted here: a rotation of numbers without parameters");
        return {};
      }
      pose.rotation = exponential(direction.normalized() * *angle);
    } else {
      fail(*rotation,
           "accepted here: {rpy: [...]}, {quaternion: [...]} or {axis: [...], angle: "
           "...} of numbers without parameters");
      return {};
    }
    return pose;
  }

  // Where `attach` leads.
  std::optional<LinkPlace> target(const Node& attach) {
    if (!attach.is_scalar()) {
      fail(attach, "accepted: ROBOT.LINK or the name of a body");
      return {};
    }
    if (const auto found = links_.find(attach.text); found != links_.end()) return found->second;
    const Node* bodies = root_.find("bodies");
    if (bodies && bodies->has(attach.text)) return LinkPlace{attach.text, {}};
    std::vector<std::string> known;
    for (const auto& [name, place] : links_) known.push_back(name);
    if (bodies)
      for (const Node& body : bodies->children)
        if (std::find(known.begin(), known.end(), body.key) == known.end())
          known.push_back(body.key);
    fail(attach, fmt::format("there is no link or body {}{}; accepted: {}", in_quotes(attach.text),
                             suggestion(attach.text, known), listed(known)));
    return {};
  }

  // --- one robot ---

  void add(const Node& robot) {
    if (!check_keys(robot)) return;
    const std::optional<RobotDescription> description = read(robot);
    if (!description) return;
    const Node* base = robot.find("base");
    const Node* attach = robot.find("attach");
    if (base && !base->is_map()) return fail(*base, "accepted: {position: ..., rotation: ...}");
    RobotChoices choices;
    choices.name = robot.key;
    if (const Node* material = robot.find("material")) choices.material = material->text;
    if (const Node* meshes = robot.find("meshes")) {
      choices.exact_meshes = meshes->text == "exact";
      if (meshes->text != "exact" && meshes->text != "hull")
        fail(*meshes, "accepted: hull or exact");
    }
    choices.base_is_free = base ? flag(*base, "free", false) : description->base_is_free;
    const RobotLink& root_link = description->links[0];
    std::optional<Pose> mounted;
    std::optional<LinkPlace> place;
    if (attach) {
      place = target(*attach);
      mounted = base ? numeric_pose(*base) : description->base;
      if (!place || !mounted) return;
      choices.base_is_free = true;  // the joint holds it
      if (!root_link.has_mass()) choices.carrier = {place->body, place->pose * *mounted};
    }
    if (choices.base_is_free && !attach && !root_link.has_mass())
      return fail(base ? *base : robot,
                  fmt::format("the base is free, but its link {} has no mass; accepted: free: "
                              "false, or attach: ...",
                              in_quotes(root_link.name)));
    try {
      RobotNodes nodes = robot_nodes(*description, choices);
      if (attach && choices.carrier.body.empty())
        nodes.joints.insert(nodes.joints.begin(),
                            mount(robot.key, *place, *mounted, nodes.placed[root_link.name].body));
      if (attach) add_mount_exclusions(*place, nodes);
      if (!attach) place_root(nodes.bodies[0], *description, base);
      place_floating(*description, base, nodes);
      override_joints(robot, *description, nodes);
      override_couplings(robot, *description, nodes);
      collide(robot, nodes);
      for (const auto& [link, where] : nodes.placed)
        links_[robot.key + "." + scene_name(link)] = where;
      merge(robot, std::move(nodes));
    } catch (const Error& error) {
      fail(robot, error.what());
    }
  }

  static Node mount(const std::string& name, const LinkPlace& place, const Pose& mounted,
                    const std::string& body) {
    const Pose pose = place.pose * mounted;
    Node node = map_node(name + ".attach", {names_node("fixed", {place.body, body})});
    if (!pose.position.isZero(0.0))
      node.children.push_back(
          list_node("at", {vector_node("", pose.position), vector_node("", Vector3::Zero())}));
    add_rotation(node, pose.rotation);
    return node;
  }

  // The link that carries a robot does not collide with its root.
  static void add_mount_exclusions(const LinkPlace& place, RobotNodes& nodes) {
    if (nodes.bodies.empty() || nodes.bodies[0].key == place.body) return;
    const bool is_there =
        std::any_of(nodes.exclude.begin(), nodes.exclude.end(), [&](const Node& pair) {
          return pair.children[0].text == place.body &&
                 pair.children[1].text == nodes.bodies[0].key;
        });
    if (!is_there) nodes.exclude.push_back(names_node("", {place.body, nodes.bodies[0].key}));
  }

  void place_root(Node& body, const RobotDescription& description, const Node* base) {
    if (!base) {
      add_pose(body, description.base);
      return;
    }
    const std::vector<std::string> known{"position", "rotation", "pose", "velocity",
                                         "spin",     "motion",   "free"};
    for (const Node& child : base->children) {
      if (std::find(known.begin(), known.end(), child.key) == known.end())
        fail(child, fmt::format("unknown key{}; accepted: {}", suggestion(child.key, known),
                                listed(known)));
      else if (child.key != "free")
        body.children.push_back(child);
    }
    if (base->has("motion"))
      std::erase_if(body.children, [](const Node& child) { return child.key == "freedom"; });
  }

  // Links on floating joints begin where the model has them, and are free.
  void place_floating(const RobotDescription& description, const Node* base, RobotNodes& nodes) {
    const bool floats =
        std::any_of(description.joints.begin(), description.joints.end(),
                    [](const RobotJoint& joint) { return joint.kind == RobotJointKind::floating; });
    const std::optional<Pose> start =
        base && floats ? numeric_pose(*base) : std::optional<Pose>(description.base);
    if (start) place_floating_links(description, *start, nodes);
  }

  void override_joints(const Node& robot, const RobotDescription& description, RobotNodes& nodes) {
    std::map<std::string, std::string> starts;  // by joint: an expression
    if (const Node* joints = robot.find("joints")) {
      std::vector<std::string> known;
      for (const auto& [name, scened] : nodes.joint_names) known.push_back(name);
      for (const Node& given : joints->children) {
        const RobotJoint* joint = description.find_joint(given.key);
        if (!joint || joint->freedoms.empty()) {
          fail(given,
               fmt::format("there is no joint {} that moves{}; accepted: {}", in_quotes(given.key),
                           suggestion(given.key, known), listed(known)));
          continue;
        }
        if (!given.is_map()) {
          fail(given, "accepted: {position: ..., motor: {...}}");
          continue;
        }
        if (const Node* start = given.find("position"); start && start->is_scalar())
          starts[given.key] = start->text;
        override_keys(given, *joint, nodes.joint_names[given.key], nodes.joints);
      }
    }
    // Those that follow begin where their leader wants them.
    for (const RobotJoint& joint : description.joints) {
      if (!joint.mimic || starts.count(joint.name) > 0) continue;
      const std::string start = start_of(joint, description, starts);
      if (start != "0")
        set_key(nodes.joints, nodes.joint_names[joint.name], scalar_node("position", start));
    }
  }

  static std::string start_of(const RobotJoint& joint, const RobotDescription& description,
                              const std::map<std::string, std::string>& starts) {
    if (const auto given = starts.find(joint.name); given != starts.end()) return given->second;
    const RobotFreedom& freedom = joint.freedoms[0];
    if (!joint.mimic)
      return fmt::format("{}", std::clamp(0.0, std::min(freedom.lower, freedom.upper),
                                          std::max(freedom.lower, freedom.upper)) +
                                   0.0);
    const std::string leader =
        start_of(*description.find_joint(joint.mimic->joint), description, starts);
    const bool is_zero = leader == "0" || joint.mimic->multiplier == 0.0;
    if (is_zero) return fmt::format("{}", joint.mimic->offset + 0.0);
    return joint.mimic->offset == 0.0 ? fmt::format("{}*({})", joint.mimic->multiplier, leader)
                                      : fmt::format("{}*({}) + ({})", joint.mimic->multiplier,
                                                    leader, joint.mimic->offset);
  }

  static void set_key(std::vector<Node>& nodes, const std::string& name, Node value) {
    for (Node& node : nodes) {
      if (node.key != name) continue;
      std::erase_if(node.children, [&](const Node& child) { return child.key == value.key; });
      node.children.push_back(value);
    }
  }

  static void override_keys(const Node& given, const RobotJoint& joint, const std::string& name,
                            std::vector<Node>& joints) {
    for (Node value : given.children) {
      // A motor has no more than the model gives it.
      if (value.key == "motor" && value.is_map() && !value.has("limit") &&
          joint.freedoms.size() == 1 && joint.freedoms[0].effort < infinity)
        value.children.push_back(number_node("limit", joint.freedoms[0].effort));
      set_key(joints, name, value);
    }
  }

  void override_couplings(const Node& robot, const RobotDescription& description,
                          RobotNodes& nodes) {
    const Node* couplings = robot.find("couplings");
    if (!couplings) return;
    for (const Node& given : couplings->children) {
      const RobotJoint* joint = description.find_joint(given.key);
      if (!joint || !joint->mimic || !given.is_map()) {
        std::vector<std::string> known;
        for (const RobotJoint& other : description.joints)
          if (other.mimic) known.push_back(other.name);
        fail(given, fmt::format("there is no joint {} that follows another one{}; accepted: {}",
                                in_quotes(given.key), suggestion(given.key, known), listed(known)));
        continue;
      }
      for (const Node& value : given.children)
        set_key(nodes.couplings, nodes.joint_names[given.key], value);
    }
  }

  // collide: {off: [[a, b], ...], groups: [[a, b, c], ...], self: false}
  void collide(const Node& robot, RobotNodes& nodes) {
    const Node* node = robot.find("collide");
    if (!node) return;
    if (!node->is_map())
      return fail(*node,
                  "accepted: {off: [[a, b]], groups: [[a, b, c]], self: "
                  "false}");
    const auto exclude = [&](const std::string& a, const std::string& b) {
      const bool is_there =
          a == b || std::any_of(nodes.exclude.begin(), nodes.exclude.end(), [&](const Node& pair) {
            const std::string &c = pair.children[0].text, &d = pair.children[1].text;
            return (a == c && b == d) || (a == d && b == c);
          });
      if (!is_there) nodes.exclude.push_back(names_node("", {a, b}));
    };
    for (const Node& child : node->children) {
      if (child.key == "self") {
        if (flag(*node, "self", true)) continue;
        for (std::size_t i = 0; i < nodes.bodies.size(); ++i)
          for (std::size_t k = i + 1; k < nodes.bodies.size(); ++k)
            exclude(nodes.bodies[i].key, nodes.bodies[k].key);
        continue;
      }
      if (child.key != "off" && child.key != "groups") {
        fail(child, "unknown key; accepted: off, groups, self");
        continue;
      }
      for (const Node& group : child.children) {
        const bool fits = group.is_list() && group.children.size() >= 2 &&
                          (child.key == "groups" || group.children.size() == 2);
        if (!fits) {
          fail(group, child.key == "off" ? "accepted: two links" : "accepted: two links or more");
          continue;
        }
        for (std::size_t i = 0; i < group.children.size(); ++i)
          for (std::size_t k = i + 1; k < group.children.size(); ++k) {
            const LinkPlace *a = link(group.children[i], nodes),
                            *b = link(group.children[k], nodes);
            if (a && b) exclude(a->body, b->body);
          }
      }
    }
  }

  const LinkPlace* link(const Node& name, const RobotNodes& nodes) {
    if (const auto found = nodes.placed.find(name.text); found != nodes.placed.end())
      return &found->second;
    std::vector<std::string> known;
    for (const auto& [other, place] : nodes.placed) known.push_back(other);
    fail(name, fmt::format("there is no link {}{}; accepted: {}", in_quotes(name.text),
                           suggestion(name.text, known), listed(known)));
    return nullptr;
  }

  // --- into the scene ---

  void merge(const Node& robot, RobotNodes nodes) {
    const auto add_all = [&](const char* key, std::vector<Node>& from, Node::Kind kind) {
      if (from.empty()) return;
      Node& to = child_of(root_, key, kind);
      for (Node& node : from) {
        set_place(node, robot);
        if (kind == Node::Kind::map && to.has(node.key))
          fail(robot,
               fmt::format("{} of the robot is there already: {}", key, in_quotes(node.key)));
        else
          to.children.push_back(std::move(node));
      }
    };
    if (!nodes.carried_shapes.empty()) {
      Node& carrier = *child_of(root_, "bodies", Node::Kind::map).find(nodes.carrier);
      Node& shapes = child_of(carrier, "shapes", Node::Kind::list);
      for (Node& shape : nodes.carried_shapes) {
        set_place(shape, robot);
        shapes.children.push_back(std::move(shape));
      }
    }
    add_all("materials", nodes.materials, Node::Kind::map);
    add_all("bodies", nodes.bodies, Node::Kind::map);
    add_all("joints", nodes.joints, Node::Kind::map);
    add_all("couplings", nodes.couplings, Node::Kind::map);
    add_all("frames", nodes.frames, Node::Kind::map);
    add_all("exclude", nodes.exclude, Node::Kind::list);
  }

  Node& root_;
  const RobotFolders& folders_;
  RobotReport& report_;
  std::map<std::string, LinkPlace> links_;  // ROBOT.LINK
};

}  // namespace

void expand_robots(Node& root, const RobotFolders& folders, RobotReport& report) {
  Expansion(root, folders, report).run();
}

std::string robot_scene(const RobotDescription& robot) {
  RobotChoices choices;
  choices.name = scene_name(robot.name);
  choices.base_is_free = robot.base_is_free;
  RobotNodes nodes = robot_nodes(robot, choices);
  Node root = map_node("");
  root.children.push_back(scalar_node("title", robot.name));
  root.children.push_back(scalar_node("world", "spatial"));
  Node& base = nodes.bodies[0];
  add_pose(base, robot.base);
  place_floating_links(robot, robot.base, nodes);
  const auto add = [&](const char* key, std::vector<Node>& from, bool is_map) {
    if (!from.empty())
      root.children.push_back(is_map ? map_node(key, std::move(from))
                                     : list_node(key, std::move(from)));
  };
  add("materials", nodes.materials, true);
  add("bodies", nodes.bodies, true);
  add("joints", nodes.joints, true);
  add("couplings", nodes.couplings, true);
  add("frames", nodes.frames, true);
  add("exclude", nodes.exclude, false);
  return write_yaml(root);
}

}  // namespace vinci
