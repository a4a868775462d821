// SPDX-License-Identifier: Apache-2.0
// `vinci linearize`: the linear system of a scene at a time or at an equilibrium, and what follows
// from it.
#include "vinci/simulation/linearize.h"

#include <cmath>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/table.h"
#include "apps/text.h"
#include "vinci/systems/frequency.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/root_locus.h"
#include "vinci/systems/time_response.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

// Larger matrices are for programs.
constexpr int most_columns = 12;
constexpr int table_rows = 25;  // of responses, or more where modes swing faster
constexpr int most_rows = 120;
constexpr int json_rows = 5000;
constexpr int bode_points = 200;

struct LinearizeFlags {
  std::string scene, at, of, locus;
  std::vector<std::string> inputs, outputs, mode;
  bool equilibrium = false, eliminate = false, open_loop = false;
  bool bode = false, step = false, impulse = false, has_locus = false;
  ChoiceFlags choices;
};

// Values of flags may be lists; what was given several times is one list.
std::vector<std::string> split(const std::vector<std::string>& lists, const std::string& flag) {
  std::vector<std::string> parts;
  for (const std::string& list : lists) {
    std::size_t first = 0;
    for (;;) {
      const std::size_t comma = list.find(',', first);
      std::string part = list.substr(first, comma - first);
      while (part.starts_with(' ')) part.erase(0, 1);
      while (part.ends_with(' ')) part.pop_back();
      if (part.empty())
        throw Error("has an empty name; accepted: names with commas between them", flag);
      parts.push_back(part);
      if (comma == std::string::npos) break;
      first = comma + 1;
    }
  }
  return parts;
}

LinearizeOptions options_of(const LinearizeFlags& flags) {
  LinearizeOptions options;
  options.wishes.inputs = split(flags.inputs, "inputs");
  options.wishes.outputs = split(flags.outputs, "outputs");
  options.wishes.mode = split(flags.mode, "mode");
  options.wishes.equilibrium = flags.equilibrium;
  options.wishes.eliminate = flags.eliminate;
  options.open_loop = flags.open_loop;
  if (!flags.at.empty()) options.at = number_of(flags.at, "at");
  if (flags.of == "model")
    options.of = LinearizeOptions::Of::model;
  else if (flags.of == "step")
    options.of = LinearizeOptions::Of::step;
  else if (!flags.of.empty())
    throw Error("unknown value '" + flags.of + "'; accepted: model, step", "of");
  return options;
}

// Rounding of a zero is not worth a number.
std::string cell(double value, double scale = 0.0) {
  if (!std::isfinite(value)) return std::isnan(value) ? "" : value > 0.0 ? "inf" : "-inf";
  return std::abs(value) <= 1e-15 * scale ? "0" : fmt::format("{:.6g}", value);
}

std::string complex_text(const Complex& value) {
  const double size = std::abs(value);
  if (std::abs(value.imag()) <= 1e-14 * size) return cell(value.real());
  return fmt::format("{} {} {}i", cell(value.real(), 10.0 * size), value.imag() < 0.0 ? "-" : "+",
                     cell(std::abs(value.imag())));
}

// Pairs as one: "-1 ± 2i".
std::string values_text(const ComplexVector& values) {
  std::string text;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    std::string one = complex_text(values[i]);
    const bool pair =
        i + 1 < values.size() && values[i].imag() != 0.0 && values[i + 1] == std::conj(values[i]);
    if (pair) {
      one = fmt::format("{} ± {}i", cell(values[i].real(), 10.0 * std::abs(values[i])),
                        cell(std::abs(values[i].imag())));
      ++i;
    }
    text += (text.empty() ? "" : ", ") + one;
  }
  return text.empty() ? "none" : text;
}

void print_table(const std::vector<Column>& table) {
  print_heads(table);
  for (std::size_t i = 0; i < table.front().rows.size(); ++i) print_row(table, i);
}

void print_line(const std::string& head, const std::string& text) {
  say(stdout, "  {}{}\n", padded(head, 16), wrapped(text, page_width - 18, 18));
}

void print_point(const Linearization& it) {
  std::vector<Column> table{{"", "coordinate", {}, true}, {"", "value", {}}, {"", "rate", {}}};
  double largest = 0.0;
  for (const NamedNumber& one : it.coordinates) largest = std::max(largest, std::abs(one.value));
  for (std::size_t i = 0; i < it.coordinates.size(); ++i) {
    table[0].rows.push_back(it.coordinates[i].name);
    table[1].rows.push_back(cell(it.coordinates[i].value, largest));
    table[2].rows.push_back(cell(it.rates[i].value));
  }
  for (const NamedNumber& one : it.extras) {
    table[0].rows.push_back(one.name);
    table[1].rows.push_back(cell(one.value));
    table[2].rows.push_back("");
  }
  print_table(table);
}

void print_mode(const Linearization& it) {
  std::vector<Column> table{{"", "constraint", {}, true},
                            {"", "state", {}, true},
                            {"", "", {}, true},
                            {"gap,", "slip", {}},
                            {"", "force", {}}};
  for (const LinearConstraint& one : it.constraints) {
    // Far contacts that do nothing are not part of the mode.
    if (one.state == ContactState::free && !one.named && std::abs(one.gap) > 1e-3) continue;
    table[0].rows.push_back(one.name);
    table[1].rows.push_back(to_string(one.state));
    table[2].rows.push_back(one.named ? "named" : "at this state");
    table[3].rows.push_back(cell(one.gap));
    table[4].rows.push_back(cell(one.force));
  }
  if (table[0].rows.empty()) return say(stdout, "\nmode: nothing touches\n");
  say(stdout, "\nmode\n");
  print_table(table);
}

void print_matrix(const char* name, const MatrixX& matrix, const std::vector<std::string>& rows) {
  if (matrix.size() == 0) return;
  std::vector<Column> table{{name, "", {}, true}};
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) table.push_back({"", std::to_string(j + 1), {}});
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    table[0].rows.push_back(fmt::format("{} {}", i + 1, rows[static_cast<std::size_t>(i)]));
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      table[static_cast<std::size_t>(j + 1)].rows.push_back(
          cell(matrix(i, j), matrix.row(i).lpNorm<Eigen::Infinity>()));
  }
  say(stdout, "\n");
  print_table(table);
}

void print_matrices(const LinearSystem& system) {
  if (std::max(system.state_count(), system.input_count()) > most_columns)
    return say(stdout, "\n{} states, {} inputs, {} outputs; --json has the matrices\n",
               system.state_count(), system.input_count(), system.output_count());
  print_matrix("A", system.a, system.states);
  print_matrix("B", system.b, system.states);
  print_matrix("C", system.c, system.outputs);
  print_matrix("D", system.d, system.outputs);
  std::string names;
  for (std::size_t i = 0; i < system.inputs.size(); ++i)
    names += fmt::format("{}{} {}", i == 0 ? "" : ", ", i + 1, system.inputs[i]);
  if (!names.empty()) say(stdout, "inputs: {}\n", wrapped(names, text_width, 2));
}

const char* stability_text(Stability stability) {
  return stability == Stability::stable     ? "yes"
         : stability == Stability::unstable ? "no"
                                            : "marginal: rounding decides on which side a pole is";
}

void print_poles(const LinearSystem& system) {
  const ModeDistances distances = mode_distances(system);
  std::vector<Column> table{{"", "pole", {}},
                            {"frequency", "rad/s", {}},
                            {"damping", "ratio", {}},
                            {"reached", "by inputs", {}},
                            {"seen by", "outputs", {}}};
  for (Eigen::Index i = 0; i < distances.poles.size(); ++i) {
    const Complex pole = distances.poles[i];
    table[0].rows.push_back(complex_text(pole));
    table[1].rows.push_back(cell(natural_frequency(pole, system.sample)));
    table[2].rows.push_back(cell(damping_ratio(pole, system.sample)));
    table[3].rows.push_back(fmt::format("{:.1e}", distances.reached[i]));
    table[4].rows.push_back(fmt::format("{:.1e}", distances.seen[i]));
  }
  say(stdout, "\n");
  print_table(table);
  const MinimalPart minimal = minimal_part(system);
  print_line("stable", stability_text(stability(system)));
  print_line("zeros", values_text(invariant_zeros(system).values));
  print_line("minimal part", plural(minimal.system.state_count(), "state"));
  if (minimal.unreached.size() > 0) print_line("not reached", values_text(minimal.unreached));
  if (minimal.unseen.size() > 0) print_line("not seen", values_text(minimal.unseen));
}

void print_channels(const LinearSystem& system) {
  for (int i = 0; i < system.output_count(); ++i)
    for (int j = 0; j < system.input_count(); ++j) {
      say(stdout, "\n{} to {}\n", system.inputs[static_cast<std::size_t>(j)],
          system.outputs[static_cast<std::size_t>(i)]);
      const TransferFunction function = transfer_function(system, j, i);
      if (function.gain == 0.0) {
        say(stdout, "  nothing comes through\n");
        continue;
      }
      const LinearSystem own = channel(system, {j}, {i});
      print_line("gain", cell(function.gain));
      print_line("zeros", values_text(function.zeros));
      print_line("poles", values_text(function.poles));
      const ComplexVector all = invariant_zeros(own).values;
      if (all.size() > function.zeros.size()) print_line("all zeros", values_text(all));
      if (!function.is_trusted())
        print_line("note", fmt::format("this misses the response of the system by {:.1e} of it",
                                       function.miss));
      if (std::isfinite(function.known_up_to))
        print_line("note",
                   fmt::format("beyond |{}| = {} rounding of A, B and C decides what comes "
                               "through: zeros out there, and how many more poles than "
                               "zeros there are, are not determined",
                               system.is_sampled() ? "z" : "s", cell(function.known_up_to)));
      const Margins found = margins(minimal_part(own).system);
      std::string text = found.stability == Stability::stable ? "closed by u = -y it is stable"
                         : found.stability == Stability::unstable
                             ? "closed by u = -y it is not stable"
                             : "closed by u = -y it is on the border of "
                               "stability, to rounding";
      if (std::isfinite(found.gain_margin))
        text += fmt::format(", gain margin {}", cell(found.gain_margin));
      if (std::isfinite(found.phase_margin))
        text += fmt::format(", phase margin {:.4g} deg", found.phase_margin * 180.0 / M_PI);
      if (std::isfinite(found.delay_margin))
        text += fmt::format(", delay margin {} s", cell(found.delay_margin));
      print_line("margins", text + fmt::format(", least |1 + L| {}", cell(found.modulus_margin)));
    }
}

std::string channel_head(int input, int output) {
  return fmt::format("{} to {}", input + 1, output + 1);
}

void print_bode(const LinearSystem& system) {
  const VectorX frequencies = frequencies_of_interest(system, table_rows);
  const std::vector<ComplexMatrix> values = frequency_response(system, frequencies);
  std::vector<Column> table{{"frequency", "rad/s", {}}};
  for (int i = 0; i < system.output_count(); ++i)
    for (int j = 0; j < system.input_count(); ++j) {
      table.push_back({channel_head(j, i), "dB", {}});
      table.push_back({"", "deg", {}});
    }
  for (Eigen::Index k = 0; k < frequencies.size(); ++k) {
    table[0].rows.push_back(cell(frequencies[k]));
    std::size_t column = 1;
    for (int i = 0; i < system.output_count(); ++i)
      for (int j = 0; j < system.input_count(); ++j) {
        const Complex value = values[static_cast<std::size_t>(k)](i, j);
        table[column++].rows.push_back(fmt::format("{:.4g}", 20.0 * std::log10(std::abs(value))));
        table[column++].rows.push_back(fmt::format("{:.1f}", std::arg(value) * 180.0 / M_PI));
      }
  }
  say(stdout, "\nfrequency response\n");
  print_table(table);
}

TimeResponse response_of(const LinearSystem& system, int input, bool step, int most) {
  const double duration = duration_of_interest(system);
  const int count = system.is_sampled()
                        ? std::max(2, static_cast<int>(duration / system.sample) + 1)
                        : count_of_interest(system, duration, table_rows, most);
  return step ? step_response(system, input, duration, count)
              : impulse_response(system, input, duration, count);
}

void print_response(const LinearSystem& system, bool step) {
  for (int j = 0; j < system.input_count(); ++j) {
    const TimeResponse response = response_of(system, j, step, most_rows);
    std::vector<Column> table{{"time", "s", {}}};
    for (const std::string& output : system.outputs) table.push_back({"", output, {}});
    const Eigen::Index stride = std::max<Eigen::Index>(1, response.times.size() / most_rows);
    for (Eigen::Index k = 0; k < response.times.size(); k += stride) {
      table[0].rows.push_back(cell(response.times[k]));
      for (Eigen::Index i = 0; i < response.outputs.cols(); ++i)
        table[static_cast<std::size_t>(i + 1)].rows.push_back(cell(response.outputs(k, i)));
    }
    say(stdout, "\n{} of {}\n", step ? "unit step" : "unit impulse",
        system.inputs[static_cast<std::size_t>(j)]);
    print_table(table);
  }
}

VectorX gains_of(const std::string& text) {
  const std::vector<std::string> parts = split({text}, "root-locus");
  VectorX gains(static_cast<Eigen::Index>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i)
    gains[static_cast<Eigen::Index>(i)] = number_of(parts[i], "root-locus");
  return gains;
}

void print_locus(const LinearSystem& system, const std::string& text) {
  const VectorX gains = gains_of(text);
  const RootLocus locus = root_locus(system, gains);
  std::vector<Column> table{{"", "gain", {}}};
  for (Eigen::Index j = 0; j < locus.poles.cols(); ++j)
    table.push_back({j == 0 ? "poles" : "", "", {}});
  for (Eigen::Index k = 0; k < locus.gains.size(); ++k) {
    if ((gains.array() != locus.gains[k]).all()) continue;  // between those asked for
    table[0].rows.push_back(cell(locus.gains[k]));
    for (Eigen::Index j = 0; j < locus.poles.cols(); ++j)
      table[static_cast<std::size_t>(j + 1)].rows.push_back(complex_text(locus.poles(k, j)));
  }
  say(stdout, "\nroot locus, u = -k y\n");
  print_table(table);
}

void print_all(const Linearization& it, const LinearizeFlags& flags) {
  const LinearSystem& system = it.system;
  say(stdout, "{}: {} at {} s\n", flags.scene,
      it.is_step ? fmt::format("x(k+1) = A x(k) + B u(k) of a step of {} s", cell(system.sample))
                 : std::string("x' = A x + B u"),
      cell(it.time));
  if (it.is_equilibrium && it.iterations > 0)
    print_line("equilibrium",
               fmt::format("after {}, imbalance {:.1e}",
                           plural(it.iterations, "step") + " of Newton's method", it.imbalance));
  else if (it.is_equilibrium)
    print_line("equilibrium", "the state is one");
  else if (!it.is_step)
    print_line("no equilibrium",
               "the system describes deviations from a motion that goes on by itself");
  for (const std::string& note : it.notes) print_line("note", note);
  if (!it.limits.empty()) {
    print_line("not smooth",
               it.is_step ? "the step has two sides here; this is that where gaps open, contacts "
                            "bear load and friction sticks"
                          : "the motion has two sides here; this is that of the mode below");
    for (const std::string& limit : it.limits) print_line("", limit);
  }
  if (!it.kinks.empty()) {
    print_line("not smooth", "laws turn or jump here; the system is that of one of their branches");
    for (const std::string& kink : it.kinks) print_line("", kink);
  }
  print_point(it);
  print_mode(it);
  print_matrices(system);
  print_poles(system);
  print_channels(system);
  if (flags.bode) print_bode(system);
  if (flags.step) print_response(system, true);
  if (flags.impulse) print_response(system, false);
  if (flags.has_locus) print_locus(system, flags.locus);
  if (it.other) {
    say(stdout, "\nthe other side\n");
    print_matrices(*it.other);
    print_poles(*it.other);
  }
}

Json complex_json(const Complex& value) {
  const auto part = [](double number) { return std::isfinite(number) ? Json(number) : Json(); };
  return Json::array({part(value.real()), part(value.imag())});
}

Json rows_json(const MatrixX& rows) {
  Json json = Json::array();
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    json.push_back(std::vector<double>(rows.row(i).begin(), rows.row(i).end()));
  return json;
}

Json numbers_json(const VectorX& numbers) {
  return std::vector<double>(numbers.begin(), numbers.end());
}

Json responses_json(const LinearSystem& system, bool step) {
  Json json = Json::array();
  for (int j = 0; j < system.input_count(); ++j) {
    const TimeResponse response = response_of(system, j, step, json_rows);
    json.push_back({{"input", system.inputs[static_cast<std::size_t>(j)]},
                    {"times", numbers_json(response.times)},
                    {"values", rows_json(response.outputs)}});
  }
  return json;
}

// The tables that flags ask for.
void add_tables(const LinearSystem& system, const LinearizeFlags& flags, Json& json) {
  if (flags.bode) {
    const VectorX frequencies = frequencies_of_interest(system, bode_points);
    Json values = Json::array();
    for (const ComplexMatrix& value : frequency_response(system, frequencies)) {
      Json rows = Json::array();
      for (Eigen::Index i = 0; i < value.rows(); ++i) {
        Json row = Json::array();
        for (Eigen::Index j = 0; j < value.cols(); ++j) row.push_back(complex_json(value(i, j)));
        rows.push_back(row);
      }
      values.push_back(rows);
    }
    json["bode"] = {{"frequencies", numbers_json(frequencies)}, {"values", values}};
  }
  if (flags.step) json["step_response"] = responses_json(system, true);
  if (flags.impulse) json["impulse_response"] = responses_json(system, false);
  if (!flags.has_locus) return;
  const RootLocus locus = root_locus(system, gains_of(flags.locus));
  Json branches = Json::array();
  for (Eigen::Index k = 0; k < locus.poles.rows(); ++k) {
    Json row = Json::array();
    for (const Complex& pole : locus.poles.row(k)) row.push_back(complex_json(pole));
    branches.push_back(row);
  }
  json["root_locus"] = {{"gains", numbers_json(locus.gains)}, {"poles", branches}};
}

int run_linearize(const LinearizeFlags& flags, const Command& command) {
  const LinearizeOptions options = options_of(flags);
  const auto plugins = plugins_of(flags.choices.libraries);
  Simulation simulation = make_simulation(load_scene(flags.scene, *plugins, flags.choices),
                                          overrides_of(flags.choices), plugins);
  const Linearization it = linearize_at(simulation, options);
  if (command.json) {
    Json json = {{"ok", true}, {"exit_code", exit_good}, {"scene", flags.scene}};
    json.update(Json::parse(linearization_json(it)));
    add_tables(it.system, flags, json);
    print(json);
  } else {
    print_all(it, flags);
  }
  return exit_good;
}

}  // namespace

void add_linearize(CLI::App& app, Command& command) {
  auto flags = std::make_shared<LinearizeFlags>();
  CLI::App* subcommand =
      add_subcommand(app, "linearize",
                     "The linear system of a scene near a state or an equilibrium: matrices, "
                     "poles, zeros, transfer functions, margins.");
  subcommand->add_option("scene", flags->scene, "The scene file (YAML).")
      ->type_name("")
      ->required();
  subcommand->add_option("--at", flags->at, "Time in s; the scene is run up to it. [0]")
      ->type_name("TIME");
  subcommand->add_flag("--equilibrium", flags->equilibrium,
                       "Go from there to a balance at rest, with contact forces.");
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* text,
                        const char* type) {
    subcommand->add_option(name, values, text)
        ->type_name(type)
        ->allow_extra_args(false)
        ->take_all();
  };
  list("--inputs", flags->inputs,
       "Forces that are inputs: arm.effort, ball.force_x, maze.torque; signals that come from "
       "outside; NAME=VALUE gives what acts at the point. [all such signals; without them efforts "
       "of "
       "all joints; without joints forces on all bodies]",
       "NAME,...");
  list("--outputs", flags->outputs,
       "What is seen: ball.x, ball.vx, arm.position, arm.rate; NAME.force and NAME.gap of a "
       "constraint; signals of controllers. [all coordinates]",
       "NAME,...");
  list("--mode", flags->mode,
       "What acts: ball-ring1=contact, floor-box.friction=sticking; free, contact, sticking or "
       "sliding. [as it is at this state]",
       "NAME=STATE,...");
  subcommand->add_flag("--eliminate", flags->eliminate,
                       "Solve for the constraints that act, so that their stabilisation does not "
                       "show as poles.");
  subcommand->add_flag("--open-loop", flags->open_loop,
                       "Controllers hold their forces instead of being part of the system.");
  subcommand
      ->add_option("--of", flags->of,
                   "Of the model, in continuous time, or of one step of the scene's stepper. [step "
                   "where the stepper makes steps, model where it is event-driven]")
      ->type_name("model|step");
  subcommand->add_flag("--bode", flags->bode, "Print the frequency response.");
  subcommand->add_flag("--step-response", flags->step, "Print the answers to unit steps.");
  subcommand->add_flag("--impulse-response", flags->impulse, "Print the answers to unit impulses.");
  subcommand
      ->add_option("--root-locus", flags->locus,
                   "Print the poles of u = -k y at these gains, of one input and one output.")
      ->type_name("K,...");
  add_json_flag(*subcommand, command);
  add_choice_flags(*subcommand, flags->choices);
  subcommand->callback([flags, subcommand, &command] {
    flags->has_locus = subcommand->count("--root-locus") > 0;
    command.action = [flags, subcommand, &command] {
      return with_flags(*subcommand, [&] { return run_linearize(*flags, command); });
    };
  });
}

}  // namespace vinci
