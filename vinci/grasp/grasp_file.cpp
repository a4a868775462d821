// SPDX-License-Identifier: Apache-2.0
// Reads contacts from YAML, of which JSON is a part.
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/input_file.h"
#include "vinci/grasp/grasp_map.h"
#include "vinci/grasp/recorded_grasp.h"
#include "vinci/scene/yaml_tree.h"

namespace vinci {
namespace {

class GraspReader {
 public:
  explicit GraspReader(std::string name) : name_(std::move(name)) {}

  NamedGrasp read(std::string_view text) {
    const Node root = read_yaml(text, 0, mistakes_);
    for (Diagnostic& mistake : mistakes_) mistake.file = name_;
    finish();
    NamedGrasp result;
    if (!root.is_map()) {
      complain(root, "", "accepted: a map with `contacts`");
      finish();
    }
    check_keys(root, "", {"world", "center", "length", "wrench", "contacts"});
    if (const Node* world = root.find("world")) {
      if (world->text == "planar")
        result.grasp.world = World::planar;
      else if (world->text != "spatial")
        complain(*world, "world", "accepted: planar, spatial");
    }
    size_ = result.grasp.world == World::planar ? 2 : 3;
    if (const Node* center = root.find("center")) result.grasp.center = vector(*center, "center");
    if (const Node* length = root.find("length")) {
      result.grasp.length = number(*length, "length");
      if (!(result.grasp.length > 0.0)) complain(*length, "length", "accepted: more than 0 m");
    }
    if (const Node* wrench = root.find("wrench")) result.wrench = this->wrench(*wrench);
    const Node* contacts = root.find("contacts");
    if (!contacts || !contacts->is_list())
      complain(contacts ? *contacts : root, "contacts", "accepted: a list of contacts");
    else
      for (const Node& contact : contacts->children)
        result.grasp.contacts.push_back(
            this->contact(contact, fmt::format("contacts[{}]", result.grasp.contacts.size())));
    finish();
    result.by.resize(result.grasp.contacts.size());
    check_numbers(root, *contacts, result.grasp);
    return result;
  }

 private:
  void complain(const Node& node, const std::string& key, const std::string& message) {
    mistakes_.push_back({name_, node.line, key, message});
  }
  void finish() const {
    if (!mistakes_.empty()) throw SceneError(mistakes_);
  }
  void check_keys(const Node& map, const std::string& path,
                  std::initializer_list<std::string_view> known) {
    for (const Node& child : map.children) {
      std::string all;
      bool fits = false;
      for (const std::string_view name : known) {
        fits = fits || child.key == name;
        all += (all.empty() ? "" : ", ") + std::string(name);
      }
      if (!fits)
        complain(child, path.empty() ? child.key : path + "." + child.key,
                 "is no key here; accepted: " + all);
    }
  }
  double number(const Node& node, const std::string& key) {
    double value = 0.0;
    const char* end = node.text.data() + node.text.size();
    const char* begin = node.text.data() + (node.text.starts_with('+') ? 1 : 0);
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (!node.is_scalar() || error != std::errc() || stop != end || !std::isfinite(value))
      complain(node, key, "accepted: a finite number");
    return value;
  }
  VectorX numbers(const Node& node, const std::string& key, std::size_t size) {
    VectorX values = VectorX::Zero(static_cast<Eigen::Index>(size));
    if (!node.is_list() || node.children.size() != size) {
      complain(node, key, fmt::format("accepted: {} numbers", size));
      return values;
    }
    for (std::size_t i = 0; i < size; ++i)
      values[static_cast<Eigen::Index>(i)] =
          number(node.children[i], fmt::format("{}[{}]", key, i));
    return values;
  }
  Vector3 vector(const Node& node, const std::string& key) {
    Vector3 result = Vector3::Zero();
    result.head(static_cast<Eigen::Index>(size_)) = numbers(node, key, size_);
    return result;
  }
  Vector6 wrench(const Node& node) {
    const VectorX values = numbers(node, "wrench", size_ == 2 ? 3 : 6);
    Vector6 result = Vector6::Zero();
    if (size_ == 2)
      result << values[0], values[1], 0.0, 0.0, 0.0, values[2];
    else
      result = values;
    return result;
  }
  GraspContact contact(const Node& node, const std::string& path) {
    GraspContact result;
    if (!node.is_map()) {
      complain(node, path, "accepted: a map with `position`, `normal`, `friction`");
      return result;
    }
    check_keys(node, path,
               {"position", "normal", "friction", "friction-across", "tangent", "rolling",
                "torsion", "radius"});
    for (const char* name : {"position", "normal"})
      if (!node.has(name)) complain(node, path, fmt::format("has no `{}`", name));
    const auto with = [&](const char* name, const auto& take) {
      if (const Node* child = node.find(name)) take(*child, path + "." + name);
    };
    with("position", [&](const Node& n, const std::string& k) { result.position = vector(n, k); });
    with("normal", [&](const Node& n, const std::string& k) { result.normal = vector(n, k); });
    with("tangent", [&](const Node& n, const std::string& k) { result.tangent = vector(n, k); });
    with("friction", [&](const Node& n, const std::string& k) { result.friction = number(n, k); });
    with("friction-across",
         [&](const Node& n, const std::string& k) { result.friction_2 = number(n, k); });
    with("rolling",
         [&](const Node& n, const std::string& k) { result.moments.rolling = number(n, k); });
    with("torsion",
         [&](const Node& n, const std::string& k) { result.moments.torsion = number(n, k); });
    with("radius",
         [&](const Node& n, const std::string& k) { result.moments.radius = number(n, k); });
    return result;
  }
  // What the numbers mean, with the lines of what they are in.
  void check_numbers(const Node& root, const Node& contacts, const Grasp& grasp) {
    if (contacts.children.size() > most_grasp_contacts) {
      complain(contacts, "contacts",
               fmt::format("{} contacts; accepted: up to {}", contacts.children.size(),
                           most_grasp_contacts));
      finish();
    }
    for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
      Grasp alone = grasp;
      alone.contacts = {grasp.contacts[i]};
      try {
        grasp_map(alone);
      } catch (const Error& error) {
        const std::string where = error.where();
        const bool inside = where.starts_with("contacts[0]");
        complain(inside ? contacts.children[i] : root,
                 inside ? fmt::format("contacts[{}]{}", i, where.substr(11)) : where,
                 error.message());
      }
    }
    finish();
  }

  std::string name_;
  std::size_t size_ = 3;
  std::vector<Diagnostic> mistakes_;
};

}  // namespace

NamedGrasp parse_grasp(std::string_view text, const std::string& name) {
  return GraspReader(name).read(text);
}

NamedGrasp read_grasp(const std::filesystem::path& file) {
  return parse_grasp(read_input(file, max_scene_bytes), file.string());
}

}  // namespace vinci
