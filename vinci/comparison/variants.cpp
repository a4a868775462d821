// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/variants.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/base/expression.h"
#include "vinci/comparison/words.h"

namespace vinci {
namespace {

constexpr const char* kinds[] = {"stepper", "detector", "solver"};

// Parts between commas that no parenthesis encloses.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

double number(const std::string& text) {
  const double value = Expression::parse(text, {}).value({});
  if (!std::isfinite(value)) throw Error("'" + text + "' is not finite");
  return value;
}

std::string place_of(const Axis& axis) {
  return "across " + axis.name;
}

// What an axis may be called in this scene, for messages.
std::string known_axes(const Scene& scene) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : run_option_table().specs())
    if (spec.name != "duration") names.push_back(spec.name);
  std::vector<std::string> parameters;
  for (const auto& [name, value] : scene.parameters()) parameters.push_back(name);
  return fmt::format(
      "accepted: an option of the run ({}), one of a plugin (solver.tolerance), or a parameter of "
      "the "
      "scene ({})",
      fmt::join(names, ", "),
      parameters.empty() ? "it has none" : fmt::to_string(fmt::join(parameters, ", ")));
}

std::string suggestion(const Scene& scene, const std::string& name) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : run_option_table().specs()) known.push_back(spec.name);
  for (const auto& [parameter, value] : scene.parameters()) known.push_back(parameter);
  const std::string guess = nearest(name, known);
  return guess.empty() ? "" : " (did you mean '" + guess + "'?)";
}

bool is_plugin_kind(const std::string& word) {
  return std::find(std::begin(kinds), std::end(kinds), word) != std::end(kinds);
}

// Finds out what the axis is, and takes its prefix away.
void classify(const Scene& scene, Axis& axis) {
  const auto dot = axis.name.find('.');
  const std::string prefix = dot == std::string::npos ? "" : axis.name.substr(0, dot);
  const std::string rest = dot == std::string::npos ? axis.name : axis.name.substr(dot + 1);
  if (is_plugin_kind(prefix)) {
    axis.kind = Axis::Kind::plugin_option;
    return;
  }
  const bool is_option = run_option_table().find(rest) != nullptr;
  const bool is_parameter = scene.parameters().contains(rest);
  const bool may_be_option = is_option && (prefix.empty() || prefix == "run");
  const bool may_be_parameter = is_parameter && (prefix.empty() || prefix == "parameters");
  if (may_be_option && may_be_parameter)
    throw Error(
        fmt::format("is an option of the run and a parameter of the scene; write run.{0} or "
                    "parameters.{0}",
                    rest),
        place_of(axis));
  if (!may_be_option && !may_be_parameter)
    throw Error(fmt::format("there is no axis '{}'{}; {}", axis.name, suggestion(scene, rest),
                            known_axes(scene)),
                "across");
  if (may_be_option && rest == "duration")
    throw Error("the runs are compared over one and the same time; set it as the duration of all",
                place_of(axis));
  axis.name = rest;
  axis.kind = may_be_option ? Axis::Kind::run_option : Axis::Kind::parameter;
}

template <class Interface>
void check_plugin_name(const Registry<Interface>& registry, const Axis& axis,
                       const std::string& value) {
  if (axis.name == registry.kind() && !registry.find(value))
    throw Error(registry.unknown(value), place_of(axis));
}

// One value by itself. Whether it goes with the others is seen when a simulation is made.
void check_value(const Axis& axis, const std::string& value, const Plugins& plugins) {
  if (axis.kind == Axis::Kind::plugin_option) return;
  try {
    if (axis.kind == Axis::Kind::parameter) {
      number(value);
    } else {
      OptionValues values(run_option_table());
      values.set_text(axis.name, value);
    }
  } catch (const Error& error) {
    const std::string said = axis.kind == Axis::Kind::parameter ? "'" + value + "': " : "";
    throw Error(said + error.message(), place_of(axis));
  }
  check_plugin_name(plugins.steppers, axis, value);
  check_plugin_name(plugins.detectors, axis, value);
  check_plugin_name(plugins.solvers, axis, value);
}

// Values that read differently may mean the same: 1 ms and 0.001.
std::string meaning(const Axis& axis, const std::string& value) {
  try {
    return fmt::format("{}", number(value));
  } catch (const Error&) {
    return axis.name + "=" + value;
  }
}

void check_axis(const Scene& scene, const RunOverrides& base, const Plugins& plugins, Axis& axis) {
  classify(scene, axis);
  if (axis.values.empty()) throw Error("has no values; accepted: name=value,value", place_of(axis));
  std::set<std::string> seen;
  for (const std::string& value : axis.values) {
    if (value.empty())
      throw Error("has a value that is empty; accepted: name=value,value", place_of(axis));
    check_value(axis, value, plugins);
    if (!seen.insert(meaning(axis, value)).second)
      throw Error("has the value '" + value + "' twice", place_of(axis));
  }
  const auto dot = axis.name.find('.');
  const bool fixed =
      axis.kind == Axis::Kind::parameter ? base.parameters.contains(axis.name)
      : axis.kind == Axis::Kind::run_option
          ? base.options.contains(axis.name)
          : base.plugin_options.contains({axis.name.substr(0, dot), axis.name.substr(dot + 1)});
  if (fixed) throw Error("is an axis, and set to one value as well", place_of(axis));
}

void add_choice(RunOverrides& overrides, const Axis& axis, const std::string& value) {
  const auto dot = axis.name.find('.');
  switch (axis.kind) {
    case Axis::Kind::parameter:
      overrides.parameters[axis.name] = number(value);
      break;
    case Axis::Kind::run_option:
      overrides.options[axis.name] = value;
      break;
    case Axis::Kind::plugin_option:
      overrides.plugin_options[{axis.name.substr(0, dot), axis.name.substr(dot + 1)}] = value;
  }
}

// A word of a run's choice says enough by itself; numbers need their name.
std::string label(const Axis& axis, const std::string& value) {
  const bool word = axis.kind == Axis::Kind::run_option && !value.empty() &&
                    std::isalpha(static_cast<unsigned char>(value.front())) != 0;
  return word ? value : axis.name + "=" + value;
}

// The next place of an odometer whose last wheel runs fastest; false after the last.
bool advance(std::vector<std::size_t>& wheels, const std::vector<Axis>& axes) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (++wheels[i] < axes[i].values.size()) return true;
    wheels[i] = 0;
  }
  return false;
}

std::string reason_of(const Error& error) {
  const auto* scene = dynamic_cast<const SceneError*>(&error);
  return scene && !scene->diagnostics().empty()
             ? scene->diagnostics().front().key + ": " + scene->diagnostics().front().message
             : error.message();
}

void check_count(const std::vector<Axis>& axes) {
  double count = 1.0;
  for (const Axis& axis : axes) count *= static_cast<double>(axis.values.size());
  if (count > static_cast<double>(most_variants))
    throw Error(fmt::format("the axes make {:.6g} combinations; accepted: at most {}", count,
                            most_variants),
                "across");
}

}  // namespace

Axis parse_axis(const std::string& text, const std::string& place) {
  const auto equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  if (equals == std::string::npos || name.empty())
    throw Error(fmt::format("'{}' is no axis; accepted: name=value,value, e.g. "
                            "motion=dynamic,quasi-static",
                            text),
                place);
  const std::string values = trimmed(text.substr(equals + 1));
  return {name, values.empty() ? std::vector<std::string>{} : split(values)};
}

VariantSet make_variants(const Scene& scene, const RunOverrides& base, std::vector<Axis> axes,
                         const std::shared_ptr<const Plugins>& plugins) {
  OptionValues values(run_option_table());
  for (const auto& [name, text] : base.options) {
    try {
      values.set_text(name, text);
    } catch (const Error& error) {
      throw Error(error.message(), name);
    }
  }
  std::set<std::string> names;
  for (Axis& axis : axes) {
    check_axis(scene, base, *plugins, axis);
    if (!names.insert(axis.name).second) throw Error("is given twice", place_of(axis));
  }
  check_count(axes);
  VariantSet set;
  set.axes = std::move(axes);
  std::vector<std::size_t> place(set.axes.size(), 0);
  do {
    Variant variant{"", place, base};
    for (std::size_t i = 0; i < place.size(); ++i) {
      const std::string& value = set.axes[i].values[place[i]];
      variant.name += (i > 0 ? ", " : "") + label(set.axes[i], value);
      add_choice(variant.overrides, set.axes[i], value);
    }
    try {
      set.simulations.emplace_back(scene, variant.overrides, plugins);
      set.variants.push_back(std::move(variant));
    } catch (const Error& error) {
      set.skipped.push_back({variant.name, reason_of(error)});
    }
  } while (advance(place, set.axes));
  return set;
}

std::vector<std::size_t> select_variants(const VariantSet& set, const std::string& selector,
                                         const std::string& place) {
  std::vector<std::size_t> chosen;
  for (std::size_t v = 0; v < set.variants.size(); ++v)
    if (set.variants[v].name == selector) return {v};
  std::vector<std::pair<std::size_t, std::size_t>> wanted;  // axis, value
  for (const std::string& part : split(selector)) {
    const Axis given =
        part.find('=') == std::string::npos ? Axis{"", {part}} : parse_axis(part, place);
    bool found = false;
    for (std::size_t i = 0; i < set.axes.size(); ++i)
      for (std::size_t j = 0; j < set.axes[i].values.size(); ++j) {
        const Axis& axis = set.axes[i];
        const bool named = given.name.empty() || given.name == axis.name;
        if (named && given.values.size() == 1 && given.values.front() == axis.values[j]) {
          wanted.emplace_back(i, j);
          found = true;
        }
      }
    if (!found) {
      std::vector<std::string> names;
      for (const Variant& variant : set.variants) names.push_back("'" + variant.name + "'");
      throw Error(
          fmt::format("'{}' is no value of an axis; accepted: axis=value,axis=value, or one of {}",
                      part, fmt::join(names, ", ")),
          place);
    }
  }
  for (std::size_t v = 0; v < set.variants.size(); ++v)
    if (std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
          return set.variants[v].coordinates[item.first] == item.second;
        }))
      chosen.push_back(v);
  return chosen;
}

}  // namespace vinci
