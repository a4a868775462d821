// SPDX-License-Identifier: Apache-2.0
// A scene made in code: the tree of keys that a file would have (docs/scene.md), checked by the
// same grammar when it is built. One that is built is compiled with other parameters as often as
// need be.
#pragma once

#include <initializer_list>
#include <list>
#include <string>

#include "vinci/scene/scene.h"

namespace vinci {

// What stands behind a key: a number, a text (a name, or an expression of parameters), a list, or a
// map of keys.
class SceneItem {
 public:
  SceneItem() = default;  // a map, without keys yet
  SceneItem(double number);
  SceneItem(int number) : SceneItem(static_cast<double>(number)) {}
  SceneItem(const char* text) : SceneItem(std::string(text)) {}
  SceneItem(const std::string& text);
  SceneItem(const Vector3& list) : SceneItem({list.x(), list.y(), list.z()}) {}
  SceneItem(std::initializer_list<SceneItem> list);

  // Of a map: gives a key its value, in the place of one that it had; returns the map.
  SceneItem& set(const std::string& key, SceneItem value);
  // The value of a key, an empty map if there was none. It stays where it is.
  SceneItem& at(const std::string& key);
  // Behind the others of a list; an empty map becomes one. The new entry stays where it is.
  SceneItem& add(SceneItem entry);

  std::string text() const;  // as it stands in a file

 private:
  enum class Kind : char { scalar, list, map };
  void write(std::string& text) const;
  Kind kind_ = Kind::map;
  std::string key_, scalar_;
  std::list<SceneItem> items_;
};

class SceneBuilder {
 public:
  explicit SceneBuilder(World world);

  SceneItem& root() { return root_; }
  SceneItem& parameters() { return root_.at("parameters"); }
  SceneItem& material(const std::string& name) { return root_.at("materials").at(name); }
  SceneItem& body(const std::string& name) { return root_.at("bodies").at(name); }
  // One more shape of a body: {kind: value}, to which material and placement may be set.
  SceneItem& shape(const std::string& body, const std::string& kind, SceneItem value);
  SceneItem& run() { return root_.at("run"); }

  std::string text() const { return root_.text(); }
  // Throws SceneError with all mistakes; `name` stands before them.
  Scene build(const std::string& name = "scene") const { return Scene::parse(text(), name); }

 private:
  SceneItem root_;
};

}  // namespace vinci
