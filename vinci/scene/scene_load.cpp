// SPDX-License-Identifier: Apache-2.0
// Scene files: reading, includes merged into one tree, mesh files.
#include "vinci/scene/scene_load.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "vinci/base/input_file.h"
#include "vinci/base/words.h"
#include "vinci/elements/builtin.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/triangle_mesh.h"
#include "vinci/scene/scene_constraints.h"
#include "vinci/scene/scene_meshes.h"
#include "vinci/scene/scene_robots.h"

namespace vinci {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest_include = 16, most_files = 64;
constexpr std::uintmax_t most_mesh_bytes = 256u << 20;

// Why a file may not be named in a scene, or "".
std::string name_problem(const std::string& name) {
  if (name.empty() || name.find('\0') != std::string::npos) return "this names no file";
  if (fs::path(name).is_absolute())
    return "an absolute path; accepted: a path relative to the scene file";
  return "";
}

class Loader {
 public:
  explicit Loader(const RunCheck& check = {}, const std::vector<fs::path>& allowed = {})
      : scene_(std::make_shared<SceneData>()), mistakes_(*scene_), check_(check) {
    std::error_code ignored;
    for (const fs::path& folder : allowed) allowed_.push_back(fs::canonical(folder, ignored));
  }

  std::shared_ptr<const SceneData> load(const fs::path& file) {
    return guarded([&] {
      read_file(file, file.string());
      finish();
    });
  }
  std::shared_ptr<const SceneData> parse(std::string_view text, const std::string& name) {
    from_memory_ = true;
    return guarded([&] {
      scene_->files.push_back(name);
      merge(read_text(text, 0));
      if (scene_->source.empty()) scene_->source = text;
      finish();
    });
  }

 private:
  template <class Action>
  std::shared_ptr<const SceneData> guarded(Action action) {
    try {
      action();
    } catch (const TooManyMistakes&) {
    }
    if (!mistakes_.none()) throw SceneError(mistakes_.take());
    return scene_;
  }

  // --- files ---

  Node read_text(std::string_view text, int file) {
    std::vector<Diagnostic> found;
    Node root = read_yaml(text, file, found);
    for (Diagnostic& diagnostic : found) {
      diagnostic.file = scene_->files[static_cast<std::size_t>(file)];
      mistakes_.add(std::move(diagnostic));
    }
    bytes_ += text.size();
    values_ += count_values(root);
    if (bytes_ <= max_scene_bytes && values_ <= max_scene_values) return root;
    mistakes_.add(
        {scene_->files[static_cast<std::size_t>(file)], 0, "",
         fmt::format("the scene with its included files has more than {} values or {} MiB",
                     max_scene_values, max_scene_bytes >> 20)});
    throw TooManyMistakes{};
  }

  // The first file, or one that `from` includes.
  void read_file(const fs::path& path, const std::string& shown, const Node* from = nullptr) {
    const auto fail = [&](const std::string& message) {
      if (from)
        mistakes_.add({scene_->files[static_cast<std::size_t>(from->file)], from->line, "include",
                       in_quotes(from->text) + ": " + message});
      else
        mistakes_.add({shown, 0, "", message});
    };
    if (const std::string problem = from ? place_problem(path) : ""; !problem.empty())
      return fail(problem);
    if (const std::string problem = input_problem(path, max_scene_bytes); !problem.empty())
      return fail(problem);
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (const auto open = std::find(open_files_.begin(), open_files_.end(), real);
        open != open_files_.end()) {
      std::string chain;
      for (auto it = open; it != open_files_.end(); ++it) chain += it->filename().string() + " -> ";
      return fail("the file includes itself: " + chain + real.filename().string());
    }
    if (open_files_.size() >= deepest_include)
      return fail(fmt::format("includes nest deeper than {} levels", deepest_include));
    if (scene_->files.size() >= most_files)
      return fail(fmt::format("a scene of more than {} files", most_files));
    if (!read_files_.insert(real).second) return;  // a file counts once, however often included
    std::string text;
    try {
      text = read_input(path, max_scene_bytes);
    } catch (const Error& mistake) {
      return fail(mistake.message());
    }
    const int index = static_cast<int>(scene_->files.size());
    scene_->files.push_back(shown);
    folders_.push_back(path.parent_path());
    open_files_.push_back(real);
    merge(read_text(text, index));
    open_files_.pop_back();
    if (index == 0) scene_->source = text;
  }

  // Why a file that a scene names may not be read from where it lies, or "". Links are followed
  // first: what counts is the file.
  std::string place_problem(const fs::path& path) const {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(fs::absolute(path), error);
    const auto holds = [&](const fs::path& folder) {
      return !folder.empty() &&
             std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first ==
                 folder.end();
    };
    const fs::path& own = folders_[0];
    if (!error && (holds(fs::canonical(own.empty() ? "." : own, error)) ||
                   std::any_of(allowed_.begin(), allowed_.end(), holds)))
      return "";
    return "the file is outside of the scene's folder; --allow-path FOLDER lets scenes read there";
  }

  // --- includes ---

  void merge(Node root) {
    if (!root.is_map()) return;
    const bool first = !begun_;
    if (first) {
      begun_ = true;
      scene_->root.kind = Node::Kind::map;
      scene_->root.line = 1;
      scene_->root.file = root.file;
    }
    if (const Node* include = root.find("include")) read_includes(*include);
    std::erase_if(root.children, [](const Node& child) { return child.key == "include"; });
    for (Node& child : root.children) merge_key(std::move(child));
  }

  void read_includes(const Node& include) {
    const bool single = include.is_scalar();
    if (!single && !include.is_list()) {
      mistakes_.add({scene_->files[static_cast<std::size_t>(include.file)], include.line, "include",
                     "not a file name; accepted: a file name or a list of file names"});
      return;
    }
    included_ = true;
    for (std::size_t i = 0; i < (single ? 1 : include.children.size()); ++i) {
      const Node& name = single ? include : include.children[i];
      const auto index = static_cast<std::size_t>(name.file);
      std::string problem = name.is_scalar() ? name_problem(name.text) : "not a file name";
      if (from_memory_) problem = "a scene given as text includes no files; load it from a file";
      if (!problem.empty()) {
        mistakes_.add(
            {scene_->files[index], name.line, "include", in_quotes(name.text) + ": " + problem});
        continue;
      }
      const fs::path path = folders_[index] / name.text;
      read_file(path, path.lexically_normal().string(), &name);
    }
  }

  // Included files come first, so that those who include them win.
  void merge_key(Node node) {
    Node& root = scene_->root;
    Node* present = root.find(node.key);
    if (!present) {
      root.children.push_back(std::move(node));
      return;
    }
    const std::string& key = node.key;
    const bool maps = node.is_map() && present->is_map();
    const bool lists = node.is_list() && present->is_list();
    if (key == "surfaces" || key == "exclude" || key == "changes") {
      if (lists) {
        std::move(node.children.begin(), node.children.end(),
                  std::back_inserter(present->children));
        return;
      }
    } else if (key == "world" && node.is_scalar() && node.text != present->text) {
      worlds_differ_ = true;
      mistakes_.add(
          {scene_->files[static_cast<std::size_t>(node.file)], node.line, "world",
           fmt::format("{} here, but {} in {}:{}; accepted: the same world in all files",
                       in_quotes(node.text), in_quotes(present->text),
                       scene_->files[static_cast<std::size_t>(present->file)], present->line)});
    } else if (key == "run" && maps) {
      for (Node& child : node.children) replace(*present, std::move(child));
      return;
    } else if (maps) {
      for (Node& child : node.children) add_name(*present, std::move(child));
      return;
    }
    replace(root, std::move(node));
  }

  static void replace(Node& map, Node child) {
    if (Node* present = map.find(child.key))
      *present = std::move(child);
    else
      map.children.push_back(std::move(child));
  }

  void add_name(Node& map, Node child) {
    if (const Node* present = map.find(child.key)) {
      mistakes_.add(
          {scene_->files[static_cast<std::size_t>(child.file)], child.key_line,
           map.key + "." + child.key,
           fmt::format("the name is used twice; it was first used in {}:{}",
                       scene_->files[static_cast<std::size_t>(present->file)], present->key_line)});
      return;
    }
    map.children.push_back(std::move(child));
  }

  // --- the merged tree ---

  void finish() {
    if (!begun_) return;
    SceneData& scene = *scene_;
    read_robots();
    scene.variables = {"t", "q", "v", "", ""};
    if (const Node* parameters = scene.root.find("parameters");
        parameters && parameters->is_map() && parameters->children.size() <= max_parameters)
      for (const Node& child : parameters->children) scene.variables.push_back(child.key);
    if (!check_tree()) return;
    if (const Node* title = scene.root.find("title")) {
      // A text in several lines ends with a newline.
      const std::string& text = title->text;
      scene.title = escaped(std::string_view(text).substr(0, text.find_last_not_of(" \n") + 1));
    }
    const Node* bodies = scene.root.find("bodies");
    if (!bodies || (bodies->is_map() && bodies->children.empty()))
      mistakes_.add(bodies ? *bodies : scene.root,
                    "the scene has no bodies; accepted: at least one under `bodies`");
    read_meshes();
    const Numbers numbers(scene, {}, mistakes_);
    scene.defaults = numbers.values();
    read_run(scene, numbers, mistakes_);
    if (check_)
      for (Diagnostic& mistake : check_(scene.run)) mistakes_.add(std::move(mistake));
    read_changes(scene, numbers, mistakes_);
    const auto model = compile_model(scene, numbers, mistakes_);
    if (model && mistakes_.none())
      for (std::string& note : constraint_notes(scene, *model))
        scene.notes.push_back(std::move(note));
    if (mistakes_.none()) check_changes(scene, mistakes_);
    if (mistakes_.none() && (included_ || meshes_read_)) write_source(scene, mistakes_);
  }

  // Robots become bodies and joints of the tree.
  void read_robots() {
    if (!scene_->root.find("robots")) return;
    included_ = true;
    RobotReport report;
    report.mistake = [&](const Node& node, std::string message) {
      mistakes_.add({scene_->files[static_cast<std::size_t>(node.file)],
                     node.key_line > 0 ? node.key_line : node.line, "robots", std::move(message)});
    };
    expand_robots(scene_->root, {from_memory_, folders_, allowed_}, report);
    scene_->notes = std::move(report.notes);
    if (count_values(scene_->root) <= max_scene_values) return;
    mistakes_.add(
        {scene_->files[0], 0, "robots",
         fmt::format("the scene with its robots has more than {} values", max_scene_values)});
    throw TooManyMistakes{};
  }

  // Without a world most of the tree has no meaning; then only the rest is checked.
  bool check_tree() {
    SceneData& scene = *scene_;
    const Node* world = scene.root.find("world");
    const bool known =
        !worlds_differ_ && world && (world->text == "planar" || world->text == "spatial");
    scene.world = known && world->text == "planar" ? World::planar : World::spatial;
    if (known) {
      check_structure(scene.root, scene_grammar(scene.world), scene, mistakes_);
      return true;
    }
    SceneValue grammar = scene_grammar(scene.world);
    const auto depends_on_world = [](const SceneKey& key) {
      const auto& kinds = element_kinds();
      return key.name == "bodies" || key.name == "gravity" || key.name == "trajectories" ||
             std::any_of(kinds.begin(), kinds.end(),
                         [&](const ElementKind& kind) { return kind.section == key.name; });
    };
    for (SceneKey& key : grammar.keys)
      if (depends_on_world(key)) key.value = SceneValue{SceneValue::Kind::unchecked};
    check_structure(scene.root, grammar, scene, mistakes_);
    return false;
  }

  // --- meshes ---

  void read_meshes() {
    SceneData& scene = *scene_;
    if (const Node* meshes = scene.root.find("meshes"); meshes && !meshes->bad) {
      for (const Node& mesh : meshes->children) {
        std::vector<Vector3>& points = scene.mesh[mesh.key];
        for (const Node& point : mesh.children) {
          Vector3 vector;
          for (std::size_t i = 0; i < 3; ++i) {
            const Node& number = point.children[i];
            if (number.expression) mistakes_.add(number, "not a plain number; accepted: numbers");
            vector[static_cast<int>(i)] = number.number;
          }
          points.push_back(vector);
        }
      }
    }
    if (const Node* section = scene.root.find("mesh-triangles"); section && !section->bad)
      read_triangle_nodes(*section, scene, mistakes_);
    Node* bodies = scene.root.find("bodies");
    if (!bodies || !bodies->is_map()) return;
    for (Node& body : bodies->children) {
      Node* shapes = body.find("shapes");
      if (!shapes || !shapes->is_list()) continue;
      for (Node& shape : shapes->children)
        for (const char* kind : {"polyhedron", "mesh", "height-field"}) {
          Node* value = shape.find(kind);
          Node* file = value ? value->find("file") : nullptr;
          if (file && file->is_scalar() && !file->bad) read_file_of(*value, *file);
        }
    }
  }

  // Of a polyhedron only the hull is kept: nothing else of the file can touch.
  void read_file_of(Node& shape, Node& file) {
    SceneData& scene = *scene_;
    const bool hull = shape.key == "polyhedron", heights = shape.key == "height-field";
    const auto is_known = [&] {
      if (heights) return false;
      return hull ? scene.mesh.count(file.text) > 0 : scene.triangles.count(file.text) > 0;
    };
    if (is_known()) return;
    const std::string written = file.text;
    const auto fail = [&](const std::string& message) {
      mistakes_.add(file, in_quotes(written) + ": " + message);
      file.bad = true;
    };
    if (from_memory_) return fail("a scene given as text reads no files; load it from a file");
    if (const std::string problem = name_problem(written); !problem.empty()) return fail(problem);
    const fs::path path = folders_[static_cast<std::size_t>(file.file)] / written;
    if (const std::string problem = place_problem(path); !problem.empty()) return fail(problem);
    if (const std::string problem = input_problem(path, most_mesh_bytes); !problem.empty())
      return fail(problem);
    // Named from the folder of the first file, whichever file uses it.
    file.text = folders_[0].empty() ? path.lexically_normal().string()
                                    : path.lexically_relative(folders_[0]).string();
    if (file.text.size() > max_name_bytes) return fail("the path is too long");
    meshes_read_ = true;
    if (is_known()) return;
    try {
      if (hull)
        scene.mesh[file.text] = convex_hull(read_mesh_points(path)).vertices;
      else if (heights)
        take_heights(shape, path);
      else
        scene.triangles[file.text] = make_triangle_mesh(read_mesh_triangles(path));
    } catch (const Error& error) {
      // The place in the file, after its name.
      const std::string& where = error.where();
      const std::string start = path.string() + ":";
      fail(where.starts_with(start) ? "line " + where.substr(start.size()) + ": " + error.message()
                                    : error.message());
    }
  }

  // The heights stand in the tree in place of the file.
  void take_heights(Node& shape, const fs::path& path) {
    Node rows = height_rows(read_input(path, most_mesh_bytes));
    if (rows.children.size() < 2) throw Error("has fewer than two rows of heights");
    Node& file = *shape.find("file");
    rows.file = file.file;
    rows.line = file.line;
    rows.key_line = file.key_line;
    rows.checked = true;
    for (Node& row : rows.children) {
      row.file = file.file;
      row.line = file.line;
      row.checked = true;
    }
    file = std::move(rows);
  }

  std::shared_ptr<SceneData> scene_;
  Mistakes mistakes_;
  RunCheck check_;
  std::vector<fs::path> allowed_;     // folders besides the scene's own
  std::vector<fs::path> folders_;     // of the files
  std::vector<fs::path> open_files_;  // those being included now, outermost first
  std::set<fs::path> read_files_;
  std::size_t bytes_ = 0, values_ = 0;  // of all files
  bool from_memory_ = false, worlds_differ_ = false, begun_ = false, included_ = false,
       meshes_read_ = false;
};

}  // namespace

std::shared_ptr<const SceneData> read_scene_file(const fs::path& file, const RunCheck& check,
                                                 const std::vector<fs::path>& allowed) {
  return Loader(check, allowed).load(file);
}

std::shared_ptr<const SceneData> read_scene_text(std::string_view text, const std::string& name) {
  return Loader().parse(text, name);
}

}  // namespace vinci
