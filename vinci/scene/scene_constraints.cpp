// SPDX-License-Identifier: Apache-2.0
// Keys of constraints and machines, and both as parts of the model.
#include "vinci/scene/scene_constraints.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "vinci/base/expression_program.h"
#include "vinci/scene/scene_shapes.h"
#include "vinci/scene/scene_stabilisation.h"
#include "vinci/scene/scene_values.h"

namespace vinci {

std::vector<SceneKey> constraint_sections() {
  using namespace scene_values;
  const char* const expression =
      "an expression of coordinates, as in \"ball.x^2 + ball.y^2 - r^2\"";
  SceneValue reads = names("names for coordinates, as in {x: my-ball.x}",
                           word("the name of a coordinate, as in ball.x or hinge.position"));
  reads.naming = SceneValue::Naming::identifier;
  const SceneKey read_key{"reads", "Names under which the expression reads coordinates.", reads};
  const SceneValue state = word("the name of a state of the machine");
  const SceneValue states = either("a state of the machine, or a list of them",
                                   {state, list("a list of states", state, 0, max_machine_states)});
  SceneValue constraint = map(
      "{at-least-zero: h, ...} or {zero: h, ...}",
      {{"at-least-zero", "h of coordinates that must not become negative: a contact.",
        word(expression)},
       {"zero", "h of coordinates that stays zero: a link.", word(expression)},
       read_key,
       {"with", "The contact while which a link acts.", word("the name of a constraint")},
       {"anchored", "Whether a link holds the value that h has when it begins to act, not zero.",
        choice({"true", "false"})},
       {"machine", "The machine that switches it.", word("the name of a machine")},
       {"in", "The states of the machine in which it is on.", states}});
  constraint.one_of = {{"at-least-zero", "zero"}};
  constraint.together = {{"machine", "in"}};
  add_stabilisation_keys(constraint);
  SceneValue transition =
      map("{from: state, to: state, rises: ...}",
          {{"from", "The state that it leaves.", state, true},
           {"to", "The state that it leads to.", state, true},
           {"rises", "An expression of coordinates and rates: taken where it rises through 0.",
            word(expression)},
           {"falls", "An expression of coordinates and rates: taken where it falls through 0.",
            word(expression)},
           {"touches", "Taken where this contact begins to act.",
            word("the name of a constraint `at-least-zero`")},
           read_key});
  transition.one_of = {{"rises", "falls", "touches"}};
  SceneValue machine =
      map("{states: [...], transitions: [...]}",
          {{"states", "Names of the states.",
            list("a list of 1 to 1000 names", word("a name"), 1, max_machine_states), true},
           {"initial", "The state at the start; the first if not given.", state},
           {"final", "States that are never left.", states},
           {"transitions", "What leads from state to state.",
            list("a list of at most 1000 transitions, as in [{from: a, to: b, rises: ball.x}]",
                 std::move(transition), 0, max_machine_states),
            true}});
  SceneValue constraints = names("constraints by name", std::move(constraint));
  constraints.most = max_constraints;
  SceneValue machines = names("machines by name", std::move(machine));
  machines.most = max_machines;
  return {
      {"constraints",
       "Functions of coordinates that stay zero, or not negative, by name, for the stepper "
       "event-driven.",
       std::move(constraints)},
      {"machines", "Machines of states that switch constraints, by name.", std::move(machines)}};
}

namespace {

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_figure(char c) {
  return c >= '0' && c <= '9';
}

bool names_state(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return begins_word(c) || is_figure(c) || c == '-' || c == '.';
  });
}

// What may be a name in an expression, each once, in their order.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() &&
           (begins_word(text[end]) || is_figure(text[end]) || text[end] == '.'))
      ++end;
    if (end == i) {
      ++i;
      continue;
    }
    if (begins_word(text[i]))
      if (std::string word = text.substr(i, end - i); seen.insert(word).second)
        words.push_back(std::move(word));
    i = end;
  }
  return words;
}

// A function that jumps and is not constant, by its name; null: none.
const char* jumping_function(const Expression& expression) {
  for (const Expression::Instruction& instruction : expression.program()) {
    if (instruction.op == Expression::Op::sign) return "sign";
    if (instruction.op == Expression::Op::floor) return "floor";
    if (instruction.op == Expression::Op::step) return "step";
  }
  return nullptr;
}

class ConstraintReader {
 public:
  ConstraintReader(const SceneData& scene, const Numbers& numbers, Mistakes& mistakes, Model& model)
      : numbers_(numbers),
        mistakes_(mistakes),
        model_(model),
        parameters_(scene.variables.begin() + first_parameter, scene.variables.end()),
        names_(coordinate_names(model)) {
    const std::vector<CoordinateRead> reads = coordinates(model);
    for (std::size_t i = 0; i < reads.size(); ++i) coordinate_.emplace(names_[i], reads[i]);
    const std::map<std::string, double> values = numbers.values();
    for (const std::string& name : parameters_) values_.push_back(values.at(name));
  }

  void add_machine(const Node& node) {
    Machine machine;
    machine.name = node.key;
    for (const Node& state : node.find("states")->children) machine.states.push_back(state.text);
    model_.machines.push_back(std::move(machine));
    // One that there is not has been told.
    if (const Node* initial = node.find("initial")) {
      const auto& states = model_.machines.back().states;
      const auto found = std::find(states.begin(), states.end(), initial->text);
      model_.machines.back().initial =
          found == states.end() ? 0 : static_cast<int>(found - states.begin());
    }
  }

  void add_constraint(const Node& node) {
    UserConstraint constraint;
    constraint.name = node.key;
    const Node* contact = node.find("at-least-zero");
    constraint.kind = contact ? UserConstraint::Kind::contact : UserConstraint::Kind::link;
    attempt([&] {
      constraint.function = function(node, contact ? *contact : *node.find("zero"), false);
    });
    constraint.stabilisation = read_stabilisation(node, numbers_, mistakes_);
    const Node* anchored = node.find("anchored");
    constraint.anchored = anchored && anchored->text == "true";
    const auto only_link = [&](const char* key) {
      if (const Node* given = contact ? node.find(key) : nullptr)
        mistakes_.add(*given, "is for links (`zero`); a contact acts where it has to");
    };
    only_link("with");
    only_link("anchored");
    if (const Node* restitution = contact ? nullptr : node.find("restitution"))
      mistakes_.add(*restitution, "a link does not rebound; accepted: `time-scale` alone");
    if (const Node* machine = node.find("machine"))
      attempt([&] {
        constraint.machine = machine_named(*machine);
        const Machine& switches = model_.machines[static_cast<std::size_t>(constraint.machine)];
        constraint.on.assign(switches.states.size(), false);
        for_each(*node.find("in"), [&](const Node& name) {
          constraint.on[static_cast<std::size_t>(state(switches, name))] = true;
        });
      });
    model_.constraints.push_back(std::move(constraint));
  }

  // Once all constraints are there.
  void add_references(const Node& node, UserConstraint& constraint) {
    if (const Node* with = node.find("with")) attempt([&] { constraint.with = contact(*with); });
  }

  void add_transitions(const Node& node, int index) {
    Machine& machine = model_.machines[static_cast<std::size_t>(index)];
    std::set<int> finals;
    if (const Node* final = node.find("final"))
      attempt([&] {
        for_each(*final, [&](const Node& name) { finals.insert(state(machine, name)); });
      });
    for (const Node& given : node.find("transitions")->children)
      attempt([&] { machine.transitions.push_back(transition(given, index, finals)); });
  }

 private:
  template <class Part>
  void attempt(Part&& part) {
    try {
      part();
    } catch (const Impossible& mistake) {
      mistakes_.add(*mistake.where, mistake.message);
    }
  }

  template <class Visit>
  static void for_each(const Node& one_or_list, const Visit& visit) {
    if (!one_or_list.is_list()) return visit(one_or_list);
    for (const Node& child : one_or_list.children) visit(child);
  }

  [[noreturn]] static void fail_unknown(const char* kind, const Node& node,
                                        const std::vector<std::string>& known) {
    throw Impossible{
        &node, fmt::format("there is no {} {}{}; accepted: {}", kind, in_quotes(node.text),
                           suggestion(node.text, known), known.empty() ? "none" : listed(known))};
  }

  template <class Part>
  static int find_named(const char* kind, const Node& node, const std::vector<Part>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].name == node.text) return static_cast<int>(i);
    std::vector<std::string> known;
    for (const Part& part : parts) known.push_back(part.name);
    fail_unknown(kind, node, known);
  }

  int machine_named(const Node& node) const { return find_named("machine", node, model_.machines); }

  int contact(const Node& node) const {
    const int found = find_named("constraint", node, model_.constraints);
    if (model_.constraints[static_cast<std::size_t>(found)].kind != UserConstraint::Kind::contact)
      throw Impossible{&node, fmt::format("{} is a link, which is not touched; accepted: a "
                                          "constraint `at-least-zero`",
                                          in_quotes(node.text))};
    return found;
  }

  static int state(const Machine& machine, const Node& node) {
    const auto found = std::find(machine.states.begin(), machine.states.end(), node.text);
    if (found == machine.states.end()) fail_unknown("state", node, machine.states);
    return static_cast<int>(found - machine.states.begin());
  }

  Machine::Transition transition(const Node& node, int index, const std::set<int>& finals) {
    const Machine& machine = model_.machines[static_cast<std::size_t>(index)];
    Machine::Transition result;
    result.from = state(machine, *node.find("from"));
    result.to = state(machine, *node.find("to"));
    if (result.from == result.to)
      throw Impossible{node.find("to"), "the state that it leaves; accepted: another one"};
    if (finals.count(result.from) > 0)
      throw Impossible{node.find("from"),
                       "is left here and stands among `final`; accepted: one "
                       "of the two"};
    if (const Node* touches = node.find("touches")) {
      result.touched = contact(*touches);
      const UserConstraint& touched = model_.constraints[static_cast<std::size_t>(result.touched)];
      if (touched.machine == index && !touched.on[static_cast<std::size_t>(result.from)])
        throw Impossible{touches, fmt::format("{} is off in the state '{}', so nothing touches it "
                                              "there; accepted: contacts that are on",
                                              in_quotes(touches->text), node.find("from")->text)};
      if (const Node* reads = node.find("reads"))
        throw Impossible{reads, "nothing is read here; accepted beside `rises` and `falls`"};
      return result;
    }
    const Node* rises = node.find("rises");
    result.direction = rises ? 1 : -1;
    result.guard = function(node, rises ? *rises : *node.find("falls"), true);
    return result;
  }

  const CoordinateRead& coordinate(const Node& node, bool rates) const {
    const auto found = coordinate_.find(node.text);
    if (found == coordinate_.end()) fail_unknown("coordinate", node, accepted_names(rates));
    if (found->second.is_rate && !rates) fail_rate(node, node.text);
    return found->second;
  }

  [[noreturn]] static void fail_rate(const Node& node, const std::string& name) {
    throw Impossible{&node, fmt::format("'{}' is a rate; accepted: coordinates. Transitions of "
                                        "machines may read rates, constraints may not",
                                        name)};
  }

  std::vector<std::string> accepted_names(bool rates) const {
    std::vector<std::string> accepted;
    for (const std::string& name : names_)
      if (rates || !coordinate_.at(name).is_rate) accepted.push_back(name);
    return accepted;
  }

  // `text` with the names of `reads` beside it.
  CoordinateFunction function(const Node& node, const Node& text, bool rates) const {
    std::map<std::string, CoordinateRead> given;
    const Node* reads = node.find("reads");
    for (std::size_t i = 0; reads && i < reads->children.size(); ++i) {
      const Node& read = reads->children[i];
      if (std::find(parameters_.begin(), parameters_.end(), read.key) != parameters_.end())
        throw Impossible{&read,
                         fmt::format("'{}' is also a parameter; accepted: another name", read.key)};
      given.emplace(read.key, coordinate(read, rates));
    }
    CoordinateFunction result;
    std::vector<std::string> variables;
    for (const std::string& word : words_of(text.text)) {
      const auto alias = given.find(word);
      const auto found = coordinate_.find(word);
      if (alias == given.end() && found == coordinate_.end()) continue;
      if (alias == given.end() && found->second.is_rate && !rates) fail_rate(text, word);
      result.reads.push_back(alias != given.end() ? alias->second : found->second);
      variables.push_back(word);
    }
    const std::size_t read_count = variables.size();
    if (read_count > max_coordinates_read)
      throw Impossible{&text, fmt::format("reads {} coordinates; accepted: at most {}", read_count,
                                          max_coordinates_read)};
    variables.push_back("t");
    variables.insert(variables.end(), parameters_.begin(), parameters_.end());
    std::vector<double> bound(read_count + 1, std::numeric_limits<double>::quiet_NaN());
    bound.insert(bound.end(), values_.begin(), values_.end());
    try {
      result.expression = Expression::parse(text.text, variables).bind(bound);
    } catch (const Error&) {
      throw Impossible{&text, explained(text, given, rates)};
    }
    if (const char* jump = jumping_function(result.expression); jump && !rates)
      throw Impossible{&text, fmt::format("'{}' jumps, and nothing holds what jumps; accepted: "
                                          "expressions that are smooth where they act, and abs, "
                                          "min, max and if where both branches meet",
                                          jump)};
    for (std::size_t i = 0; i < read_count; ++i)
      if (result.expression.uses(i)) return result;
    throw Impossible{&text, fmt::format("{} reads no coordinate; accepted: an expression of "
                                        "coordinates such as {}",
                                        in_quotes(text.text), listed(accepted_names(rates)))};
  }

  // Of an expression that is refused: the message with all names that it might have meant.
  std::string explained(const Node& text, const std::map<std::string, CoordinateRead>& given,
                        bool rates) const {
    std::vector<std::string> all;
    for (const auto& [name, read] : given) all.push_back(name);
    const std::vector<std::string> accepted = accepted_names(rates);
    all.insert(all.end(), accepted.begin(), accepted.end());
    all.push_back("t");
    all.insert(all.end(), parameters_.begin(), parameters_.end());
    std::string message = "is refused";
    try {
      Expression::parse(text.text, all);
    } catch (const Error& error) {
      message = error.message();
    }
    for (const std::string& name : accepted) {
      const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return begins_word(c) || is_figure(c) || c == '.';
      });
      if (plain && begins_word(name[0])) continue;
      if (text.text.find(name) == std::string::npos) continue;
      message += fmt::format(
          ". '{0}' cannot stand in an expression; give it a name beside it, as "
          "in `reads: {{x: {0}}}`",
          name);
      break;
    }
    return fmt::format("{}: {}", in_quotes(text.text), message);
  }

  const Numbers& numbers_;
  Mistakes& mistakes_;
  Model& model_;
  std::vector<std::string> parameters_;
  std::vector<double> values_;  // of the parameters
  std::vector<std::string> names_;
  std::map<std::string, CoordinateRead> coordinate_;
};

}  // namespace

void check_machine_states(const Node* machines, Mistakes& mistakes) {
  if (!machines || !machines->is_map()) return;
  for (const Node& machine : machines->children) {
    const Node* states = machine.is_map() ? machine.find("states") : nullptr;
    if (!states || states->bad || !states->is_list()) continue;
    std::vector<std::string> known;
    for (const Node& state : states->children) {
      if (std::find(known.begin(), known.end(), state.text) != known.end()) {
        mistakes.add(state, "this state has been named already");
        continue;
      }
      if (!names_state(state.text))
        mistakes.add(state, "not a name; accepted: letters, digits, '_', '-' and '.'");
      known.push_back(state.text);
    }
    const Node* initial = machine.find("initial");
    if (initial && !initial->bad &&
        std::find(known.begin(), known.end(), initial->text) == known.end())
      mistakes.add(*initial, fmt::format("there is no state {}{}; accepted: {}",
                                         in_quotes(initial->text), suggestion(initial->text, known),
                                         known.empty() ? "none" : listed(known)));
  }
}

bool read_constraints(const Node* constraints, const Node* machines, const SceneData& scene,
                      const Numbers& numbers, Mistakes& mistakes, Model& model) {
  if (!constraints && !machines) return true;
  const std::size_t before = mistakes.count();
  check_machine_states(machines, mistakes);
  ConstraintReader reader(scene, numbers, mistakes, model);
  for (std::size_t i = 0; machines && i < machines->children.size(); ++i)
    reader.add_machine(machines->children[i]);
  for (std::size_t i = 0; constraints && i < constraints->children.size(); ++i)
    reader.add_constraint(constraints->children[i]);
  for (std::size_t i = 0; constraints && i < constraints->children.size(); ++i)
    reader.add_references(constraints->children[i], model.constraints[i]);
  for (std::size_t i = 0; machines && i < machines->children.size(); ++i)
    reader.add_transitions(machines->children[i], static_cast<int>(i));
  if (mistakes.count() > before) return false;
  check_constraint_start(constraints, machines, model, mistakes);
  return mistakes.count() == before;
}

}  // namespace vinci
