// SPDX-License-Identifier: Apache-2.0
// The ladder of models of a study.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "vinci/passage/passage.h"
#include "vinci/study/study_load.h"

namespace vinci {
namespace {

// Choices over others: who names another plugin begins with that one's own options.
void put_over(RunOverrides& overrides, const RunChoices& choices) {
  for (const auto& choice : choices.values) {
    overrides.options[choice.first] = choice.second;
    std::erase_if(overrides.plugin_options,
                  [&](const auto& option) { return option.first.first == choice.first; });
  }
  for (const auto& [key, text] : choices.plugin_values) overrides.plugin_options[key] = text;
}

class LevelLoader {
 public:
  explicit LevelLoader(StudyLoad& load) : load_(load), study_(load.study) {}

  void read() {
    const Node& root = load_.document.root();
    if (const Node* run = load_.find("run")) {
      put_over(of_all_, load_.document.run_choices(*run));
      check_run_of(*run, of_all_);
    }
    const Node* levels = root.find("levels");
    if (!levels) return add_only_level();
    if (!levels->is_list()) return;
    bool any_confirms = false;
    for (const Node& node : levels->children) any_confirms |= node.has("confirms");
    for (const Node& node : levels->children) {
      if (!Document::is_fine(node)) continue;
      StudyLevel level;
      level.name = StudyLoad::text(node, "name", "");
      level.geometric = StudyLoad::text(node, "model", "simulation") == "geometric";
      level.rejects = StudyLoad::flag(node, "rejects", true);
      level.confirms =
          StudyLoad::flag(node, "confirms", !any_confirms && &node == &levels->children.back());
      level.per_design = StudyLoad::text(node, "per", "case") == "design";
      for (const StudyLevel& other : study_.levels)
        if (other.name == level.name)
          load_.document.add(*node.find("name"), "the name is used twice");
      LevelSpec spec;
      if (const Node* set = Document::fine(node, "set")) read_set(*set, spec);
      level.geometric ? read_passage(node, spec) : read_simulation(node, spec);
      study_.levels.push_back(std::move(level));
      study_.level_specs.push_back(std::move(spec));
    }
    if (any_confirms && std::none_of(study_.levels.begin(), study_.levels.end(),
                                     [](const StudyLevel& it) { return it.confirms; }))
      load_.document.add(*levels,
                         "no level confirms, so that no case could succeed; accepted: "
                         "`confirms: true` of one, or `confirms` of none");
  }

 private:
  void add_only_level() {
    StudyLevel level;
    level.name = "simulation";
    level.confirms = true;
    study_.levels.push_back(std::move(level));
    study_.level_specs.push_back({of_all_, {}, {}});
    if (study_.model && !load_.find("run")) check_run_of(load_.document.root(), of_all_);
  }

  // What only a simulation that is made can say: unknown options, methods that cannot do it.
  void check_run_of(const Node& node, const RunOverrides& overrides) {
    if (!study_.model) return;
    RunOverrides with_parameters = overrides;
    with_parameters.parameters = study_.fixed;
    for (const DesignParameter& it : study_.design)
      with_parameters.parameters[it.name] = study_.model->parameters.at(it.name);
    try {
      const Simulation simulation(*study_.scene, with_parameters, study_.plugins);
    } catch (const SceneError& error) {
      for (const Diagnostic& mistake : error.diagnostics()) load_.document.add(mistake);
    } catch (const Error& error) {
      load_.document.add(
          node, error.where().empty() ? error.message() : error.where() + ": " + error.message());
    }
  }

  void read_set(const Node& node, LevelSpec& spec) {
    for (const Node& child : node.children)
      if (Document::is_fine(child) && load_.is_scene_parameter(child, child.key))
        spec.set[child.key] = load_.document.number(child);
  }

  void refuse_keys(const Node& node, const std::vector<std::string>& keys, const char* text) {
    for (const std::string& key : keys)
      if (const Node* child = node.find(key)) load_.document.add(*child, text);
  }

  void read_simulation(const Node& node, LevelSpec& spec) {
    refuse_keys(node, {"body", "goal", "bounds", "clearance", "resolution", "effort", "not-found"},
                "only of `model: geometric`");
    spec.overrides = of_all_;
    if (const Node* run = Document::fine(node, "run")) {
      put_over(spec.overrides, load_.document.run_choices(*run));
      check_run_of(*run, spec.overrides);
    }
  }

  void read_passage(const Node& node, LevelSpec& spec) {
    refuse_keys(node, {"run"}, "the geometric model has no run; accepted: of a simulation");
    for (const char* key : {"body", "goal"})
      if (!node.has(key))
        load_.document.add(node, fmt::format("'{}' is missing; a geometric level needs it", key));
    PassageSpec& passage = spec.passage;
    spec.overrides = of_all_;
    passage.clearance = load_.number(node, "clearance", 0.0);
    passage.resolution = load_.number(node, "resolution", 0.0);
    passage.effort = static_cast<long>(load_.count(node, "effort", 20'000));
    passage.body = StudyLoad::text(node, "body", "");
    if (StudyLoad::text(node, "not-found", "unknown") == "failure")
      passage.not_found = Verdict::failure;
    if (const Node* goal = node.find("goal")) passage.goal = ranges_of(*goal);
    if (const Node* bounds = node.find("bounds")) passage.bounds = ranges_of(*bounds);
    const Node* body = node.find("body");
    if (!body || !study_.model) return;
    if (study_.model->find_body(passage.body) < 0) {
      std::vector<std::string> names;
      for (const Body& it : study_.model->bodies) names.push_back(it.name);
      load_.document.add(*body,
                         fmt::format("there is no body {}{}; accepted: {}", in_quotes(passage.body),
                                     suggestion(passage.body, names), listed(names)));
    }
  }

  std::map<std::string, std::pair<Expression, Expression>> ranges_of(const Node& node) {
    std::map<std::string, std::pair<Expression, Expression>> ranges;
    for (const Node& child : node.children) {
      auto& range = ranges[child.key];
      range = {Expression(-infinity), Expression(infinity)};
      const auto read_end = [&](const Node* end, Expression& expression) {
        if (!end) return;
        load_.guarded(*end, [&] { expression = Expression::parse(end->text, study_.names); });
      };
      read_end(child.is_list() ? &child.children[0] : child.find("from"), range.first);
      read_end(child.is_list() ? &child.children[1] : child.find("to"), range.second);
    }
    return ranges;
  }

  StudyLoad& load_;
  StudyData& study_;
  RunOverrides of_all_;
};

}  // namespace

void load_levels(StudyLoad& load) {
  LevelLoader(load).read();
}

}  // namespace vinci
