// SPDX-License-Identifier: Apache-2.0
// Measures of a study, when a case is over, and what counts as success.
#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/expression_check.h"
#include "vinci/study/study_load.h"

namespace vinci {
namespace {

// Says of which part of a text an Error is.
template <class Parse>
auto parsed(const std::string& text, Parse parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(in_quotes(text) + ": " + error.message());
  }
}

class MeasureLoader {
 public:
  explicit MeasureLoader(StudyLoad& load) : load_(load), study_(load.study) {}

  void read() {
    const Node* measures = load_.document.root().find("measures");
    if (!measures || !study_.model) return;
    has_mistake_ = !measures->checked;
    for (const Node& node : measures->children) {
      if (!Document::is_fine(node)) {
        has_mistake_ = true;
        continue;
      }
      MeasureSpec spec;
      StudyMeasure measure{node.key, "", false};
      if (std::binary_search(study_.names.begin(), study_.names.end(), node.key)) {
        load_.document.add(node, "a parameter of the scene has this name; choose another one");
      } else if (load_.guarded(node, [&] {
                   refuse_column_name(node.key);
                   read_measure(node, spec, measure);
                 })) {
        study_.measures.push_back(std::move(measure));
        study_.measure_specs.push_back(std::move(spec));
        continue;
      }
      has_mistake_ = true;
    }
  }

  void read_until() {
    const Node* node = load_.find("until");
    if (!node || !study_.model) return;
    load_.guarded(*node, [&] {
      WatchedCondition until{Condition::parse(node->text), {}};
      for (const std::string& text : until.condition.sides()) until.sides.push_back(side(text));
      study_.until = std::move(until);
    });
  }

  void read_success() {
    const Node* node = load_.find("success");
    if (!node || !study_.model) return;
    load_.guarded(*node, [&] {
      if (study_.is_geometric())
        throw Error(
            "is asked of simulations, and no level is one; accepted: no `success`, where "
            "the geometric model alone decides");
      Condition condition = Condition::parse(node->text);
      if (has_mistake_) return;  // a name that is missing may be that of a measure with a mistake
      std::vector<std::string> names;
      for (const StudyMeasure& measure : study_.measures) names.push_back(measure.name);
      names.insert(names.end(), study_.names.begin(), study_.names.end());
      for (const std::string& side : condition.sides())
        study_.success_sides.push_back(parsed(side, [&] {
          Expression expression = Expression::parse(side, names);
          if (has_no_value(expression))
            throw Error("is no finite number: something is divided by zero");
          return expression;
        }));
      study_.success = std::move(condition);
    });
  }

 private:
  Quantity quantity(const std::string& text) const {
    return parsed(text, [&] { return Quantity::parse(text, *study_.model); });
  }

  // A side of a condition may also be a plain number.
  Quantity side(const std::string& text) const {
    return parsed(text, [&] {
      try {
        static_cast<void>(Expression::parse(text, {}));
      } catch (const Error&) {
        return Quantity::parse(text, *study_.model);
      }
      return Quantity::parse("0*t + (" + text + ")", *study_.model);
    });
  }

  int body(const Node& node) const {
    const int found = study_.model->find_body(node.text);
    if (found >= 0) return found;
    std::vector<std::string> names;
    for (const Body& it : study_.model->bodies) names.push_back(it.name);
    throw Error(fmt::format("there is no body {}{}; accepted: {}", in_quotes(node.text),
                            suggestion(node.text, names), listed(names)));
  }

  void read_measure(const Node& node, MeasureSpec& spec, StudyMeasure& measure) {
    const Node& how = *std::find_if(node.children.begin(), node.children.end(),
                                    [](const Node& child) { return child.key != "of"; });
    const std::string& key = how.key;
    const auto plain = [&](MeasureKind kind, const char* words) {
      spec.kind = kind;
      spec.quantity = quantity(how.text);
      measure.text = std::string(words) + how.text;
    };
    if (key == "end") {
      plain(MeasureKind::end, "end of ");
    } else if (key == "least") {
      plain(MeasureKind::least, "least of ");
    } else if (key == "greatest") {
      plain(MeasureKind::greatest, "greatest of ");
    } else if (key == "mean") {
      plain(MeasureKind::mean, "mean of ");
    } else if (key == "integral") {
      plain(MeasureKind::integral, "integral of ");
    } else if (key == "at") {
      spec.kind = MeasureKind::at;
      spec.time = load_.document.number(how);
      spec.quantity = quantity(node.find("of")->text);
      measure.text = fmt::format("{} at {} s", node.find("of")->text, spec.time);
    } else if (key == "first_time") {
      spec.kind = MeasureKind::first_time;
      spec.condition = Condition::parse(how.text);
      for (const std::string& text : spec.condition->sides()) spec.sides.push_back(side(text));
      measure.text = "first time of " + how.text;
    } else if (key == "time_of") {
      read_time_of(how, spec, measure);
    } else if (key == "onsets" || key == "peak_force") {
      spec.kind = key == "onsets" ? MeasureKind::onsets : MeasureKind::peak_force;
      spec.a = body(how.children[0]);
      spec.b = body(how.children[1]);
      if (spec.a == spec.b) throw Error("a body does not touch itself");
      measure.text = fmt::format("{} of {} and {}", key == "onsets" ? "onsets" : "peak force",
                                 how.children[0].text, how.children[1].text);
    } else if (key == "events") {
      spec.kind = MeasureKind::events;
      for (int k = 0; k < event_kind_count; ++k)
        if (how.text == to_string(static_cast<EventKind>(k)))
          spec.event = static_cast<EventKind>(k);
      measure.text = "events: " + how.text;
    } else {
      spec.kind = MeasureKind::code;
      measure.is_code = true;
      measure.text = how.text;
      // A name without a file is that of a function which a program hands in.
      if (const std::size_t colon = how.text.rfind(':'); colon != std::string::npos)
        load_.read_file(how.text.substr(0, colon));
    }
  }

  void read_time_of(const Node& how, MeasureSpec& spec, StudyMeasure& measure) {
    std::string which, text;
    if (how.is_map()) {
      which = how.children[0].key;
      text = how.children[0].text;
    } else {
      const std::size_t blank = how.text.find(' ');
      which = how.text.substr(0, blank);
      if (blank != std::string::npos) text = how.text.substr(blank + 1);
      if (text.starts_with("of ")) text = text.substr(3);
    }
    if (which != "greatest" && which != "least")
      throw Error("accepted: `greatest of part.y` or `least of part.y`");
    spec.kind = which == "least" ? MeasureKind::time_of_least : MeasureKind::time_of_greatest;
    spec.quantity = quantity(text);
    measure.text = fmt::format("time of the {} {}", which, text);
  }

  StudyLoad& load_;
  StudyData& study_;
  bool has_mistake_ = false;
};

}  // namespace

void load_measures(StudyLoad& load) {
  MeasureLoader loader(load);
  loader.read();
  loader.read_until();
  loader.read_success();
}

int measure_of(StudyLoad& load, const Node& node) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < load.study.measures.size(); ++i) {
    if (load.study.measures[i].name == node.text) return static_cast<int>(i);
    names.push_back(load.study.measures[i].name);
  }
  if (const Node* measures = load.document.root().find("measures");
      !measures || (measures->checked && !measures->has(node.text)))
    load.document.add(
        node, fmt::format("there is no measure {}{}; accepted: {}", in_quotes(node.text),
                          suggestion(node.text, names), names.empty() ? "none" : listed(names)));
  return -1;
}

}  // namespace vinci
