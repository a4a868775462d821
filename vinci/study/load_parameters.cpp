// SPDX-License-Identifier: Apache-2.0
// Parameters of a study: what is set, chosen and uncertain.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/sampling/copula.h"
#include "vinci/study/sampler.h"
#include "vinci/study/study_grammar.h"
#include "vinci/study/study_load.h"

namespace vinci {
namespace {

std::vector<double> even_values(double from, double to, std::uint64_t count) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i)
    values.push_back(count == 1 ? 0.5 * (from + to)
                                : from + (to - from) * static_cast<double>(i) /
                                             static_cast<double>(count - 1));
  return values;
}

class ParameterLoader {
 public:
  explicit ParameterLoader(StudyLoad& load) : load_(load), study_(load.study) {}

  void read() {
    if (const Node* set = load_.find("set"))
      for (const Node& node : set->children)
        if (load_.is_scene_parameter(node, node.key))
          study_.fixed[node.key] = load_.document.number(node);
    if (const Node* design = load_.find("design"))
      for (const Node& node : design->children) read_design(node);
    if (const Node* designs = load_.find("designs")) read_designs(*designs);
    for (const DesignParameter& it : study_.design) {
      StudyParameter parameter{it.name, StudyParameter::Kind::design, text_of(it), it.from, it.to};
      if (!it.is_range && !it.values.empty()) {
        parameter.lower = *std::min_element(it.values.begin(), it.values.end());
        parameter.upper = *std::max_element(it.values.begin(), it.values.end());
      }
      study_.parameters.push_back(std::move(parameter));
    }
    if (const Node* uncertain = load_.document.root().find("uncertain"); uncertain)
      for (const Node& node : uncertain->children)
        if (Document::is_fine(node)) read_uncertain(node);
    if (const Node* correlations = load_.find("correlations")) read_correlations(*correlations);
  }

 private:
  bool is_new(const Node& node, const std::string& name) {
    if (!load_.is_scene_parameter(node, name)) return false;
    if (!load_.guarded(node, [&] { refuse_column_name(name); })) return false;
    std::string other;
    if (study_.fixed.contains(name)) other = "set";
    for (const DesignParameter& it : study_.design)
      if (it.name == name) other = "design";
    if (other.empty()) return true;
    load_.document.add(node, fmt::format("the parameter stands in `{}` too", other));
    return false;
  }

  static std::string text_of(const DesignParameter& it) {
    if (it.is_range) return fmt::format("from {} to {}", it.from, it.to);
    return fmt::format("{} values", it.values.size());
  }

  bool has_order(const Node& node, double from, double to) {
    if (from < to) return true;
    load_.document.add(node, fmt::format("from {} to {}; accepted: the first one less than the "
                                         "second",
                                         from, to));
    return false;
  }

  // --- designs ---

  void read_design(const Node& node) {
    if (!is_new(node, node.key)) return;
    DesignParameter it;
    it.name = node.key;
    if (node.is_list()) {
      for (const Node& value : node.children) it.values.push_back(load_.document.number(value));
    } else {
      it.from = load_.number(node, "from", 0.0);
      it.to = load_.number(node, "to", 0.0);
      if (!has_order(node, it.from, it.to)) return;
      it.is_range = !node.has("grid");
      if (!it.is_range) it.values = even_values(it.from, it.to, load_.count(node, "grid", 1));
    }
    study_.design.push_back(std::move(it));
  }

  void read_designs(const Node& node) {
    study_.listed = true;
    if (node.is_scalar()) {
      load_.guarded(node, [&] {
        const NumberTable table = read_number_table(load_.read_file(node.text));
        for (const std::string& name : table.names)
          if (!is_new(node, name)) return;
        for (const std::string& name : table.names) study_.design.emplace_back().name = name;
        study_.designs = table.rows;
      });
    } else {
      const Node& first = node.children[0];
      for (const Node& value : first.children) {
        if (!is_new(value, value.key)) return;
        study_.design.emplace_back().name = value.key;
      }
      for (const Node& design : node.children) read_listed(design);
    }
    for (std::size_t i = 0; i < study_.design.size(); ++i)
      for (const std::vector<double>& values : study_.designs)
        study_.design[i].values.push_back(values[i]);
  }

  void read_listed(const Node& node) {
    std::vector<double> values;
    for (const DesignParameter& it : study_.design)
      if (const Node* value = node.find(it.name)) values.push_back(load_.document.number(*value));
    if (values.size() == study_.design.size() && node.children.size() == values.size())
      study_.designs.push_back(std::move(values));
    else
      load_.document.add(node, "other parameters than the first design; accepted: the same ones");
  }

  // --- uncertain parameters ---

  void read_uncertain(const Node& node) {
    if (!is_new(node, node.key)) return;
    UncertainParameter it{node.key, {}};
    DistributionSpec& spec = it.distribution;
    const Node& how = node.children[0];
    const bool good = load_.guarded(how, [&] { read_distribution(how, spec); });
    if (!good) return;
    StudyParameter parameter{it.name, StudyParameter::Kind::uncertain, how.key};
    load_.guarded(how, [&] {
      const auto [lower, upper] = ends_of(spec);
      parameter.lower = lower;
      parameter.upper = upper;
      study_.uncertain.push_back(std::move(it));
      study_.parameters.push_back(std::move(parameter));
    });
  }

  std::vector<double> numbers_of(const Node& list) const {
    std::vector<double> values;
    for (const Node& value : list.children) values.push_back(load_.document.number(value));
    return values;
  }

  void read_distribution(const Node& how, DistributionSpec& spec) {
    const auto number = [&](const char* key, double fallback) {
      return load_.number(how, key, fallback);
    };
    if (how.is_map() && how.key != "triangular" && how.key != "grid") {
      spec.from = number("from", -infinity);
      spec.to = number("to", infinity);
      if (!(spec.from < spec.to)) throw Error("`from` is not less than `to`");
    }
    if (how.key == "uniform") {
      spec.kind = DistributionKind::uniform;
      spec.a = load_.document.number(how.children[0]);
      spec.b = load_.document.number(how.children[1]);
      if (!(spec.a < spec.b)) throw Error("the first end is not less than the second");
    } else if (how.key == "normal") {
      spec.kind = DistributionKind::normal;
      spec.a = number("mean", 0.0);
      spec.b = number("deviation", 1.0);
    } else if (how.key == "lognormal") {
      spec.kind = DistributionKind::lognormal;
      spec.a = std::log(number("median", 1.0));
      spec.b = number("spread", 1.0);
    } else if (how.key == "triangular") {
      spec.kind = DistributionKind::triangular;
      spec.a = number("from", 0.0);
      spec.b = number("to", 1.0);
      spec.c = number("mode", 0.5);
      if (!(spec.a < spec.b) || spec.c < spec.a || spec.c > spec.b)
        throw Error("accepted: from <= mode <= to, and from < to");
    } else if (how.key == "exponential") {
      spec.kind = DistributionKind::exponential;
      spec.a = number("mean", 1.0);
    } else if (how.key == "discrete") {
      spec.kind = DistributionKind::discrete;
      spec.values = numbers_of(*how.find("values"));
      if (const Node* weights = how.find("weights")) spec.weights = numbers_of(*weights);
      read_weights(spec);
    } else if (how.key == "measured") {
      spec.kind = DistributionKind::measured;
      read_measured(how, spec);
    } else {
      spec.kind = DistributionKind::grid;
      spec.values = how.is_list() ? numbers_of(how)
                                  : even_values(number("from", 0.0), number("to", 0.0),
                                                load_.count(how, "count", 1));
    }
  }

  static void read_weights(DistributionSpec& spec) {
    if (spec.weights.empty()) spec.weights.assign(spec.values.size(), 1.0);
    if (spec.weights.size() != spec.values.size())
      throw Error(fmt::format("{} values with {} weights; accepted: as many", spec.values.size(),
                              spec.weights.size()));
    const double sum = std::accumulate(spec.weights.begin(), spec.weights.end(), 0.0);
    if (!(sum > 0.0) || !std::isfinite(sum)) throw Error("the weights have no positive sum");
  }

  void read_measured(const Node& how, DistributionSpec& spec) {
    if (how.is_list()) {
      spec.values = numbers_of(how);
      return;
    }
    spec.smooth = StudyLoad::flag(how, "smooth", false);
    if (const Node* values = how.find("values")) {
      spec.values = numbers_of(*values);
      return;
    }
    const NumberTable table = read_number_table(load_.read_file(how.find("file")->text));
    const std::size_t column = table.column(how.find("column")->text);
    for (const std::vector<double>& row : table.rows) spec.values.push_back(row[column]);
  }

  void read_correlations(const Node& node) {
    const auto count = static_cast<Eigen::Index>(study_.uncertain.size());
    MatrixX matrix = MatrixX::Identity(count, count);
    std::set<std::pair<Eigen::Index, Eigen::Index>> named;
    for (const Node& entry : node.children) {
      std::vector<Eigen::Index> pair;
      for (const Node& name : entry.find("of")->children)
        if (const Eigen::Index found = uncertain_of(name); found >= 0) pair.push_back(found);
      if (pair.size() < 2) return;
      if (pair[0] == pair[1])
        return load_.document.add(entry, "a parameter with itself; accepted: two parameters");
      if (!named.insert(std::minmax(pair[0], pair[1])).second)
        return load_.document.add(entry, "the two stand in an entry before; accepted: one a pair");
      double value = load_.number(entry, "value", 0.0);
      // Of ranks rho belongs to 2 sin(pi rho / 6) of the normals [Pearson 1907].
      if (StudyLoad::text(entry, "kind", "normal") == "rank") {
        for (const Eigen::Index i : pair)
          if (!is_continuous(study_.uncertain[static_cast<std::size_t>(i)].distribution))
            return load_.document.add(
                entry, fmt::format("'{}' has values that are drawn again and again, so that ranks "
                                   "tie; accepted: continuous distributions, or kind: normal",
                                   study_.uncertain[static_cast<std::size_t>(i)].name));
        value = 2.0 * std::sin(M_PI / 6.0 * value);
      }
      matrix(pair[0], pair[1]) = matrix(pair[1], pair[0]) = value;
    }
    if (load_.guarded(node, [&] { static_cast<void>(GaussianCopula(matrix)); }))
      study_.correlation = matrix;
  }

  static bool is_continuous(const DistributionSpec& spec) {
    if (spec.kind == DistributionKind::discrete) return false;
    if (spec.kind != DistributionKind::measured) return true;
    std::vector<double> values = spec.values;
    std::sort(values.begin(), values.end());
    return spec.smooth && std::adjacent_find(values.begin(), values.end()) == values.end();
  }

  Eigen::Index uncertain_of(const Node& name) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < study_.uncertain.size(); ++i) {
      const UncertainParameter& it = study_.uncertain[i];
      known.push_back(it.name);
      if (it.name != name.text) continue;
      if (it.distribution.kind != DistributionKind::grid) return static_cast<Eigen::Index>(i);
      load_.document.add(name, "the values of a grid are not drawn; accepted: a distribution");
      return -1;
    }
    load_.document.add(name, fmt::format("there is no uncertain parameter {}{}; accepted: {}",
                                         in_quotes(name.text), suggestion(name.text, known),
                                         known.empty() ? "none" : listed(known)));
    return -1;
  }

  StudyLoad& load_;
  StudyData& study_;
};

}  // namespace

void load_parameters(StudyLoad& load) {
  ParameterLoader(load).read();
}

void load_model(StudyLoad& load) {
  StudyData& study = load.study;
  if (!study.scene) return;
  // With the first design: without it a scene whose parameters are all to be chosen may not stand.
  std::map<std::string, double> values = study.fixed;
  for (const DesignParameter& it : study.design)
    if (it.is_range || !it.values.empty())
      values[it.name] = it.is_range ? 0.5 * (it.from + it.to) : it.values[0];
  try {
    study.model = study.scene->compile(values);
  } catch (const SceneError& error) {
    for (Diagnostic mistake : error.diagnostics()) {
      mistake.message += " (with the study's `set` and its first design)";
      load.document.add(std::move(mistake));
    }
  }
}

}  // namespace vinci
