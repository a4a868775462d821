// SPDX-License-Identifier: Apache-2.0
// `vinci list`: what can be chosen by name, from the tables that the choices are made with.
#include <cmath>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"
#include "vinci/model/run_options.h"

namespace vinci {
namespace {

struct ListFlags {
  std::string what;
  std::vector<std::string> libraries;
};

Json value_json(const OptionValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json option_json(const OptionSpec& spec) {
  const char* types[] = {"number", "integer", "flag", "text"};
  Json json = {{"name", spec.name}, {"type", types[spec.fallback.index()]}, {"text", spec.text}};
  json["default"] = value_json(spec.fallback);
  json["unit"] = spec.unit;
  if (spec.fallback.index() < 2) {
    json["lower"] = std::isfinite(spec.lower) ? Json(spec.lower) : Json();
    json["upper"] = std::isfinite(spec.upper) ? Json(spec.upper) : Json();
  }
  if (!spec.choices.empty()) json["choices"] = spec.choices;
  return json;
}

Json options_json(const OptionTable& table) {
  Json options = Json::array();
  for (const OptionSpec& spec : table.specs()) options.push_back(option_json(spec));
  return options;
}

template <class Interface>
Json registry_json(const Registry<Interface>& registry) {
  Json entries = Json::array();
  for (const auto& entry : registry.entries())
    entries.push_back({{"name", entry.name},
                       {"text", entry.text},
                       {"reference", entry.reference},
                       {"options", options_json(entry.options)}});
  return entries;
}

std::size_t width() {
  return std::clamp<std::size_t>(static_cast<std::size_t>(terminal_width(stdout)), 60, 100);
}

void print_option(const OptionSpec& spec, std::size_t indent) {
  const std::size_t column = indent + 18;
  std::string text = spec.text;
  std::string range = accepted(spec);
  std::string fallback = to_string(spec.fallback);
  if (fallback.empty()) fallback = "empty";
  if (!spec.unit.empty()) fallback += " " + spec.unit;
  say(stdout, "{}{}{}\n", std::string(indent, ' '), padded(spec.name + " ", column - indent),
      wrapped(text, width() - column, column));
  say(stdout, "{}{}\n", std::string(column, ' '),
      wrapped(fmt::format("{}; default {}", range, fallback), width() - column, column));
}

template <class Interface>
void print_registry(const std::string& title, const Registry<Interface>& registry) {
  say(stdout, "{}\n", title);
  for (const auto& entry : registry.entries()) {
    say(stdout, "  {}{}\n", padded(entry.name + " ", 18), wrapped(entry.text, width() - 20, 20));
    if (!entry.reference.empty())
      say(stdout, "{}[{}]\n", std::string(20, ' '), wrapped(entry.reference, width() - 22, 20));
    for (const OptionSpec& spec : entry.options.specs()) print_option(spec, 4);
  }
}

int run_list(const ListFlags& flags, const Command& command) {
  const auto plugins = plugins_of(flags.libraries);
  auto wanted = [&](const char* part) { return flags.what.empty() || flags.what == part; };
  if (command.json) {
    Json json = Json::object();
    if (wanted("detectors")) json["detectors"] = registry_json(plugins->detectors);
    if (wanted("steppers")) json["steppers"] = registry_json(plugins->steppers);
    if (wanted("solvers")) json["solvers"] = registry_json(plugins->solvers);
    if (wanted("impact-laws")) json["impact-laws"] = registry_json(plugins->impact_laws);
    if (wanted("options")) json["options"] = options_json(run_option_table());
    print(json);
    return exit_good;
  }
  const char* gap = "";
  auto part = [&](const char* name, const auto& show) {
    if (!wanted(name)) return;
    say(stdout, "{}", gap);
    show();
    gap = "\n";
  };
  part("detectors", [&] { print_registry("Detectors", plugins->detectors); });
  part("steppers", [&] { print_registry("Steppers", plugins->steppers); });
  part("solvers", [&] { print_registry("Solvers", plugins->solvers); });
  part("impact-laws", [&] { print_registry("Impact laws", plugins->impact_laws); });
  part("options", [&] {
    say(stdout, "Options of a run\n");
    for (const OptionSpec& spec : run_option_table().specs()) print_option(spec, 2);
  });
  return exit_good;
}

}  // namespace

void add_list(CLI::App& app, Command& command) {
  auto flags = std::make_shared<ListFlags>();
  CLI::App* subcommand =
      add_subcommand(app, "list", "Show the plugins and options that a run can choose.");
  subcommand
      ->add_option(
          "what", flags->what,
          "One of detectors, steppers, solvers, impact-laws, options; all of them if not given.")
      ->type_name("")
      ->check(CLI::IsMember({"detectors", "steppers", "solvers", "impact-laws", "options"})
                  .description(""));
  add_plugin_flag(*subcommand, flags->libraries);
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_list(*flags, command); };
  });
}

}  // namespace vinci
