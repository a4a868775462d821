// SPDX-License-Identifier: Apache-2.0
// Files of other languages than scenes, read and checked in the manner of scenes: a grammar
// (scene_grammar.h, in the words of scene_values.h) says what may stand where; all mistakes are
// reported at once as file:line: key: message; numbers are expressions with units.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vinci/scene/scene.h"
#include "vinci/scene/scene_grammar.h"
#include "vinci/scene/yaml_tree.h"

namespace vinci {

class Document {
 public:
  // Reads and checks the structure and the bounds of numbers; mistakes wait for finish(). `what`
  // is the document in messages: "a study".
  Document(std::string_view text, const std::string& name, const SceneValue& grammar,
           const std::string& what);
  ~Document();

  const Node& root() const;  // null where the text is no such document
  // Whether a node, and all below it, is as the grammar asks.
  static bool is_fine(const Node& node);
  // The child of a map where it is fine, null otherwise.
  static const Node* fine(const Node& map, std::string_view key);
  double number(const Node& node) const;
  // Of a map that has the grammar of a scene's `run`.
  RunChoices run_choices(const Node& run);

  void add(const Node& where, std::string message);
  void add(Diagnostic diagnostic);
  bool none() const;
  void finish();  // throws SceneError if there are mistakes

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// " (did you mean 'x'?)" or nothing; a list of names for messages.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);
std::string listed(const std::vector<std::string>& names);

// The grammar as JSON Schema, draft 7.
std::string document_schema(const SceneValue& grammar, const std::string& title,
                            const std::string& description);

}  // namespace vinci
