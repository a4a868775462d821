// SPDX-License-Identifier: Apache-2.0
// From the text of a study to StudyData, in parts; private to study/. Every part collects its
// mistakes in the document and leaves alone what has one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/base/hash.h"
#include "vinci/scene/document.h"
#include "vinci/study/study_data.h"

namespace vinci {

struct StudyLoad {
  Document& document;
  StudyData& study;
  const StudyFiles& files;
  Hash hash;  // of all that was read

  const Node* find(std::string_view key) const { return Document::fine(document.root(), key); }
  double number(const Node& map, std::string_view key, double fallback) const;
  std::uint64_t count(const Node& map, std::string_view key, std::uint64_t fallback) const;
  static std::string text(const Node& map, std::string_view key, const std::string& fallback);
  static bool flag(const Node& map, std::string_view key, bool fallback);
  // Adds a mistake at the node where the action throws an Error.
  template <class Action>
  bool guarded(const Node& where, Action action) {
    try {
      action();
      return true;
    } catch (const Error& error) {
      document.add(where, error.message());
      return false;
    }
  }
  // Of a file that the study names; throws Error.
  std::string read_file(const std::string& name);
  bool is_scene_parameter(const Node& node, const std::string& name) const;  // or a mistake
};

void load_parameters(StudyLoad& load);  // set, design(s), uncertain, correlations
void load_model(StudyLoad& load);       // the scene with them
void load_levels(StudyLoad& load);
void load_measures(StudyLoad& load);  // until and success too
void load_strategy(StudyLoad& load);  // and stop, limits, intervals

// A table with a line of names and lines of numbers. Throws Error.
struct NumberTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  std::size_t column(const std::string& name) const;  // throws Error
};
NumberTable read_number_table(const std::string& text);

// Index of a measure by name; a mistake at the node and -1 where there is none.
int measure_of(StudyLoad& load, const Node& node);

// Throws Error if the table has a column of its own with this name.
void refuse_column_name(const std::string& name);

}  // namespace vinci
