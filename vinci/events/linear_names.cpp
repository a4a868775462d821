// SPDX-License-Identifier: Apache-2.0
// Inputs, outputs and constraints of linear systems by their names.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "vinci/base/expression.h"
#include "vinci/base/options.h"
#include "vinci/events/linear_scene.h"

namespace vinci {
namespace {

constexpr std::size_t most_told = 30;  // names in a message

std::string unknown(const std::string& name, const std::vector<std::string>& known) {
  const std::string guess = nearest(name, known);
  std::string text = "nothing is called '" + name + "'";
  if (!guess.empty()) text += " (did you mean '" + guess + "'?)";
  text += "; accepted: ";
  for (std::size_t i = 0; i < std::min(known.size(), most_told); ++i)
    text += (i == 0 ? "" : ", ") + known[i];
  if (known.empty()) text += "nothing";
  if (known.size() > most_told) text += fmt::format(" and {} more", known.size() - most_told);
  return text;
}

bool is_driven(const Model& model, const ForceInput& force) {
  if (force.kind == ForceInput::Kind::joint) return false;
  const Body& body = model.bodies[static_cast<std::size_t>(force.index)];
  return body.drives[static_cast<std::size_t>(force.coordinate)].prescribed;
}

bool hangs(const Model& model, int body) {
  return !model.tree_joint.empty() && model.tree_joint[static_cast<std::size_t>(body)] >= 0;
}

// What moves by itself, and nothing that follows from it.
bool is_own(const Model& model, const CoordinateRead& read) {
  if (read.is_rate) return false;
  if (read.kind == CoordinateRead::Kind::joint)
    return !model.tree_joint.empty() && std::find(model.tree_joint.begin(), model.tree_joint.end(),
                                                  read.index) != model.tree_joint.end();
  const Body& body = model.bodies[static_cast<std::size_t>(read.index)];
  return body.velocity_size > 0 && !hangs(model, read.index) &&
         !body.drives[static_cast<std::size_t>(read.coordinate)].prescribed;
}

std::vector<std::string> inputs_of_itself(const Model& model) {
  std::vector<std::string> names;
  for (const bool joints : {true, false}) {
    for (const std::string& name : force_names(model)) {
      const ForceInput force = *find_force(model, name);
      const bool is_joint = force.kind == ForceInput::Kind::joint;
      if (is_joint == joints && !is_driven(model, force)) names.push_back(name);
    }
    if (!names.empty()) break;
  }
  return names;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return name + " [" + unit + "]";
}

bool turns(const ModelSystem& system, int constraint) {
  const ConstraintSource& source = system.sources()[static_cast<std::size_t>(constraint)];
  if (source.key.kind != EntityKind::joint) return false;
  const auto part = static_cast<JointPart>(source.key.ids[1]);
  if (part == JointPart::constraint) return false;
  return is_turning(system.model().joints[source.key.ids[0]].kind,
                    static_cast<int>(source.key.ids[2]));
}

// Of a constraint of the scene and of rows of joints the unit is that of whoever wrote it.
std::string force_unit(const ModelSystem& system, int constraint) {
  if (turns(system, constraint)) return "N m";
  const EntityKind kind = system.sources()[static_cast<std::size_t>(constraint)].key.kind;
  return kind == EntityKind::contact || kind == EntityKind::support ? "N" : "λ";
}

std::string gap_unit(const ModelSystem& system, int constraint) {
  if (turns(system, constraint)) return "rad";
  const EntityKind kind = system.sources()[static_cast<std::size_t>(constraint)].key.kind;
  return kind == EntityKind::contact ? "m" : "h";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::vector<std::string> constraint_aliases(const ModelSystem& system, int constraint) {
  const auto i = static_cast<std::size_t>(constraint);
  const std::string& name = system.constraints()[i].name;
  std::vector<std::string> names = {name};
  const auto add = [&](const std::string& alias) {
    if (std::find(names.begin(), names.end(), alias) == names.end()) names.push_back(alias);
  };
  const ConstraintSource& source = system.sources()[i];
  if (source.pair >= 0) {
    const Contact& contact = system.pairs()[static_cast<std::size_t>(source.pair)].contact;
    const std::string& a = system.model().bodies[static_cast<std::size_t>(contact.body_a)].name;
    const std::string& b = system.model().bodies[static_cast<std::size_t>(contact.body_b)].name;
    const std::string rest = name.substr(std::min(name.size(), a.size() + b.size() + 1));
    const auto hash = rest.find('#') == 0 ? rest.substr(0, rest.find(' ')) : std::string("#1");
    const bool normal = source.row == ConstraintSource::Row::normal;
    const std::string behind = normal ? "" : ".friction";
    const std::string number = source.row == ConstraintSource::Row::tangent_2      ? "_2"
                               : !normal && system.model().world == World::spatial ? "_1"
                                                                                   : "";
    for (const std::string& pair : {a + "-" + b, b + "-" + a})
      for (const std::string& which : {std::string(), hash}) {
        add(pair + which + behind);
        if (!number.empty()) add(pair + which + behind + number);
      }
  }
  std::string dotted = name;
  replace_all(dotted, " ", ".");
  add(dotted);
  return names;
}

std::vector<LinearInput> find_inputs(const Model& model, const Networks& networks,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> outside;
  for (const auto& [network, memory] : networks)
    for (const SignalNetwork::Input& input : network->inputs()) outside.push_back(input.name);
  const auto find = [&](const std::string& name) -> std::optional<LinearInput> {
    if (const auto force = find_force(model, name))
      return LinearInput{with_unit(signal_name(model, *force), signal_unit(model, *force)), force};
    for (std::size_t n = 0; n < networks.size(); ++n) {
      const auto& own = networks[n].first->inputs();
      for (std::size_t i = 0; i < own.size(); ++i)
        if (own[i].name == name)
          return LinearInput{
              with_unit(name, "1"), {}, {static_cast<int>(n), static_cast<int>(i)}, own[i].value};
    }
    return {};
  };
  std::vector<std::string> asked = names;
  if (asked.empty()) asked = outside.empty() ? inputs_of_itself(model) : outside;
  std::vector<LinearInput> inputs;
  for (const std::string& text : asked) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    auto input = find(name);
    if (!input) {
      std::vector<std::string> known = outside;
      for (const std::string& force : force_names(model)) known.push_back(force);
      throw Error(unknown(name, known), "inputs");
    }
    if (input->force && is_driven(model, *input->force))
      throw Error("'" + name + "' has no effect: the scene prescribes that coordinate", "inputs");
    if (equals != std::string::npos) {
      const std::string number = text.substr(equals + 1);
      try {
        input->value = Expression::parse(number, {}).value({});
      } catch (const Error& error) {
        throw Error(fmt::format("'{}': {}", number, error.message()), "inputs");
      }
      if (!std::isfinite(input->value))
        throw Error("'" + text + "' is not finite; accepted: NAME=VALUE", "inputs");
    }
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

std::vector<int> system_inputs(const std::vector<LinearInput>& inputs) {
  int forces = 0, signals = 0;
  for (const LinearInput& input : inputs) forces += input.force ? 1 : 0;
  std::vector<int> places;
  int force = 0;
  for (const LinearInput& input : inputs)
    places.push_back(input.force ? force++ : forces + signals++);
  return places;
}

std::vector<LinearOutput> find_outputs(const ModelSystem& system,
                                       const std::vector<std::string>& names) {
  using Kind = LinearOutput::Kind;
  const Model& model = system.model();
  std::vector<std::string> known = coordinate_names(model), asked = names;
  if (asked.empty())
    for (const std::string& name : known)
      if (is_own(model, *find_coordinate(model, name))) asked.push_back(name);
  const auto& networks = system.parts().networks;
  for (const auto& [network, memory] : networks)
    known.insert(known.end(), network->signal_names().begin(), network->signal_names().end());
  const int count = static_cast<int>(system.constraints().size());
  for (int i = 0; i < count; ++i)
    for (const std::string& alias : constraint_aliases(system, i)) {
      if (alias.find(' ') != std::string::npos) continue;
      known.push_back(alias + ".force");
      known.push_back(alias + ".gap");
    }
  const auto find = [&](const std::string& name) -> std::optional<LinearOutput> {
    if (const auto read = find_coordinate(model, name))
      return LinearOutput{Kind::coordinate,
                          with_unit(signal_name(model, *read), signal_unit(model, *read)), *read};
    for (std::size_t n = 0; n < networks.size(); ++n) {
      const auto& own = networks[n].first->signal_names();
      const auto at = std::find(own.begin(), own.end(), name);
      if (at != own.end())
        return LinearOutput{Kind::signal,
                            with_unit(name, "1"),
                            {},
                            static_cast<int>(at - own.begin()),
                            static_cast<int>(n)};
    }
    for (const bool force : {true, false}) {
      const std::string ending = force ? ".force" : ".gap";
      if (!name.ends_with(ending)) continue;
      const std::string own = name.substr(0, name.size() - ending.size());
      for (int i = 0; i < count; ++i) {
        const auto aliases = constraint_aliases(system, i);
        if (std::find(aliases.begin(), aliases.end(), own) == aliases.end()) continue;
        return LinearOutput{force ? Kind::force : Kind::gap,
                            with_unit(name, force ? force_unit(system, i) : gap_unit(system, i)),
                            {},
                            i};
      }
    }
    return {};
  };
  std::vector<LinearOutput> outputs;
  for (const std::string& name : asked) {
    const auto output = find(name);
    if (!output) throw Error(unknown(name, known), "outputs");
    outputs.push_back(*output);
  }
  return outputs;
}

OutputRows output_rows(const ModelSystem& system, const HybridState& state, const VectorX& inputs,
                       const std::vector<LinearOutput>& outputs) {
  using Kind = LinearOutput::Kind;
  const auto count = static_cast<Eigen::Index>(outputs.size());
  const int n = system.coordinate_count(), k = system.extra_count();
  const int in = system.input_count();
  OutputRows rows{VectorX::Zero(count), MatrixX::Zero(count, 2 * n + k + in)};
  SystemFrame<Dual<double>> frame = make_frame<Dual<double>>(system);
  frame.time = state.time;
  for (int i = 0; i < n; ++i) frame.positions[i] = state.positions[i];
  for (int i = 0; i < n; ++i) frame.velocities[i] = state.velocities[i];
  for (int i = 0; i < k; ++i) frame.extras[i] = state.extras[i];
  for (Eigen::Index i = 0; i < inputs.size(); ++i) frame.inputs[i] = inputs[i];
  const auto value = [&](const LinearOutput& output) -> Dual<double> {
    if (output.kind == Kind::coordinate) return system.read(frame, output.read);
    if (output.kind == Kind::gap) return frame.gaps[output.index].value;
    if (output.kind == Kind::force) return 0.0;
    const auto& networks = system.parts().networks;
    Eigen::Index first = 0;
    for (int i = 0; i < output.network; ++i)
      first += networks[static_cast<std::size_t>(i)].first->state_count();
    const auto& [network, memory] = networks[static_cast<std::size_t>(output.network)];
    const Eigen::Index own = network->state_count();
    VectorOf<Dual<double>> reads(static_cast<Eigen::Index>(network->reads().size())), signals;
    for (std::size_t i = 0; i < network->reads().size(); ++i)
      reads[static_cast<Eigen::Index>(i)] = system.read(frame, network->reads()[i]);
    const VectorOf<Dual<double>> states = frame.extras.segment(first, own);
    signals.setConstant(static_cast<Eigen::Index>(network->signal_names().size()),
                        Dual<double>(0.0));
    const VectorOf<Dual<double>> given =
        system.outside(frame, static_cast<std::size_t>(output.network));
    network->evaluate<Dual<double>>(state.time, reads, states, memory.tail(memory.size() - own),
                                    signals, &given);
    return signals[output.index];
  };
  VectorOf<Dual<double>>* const lists[] = {&frame.positions, &frame.velocities, &frame.extras,
                                           &frame.inputs};
  const int sizes[] = {n, n, k, in};
  Eigen::Index column = 0;
  if (2 * n + k + in == 0) {
    system.evaluate(frame);
    for (Eigen::Index i = 0; i < count; ++i)
      rows.values[i] = value(outputs[static_cast<std::size_t>(i)]).value;
  }
  for (int list = 0; list < 4; ++list)
    for (int j = 0; j < sizes[list]; ++j, ++column) {
      (*lists[list])[j].slope = 1.0;
      system.evaluate(frame);
      for (Eigen::Index i = 0; i < count; ++i) {
        const Dual<double> here = value(outputs[static_cast<std::size_t>(i)]);
        rows.values[i] = here.value;
        rows.slopes(i, column) = here.slope;
      }
      (*lists[list])[j].slope = 0.0;
    }
  return rows;
}

}  // namespace vinci
