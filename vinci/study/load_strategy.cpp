// SPDX-License-Identifier: Apache-2.0
// Which cases a study runs, when it stops, and its limits.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "vinci/study/design_rounds.h"
#include "vinci/study/study_grammar.h"
#include "vinci/study/study_load.h"

namespace vinci {
namespace {

class StrategyLoader {
 public:
  explicit StrategyLoader(StudyLoad& load) : load_(load), study_(load.study) {}

  void read() {
    read_interval();
    if (const Node* limits = load_.find("limits")) read_limits(*limits);
    if (const Node* node = load_.find("sample")) read_sample(*node);
    if (const Node* node = load_.find("map")) read_map(*node);
    if (const Node* node = load_.find("search")) read_search(*node);
    if (const Node* node = load_.find("sensitivity")) read_sensitivity(*node);
    if (const Node* node = load_.find("rare")) read_rare(*node);
    if (const Node* node = load_.find("stop")) read_stop(*node);
    if ((study_.kind == StudyKind::sample || study_.kind == StudyKind::map) &&
        load_.document.none()) {
      study_.looks = look_schedule(study_).size();
      // Wilson's cover their level on average alone, which does not add up over looks.
      study_.exact_intervals = study_.exact_intervals || study_.looks > 1;
    }
    if (const Node* node = load_.find(to_string(study_.kind))) study_.kind_line = node->key_line;
  }

 private:
  void mistake(const Node& node, std::string message) {
    load_.document.add(node, std::move(message));
  }

  void read_interval() {
    const Node* node = load_.find("interval");
    if (!node) return;
    study_.confidence = load_.number(*node, "confidence", 0.95);
    study_.exact_intervals = StudyLoad::text(*node, "method", "wilson") == "exact";
  }

  void read_limits(const Node& node) {
    study_.limits.seconds = load_.number(node, "time", 0.0);
    study_.limits.steps = load_.count(node, "steps", 0);
    const Node* memory = node.find("memory");
    if (!memory) return;
    double value = 0.0;
    const char *begin = memory->text.data(), *end = begin + memory->text.size();
    const char* rest = std::from_chars(begin, end, value).ptr;
    while (rest < end && *rest == ' ') ++rest;
    const std::string unit(rest, end);
    const double factor = unit == "GB" ? 1e9 : unit == "MB" ? 1e6 : 0.0;
    if (!(value > 0.0) || factor == 0.0 || value * factor > 1e15)
      return mistake(*memory, in_quotes(memory->text) + " is no size; accepted: as in `500 MB`");
    study_.limits.bytes = static_cast<std::uint64_t>(value * factor);
  }

  static SampleMethod method_of(const Node& node) {
    const std::string name = StudyLoad::text(node, "method", "monte-carlo");
    return name == "sobol"             ? SampleMethod::sobol
           : name == "latin-hypercube" ? SampleMethod::latin_hypercube
           : name == "grid"            ? SampleMethod::grid
                                       : SampleMethod::monte_carlo;
  }

  bool has_ranges() const {
    return std::any_of(study_.design.begin(), study_.design.end(),
                       [](const DesignParameter& it) { return it.is_range; });
  }

  void refuse_grids(const Node& node) {
    for (const UncertainParameter& it : study_.uncertain)
      if (it.distribution.kind == DistributionSpec::Kind::grid)
        mistake(node, fmt::format("the uncertain parameter '{}' has a grid; accepted: "
                                  "distributions, or `sample: {{method: grid}}`",
                                  it.name));
  }

  void need_success(const Node& node) {
    if (!load_.document.root().has("success") && !study_.is_geometric())
      mistake(node, "needs `success`, which is missing");
  }

  // All combinations of the values of the parameters, the last one running fastest.
  void combine_designs(const Node& node) {
    if (study_.listed) return;
    double total = 1.0;
    for (const DesignParameter& it : study_.design) total *= static_cast<double>(it.values.size());
    if (total > most_designs)
      return mistake(node, fmt::format("{:.3g} designs; at most {:.0e}", total, most_designs));
    study_.designs.assign(1, {});
    for (const DesignParameter& it : study_.design) {
      std::vector<std::vector<double>> longer;
      for (const std::vector<double>& before : study_.designs)
        for (const double value : it.values) {
          longer.push_back(before);
          longer.back().push_back(value);
        }
      study_.designs = std::move(longer);
    }
  }

  void check_cases(const Node& node, double cases) {
    if (cases > most_cases)
      mistake(node, fmt::format("{:.3g} cases; at most {:.0e}", cases, most_cases));
  }

  void read_sample(const Node& node) {
    study_.kind = StudyKind::sample;
    SampleSpec& sample = study_.sample;
    study_.method = sample.method = method_of(node);
    sample.common = StudyLoad::flag(node, "common", true);
    sample.designs = load_.count(node, "designs", 0);
    if (static_cast<double>(sample.designs) > most_designs)
      mistake(node, fmt::format("more than {:.0e} designs", most_designs));
    if (has_ranges() != (sample.designs > 0))
      mistake(node, has_ranges() ? "'designs' is missing: how many are drawn from the ranges"
                                 : "'designs' without a range among the designs");
    if (sample.designs == 0) combine_designs(node);
    if (sample.method != SampleMethod::grid) {
      refuse_grids(node);
      sample.count = load_.count(node, "count", study_.uncertain.empty() ? 1 : 0);
      if (sample.count == 0) mistake(node, "'count' is missing: cases of each design");
    } else {
      double total = 1.0;
      for (const UncertainParameter& it : study_.uncertain) {
        if (it.distribution.kind != DistributionSpec::Kind::grid)
          mistake(node, fmt::format("the uncertain parameter '{}' has no grid", it.name));
        total *= static_cast<double>(std::max<std::size_t>(it.distribution.values.size(), 1));
      }
      if (node.has("count")) mistake(*node.find("count"), "the grids say how many cases there are");
      check_cases(node, total);
      sample.count = total > most_cases ? 1 : static_cast<std::uint64_t>(total);
    }
    const double designs = sample.designs > 0 ? static_cast<double>(sample.designs)
                                              : static_cast<double>(study_.designs.size());
    check_cases(node, designs * static_cast<double>(sample.count));
  }

  void read_map(const Node& node) {
    study_.kind = StudyKind::map;
    need_success(node);
    refuse_grids(node);
    study_.method = method_of(node);
    MapSpec& map = study_.map;
    const Node* cells = node.find("cells");
    std::size_t next_cells = 0;
    for (const Node& name : node.find("over")->children) {
      const auto found = std::find_if(study_.design.begin(), study_.design.end(),
                                      [&](const auto& it) { return it.name == name.text; });
      if (study_.listed || found == study_.design.end()) {
        mistake(name, in_quotes(name.text) + " is no parameter of `design`");
        continue;
      }
      const auto index = static_cast<std::size_t>(found - study_.design.begin());
      if (!map.over.empty() && map.over[0] == index) mistake(name, "the name is used twice");
      map.over.push_back(index);
      map.values.push_back(found->values);
      if (!found->is_range) continue;
      if (!cells || next_cells >= cells->children.size()) {
        mistake(node,
                fmt::format("'cells' does not say how many the range of '{}' has", name.text));
        continue;
      }
      const double count = load_.document.number(cells->children[next_cells++]);
      for (double i = 0.0; i < std::min(count, most_designs); i += 1.0)
        map.values.back().push_back(found->from + (found->to - found->from) * (i + 0.5) / count);
    }
    if (cells && next_cells < cells->children.size())
      mistake(*cells, "more numbers than ranges in `over`");
    if (map.over.size() != study_.design.size() && load_.document.none())
      mistake(node, "`over` does not name all design parameters; accepted: those of `design`");
    read_runs(node);
    if (load_.document.none()) make_cells(node);
  }

  void read_runs(const Node& node) {
    MapSpec& map = study_.map;
    const Node* adaptive = node.find("adaptive");
    map.adaptive = adaptive != nullptr;
    map.first = map.most = load_.count(node, "count", 1);
    if (!adaptive) return;
    map.first = load_.count(*adaptive, "first", 1);
    map.most = load_.count(*adaptive, "most", 1);
    map.width = load_.number(*adaptive, "width", 0.0);
    map.threshold = load_.number(*adaptive, "threshold", 0.0);
    if (map.first > map.most) mistake(*adaptive, "`first` is more than `most`");
    if (map.width <= 0.0 && map.threshold <= 0.0)
      mistake(*adaptive, "'width' and 'threshold' are missing; accepted: one of them, or both");
    if (load_.find("stop")) mistake(*adaptive, "has its own rule to stop; accepted: no `stop`");
  }

  void make_cells(const Node& node) {
    const MapSpec& map = study_.map;
    const std::size_t across = map.values[0].size();
    const std::size_t along = map.over.size() > 1 ? map.values[1].size() : 1;
    const double total = static_cast<double>(across) * static_cast<double>(along);
    if (total > most_designs)
      return mistake(node, fmt::format("{:.3g} cells; at most {:.0e}", total, most_designs));
    check_cases(node, total * static_cast<double>(map.most));
    for (std::size_t j = 0; j < along; ++j)
      for (std::size_t i = 0; i < across; ++i) {
        std::vector<double>& values = study_.designs.emplace_back(map.over.size());
        values[map.over[0]] = map.values[0][i];
        if (map.over.size() > 1) values[map.over[1]] = map.values[1][j];
      }
  }

  void read_search(const Node& node) {
    study_.kind = StudyKind::search;
    refuse_grids(node);
    SearchSpec& search = study_.search;
    search.minimise = node.has("minimise");
    const std::string goal =
        (search.minimise ? node.find("minimise") : node.find("maximise"))->text;
    search.goal = goal == "probability" ? SearchSpec::Goal::probability
                  : goal == "worst"     ? SearchSpec::Goal::worst
                                        : SearchSpec::Goal::mean;
    if (search.goal == SearchSpec::Goal::probability) {
      need_success(node);
      if (node.has("of")) mistake(*node.find("of"), "a probability is not of a measure");
    } else if (const Node* of = node.find("of")) {
      search.measure = static_cast<std::size_t>(std::max(measure_of(load_, *of), 0));
      need_one_model(*of);
    } else {
      mistake(node, "'of' is missing: the measure");
    }
    search.method = StudyLoad::text(node, "method", "cma-es");
    search.evaluations = load_.count(node, "evaluations", 1);
    search.samples = load_.count(node, "samples", study_.uncertain.empty() ? 1 : 0);
    if (search.samples == 0) mistake(node, "'samples' is missing: cases of each design");
    search.confirm = load_.count(node, "confirm", 0);
    search.best = search.confirm > 0 ? load_.count(node, "best", 1) : 0;
    if (node.has("best") && !node.has("confirm"))
      mistake(*node.find("best"), "designs are run again with `confirm`, which is missing");
    if (study_.design.empty() || study_.listed ||
        !std::all_of(study_.design.begin(), study_.design.end(),
                     [](const DesignParameter& it) { return it.is_range; }))
      mistake(node,
              "searches over ranges; accepted: every parameter of `design` as {from: a, to: b}");
    // Those of NLopt go through all values that are known for every new one.
    constexpr std::uint64_t most_of_nlopt = 20'000;
    if (search.method != "cma-es" && search.evaluations > most_of_nlopt)
      mistake(node, fmt::format("more than {} evaluations by {}; accepted for more: cma-es",
                                most_of_nlopt, search.method));
    if (static_cast<double>(search.evaluations) > most_designs)
      mistake(node, fmt::format("more than {:.0e} designs", most_designs));
    check_cases(node,
                static_cast<double>(search.evaluations) * static_cast<double>(search.samples) +
                    static_cast<double>(search.best) * static_cast<double>(search.confirm));
  }

  // Numbers of two models are never put together: of cases that a level rejects the measure is its
  // own, of the others that of a later one.
  void need_one_model(const Node& node) {
    bool rejects = false;
    for (const StudyLevel& level : study_.levels) {
      if (level.geometric) continue;
      if (rejects)
        return mistake(node,
                       "the measure of cases that a level rejects would be of another model "
                       "than that of the rest; accepted: `rejects: false` of simulations "
                       "before the last one");
      rejects = rejects || (level.rejects && study_.success.has_value());
    }
  }

  // Strategies that look at the uncertain parameters alone, at one design at most.
  void need_one_design(const Node& node) {
    refuse_grids(node);
    if (!has_ranges()) combine_designs(node);
    if (has_ranges() || study_.designs.size() > 1)
      mistake(node, "looks at one design; accepted: one value of each design parameter, or `set`");
    if (study_.uncertain.empty()) mistake(node, "needs uncertain parameters; there are none");
  }

  void read_sensitivity(const Node& node) {
    study_.kind = StudyKind::sensitivity;
    SensitivitySpec& sensitivity = study_.sensitivity;
    need_one_design(node);
    sensitivity.morris = StudyLoad::text(node, "method", "sobol") == "morris";
    // Versions before had other points: their ledgers are of other studies.
    if (sensitivity.morris) load_.hash.bytes("any step", 8);
    sensitivity.count = load_.count(node, "count", 2);
    sensitivity.levels =
        static_cast<int>(std::min<std::uint64_t>(load_.count(node, "levels", 4), 1000));
    for (const Node& of : node.find("of")->children) {
      if (of.text == "success")
        need_success(of);
      else
        need_one_model(of);
      sensitivity.measures.push_back(of.text == "success" ? -1 : measure_of(load_, of));
    }
    if (study_.correlation.size() > 0)
      mistake(node, "indices are of independent parameters; accepted: no `correlations`");
    check_cases(node, static_cast<double>(sensitivity.count) *
                          static_cast<double>(study_.uncertain.size() + 2));
  }

  void read_rare(const Node& node) {
    study_.kind = StudyKind::rare;
    RareSpec& rare = study_.rare;
    need_one_design(node);
    rare.importance = StudyLoad::text(node, "method", "subset") == "importance";
    rare.measure = static_cast<std::size_t>(std::max(measure_of(load_, *node.find("of")), 0));
    rare.count = load_.count(node, "count", 10);
    rare.share = load_.number(node, "share", 0.1);
    need_one_model(*node.find("of"));
    const double parts = rare.share > 0.0 ? std::round(1.0 / rare.share) : 0.0;
    if (!rare.importance && static_cast<double>(rare.count) <= parts)
      mistake(*node.find("count"),
              fmt::format("{} cases of a round, of which one in {:g} begins the next one; "
                          "accepted: more than {:g}, so that several begin it",
                          rare.count, parts, parts));
    rare.rounds = static_cast<int>(std::min<std::uint64_t>(load_.count(node, "rounds", 10), 1000));
    rare.components =
        static_cast<int>(std::min<std::uint64_t>(load_.count(node, "components", 1), 100));
    if (const Node* components = node.find("components"); components && !rare.importance)
      mistake(*components, "subset simulation has none; accepted: with `method: importance`");
    check_importance(node, rare);
    // As of Morris' effects.
    if (!rare.importance) load_.hash.bytes("any seed", 8);
    if (rare.share > 0.5) mistake(*node.find("share"), "accepted: a share of at most 0.5");
    if (load_.document.root().has("stop"))
      mistake(*load_.document.root().find("stop"), "a rare study has its own rule to stop");
    check_cases(node, static_cast<double>(rare.count) * static_cast<double>(rare.rounds));
  }

  // The points that lead a round are what a mixture is fitted to: with fewer of them its intervals
  // miss far more often than they say.
  void check_importance(const Node& node, const RareSpec& rare) {
    constexpr double leaders_per_number = 4.0;
    const double least = std::ceil(leaders_per_number * rare.components *
                                   static_cast<double>(study_.uncertain.size()) / rare.share);
    if (rare.importance && load_.document.none() && static_cast<double>(rare.count) < least)
      mistake(*node.find("count"),
              fmt::format("{} cases of a round for {} uncertain parameters and {} components; "
                          "accepted: at least {:g}, or `method: subset`",
                          rare.count, study_.uncertain.size(), rare.components, least));
  }

  void read_stop(const Node& node) {
    StopSpec& stop = study_.stop;
    stop.width = load_.number(node, "width", 0.0);
    stop.successes = load_.count(node, "successes", 0);
    stop.failures = load_.count(node, "failures", 0);
    if (!stop.is_given())
      return mistake(node, "accepted: at least one of width, successes, failures");
    if (study_.kind != StudyKind::sample && study_.kind != StudyKind::map)
      return mistake(node, "only of `sample` and `map`");
    need_success(node);
    const std::uint64_t count =
        study_.kind == StudyKind::sample ? study_.sample.count : study_.map.most;
    for (const char* key : {"successes", "failures"})
      if (count > 0 && load_.count(node, key, 0) > count)
        mistake(*node.find(key), fmt::format("more than the {} cases of a design", count));
    stop.every = load_.count(node, "every", std::max<std::uint64_t>(count / 20, 1));
  }

  StudyLoad& load_;
  StudyData& study_;
};

}  // namespace

void load_strategy(StudyLoad& load) {
  StrategyLoader(load).read();
}

}  // namespace vinci
