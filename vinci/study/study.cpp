// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/study.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/input_file.h"
#include "vinci/base/words.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_grammar.h"
#include "vinci/study/study_load.h"

namespace vinci {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_library_bytes = std::uintmax_t{1} << 30;

const char* to_string(StudyKind kind) {
  constexpr const char* names[] = {"sample", "map", "search", "sensitivity", "rare"};
  return names[static_cast<int>(kind)];
}

// --- tools of loading ---

double StudyLoad::number(const Node& map, std::string_view key, double fallback) const {
  const Node* node = Document::fine(map, key);
  return node ? document.number(*node) : fallback;
}

std::uint64_t StudyLoad::count(const Node& map, std::string_view key,
                               std::uint64_t fallback) const {
  const Node* node = Document::fine(map, key);
  return node ? static_cast<std::uint64_t>(document.number(*node)) : fallback;
}

std::string StudyLoad::text(const Node& map, std::string_view key, const std::string& fallback) {
  const Node* node = Document::fine(map, key);
  return node ? node->text : fallback;
}

bool StudyLoad::flag(const Node& map, std::string_view key, bool fallback) {
  const Node* node = Document::fine(map, key);
  return node ? node->text == "true" : fallback;
}

void refuse_column_name(const std::string& name) {
  for (const char* own : {"number", "design", "sample", "status", "verdict", "level", "message"})
    if (name == own) throw Error("the table has a column of this name; choose another one");
}

std::string StudyLoad::read_file(const std::string& name) {
  if (name.empty() || name.find('\0') != std::string::npos) throw Error("this names no file");
  try {
    std::string text = read_input(study.folder / name, max_scene_bytes);
    hash.bytes(text.data(), text.size());
    return text;
  } catch (const Error& error) {
    throw Error(in_quotes(name) + ": " + error.message());
  }
}

bool StudyLoad::is_scene_parameter(const Node& node, const std::string& name) const {
  if (!study.scene || study.scene->parameters().contains(name)) return true;
  document.add(node, fmt::format("the scene has no such parameter{}; accepted: {}",
                                 suggestion(name, study.names),
                                 study.names.empty() ? "none" : listed(study.names)));
  return false;
}

std::size_t NumberTable::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(fmt::format("there is no column {}{}; accepted: {}", in_quotes(name),
                            suggestion(name, names), listed(names)));
  return static_cast<std::size_t>(found - names.begin());
}

NumberTable read_number_table(const std::string& text) {
  NumberTable table;
  std::size_t line_number = 0;
  const auto cells_of = [](std::string_view line) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == ',')
        cells.emplace_back();
      else if (c != '\r' && c != '"')
        cells.back() += c;
    }
    for (std::string& cell : cells) {
      const std::size_t begin = cell.find_first_not_of(" \t");
      cell = begin == std::string::npos
                 ? ""
                 : cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
    }
    return cells;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || line[0] == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (table.names.empty()) {
      for (auto cell = cells.begin(); cell != cells.end(); ++cell)
        if (std::find(cells.begin(), cell, *cell) != cell)
          throw Error(fmt::format("two columns have the name {}", in_quotes(*cell)));
      table.names = cells;
      continue;
    }
    if (cells.size() != table.names.size())
      throw Error(fmt::format("line {} has {} cells, the first one {}", line_number, cells.size(),
                              table.names.size()));
    std::vector<double>& row = table.rows.emplace_back();
    for (const std::string& cell : cells) {
      double value = 0.0;
      const char* last = cell.data() + cell.size();
      if (std::from_chars(cell.data(), last, value).ptr != last || cell.empty() ||
          !std::isfinite(value))
        throw Error(
            fmt::format("line {}: {} is not a finite number", line_number, in_quotes(cell)));
      row.push_back(value);
    }
  }
  if (table.rows.empty()) throw Error("the table has no lines of numbers");
  return table;
}

// --- loading ---

namespace {

void load_scene(StudyLoad& load) {
  const Node* node = load.find("scene");
  if (!node) return;
  load.guarded(*node, [&] {
    if (node->text.empty()) throw Error("this names no file");
    const fs::path path = (load.study.folder / node->text).lexically_normal();
    if (!fs::exists(path)) throw Error(in_quotes(node->text) + ": there is no such file");
    const RunCheck check = [&](const RunChoices& run) {
      return check_run(run, *load.study.plugins);
    };
    try {
      load.study.scene = Scene::load(path, check, load.files.allowed);
    } catch (const SceneError& error) {
      for (const Diagnostic& mistake : error.diagnostics()) load.document.add(mistake);
      return;
    }
    for (const auto& [name, value] : load.study.scene->parameters())
      load.study.names.push_back(name);
    const std::string& text = load.study.scene->source();
    load.hash.bytes(text.data(), text.size());
  });
}

std::shared_ptr<const StudyData> load_text(std::string_view text, const fs::path& folder,
                                           const std::string& name, const StudyFiles& files) {
  auto study = std::make_shared<StudyData>();
  study->source = text;
  study->name = name;
  study->folder = folder;
  study->plugins =
      files.plugins ? files.plugins : std::make_shared<const Plugins>(builtin_plugins());
  Document document(text, name, study_grammar(), "a study");
  if (!document.root().is_map()) document.finish();
  StudyLoad load{document, *study, files, {}};
  load.hash.bytes(text.data(), text.size());
  const Node& root = document.root();
  std::string title = StudyLoad::text(root, "title", fs::path(name).stem().string());
  study->title = escaped(std::string_view(title).substr(0, title.find_last_not_of(" \n") + 1));
  study->seed = load.count(root, "seed", 0);
  load_scene(load);
  load_parameters(load);
  load_model(load);
  load_levels(load);
  load_measures(load);
  load_strategy(load);
  // Of libraries what they hold: their names may be others elsewhere.
  for (const fs::path& library : files.libraries) {
    const std::string bytes = read_input(library, most_library_bytes);
    load.hash.bytes(bytes.data(), bytes.size());
  }
  study->hash = load.hash.hex();
  document.finish();
  return study;
}

}  // namespace

// What only those know who make the cases: how many dimensions they can do.
Study Study::checked(std::shared_ptr<const StudyData> data) {
  Study study(std::move(data));
  try {
    static_cast<void>(make_strategy(study));
  } catch (const Error& error) {
    throw SceneError(
        {{study.data_->name, study.data_->kind_line, to_string(study.kind()), error.message()}});
  }
  return study;
}

Study Study::load(const fs::path& file, const StudyFiles& files) {
  std::string text;
  try {
    text = read_input(file, max_scene_bytes);
  } catch (const Error& error) {
    throw SceneError({{file.string(), 0, "", error.message()}});
  }
  // What lies beside a file does not lie beside a link to it.
  const fs::path real = fs::is_symlink(file) ? fs::canonical(file) : file;
  auto study = load_text(text, real.parent_path(), file.string(), files);
  auto named = std::make_shared<StudyData>(*study);
  named->file = file;
  return checked(std::move(named));
}

Study Study::parse(std::string_view yaml, const fs::path& folder, const std::string& name,
                   const StudyFiles& files) {
  return checked(load_text(yaml, folder, name, files));
}

// --- what others see ---

const std::string& Study::title() const {
  return data_->title;
}
const fs::path& Study::file() const {
  return data_->file;
}
const std::string& Study::source() const {
  return data_->source;
}
const std::string& Study::hash() const {
  return data_->hash;
}
std::uint64_t Study::seed() const {
  return data_->seed;
}
StudyKind Study::kind() const {
  return data_->kind;
}
const Scene& Study::scene() const {
  return *data_->scene;
}
const std::shared_ptr<const Plugins>& Study::plugins() const {
  return data_->plugins;
}
const std::vector<StudyParameter>& Study::parameters() const {
  return data_->parameters;
}
std::size_t Study::design_parameter_count() const {
  return data_->parameters.size() - data_->uncertain.size();
}
const std::vector<StudyMeasure>& Study::measures() const {
  return data_->measures;
}
bool Study::has_success() const {
  return data_->success.has_value() || data_->is_geometric();
}
const std::string& Study::success() const {
  static const std::string none;
  return data_->success ? data_->success->text() : none;
}
const std::vector<StudyLevel>& Study::levels() const {
  return data_->levels;
}
const StudyLimits& Study::limits() const {
  return data_->limits;
}
double Study::confidence() const {
  return data_->confidence;
}
bool Study::exact_intervals() const {
  return data_->exact_intervals;
}
std::uint64_t Study::looks() const {
  return data_->looks;
}

}  // namespace vinci
