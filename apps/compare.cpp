// SPDX-License-Identifier: Apache-2.0
// `vinci compare`: one scene under many models, side by side.
#include "vinci/comparison/compare.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/command.h"
#include "apps/progress.h"
#include "apps/stop_signal.h"
#include "apps/table.h"
#include "apps/text.h"
#include "vinci/comparison/words.h"
#include "vinci/viewing/page.h"
#include "vinci/viewing/temporary_folder.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t page_samples = 1000, page_bodies = 12;  // of the curves in a page

struct CompareFlags {
  std::string scene, tolerance, reference, html, output;
  std::vector<std::string> across;
  ChoiceFlags choices;
  int jobs = 0;
  double max_size = 50.0;
  bool overwrite = false, quiet = false;
};

std::vector<Axis> axes_of(const CompareFlags& flags) {
  std::vector<Axis> axes;
  for (const std::string& text : flags.across) axes.push_back(parse_axis(text));
  return axes;
}

CompareOptions options_of(const CompareFlags& flags) {
  CompareOptions options;
  if (!flags.tolerance.empty()) options.tolerance = number_of(flags.tolerance, "tolerance");
  options.reference = flags.reference;
  options.run.jobs = flags.jobs;
  options.run.overwrite = flags.overwrite;
  options.folder = flags.output;
  return options;
}

std::string until_text(const Comparison& all, std::size_t v) {
  const ComparedVariant& variant = all.variants[v];
  const ComparisonCase& it = all.cases[variant.case_index];
  if (v == it.reference) return it.finest ? "finest" : "reference";
  const Difference& d = *variant.difference;
  if (std::isnan(d.first_above))
    return variant.agrees ? "the end" : fmt::format("{:.4g} s", d.until) + "!";
  return fmt::format("{:.4g} s", d.first_above);
}

std::string modes_text(const ComparedVariant& variant) {
  if (!variant.difference) return "";
  int different = 0;
  for (const PairDifference& pair : variant.difference->pairs) different += pair.modes.same ? 0 : 1;
  return different == 0 ? "same" : fmt::format("{} differ", different);
}

// One row per run, in the order of the cases.
std::vector<Column> table_of(const Comparison& all) {
  std::vector<Column> table{
      {"", "run", {}, true},         {"agrees", "until", {}}, {"largest", "distance", {}},
      {"contact", "modes", {}},      {"", "steps", {}},       {"worst", "residual", {}},
      {"CPU time", "per second", {}}};
  for (const ComparisonCase& it : all.cases)
    for (const std::size_t v : it.variants) {
      const ComparedVariant& variant = all.variants[v];
      const RunCost& cost = variant.trace.cost;
      const std::string row[] = {
          (v == it.cheapest && cost.certified() ? "> " : "  ") + variant.variant.name,
          until_text(all, v),
          variant.difference ? length_words(variant.difference->largest) : "",
          modes_text(variant),
          std::to_string(cost.steps) + (cost.complete ? "" : "!"),
          short_number(cost.worst_residual),
          seconds_words(cost.cpu_per_second())};
      for (std::size_t i = 0; i < table.size(); ++i) table[i].rows.push_back(row[i]);
    }
  return table;
}

// Names that leave no room for the numbers stand on lines of their own.
void print_rows(std::vector<Column> table) {
  const std::vector<std::string> names = table.front().rows;
  const bool wide = table_width(table) > page_width;
  if (wide) {
    table.front().rows.assign(names.size(), "");
    table.front().head_2 = "run   ";
  }
  print_heads(table);
  for (std::size_t row = 0; row < names.size(); ++row) {
    if (wide) say(stdout, "{}\n", shortened(names[row], page_width));
    print_row(table, row);
  }
}

void print_notes(const Comparison& all) {
  for (const ComparedVariant& variant : all.variants) {
    const RunCost& cost = variant.trace.cost;
    std::vector<std::string> notes;
    if (cost.passed_steps > 0)
      notes.push_back("bodies passed or overlap in " + plural(cost.passed_steps, "step"));
    if (cost.unexplained_steps > 0)
      notes.push_back("layers do not explain an overlap in " +
                      plural(cost.unexplained_steps, "step"));
    if (cost.open_joint_steps > 0)
      notes.push_back("joints are open in " + plural(cost.open_joint_steps, "step"));
    if (cost.unsettled_frames > 0)
      notes.push_back("contact frames did not settle in " + plural(cost.unsettled_frames, "step"));
    if (cost.frame_iterations > 0)
      notes.push_back(
          fmt::format("{:.1f} iterations per step for contact frames, within {} m",
                      static_cast<double>(cost.frame_iterations) / static_cast<double>(cost.steps),
                      short_number(cost.worst_frame_error)));
    if (cost.coarse_steps > 0) notes.push_back(plural(cost.coarse_steps, "step") + " too long");
    if (cost.inexact_steps > 0)
      notes.push_back(plural(cost.inexact_steps, "step") + " not solved to the accepted residual");
    if (cost.fallback_steps > 0)
      notes.push_back(plural(cost.fallback_steps, "step") + " without stabilisation");
    if (cost.free_steps > 0)
      notes.push_back(plural(cost.free_steps, "step") + " whose motion is not unique");
    if (!notes.empty())
      say(stdout, "{}\n",
          wrapped(fmt::format("'{}'{}: {}.", variant.variant.name,
                              cost.certified() ? "" : " is not certified", fmt::join(notes, ", ")),
                  text_width, 2));
  }
  for (const SkippedVariant& skipped : all.skipped)
    say(stdout, "{}\n",
        wrapped(fmt::format("Not run: '{}': {}.", skipped.name, skipped.reason), text_width, 2));
}

void print_comparison(const Comparison& all) {
  say(stdout, "{}\n", all.title.empty() ? "comparison" : all.title);
  std::string given;
  if (all.default_tolerance)
    given = all.sized ? fmt::format(", 1 % of the largest moving body ({})", length_words(all.size))
                      : ", because no body with an extent moves freely";
  say(stdout, "{} runs of {:.4g} s; tolerance {}{}\n\n", all.variants.size(), all.duration,
      length_words(all.tolerance), given);
  print_rows(table_of(all));
  say(stdout, "> the cheapest that is certified and agrees");
  const bool broken = std::any_of(all.variants.begin(), all.variants.end(),
                                  [](const ComparedVariant& v) { return !v.trace.cost.complete; });
  say(stdout, "{}\n", broken ? "; ! ended early" : "");
  print_notes(all);
  say(stdout, "\n");
  for (const std::string& sentence : all.answer)
    say(stdout, "{}\n", wrapped(sentence, text_width, 2));
}

PageResult write_comparison_page(const CompareFlags& flags, const Comparison& all) {
  PageOptions options;
  options.max_bytes = static_cast<std::uint64_t>(flags.max_size * 1e6);
  options.overwrite = flags.overwrite;
  options.comparison = comparison_json(all, {page_samples, page_bodies});
  options.go_on = [] { return !stop_wanted(); };
  std::vector<fs::path> recordings;
  for (const ComparedVariant& variant : all.variants) recordings.push_back(variant.recording);
  return write_page(flags.html, recordings, options);
}

void check_page(const CompareFlags& flags) {
  if (flags.html.empty()) return;
  required_viewer_page();
  std::error_code code;
  if (fs::exists(flags.html, code) && !flags.overwrite)
    throw Error("exists already; give --overwrite to replace it", flags.html);
}

int interrupted(const Command& command) {
  if (command.json)
    print({{"ok", false}, {"exit_code", exit_stopped()}, {"interrupted", true}});
  else
    say(stderr, "stopped; runs that were not finished are not compared\n");
  return exit_stopped();
}

int run_compare(const CompareFlags& flags, const Command& command) {
  check_page(flags);
  const auto plugins = plugins_of(flags.choices.libraries);
  const Scene scene = load_scene(flags.scene, *plugins, flags.choices);
  CompareOptions options = options_of(flags);
  std::optional<TemporaryFolder> scratch;
  if (!flags.html.empty() && flags.output.empty()) options.folder = scratch.emplace().path();
  listen_for_stop();
  std::optional<Progress> progress;
  options.run.go_on = [&](std::int64_t done, std::int64_t total) {
    if (!progress) progress.emplace(fs::path(flags.scene).stem().string(), 0, total, !flags.quiet);
    progress->update(done);
    return !stop_wanted();
  };
  std::optional<Comparison> all =
      compare(scene, overrides_of(flags.choices), axes_of(flags), plugins, options);
  progress.reset();
  if (!all) return interrupted(command);
  std::optional<PageResult> page;
  try {
    if (!flags.html.empty()) page = write_comparison_page(flags, *all);
  } catch (const Error&) {
    if (stop_wanted()) return interrupted(command);
    throw;
  }
  if (scratch)
    for (ComparedVariant& variant : all->variants) variant.recording.clear();
  if (command.json) {
    Json json = {{"ok", true}, {"exit_code", exit_good}};
    json.update(Json::parse(comparison_json(*all)));
    json["page"] = page ? Json{{"file", flags.html}, {"bytes", page->bytes}} : Json();
    print(json);
  } else if (!flags.quiet) {
    print_comparison(*all);
    if (page) say(stdout, "\npage {} ({})\n", flags.html, byte_count(page->bytes));
  }
  return exit_good;
}

}  // namespace

void add_compare(CLI::App& app, Command& command) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* subcommand = add_subcommand(
      app, "compare", "Run a scene under many models and report where they disagree.");
  subcommand->add_option("scene", flags->scene, "The scene file (YAML).")
      ->type_name("")
      ->required();
  subcommand
      ->add_option("--across", flags->across,
                   "What varies: options of the run (motion=dynamic,quasi-static), of plugins "
                   "(solver.tolerance=1e-8,1e-12), parameters (mu=0.2,0.3). All combinations run.")
      ->type_name("NAME=VALUE,...")
      ->required();
  subcommand
      ->add_option("--tolerance", flags->tolerance,
                   "Largest distance of any point of a body between two runs that agree, in m. "
                   "[1 % of the largest body that moves]")
      ->type_name("LENGTH");
  subcommand
      ->add_option("--reference", flags->reference,
                   "The run that the others are compared with: 'motion=dynamic,step=1e-4', or its "
                   "name. [the finest]")
      ->type_name("RUN");
  subcommand->add_option("--jobs", flags->jobs, "Runs at a time. [one per processor]")
      ->type_name("INTEGER")
      ->check(CLI::Range(1, 4096).description(""));
  subcommand
      ->add_option("--html", flags->html,
                   "Write one page with the runs over each other, plots and tables; it opens "
                   "offline.")
      ->type_name("FILE");
  subcommand
      ->add_option("--max-size", flags->max_size,
                   "Most data of recordings in the page, in MB. [50]")
      ->type_name("NUMBER")
      ->check(CLI::Range(0.001, 2000.0).description(""));
  subcommand->add_option("-o,--output", flags->output, "Keep the recordings in this folder.")
      ->type_name("FOLDER");
  subcommand->add_flag("--overwrite", flags->overwrite,
                       "Replace recordings and a page that exist.");
  subcommand->add_flag("--quiet", flags->quiet, "No progress bar and no report.");
  add_json_flag(*subcommand, command);
  add_choice_flags(*subcommand, flags->choices);
  subcommand->callback([flags, subcommand, &command] {
    command.action = [flags, subcommand, &command] {
      return with_flags(*subcommand, [&] { return run_compare(*flags, command); });
    };
  });
}

}  // namespace vinci
