// SPDX-License-Identifier: Apache-2.0
// Values of parameters in the order of their dependence, and of all numbers that use them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/scene/scene_data.h"

namespace vinci {

Numbers::Numbers(const SceneData& scene, const std::map<std::string, double>& overrides,
                 Mistakes& mistakes)
    : scene_(scene) {
  const std::size_t count = scene.variables.size();
  variables_.assign(count, std::numeric_limits<double>::quiet_NaN());
  unknown_.assign(count, 0);
  pending_.assign(count, nullptr);
  for (std::size_t i = first_parameter; i < count; ++i) {
    const Node* node = scene.root.find("parameters")->find(scene.variables[i]);
    const auto given = overrides.find(scene.variables[i]);
    if (given != overrides.end())
      variables_[i] = given->second;
    else if (node->bad)
      forget(i);
    else
      pending_[i] = node;
  }
  // Each round evaluates what it can; a round that can do nothing has met a cycle.
  for (;;) {
    std::size_t evaluated = 0, waiting = 0;
    for (std::size_t i = first_parameter; i < count; ++i) {
      if (!pending_[i]) continue;
      if (waits_for(i) != 0) {
        waiting = i;
        continue;
      }
      evaluate(i, mistakes);
      ++evaluated;
    }
    if (waiting == 0) break;
    if (evaluated == 0) break_cycle(waiting, mistakes);
  }
}

// A parameter not evaluated yet that parameter i uses; 0 if there is none.
std::size_t Numbers::waits_for(std::size_t i) const {
  const Expression* expression = pending_[i]->expression.get();
  for (std::size_t j = first_parameter; expression && j < pending_.size(); ++j)
    if (pending_[j] && expression->uses(j)) return j;
  return 0;
}

void Numbers::evaluate(std::size_t i, Mistakes& mistakes) {
  const Node& node = *pending_[i];
  pending_[i] = nullptr;
  if (depends_on_unknown(node)) return forget(i);
  variables_[i] = (*this)(node);
  if (std::isfinite(variables_[i])) return;
  forget(i);
  mistakes.add(node, fmt::format("{} is not a finite number", in_quotes(node.text)));
}

void Numbers::break_cycle(std::size_t start, Mistakes& mistakes) {
  std::vector<std::size_t> chain;
  std::size_t next = start;
  for (; std::find(chain.begin(), chain.end(), next) == chain.end(); next = waits_for(next))
    chain.push_back(next);
  chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), next));
  // The one that stands first in the file opens the cycle.
  std::rotate(chain.begin(), std::min_element(chain.begin(), chain.end()), chain.end());
  const Node& first = *pending_[chain[0]];
  std::string text;
  for (const std::size_t i : chain) {
    text += scene_.variables[i] + " -> ";
    forget(i);
    pending_[i] = nullptr;
  }
  mistakes.add(first, "the parameter depends on itself: " + text + scene_.variables[chain[0]]);
}

void Numbers::forget(std::size_t i) {
  unknown_[i] = 1;
  has_unknown_ = true;
}

double Numbers::operator()(const Node& number) const {
  return number.expression ? number.expression->value(variables_) : number.number;
}

Expression Numbers::function(const Node& number) const {
  return number.expression ? number.expression->bind(variables_) : Expression(number.number);
}

bool Numbers::depends_on_unknown(const Node& number) const {
  if (!number.expression || !has_unknown_) return false;
  for (std::size_t i = first_parameter; i < unknown_.size(); ++i)
    if (unknown_[i] && number.expression->uses(i)) return true;
  return false;
}

std::map<std::string, double> Numbers::values() const {
  std::map<std::string, double> values;
  for (std::size_t i = first_parameter; i < variables_.size(); ++i)
    values[scene_.variables[i]] = variables_[i];
  return values;
}

namespace {

using Kind = SceneValue::Kind;
using Variables = SceneValue::Variables;

// "'2*r' = 0.4", or only "0.4" for a plain number.
std::string shown(const Node& node, double value) {
  return node.expression ? fmt::format("{} = {:.6g}", in_quotes(node.text), value)
                         : in_quotes(node.text);
}

bool check_number(const Node& node, const SceneValue& value, const Numbers& numbers,
                  Mistakes& mistakes) {
  const auto fail = [&](const std::string& message) {
    mistakes.add(node, message + "; accepted: " + value.text);
    return false;
  };
  if (numbers.depends_on_unknown(node)) return false;
  if (value.variables == Variables::time) {
    const Jet jet = numbers.function(node).jet(std::array<Jet, 1>{Jet{0.0, 1.0, 0.0}});
    if (!std::isfinite(jet.value)) return fail(in_quotes(node.text) + " is not finite at t = 0");
    if (!std::isfinite(jet.first))
      return fail("the velocity of " + in_quotes(node.text) + " is not finite at t = 0");
    return true;
  }
  // What may use parameters alone is a number; of the others it is known once they are bound.
  const bool bound = value.variables == Variables::none || !node.expression;
  if (!bound && !numbers.function(node).is_constant()) return true;
  const double number = numbers(node);
  if (!std::isfinite(number)) return fail(in_quotes(node.text) + " is not a finite number");
  if (value.above_lower ? number <= value.lower : number < value.lower)
    return fail(shown(node, number) +
                (value.lower == 0.0 && value.above_lower ? " is not positive" : " is too small"));
  if (number > value.upper) return fail(shown(node, number) + " is too large");
  if (value.whole && number != std::floor(number))
    return fail(shown(node, number) + " is not a whole number");
  return true;
}

}  // namespace

bool check_numbers(const Node& node, const SceneValue& value, const Numbers& numbers,
                   Mistakes& mistakes) {
  if (!node.checked) return false;
  bool fine = !node.bad;
  switch (value.kind) {
    case Kind::number:
      return fine && check_number(node, value, numbers, mistakes);
    case Kind::list:
    case Kind::names:
      for (const Node& child : node.children)
        fine &= check_numbers(child, value.items[0], numbers, mistakes);
      return fine;
    case Kind::map:
      for (const Node& child : node.children)
        if (const SceneKey* key = value.find(child.key))
          fine &= check_numbers(child, key->value, numbers, mistakes);
      return fine;
    case Kind::either:
      for (const SceneValue& item : value.items) {
        const bool list = item.kind == Kind::list;
        const bool map = item.kind == Kind::map || item.kind == Kind::names;
        if (list ? node.is_list() : map ? node.is_map() : node.is_scalar())
          return check_numbers(node, item, numbers, mistakes);
      }
      return fine;
    default:
      return fine;
  }
}

}  // namespace vinci
