// SPDX-License-Identifier: Apache-2.0
// Names, then lengths, then slots, then parts, then their order.
#include "vinci/control/signal_builder.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/control/signal_text.h"
#include "vinci/model/model.h"

namespace vinci {
namespace {

using Kind = SignalSpec::Kind;

constexpr int whole_list = -1;

}  // namespace

SignalBuilder::SignalBuilder(const Model& model, std::map<std::string, double> parameters)
    : model_(model) {
  for (const auto& [name, value] : parameters) {
    parameter_names_.push_back(name);
    parameter_values_.push_back(value);
  }
  for (const std::string& name : coordinate_names(model)) coordinates_[name] = -1;
}

std::shared_ptr<const SignalNetwork> SignalBuilder::build(std::vector<SignalMistake>& mistakes) {
  const std::size_t before = mistakes.size();
  network_ = std::make_shared<SignalNetwork>();
  const auto fine = [&] { return mistakes.size() == before; };
  read_names(mistakes);
  if (!fine()) return nullptr;
  find_lengths();
  check_lengths(mistakes);
  if (!fine()) return nullptr;
  number_slots();
  make_parts(mistakes);
  if (!fine()) return nullptr;
  make_drives(mistakes);
  sort_parts(mistakes);
  return fine() ? network_ : nullptr;
}

// --- names ---

void SignalBuilder::read_names(std::vector<SignalMistake>& mistakes) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const SignalSpec& spec = specs_[i];
    for (int further = 0; further <= static_cast<int>(spec.further.size()); ++further) {
      const Meaning list{Meaning::Kind::list, static_cast<int>(i), further, whole_list};
      const std::string name = name_of(list);
      const char* taken = lists_.count(name) > 0         ? "a signal"
                          : coordinates_.count(name) > 0 ? "a coordinate"
                                                         : nullptr;
      if (std::find(parameter_names_.begin(), parameter_names_.end(), name) !=
          parameter_names_.end())
        taken = "a parameter";
      if (taken)
        mistakes.push_back({spec.place, fmt::format("'{}' is the name of {} already; accepted: "
                                                    "another name",
                                                    name, taken)});
      lists_[name] = list;
    }
  }
  collect_names();
  formulas_.resize(specs_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i)
    for (const SignalPort& port : specs_[i].ports) {
      auto& entries = formulas_[i].emplace_back();
      for (const PlacedText& entry : port.entries) {
        try {
          entries.push_back(formula(entry));
        } catch (const Error& error) {
          mistakes.push_back({entry.place, error.message()});
        }
      }
    }
}

// A list, or an entry of one.
SignalBuilder::Meaning SignalBuilder::list_of(const std::string& name) const {
  if (const auto found = lists_.find(name); found != lists_.end()) return found->second;
  const std::size_t bar = name.rfind('_');
  constexpr std::size_t most_digits = 4;
  if (bar == std::string::npos || bar + 1 == name.size() || name.size() - bar > 1 + most_digits)
    return {};
  for (std::size_t i = bar + 1; i < name.size(); ++i)
    if (name[i] < '0' || name[i] > '9') return {};
  const auto found = lists_.find(name.substr(0, bar));
  if (found == lists_.end()) return {};
  Meaning meaning = found->second;
  meaning.entry = std::stoi(name.substr(bar + 1));
  return meaning;
}

bool SignalBuilder::is_known(const std::string& name) const {
  return name == "t" || coordinates_.count(name) > 0 || list_of(name).kind != Meaning::Kind::none ||
         std::find(parameter_names_.begin(), parameter_names_.end(), name) !=
             parameter_names_.end();
}

SignalBuilder::Meaning SignalBuilder::meaning(const std::string& name) {
  if (name == "t") return {Meaning::Kind::time};
  if (const Meaning list = list_of(name); list.kind != Meaning::Kind::none) return list;
  if (const auto found = coordinates_.find(name); found != coordinates_.end()) {
    if (found->second < 0) {
      found->second = static_cast<int>(network_->reads_.size());
      network_->reads_.push_back(*find_coordinate(model_, name));
    }
    return {Meaning::Kind::read, found->second};
  }
  const auto found = std::find(parameter_names_.begin(), parameter_names_.end(), name);
  return {Meaning::Kind::parameter, static_cast<int>(found - parameter_names_.begin())};
}

void SignalBuilder::collect_names() {
  known_names_ = {"t"};
  for (const auto& [name, list] : lists_) known_names_.push_back(name);
  known_names_.insert(known_names_.end(), parameter_names_.begin(), parameter_names_.end());
  for (const std::string& name : coordinate_names(model_)) known_names_.push_back(name);
}

SignalBuilder::Formula SignalBuilder::formula(const PlacedText& entry) {
  const SignalText text = read_signal_text(
      entry.text, [&](const std::string& name) { return is_known(name); }, known_names_);
  Formula result{text.text, entry.place, {}};
  std::vector<std::string> variables;
  for (const SignalText::Name& name : text.names) {
    result.names.emplace_back(meaning(name.name), name.variable);
    variables.push_back(name.variable);
  }
  Expression::parse(text.text, variables);  // throws where it is none
  return result;
}

std::string SignalBuilder::name_of(const Meaning& meaning) const {
  const SignalSpec& spec = specs_[static_cast<std::size_t>(meaning.index)];
  return meaning.further == 0
             ? spec.name
             : spec.name + spec.further[static_cast<std::size_t>(meaning.further - 1)].first;
}

// --- lengths ---

// Of the whole list.
int SignalBuilder::length_of(const Meaning& meaning) const {
  const auto spec = static_cast<std::size_t>(meaning.index);
  return meaning.further == 0
             ? lengths_[spec]
             : specs_[spec].further[static_cast<std::size_t>(meaning.further - 1)].second;
}

// 0: of a list whose length is not known yet.
int SignalBuilder::length_of(const Formula& formula) const {
  int length = 1;
  bool known = true;
  for (const auto& [meaning, variable] : formula.names) {
    if (meaning.kind != Meaning::Kind::list || meaning.entry != whole_list) continue;
    const int own = length_of(meaning);
    known &= own > 0;
    length = std::max(length, own);
  }
  return known || length > 1 ? length : 0;
}

int SignalBuilder::length_of(std::size_t i) const {
  const SignalSpec& spec = specs_[i];
  if (spec.kind == Kind::trajectory) return spec.trajectory->size();
  if (spec.kind == Kind::input) return static_cast<int>(spec.values.size());
  if (spec.outputs > 0) return spec.outputs;
  int length = 0;
  for (std::size_t p = 0; p < spec.ports.size(); ++p) {
    if (spec.ports[p].size > 0) continue;
    const auto& entries = formulas_[i][p];
    const int own = entries.size() > 1 ? static_cast<int>(entries.size()) : length_of(entries[0]);
    length = std::max(length, own);
  }
  return length;
}

// Lengths grow from what is known; signals that only follow each other have one entry.
void SignalBuilder::find_lengths() {
  lengths_.assign(specs_.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const int length = std::max(lengths_[i], length_of(i));
      changed |= length != lengths_[i];
      lengths_[i] = length;
    }
  }
  for (int& length : lengths_) length = std::max(length, 1);
}

int SignalBuilder::port_length(std::size_t spec, std::size_t port) const {
  const int fixed = specs_[spec].ports[port].size;
  return fixed > 0 ? fixed : lengths_[spec];
}

void SignalBuilder::check_lengths(std::vector<SignalMistake>& mistakes) const {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    for (std::size_t p = 0; p < specs_[i].ports.size(); ++p) check_port(i, p, mistakes);
}

void SignalBuilder::check_port(std::size_t spec, std::size_t port,
                               std::vector<SignalMistake>& mistakes) const {
  const auto& entries = formulas_[spec][port];
  const int length = port_length(spec, port);
  const auto count = static_cast<int>(entries.size());
  for (const Formula& formula : entries) {
    const int most = count > 1 ? 1 : length;
    for (const auto& [meaning, variable] : formula.names) {
      if (meaning.kind != Meaning::Kind::list) continue;
      const int own = length_of(meaning);
      const std::string name = name_of(meaning);
      if (meaning.entry >= own)
        mistakes.push_back({formula.place, fmt::format("'{}' has no entry {}; accepted: 0 to {}",
                                                       name, meaning.entry, own - 1)});
      else if (meaning.entry == whole_list && own != 1 && own != most)
        mistakes.push_back(
            {formula.place,
             fmt::format("'{}' is a list of {} where {}; accepted: {}", name, own,
                         most == 1 ? "one number is needed" : fmt::format("{} are needed", most),
                         most == 1
                             ? fmt::format("an entry of it, {}_0 to {}_{}", name, name, own - 1)
                             : "lists of one length, and single numbers")});
    }
  }
  if (count > 1 && count != length)
    mistakes.push_back({entries[0].place, fmt::format("{} numbers where {} are needed; accepted: "
                                                      "as many",
                                                      count, length)});
  const int fixed = specs_[spec].ports[port].size;
  if (count == 1 && fixed > 1 && !specs_[spec].ports[port].spreads && length_of(entries[0]) == 1)
    mistakes.push_back({entries[0].place, fmt::format("1 number where {} are needed; accepted: a "
                                                      "list of {}",
                                                      fixed, fixed)});
}

// --- slots ---

void SignalBuilder::number_slots() {
  SignalNetwork& net = *network_;
  int next = 1 + static_cast<int>(net.reads_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    first_slot_.push_back(next);
    for (int further = 0; further <= static_cast<int>(specs_[i].further.size()); ++further) {
      const Meaning list{Meaning::Kind::list, static_cast<int>(i), further, whole_list};
      const int length = length_of(list);
      for (int k = 0; k < length; ++k) {
        net.signal_names_.push_back(name_of(list) + (length > 1 ? fmt::format("_{}", k) : ""));
        net.signal_slots_.push_back(next++);
      }
    }
  }
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    port_slots_.emplace_back();
    for (std::size_t p = 0; p < specs_[i].ports.size(); ++p) {
      port_slots_.back().push_back(next);
      next += port_length(i, p);
    }
  }
  net.slots_ = next;
}

int SignalBuilder::slot_of(const Meaning& meaning, int entry) const {
  if (meaning.kind == Meaning::Kind::time) return 0;
  if (meaning.kind == Meaning::Kind::read) return 1 + meaning.index;
  const auto spec = static_cast<std::size_t>(meaning.index);
  const int at = meaning.entry != whole_list ? meaning.entry : length_of(meaning) > 1 ? entry : 0;
  int first = first_slot_[spec];
  for (Meaning before = meaning; before.further > 0;) {
    --before.further;
    first += length_of(before);
  }
  return first + at;
}

SignalNetwork::Formula SignalBuilder::compiled(const Formula& formula, int entry) const {
  std::vector<std::string> variables;
  std::vector<double> bound;
  SignalNetwork::Formula result;
  for (const auto& [meaning, variable] : formula.names) {
    const bool parameter = meaning.kind == Meaning::Kind::parameter;
    variables.push_back(variable);
    bound.push_back(parameter ? parameter_values_[static_cast<std::size_t>(meaning.index)]
                              : std::numeric_limits<double>::quiet_NaN());
    result.slots.push_back(parameter ? -1 : slot_of(meaning, entry));
  }
  result.expression = Expression::parse(formula.text, variables).bind(bound);
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (!result.expression.uses(i)) result.slots[i] = -1;
  return result;
}

// --- parts ---

void SignalBuilder::add_formulas(const std::vector<Formula>& formulas, SignalNetwork::Part& part,
                                 std::vector<SignalMistake>& mistakes) {
  std::vector<int>& follows = origins_.back().follows;
  for (int k = 0; k < part.size; ++k) {
    const Formula& formula = formulas[formulas.size() > 1 ? static_cast<std::size_t>(k) : 0];
    part.formulas.push_back(compiled(formula, k));
    const Expression& made = part.formulas.back().expression;
    if (made.is_constant() && !std::isfinite(made.value({})))
      mistakes.push_back({formula.place, "not a finite number; accepted: finite numbers"});
    const int first_signal = 1 + static_cast<int>(network_->reads_.size());
    for (const int slot : part.formulas.back().slots)
      if (slot >= first_signal) follows.push_back(slot);
  }
}

void SignalBuilder::make_ports(std::size_t spec, std::vector<SignalMistake>& mistakes) {
  for (std::size_t p = 0; p < specs_[spec].ports.size(); ++p) {
    SignalNetwork::Part part;
    part.name = specs_[spec].name;
    part.first = port_slots_[spec][p];
    part.size = port_length(spec, p);
    origins_.push_back({static_cast<int>(spec), {}});
    add_formulas(formulas_[spec][p], part, mistakes);
    network_->parts_.push_back(std::move(part));
  }
}

void SignalBuilder::make_part(std::size_t i, std::vector<SignalMistake>& mistakes) {
  using PartKind = SignalNetwork::Part::Kind;
  const SignalSpec& spec = specs_[i];
  SignalNetwork& net = *network_;
  SignalNetwork::Part part;
  part.name = spec.name;
  part.first = first_slot_[i];
  part.size = lengths_[i];
  for (const auto& [ending, length] : spec.further) part.size += length;
  if (!port_slots_[i].empty()) part.input = port_slots_[i][0];
  for (std::size_t p = 0; p < spec.ports.size(); ++p) part.inputs += port_length(i, p);
  std::shared_ptr<const SignalBlock> block;
  switch (spec.kind) {
    case Kind::expression:
      // Its one port is all that there is.
      part.kind = PartKind::sum;
      break;
    case Kind::sum:
      part.kind = PartKind::sum;
      break;
    case Kind::product:
      part.kind = PartKind::product;
      break;
    case Kind::trajectory:
      part.kind = PartKind::trajectory;
      part.trajectory = spec.trajectory;
      break;
    case Kind::input:
      part.kind = PartKind::input;
      part.outside = static_cast<int>(net.inputs_.size());
      for (int k = 0; k < part.size; ++k)
        net.inputs_.push_back({part.size > 1 ? fmt::format("{}_{}", spec.name, k) : spec.name,
                               spec.values[static_cast<std::size_t>(k)]});
      break;
    case Kind::block:
      try {
        block = spec.make(lengths_[i]);
      } catch (const Error& error) {
        mistakes.push_back({spec.place, error.what()});
        return;
      }
      if (block->is_sampled()) {
        part.kind = PartKind::sampled;
        part.sampled = block;
      } else if ((part.saturation = std::dynamic_pointer_cast<const SaturationBlock>(block))) {
        part.kind = PartKind::saturation;
      } else {
        part.kind = PartKind::linear;
        part.linear = std::dynamic_pointer_cast<const LinearBlock>(block);
      }
      if (!part.sampled && !part.saturation && !part.linear)
        throw Error("a continuous block that is not linear; accepted: sampled ones", spec.name);
      if (block->inputs() != part.inputs || block->outputs() != part.size)
        throw Error(fmt::format("a block of {} inputs and {} outputs for {} and {}",
                                block->inputs(), block->outputs(), part.inputs, part.size),
                    spec.name);
      break;
  }
  origins_.push_back({static_cast<int>(i), {}});
  for (int k = 0; k < part.inputs; ++k)
    if (!block || block->follows(k)) origins_.back().follows.push_back(part.input + k);
  net.parts_.push_back(std::move(part));
}

void SignalBuilder::make_parts(std::vector<SignalMistake>& mistakes) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    make_ports(i, mistakes);
    make_part(i, mistakes);
  }
  int memory = 0;
  for (SignalNetwork::Part& part : network_->parts_) {
    if (part.linear) {
      part.memory = network_->state_count_;
      network_->state_count_ += part.linear->memory_size();
    } else if (part.sampled) {
      part.memory = memory;
      memory += 1 + part.size + part.sampled->memory_size();
    }
  }
  network_->memory_size_ = network_->state_count_ + memory;
}

void SignalBuilder::make_drives(std::vector<SignalMistake>& mistakes) {
  SignalNetwork& net = *network_;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const SignalSpec& spec = specs_[i];
    if (spec.drives.empty()) continue;
    if (static_cast<int>(spec.drives.size()) != lengths_[i]) {
      mistakes.push_back(
          {spec.drives[0].place, fmt::format("{} forces for {} numbers; accepted: one each",
                                             spec.drives.size(), lengths_[i])});
      continue;
    }
    for (std::size_t k = 0; k < spec.drives.size(); ++k) {
      const PlacedText& given = spec.drives[k];
      const std::optional<ForceInput> force = find_force(model_, given.text);
      if (!force) {
        mistakes.push_back({given.place, unknown_name("force", given.text, force_names(model_))});
        continue;
      }
      if (force->kind == ForceInput::Kind::body &&
          model_.bodies[static_cast<std::size_t>(force->index)]
              .drives[static_cast<std::size_t>(force->coordinate)]
              .prescribed) {
        mistakes.push_back({given.place,
                            "this coordinate has a prescribed motion, a force does nothing there; "
                            "accepted: a coordinate that is free"});
        continue;
      }
      auto found = std::find(net.drives_.begin(), net.drives_.end(), *force);
      if (found == net.drives_.end()) found = net.drives_.insert(net.drives_.end(), *force);
      net.pushes_.push_back(
          {static_cast<int>(found - net.drives_.begin()), first_slot_[i] + static_cast<int>(k)});
    }
  }
}

// --- order ---

// A part comes behind those that it follows at once. What goes round in a circle has no order.
void SignalBuilder::sort_parts(std::vector<SignalMistake>& mistakes) {
  std::vector<SignalNetwork::Part>& parts = network_->parts_;
  const std::size_t count = parts.size();
  std::vector<std::size_t> owner(static_cast<std::size_t>(network_->slots_), count);
  for (std::size_t p = 0; p < count; ++p) {
    for (int k = 0; k < parts[p].size; ++k) owner[static_cast<std::size_t>(parts[p].first + k)] = p;
  }
  enum class Mark : unsigned char { none, open, done };
  std::vector<Mark> marks(count, Mark::none);
  std::vector<std::size_t> order;
  struct Visit {
    std::size_t part, next;
  };
  for (std::size_t root = 0; root < count; ++root) {
    if (marks[root] != Mark::none) continue;
    std::vector<Visit> path{{root, 0}};
    marks[root] = Mark::open;
    while (!path.empty()) {
      Visit& top = path.back();
      const std::vector<int>& follows = origins_[top.part].follows;
      if (top.next == follows.size()) {
        marks[top.part] = Mark::done;
        order.push_back(top.part);
        path.pop_back();
        continue;
      }
      const std::size_t before = owner[static_cast<std::size_t>(follows[top.next++])];
      if (marks[before] == Mark::done) continue;
      if (marks[before] == Mark::none) {
        marks[before] = Mark::open;
        path.push_back({before, 0});
        continue;
      }
      // From the one that was met again, in the direction of the signals.
      std::vector<int> circle;
      for (auto at = path.rbegin(); at != path.rend(); ++at) {
        const int spec = origins_[at->part].spec;
        if (circle.empty() || circle.back() != spec) circle.push_back(spec);
        if (at->part == before) break;
      }
      if (circle.size() > 1 && circle.front() == circle.back()) circle.pop_back();
      std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
      std::string text;
      for (const int spec : circle) text += specs_[static_cast<std::size_t>(spec)].name + " -> ";
      const SignalSpec& first = specs_[static_cast<std::size_t>(circle[0])];
      mistakes.push_back(
          {first.place, fmt::format("an algebraic loop: {}{}; accepted: a delay in it, or a block "
                                    "whose output does not follow its input at once",
                                    text, first.name)});
      return;
    }
  }
  std::vector<SignalNetwork::Part> sorted;
  for (const std::size_t p : order) sorted.push_back(std::move(parts[p]));
  parts = std::move(sorted);
}

}  // namespace vinci
