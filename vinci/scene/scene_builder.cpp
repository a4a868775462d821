// SPDX-License-Identifier: Apache-2.0
#include "vinci/scene/scene_builder.h"

#include <fmt/format.h>

namespace vinci {
namespace {

// A text between quotes, where no character but those of a text has a meaning.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + '"';
}

}  // namespace

SceneItem::SceneItem(double number) : kind_(Kind::scalar), scalar_(fmt::format("{}", number)) {}

SceneItem::SceneItem(const std::string& text) : kind_(Kind::scalar), scalar_(quoted(text)) {}

SceneItem::SceneItem(std::initializer_list<SceneItem> list)
    : kind_(Kind::list), items_(list.begin(), list.end()) {}

SceneItem& SceneItem::set(const std::string& key, SceneItem value) {
  value.key_ = key;
  at(key) = std::move(value);
  return *this;
}

SceneItem& SceneItem::at(const std::string& key) {
  if (kind_ != Kind::map)
    throw Error("is no map, so it has no key '" + key + "'; accepted: keys of maps", key_);
  for (SceneItem& item : items_)
    if (item.key_ == key) return item;
  items_.emplace_back().key_ = key;
  return items_.back();
}

SceneItem& SceneItem::add(SceneItem entry) {
  if (kind_ == Kind::map && items_.empty()) kind_ = Kind::list;
  if (kind_ != Kind::list)
    throw Error("is no list, so nothing can be added; accepted: lists, or nothing yet", key_);
  entry.key_.clear();
  return items_.emplace_back(std::move(entry));
}

void SceneItem::write(std::string& text) const {
  if (kind_ == Kind::scalar) {
    text += scalar_;
    return;
  }
  text += kind_ == Kind::map ? '{' : '[';
  bool first = true;
  for (const SceneItem& item : items_) {
    text += first ? "" : kind_ == Kind::map ? ",\n " : ", ";
    first = false;
    if (kind_ == Kind::map) text += quoted(item.key_) + ": ";
    item.write(text);
  }
  text += kind_ == Kind::map ? '}' : ']';
}

std::string SceneItem::text() const {
  std::string text;
  write(text);
  return text;
}

SceneBuilder::SceneBuilder(World world) {
  root_.set("world", world == World::planar ? "planar" : "spatial");
}

SceneItem& SceneBuilder::shape(const std::string& body, const std::string& kind, SceneItem value) {
  return this->body(body).at("shapes").add(SceneItem().set(kind, std::move(value)));
}

}  // namespace vinci
