// SPDX-License-Identifier: Apache-2.0
// `vinci converge`: the error of numbers of a run against the step size.
#include "vinci/comparison/converge.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/progress.h"
#include "apps/stop_signal.h"
#include "apps/table.h"
#include "apps/text.h"
#include "vinci/comparison/words.h"
#include "vinci/viewing/output_file.h"

namespace vinci {
namespace {

struct ConvergeFlags {
  std::string scene, steps, from, to, ratio, at, reference = "finest", over, plot;
  std::vector<std::string> quantities, across;
  ChoiceFlags choices;
  int jobs = 0;
  bool overwrite = false, quiet = false;
};

std::vector<double> steps_of(const ConvergeFlags& flags) {
  const bool series = !flags.from.empty() || !flags.to.empty();
  if (!flags.steps.empty() && (series || !flags.ratio.empty()))
    throw Error("give the steps, or --from and --to with a --ratio", "steps");
  if (!flags.steps.empty()) {
    std::vector<double> steps;
    for (const std::string& text : parse_axis("steps=" + flags.steps, "steps").values)
      steps.push_back(number_of(text, "steps"));
    return steps;
  }
  if (!series) {
    if (!flags.ratio.empty()) throw Error("needs --from and --to", "ratio");
    return {};
  }
  if (flags.from.empty() || flags.to.empty()) throw Error("one needs the other", "from, to");
  return step_series(number_of(flags.from, "from"), number_of(flags.to, "to"),
                     flags.ratio.empty() ? 2.0 : number_of(flags.ratio, "ratio"));
}

Over over_of(const std::string& text) {
  if (text.empty() || text == "end") return Over::end;
  if (text == "max") return Over::largest;
  if (text == "min") return Over::smallest;
  if (text == "mean") return Over::mean;
  throw Error("unknown value '" + text + "'; accepted: end, max, min, mean", "over");
}

ConvergeOptions options_of(const ConvergeFlags& flags) {
  ConvergeOptions options;
  options.steps = steps_of(flags);
  if (!flags.quantities.empty()) options.quantities = flags.quantities;
  options.over = over_of(flags.over);
  // The trajectory alone is looked at as a whole.
  const bool trajectory_alone =
      options.quantities.size() == 1 && options.quantities.front() == trajectory_quantity;
  if (flags.over.empty() && flags.at.empty() && trajectory_alone) options.over = Over::largest;
  if (!flags.at.empty()) options.at = number_of(flags.at, "at");
  if (flags.reference == "richardson")
    options.reference = ReferenceRule::richardson;
  else if (flags.reference != "finest")
    options.reference = number_of(flags.reference, "reference");
  options.run.jobs = flags.jobs;
  return options;
}

std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "";
}

void print_curve(const ConvergenceCurve& curve) {
  const bool trajectory = curve.quantity == trajectory_quantity;
  std::vector<Column> table{{"", "step", {}}, {"", "steps", {}}};
  if (!trajectory) table.push_back({"", "value", {}});
  table.push_back({"", trajectory ? "error m" : "error", {}});
  table.push_back({"local", "order", {}});
  table.push_back({"CPU", "time", {}});
  for (const ConvergencePoint& point : curve.points) {
    std::vector<std::string> row{cell(point.step), std::to_string(point.steps)};
    if (!trajectory)
      row.push_back(std::isfinite(point.value) ? fmt::format("{:.10g}", point.value) : "");
    row.push_back(point.step > curve.finest ? cell(point.error) : "finest");
    row.push_back(std::isfinite(point.local_order) ? fmt::format("{:.2f}", point.local_order) : "");
    row.push_back(seconds_words(point.cpu_seconds));
    for (std::size_t i = 0; i < table.size(); ++i) table[i].rows.push_back(row[i]);
  }
  print_heads(table);
  for (std::size_t i = 0; i < curve.points.size(); ++i) print_row(table, i);
  say(stdout, "{}\n", wrapped(curve.answer + ".", text_width, 2));
}

void print_convergence(const Convergence& all) {
  say(stdout, "{}\n", all.title.empty() ? "convergence" : all.title);
  const std::string when = all.over == Over::end
                               ? fmt::format("at t = {:.6g} s", all.time)
                               : fmt::format("{} over {:.6g} s", to_string(all.over), all.time);
  for (const ConvergenceCurve& curve : all.curves) {
    say(stdout, "\n{}{}, {}\n", curve.quantity,
        curve.variant.empty() ? "" : " of '" + curve.variant + "'", when);
    print_curve(curve);
  }
  if (!all.notes.empty() || !all.skipped.empty()) say(stdout, "\n");
  for (const std::string& note : all.notes) say(stdout, "{}\n", wrapped(note + ".", text_width, 2));
  for (const SkippedVariant& skipped : all.skipped)
    say(stdout, "{}\n",
        wrapped(fmt::format("Not run: '{}': {}.", skipped.name, skipped.reason), text_width, 2));
}

void check_plot(const ConvergeFlags& flags) {
  if (flags.plot.empty()) return;
  if (!flags.plot.ends_with(".svg"))
    throw Error(
        "plots are written as SVG; accepted: a name that ends in .svg (Python's "
        "vinci.converge().plot() makes others)",
        "plot");
  std::error_code code;
  if (std::filesystem::exists(flags.plot, code) && !flags.overwrite)
    throw Error("exists already; give --overwrite to replace it", flags.plot);
}

int run_converge(const ConvergeFlags& flags, const Command& command) {
  check_plot(flags);
  ConvergeOptions options = options_of(flags);
  std::vector<Axis> axes;
  for (const std::string& text : flags.across) axes.push_back(parse_axis(text));
  const auto plugins = plugins_of(flags.choices.libraries);
  const Scene scene = load_scene(flags.scene, *plugins, flags.choices);
  listen_for_stop();
  std::optional<Progress> progress;
  options.run.go_on = [&](std::int64_t done, std::int64_t total) {
    if (!progress)
      progress.emplace(std::filesystem::path(flags.scene).stem().string(), 0, total, !flags.quiet);
    progress->update(done);
    return !stop_wanted();
  };
  const std::optional<Convergence> all =
      converge(scene, overrides_of(flags.choices), std::move(axes), plugins, options);
  progress.reset();
  if (!all) {
    if (command.json) print({{"ok", false}, {"exit_code", exit_stopped()}, {"interrupted", true}});
    return exit_stopped();
  }
  if (!flags.plot.empty()) {
    OutputFile file(flags.plot, flags.overwrite);
    file.write(convergence_svg(*all));
    file.complete();
  }
  const bool good = std::all_of(all->curves.begin(), all->curves.end(),
                                [](const ConvergenceCurve& it) { return it.failure.empty(); });
  const int code = good ? exit_good : exit_failed;
  if (command.json) {
    Json json = {{"ok", good}, {"exit_code", code}};
    json.update(Json::parse(convergence_json(*all)));
    json["plot"] = flags.plot.empty() ? Json() : Json(flags.plot);
    print(json);
  } else if (!flags.quiet) {
    print_convergence(*all);
    if (!flags.plot.empty()) say(stdout, "\nplot {}\n", flags.plot);
  }
  return code;
}

}  // namespace

void add_converge(CLI::App& app, Command& command) {
  auto flags = std::make_shared<ConvergeFlags>();
  CLI::App* subcommand = add_subcommand(
      app, "converge", "Run a scene with many step sizes and measure the order of its errors.");
  subcommand->add_option("scene", flags->scene, "The scene file (YAML).")
      ->type_name("")
      ->required();
  subcommand
      ->add_option(
          "--quantity", flags->quantities,
          "What is measured; may be given several times: block.x, block.angle, block.vx, energy, "
          "penetration, impulse(floor, block), force(floor, block), expressions of these; or "
          "trajectory, the largest distance of any point of a body. [trajectory]")
      ->type_name("EXPRESSION")
      ->allow_extra_args(false)
      ->take_all();
  subcommand->add_option("--at", flags->at, "When it is measured, in s. [the end]")
      ->type_name("TIME");
  subcommand
      ->add_option("--over", flags->over,
                   "Which of its values up to then counts: end, max, min or mean. [end; for the "
                   "trajectory alone max]")
      ->type_name("NAME");
  subcommand
      ->add_option(
          "--steps", flags->steps,
          "The step sizes, in s, separated by commas. [8, 4, 2, 1 and 1/2 times the scene's]")
      ->type_name("H,H,...");
  subcommand->add_option("--from", flags->from, "The coarsest step, in s.")->type_name("H");
  subcommand->add_option("--to", flags->to, "The finest step, in s.")->type_name("H");
  subcommand->add_option("--ratio", flags->ratio, "Between neighbours, with --from and --to. [2]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--reference", flags->reference,
                   "What errors are measured from: finest, the value of the smallest step; "
                   "richardson, the limit that the values point to; or a number, the exact value. "
                   "[finest]")
      ->type_name("REFERENCE");
  subcommand
      ->add_option("--across", flags->across,
                   "Further choices, one curve each: stepper=stewart-trinkle,anitescu-potra.")
      ->type_name("NAME=VALUE,...");
  subcommand->add_option("--jobs", flags->jobs, "Runs at a time. [one per processor]")
      ->type_name("INTEGER")
      ->check(CLI::Range(1, 4096).description(""));
  subcommand->add_option("--plot", flags->plot, "Draw errors against step and CPU time.")
      ->type_name("FILE.svg");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace a plot that exists.");
  subcommand->add_flag("--quiet", flags->quiet, "No progress bar and no report.");
  add_json_flag(*subcommand, command);
  add_choice_flags(*subcommand, flags->choices);
  subcommand->callback([flags, subcommand, &command] {
    command.action = [flags, subcommand, &command] {
      return with_flags(*subcommand, [&] { return run_converge(*flags, command); });
    };
  });
}

}  // namespace vinci
