// SPDX-License-Identifier: Apache-2.0
// A YAML document as a tree whose nodes know their file and line. Built from yaml-cpp's events, so
// that names used twice, tags, merge keys and exploding aliases are seen and refused; size and
// depth are capped, so that hostile text ends soon and in bounded memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/base/expression.h"
#include "vinci/scene/scene.h"

namespace vinci {

inline constexpr std::size_t max_scene_bytes = 8u << 20;   // one file; also all expanded scalars
inline constexpr std::size_t max_line_bytes = 256u << 10;  // the scanner looks ahead by lines
inline constexpr std::size_t max_scalar_bytes = 64u << 10;
inline constexpr std::size_t max_name_bytes = 256;
inline constexpr std::size_t max_scene_values = 200'000;  // nodes of a document, aliases expanded
inline constexpr int max_scene_depth = 64;

struct Node {
  enum class Kind : unsigned char { null, scalar, list, map };
  Kind kind = Kind::null;
  bool bad = false;      // a mistake was reported here or below
  bool checked = false;  // of the kind that belongs here; children were looked at
  int file = 0;          // index into the scene's files
  int line = 0;          // from 1
  int key_line = 0;
  std::string key;   // name of this node if its parent is a map
  std::string text;  // scalars
  std::vector<Node> children;
  // Scalars that stand for numbers, once checked: a plain number, or an expression of
  // (t, q, v, parameters...).
  double number = 0.0;
  std::shared_ptr<const Expression> expression;

  const Node* find(std::string_view name) const;  // child of a map, nullptr if there is none
  Node* find(std::string_view name);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
};

std::size_t count_values(const Node& node);

// `text` as it may stand in a message: in quotes, shortened, without control characters.
std::string in_quotes(std::string_view text);

// Reads one document. Mistakes go to `diagnostics`, without a file name; those that leave no usable
// tree give a null node. `what` is the document in messages.
Node read_yaml(std::string_view text, int file, std::vector<Diagnostic>& diagnostics,
               const std::string& what = "a scene");

// The same tree as YAML text that reads back equal (marks apart).
std::string write_yaml(const Node& root);

}  // namespace vinci
