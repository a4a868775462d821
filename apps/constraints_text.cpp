// SPDX-License-Identifier: Apache-2.0
// Constraints and machines as JSON, and that as lines.
#include "apps/constraints_text.h"

#include <fmt/format.h>

#include "apps/text.h"

namespace vinci {

Json constraints_json(const Model& model) {
  Json list = Json::array();
  for (const UserConstraint& constraint : model.constraints) {
    Json reads = Json::array(), states = Json::array();
    for (const CoordinateRead& read : constraint.function.reads)
      reads.push_back(signal_name(model, read));
    Json one = {{"name", constraint.name},
                {"kind", constraint.kind == UserConstraint::Kind::contact ? "contact" : "link"},
                {"expression", constraint.function.expression.text()},
                {"reads", reads},
                {"anchored", constraint.anchored}};
    if (constraint.stabilisation)
      one["stabilisation"] = {{"damping", constraint.stabilisation->damping},
                              {"stiffness", constraint.stabilisation->springs}};
    if (constraint.with >= 0)
      one["with"] = model.constraints[static_cast<std::size_t>(constraint.with)].name;
    if (constraint.machine >= 0) {
      const Machine& machine = model.machines[static_cast<std::size_t>(constraint.machine)];
      for (std::size_t i = 0; i < machine.states.size(); ++i)
        if (constraint.on[i]) states.push_back(machine.states[i]);
      one["machine"] = machine.name;
      one["in"] = states;
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json machines_json(const Model& model) {
  Json list = Json::array();
  for (const Machine& machine : model.machines) {
    Json transitions = Json::array();
    const auto state = [&](int index) { return machine.states[static_cast<std::size_t>(index)]; };
    for (const Machine::Transition& transition : machine.transitions) {
      Json one = {{"from", state(transition.from)}, {"to", state(transition.to)}};
      if (transition.touched >= 0)
        one["touches"] = model.constraints[static_cast<std::size_t>(transition.touched)].name;
      else
        one[transition.direction > 0 ? "rises" : "falls"] = transition.guard.expression.text();
      transitions.push_back(std::move(one));
    }
    list.push_back({{"name", machine.name},
                    {"states", machine.states},
                    {"initial", state(machine.initial)},
                    {"transitions", transitions}});
  }
  return list;
}

std::vector<ImpactGain> gains_of(const Simulation& simulation) {
  if (simulation.options().text("stepper") != "event-driven") return {};
  return impact_gains(simulation.model(),
                      simulation.plugin_options().at("stepper").real("time-scale"));
}

void print_constraints(const Json& constraints, const Json& machines) {
  const auto text = [](const Json& one, const char* key) { return one[key].get<std::string>(); };
  const auto joined = [](const Json& names) {
    return fmt::format("{}", fmt::join(names.get<std::vector<std::string>>(), ", "));
  };
  for (const Json& one : constraints) {
    std::string line = fmt::format("{} {} 0", text(one, "expression"),
                                   text(one, "kind") == "contact" ? ">=" : "=");
    if (one["anchored"].get<bool>()) line += ", from where it begins to act";
    if (one.contains("with")) line += fmt::format(", with {}", text(one, "with"));
    if (one.contains("machine"))
      line += fmt::format(", in {} of {}", joined(one["in"]), text(one, "machine"));
    say(stdout, "  {} {}: {}\n", text(one, "kind"), text(one, "name"),
        wrapped(line, text_width - 20, 6));
  }
  for (const Json& one : machines)
    say(stdout, "  machine {}: {}\n", text(one, "name"),
        wrapped(fmt::format("{}; begins in {}, {} transitions", joined(one["states"]),
                            text(one, "initial"), one["transitions"].size()),
                text_width - 20, 6));
}

}  // namespace vinci
