// SPDX-License-Identifier: Apache-2.0
// The structure of a scene against its grammar: kinds of values, unknown, missing and clashing
// keys, references, names, the syntax of expressions.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/base/options.h"
#include "vinci/base/words.h"
#include "vinci/scene/scene_data.h"

namespace vinci {

void Mistakes::add(Diagnostic diagnostic) {
  constexpr std::size_t most = 100;
  diagnostic.message += remark_;
  diagnostics_.push_back(std::move(diagnostic));
  if (diagnostics_.size() == most) {
    diagnostics_.push_back({scene_.files.empty() ? "" : scene_.files[0], 0, "",
                            fmt::format("more than {} mistakes; checking stops here", most)});
    throw TooManyMistakes{};
  }
}

void Mistakes::add(const Node& where, std::string message) {
  add({scene_.files[static_cast<std::size_t>(where.file)],
       where.key_line > 0 ? where.key_line : where.line, path_of(scene_.root, where),
       std::move(message)});
}

std::vector<Diagnostic> Mistakes::take() {
  const auto rank = [this](const Diagnostic& d) {
    const auto file = std::find(scene_.files.begin(), scene_.files.end(), d.file);
    return std::make_pair(file - scene_.files.begin(), d.line);
  };
  // The line "more than 100 mistakes" has no place and stays last.
  std::stable_sort(diagnostics_.begin(), diagnostics_.end() - (diagnostics_.size() > 100 ? 1 : 0),
                   [&](const Diagnostic& a, const Diagnostic& b) { return rank(a) < rank(b); });
  return std::move(diagnostics_);
}

namespace {

// Appends the path from `node` down to `target`; false if it is not below.
bool find_path(const Node& node, const Node& target, std::string& path) {
  if (&node == &target) return true;
  const std::size_t size = path.size();
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = node.children[i];
    if (node.is_list())
      path += fmt::format("[{}]", i);
    else
      path += (size == 0 ? "" : ".") + child.key;
    if (find_path(child, target, path)) return true;
    path.resize(size);
  }
  return false;
}

}  // namespace

std::string path_of(const Node& root, const Node& node) {
  std::string path;
  find_path(root, node, path);
  return path;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 24;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  const auto end = names.begin() + static_cast<long>(most);
  return fmt::format("{}, ...", fmt::join(names.begin(), end, ", "));
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : " (did you mean '" + near + "'?)";
}

namespace {

using Kind = SceneValue::Kind;
using Naming = SceneValue::Naming;
using Reference = SceneValue::Reference;
using Variables = SceneValue::Variables;

std::string described(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return in_quotes(node.text);
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "";
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
         byte >= 0x80;
}

// Why a name may not be used, or nothing.
std::string name_problem(const std::string& name, Naming naming) {
  if (escaped(name) != name) return "has control characters or is no UTF-8";
  if (naming == Naming::free) return "";
  if (naming == Naming::word) {
    const bool fine =
        is_word_character(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
          return is_word_character(c) || c == '-' || c == '.';
        });
    return fine ? "" : "not a name; accepted: letters, digits, '_', '-' and '.'";
  }
  if (name == "t" || name == "q" || name == "v")
    return fmt::format("'{}' is a variable of motions and forces; choose another name", name);
  const auto all = units();
  if (std::any_of(all.begin(), all.end(), [&](const Unit& unit) { return unit.name == name; }))
    return fmt::format("'{}' is a unit; choose another name", name);
  if (is_variable_name(name)) return "";
  const bool identifier = !is_digit(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return is_word_character(c) && static_cast<unsigned char>(c) < 0x80;
  });
  if (identifier)
    return fmt::format("'{}' has a meaning of its own in expressions; choose another name", name);
  return "not a name for expressions; accepted: letters, digits and '_', not beginning with a "
         "digit";
}

class StructureCheck {
 public:
  StructureCheck(const SceneData& scene, Mistakes& mistakes)
      : scene_(scene),
        mistakes_(mistakes),
        bodies_(names_below("bodies")),
        anchors_(bodies_),
        materials_(names_below("materials")),
        joints_(names_below("joints")),
        trajectories_(names_below("trajectories")),
        parameters_(scene.variables.begin() + first_parameter, scene.variables.end()),
        plane_variables_(scene.variables),
        friction_variables_(scene.variables) {
    anchors_.insert("world");
    materials_.insert("default");
    plane_variables_[x_variable] = "x";
    plane_variables_[y_variable] = "y";
    plane_variables_[velocity_variable].clear();
    const char* const names[] = {"t", "x", "y", "z", "speed"};
    std::copy(std::begin(names), std::end(names), friction_variables_.begin());
  }

  bool check(Node& node, const SceneValue& value) {
    const bool fine = check_kind(node, value);
    if (!fine) node.bad = true;
    if (fine) node.checked = true;
    return fine;
  }

 private:
  std::set<std::string> names_below(const char* key) const {
    std::set<std::string> names;
    const Node* map = scene_.root.find(key);
    if (map && map->is_map())
      for (const Node& child : map->children) names.insert(child.key);
    return names;
  }

  bool fail(const Node& node, std::string message) {
    mistakes_.add(node, std::move(message));
    return false;
  }
  bool fail_kind(const Node& node, const SceneValue& value) {
    return fail(node, fmt::format("{} stands here; accepted: {}", described(node), value.text));
  }

  bool check_kind(Node& node, const SceneValue& value) {
    switch (value.kind) {
      case Kind::number:
        return node.is_scalar() ? check_number(node, value) : fail_kind(node, value);
      case Kind::text:
        return node.is_scalar() ? check_reference(node, value) : fail_kind(node, value);
      case Kind::choice:
        return node.is_scalar() ? check_choice(node, value) : fail_kind(node, value);
      case Kind::unchecked:
        return true;
      case Kind::anything:
        return node.is_scalar() ||
               fail(node, "a list or map stands here; accepted: a single value");
      case Kind::list:
        return node.is_list() ? check_list(node, value) : fail_kind(node, value);
      case Kind::names:
        return node.is_map() ? check_names(node, value) : fail_kind(node, value);
      case Kind::map:
        return node.is_map() ? check_map(node, value) : fail_kind(node, value);
      case Kind::either:
        return check_either(node, value);
    }
    return false;
  }

  bool check_number(Node& node, const SceneValue& value) {
    const char* end = node.text.data() + node.text.size();
    const auto result = std::from_chars(node.text.data(), end, node.number);
    const bool infinite = node.text.find(".inf") != std::string::npos || node.text == ".nan" ||
                          node.text == ".NaN" || node.text == ".Inf";
    if (infinite || (result.ptr == end && !std::isfinite(node.number)))
      return fail(node, in_quotes(node.text) + " is not a finite number; accepted: " + value.text);
    if (result.ec == std::errc() && result.ptr == end) return true;
    try {
      Expression expression = Expression::parse(node.text, variables_of(value));
      if (!check_variables(node, value, expression)) return false;
      if (expression.is_constant())
        node.number = expression.value({});
      else
        node.expression = std::make_shared<Expression>(std::move(expression));
      return true;
    } catch (const Error& error) {
      return fail(node, fmt::format("{}: {}", in_quotes(node.text), explained(error, value)) +
                            comma_hint(node.text));
    }
  }

  const std::vector<std::string>& variables_of(const SceneValue& value) const {
    if (value.variables == Variables::plane) return plane_variables_;
    return value.variables == Variables::friction ? friction_variables_ : scene_.variables;
  }

  // The parser knows all variables; what is accepted here may be fewer.
  static std::string explained(const Error& error, const SceneValue& value) {
    std::string message = error.message();
    const std::string all = "; accepted: t, q, v, ";
    const std::size_t found = message.find(all);
    if (found == std::string::npos || value.variables == Variables::state) return message;
    const bool time = value.variables == Variables::time;
    return message.replace(found, all.size(), time ? "; accepted: t, " : "; accepted: ");
  }

  // YAML ends a value at a comma inside { } and [ ]: `min(1` is what is left of a call.
  static std::string comma_hint(const std::string& text) {
    const std::size_t open = text.find('(');
    const bool call = open != std::string::npos && open > 0 && is_word_character(text[open - 1]);
    return call && text.find(')') == std::string::npos ? " (quote expressions that contain a comma)"
                                                       : "";
  }

  bool check_variables(const Node& node, const SceneValue& value, const Expression& expression) {
    for (std::size_t i = 0; i < first_parameter; ++i) {
      if (!expression.uses(i)) continue;
      if (value.variables == Variables::plane || value.variables == Variables::friction) {
        const std::string& variable = variables_of(value)[i];
        if (parameters_.count(variable) == 0) continue;
        return fail(node, fmt::format("{}: '{}' is a {} here and also a parameter; accepted: "
                                      "parameters of other names",
                                      in_quotes(node.text), variable,
                                      variable == "speed" ? "variable" : "coordinate"));
      }
      const std::string& name = scene_.variables[i];
      if (value.variables == Variables::none)
        return fail(node, fmt::format("{}: '{}' has no value here; accepted: {}",
                                      in_quotes(node.text), name, value.text));
      if (value.variables == Variables::time && i != time_variable)
        return fail(node, fmt::format("{}: '{}' may be used in `force` only; accepted: {}",
                                      in_quotes(node.text), name, value.text));
    }
    return true;
  }

  bool check_choice(const Node& node, const SceneValue& value) {
    if (std::find(value.choices.begin(), value.choices.end(), node.text) != value.choices.end())
      return true;
    return fail(node, fmt::format("unknown value {}{}; accepted: {}", in_quotes(node.text),
                                  suggestion(node.text, value.choices), value.text));
  }

  // "a body" and the known bodies.
  std::pair<std::string, const std::set<std::string>*> known(Reference reference) const {
    switch (reference) {
      case Reference::body:
        return {"body", &bodies_};
      case Reference::anchor:
        return {"body", &anchors_};
      case Reference::material:
        return {"material", &materials_};
      case Reference::parameter:
        return {"parameter", &parameters_};
      case Reference::joint:
        return {"joint", &joints_};
      case Reference::trajectory:
        return {"trajectory", &trajectories_};
      case Reference::none:
        break;
    }
    return {"", nullptr};
  }
  // Why a word names nothing, or "".
  std::string reference_problem(const std::string& word, Reference reference) const {
    const auto [kind, set] = known(reference);
    if (!set || set->count(word) > 0) return "";
    const std::vector<std::string> names(set->begin(), set->end());
    return fmt::format("there is no {} {}{}; accepted: {}", kind, in_quotes(word),
                       suggestion(word, names), names.empty() ? "none" : listed(names));
  }
  bool check_reference(const Node& node, const SceneValue& value) {
    const std::string problem = reference_problem(node.text, value.reference);
    return problem.empty() || fail(node, problem);
  }

  bool check_list(Node& node, const SceneValue& value) {
    const std::size_t size = node.children.size();
    if (size < value.least || size > value.most)
      return fail(node, fmt::format("a list of {}; accepted: {}", size, value.text));
    node.checked = true;
    bool fine = true;
    for (Node& child : node.children) fine &= check(child, value.items[0]);
    return fine;
  }

  bool check_names(Node& node, const SceneValue& value) {
    if (node.children.size() > value.most)
      return fail(node, fmt::format("{} entries; at most {}", node.children.size(), value.most));
    node.checked = true;
    bool fine = true;
    for (Node& child : node.children) {
      std::string problem = value.reference == Reference::none
                                ? name_problem(child.key, value.naming)
                                : reference_problem(child.key, value.reference);
      if (problem.empty() && node.key == "bodies" && child.key == "world")
        problem = "springs and joints mean the world itself by 'world'; choose another name";
      if (!problem.empty()) {
        mistakes_.add(child, std::move(problem));
        fine = false;
      }
      fine &= check(child, value.items[0]);
    }
    return fine;
  }

  bool check_map(Node& node, const SceneValue& value) {
    node.checked = true;
    bool fine = true;
    for (Node& child : node.children) {
      if (const SceneKey* key = value.find(child.key))
        fine &= check(child, key->value);
      else if (value.open)
        fine &= check(child, SceneValue{Kind::anything});
      else
        fine &= fail_unknown(child, value);
    }
    for (const SceneKey& key : value.keys)
      if (key.required && !node.has(key.name))
        fine &= fail(node, fmt::format("'{}' is missing; accepted: {}", key.name, key.value.text));
    return fine & check_groups(node, value);
  }

  bool fail_unknown(const Node& child, const SceneValue& value) {
    std::vector<std::string> names;
    for (const SceneKey& key : value.keys) names.push_back(key.name);
    const auto& foreign = value.other_world;
    std::string message = "unknown key" + suggestion(child.key, names);
    if (std::find(foreign.begin(), foreign.end(), child.key) != foreign.end())
      message = fmt::format("not for a {} world", to_string(scene_.world));
    if (child.key.find(')') != std::string::npos)
      message += "; quote expressions that contain a comma";
    mistakes_.add(child, message + "; accepted: " + listed(names));
    return false;
  }

  bool check_groups(const Node& node, const SceneValue& value) {
    bool fine = true;
    const auto present = [&](const std::vector<std::string>& group) {
      std::vector<std::string> found;
      for (const std::string& name : group)
        if (node.has(name)) found.push_back("'" + name + "'");
      return found;
    };
    for (const auto& group : value.one_of) {
      const auto found = present(group);
      if (found.empty() && !node.bad && fine_keys(node, value))
        fine = fail(node, fmt::format("one of these keys is missing: {}", fmt::join(group, ", ")));
      else if (found.size() > 1)
        fine = fail(node, fmt::format("{} together; accepted: one of {}", fmt::join(found, " and "),
                                      fmt::join(group, ", ")));
    }
    // Of what clashes with several others one word is enough, and nothing is missing beside it.
    std::set<std::string> told;
    for (const auto& group : value.clashes) {
      const auto found = present(group);
      if (found.size() < 2 || std::any_of(found.begin(), found.end(), [&](const std::string& key) {
            return told.contains(key);
          }))
        continue;
      told.insert(found.begin(), found.end());
      fine =
          fail(node, fmt::format("{} together; accepted: one of them", fmt::join(found, " and ")));
    }
    for (const auto& group : value.together)
      if (const auto found = present(group);
          !found.empty() && found.size() < group.size() && !told.contains(found[0]))
        fine = fail(node, fmt::format("{} alone; accepted: {} together", found[0],
                                      fmt::join(group, " and ")));
    return fine;
  }

  // No unknown key stands in the map: a misspelt one is reported once, not as missing too.
  static bool fine_keys(const Node& node, const SceneValue& value) {
    return std::all_of(node.children.begin(), node.children.end(),
                       [&](const Node& child) { return value.find(child.key) != nullptr; });
  }

  bool check_either(Node& node, const SceneValue& value) {
    for (const SceneValue& item : value.items) {
      const bool list = item.kind == Kind::list;
      const bool map = item.kind == Kind::map || item.kind == Kind::names;
      if (list ? node.is_list() : map ? node.is_map() : node.is_scalar()) return check(node, item);
    }
    return fail_kind(node, value);
  }

  const SceneData& scene_;
  Mistakes& mistakes_;
  std::set<std::string> bodies_, anchors_, materials_, joints_, trajectories_, parameters_;
  std::vector<std::string> plane_variables_;     // of the functions of implicit curves
  std::vector<std::string> friction_variables_;  // of coefficients of friction
};

}  // namespace

bool check_structure(Node& node, const SceneValue& value, const SceneData& scene,
                     Mistakes& mistakes) {
  return StructureCheck(scene, mistakes).check(node, value);
}

}  // namespace vinci
