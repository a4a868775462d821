// SPDX-License-Identifier: Apache-2.0
#include "apps/run_branches.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "apps/progress.h"
#include "apps/stop_signal.h"
#include "apps/table.h"
#include "apps/text.h"
#include "vinci/comparison/branches.h"
#include "vinci/comparison/words.h"
#include "vinci/viewing/page.h"
#include "vinci/viewing/temporary_folder.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

void check_file(const fs::path& path, bool overwrite) {
  std::error_code code;
  if (fs::exists(path, code) && !overwrite)
    throw Error("exists already; give --overwrite to replace it", path.string());
}

fs::path viewer_page_of(const std::string& html) {
  const fs::path page(html);
  return page.parent_path() / (page.stem().string() + "-runs.html");
}

// One recording per leaf; false if the user stopped it.
bool record_leaves(const BranchTree& tree, const Scene& scene, const RunOverrides& overrides,
                   const std::shared_ptr<const Plugins>& plugins, const fs::path& folder,
                   bool overwrite, std::vector<fs::path>& recordings) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Failure("cannot be created: " + code.message(), folder.string());
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const Branch& branch = tree.branches[i];
    if (branch.end != Branch::End::leaf) continue;
    Simulation simulation(scene, overrides, plugins);
    BranchReplay replay(simulation, branch.choices);
    recordings.push_back(folder / fmt::format("branch-{}.h5", i));
    Recorder recorder(recordings.back(), simulation, overwrite);
    RunLoop loop{.last_step = branch.last_step, .recorder = &recorder, .watchers = {&replay}};
    loop.go_on = [] { return !stop_wanted(); };
    simulation.stop_when(stop_wanted);
    if (!run_steps(simulation, loop)) return false;
    recorder.finish(simulation);
  }
  return true;
}

std::vector<Column> table_of(const BranchTree& tree) {
  std::vector<Column> table{{"", "branch", {}},           {"parts", "from", {}},
                            {"in", "step", {}},           {"", "at", {}},
                            {"velocities", "differ", {}}, {"", "end", {}, true}};
  for (const std::string& quantity : tree.quantities) table.push_back({"", quantity, {}});
  for (std::size_t i = 0; i < tree.branches.size(); ++i) {
    const Branch& branch = tree.branches[i];
    const bool root = branch.parent < 0, leaf = branch.end == Branch::End::leaf;
    std::string end = "not followed";
    if (leaf)
      end = fmt::format("outcome {}", static_cast<char>('A' + std::min(branch.outcome, 25)));
    if (branch.end == Branch::End::met)
      end = fmt::format("meets {} at {:.4g} s", branch.met, branch.last_time);
    if (leaf && !branch.ending.empty()) end += fmt::format(", ends at {:.4g} s", branch.last_time);
    std::vector<std::string> row{std::to_string(i),
                                 root ? "" : std::to_string(branch.parent),
                                 root ? "" : std::to_string(branch.step),
                                 root ? "" : fmt::format("{:.4g} s", branch.time),
                                 root ? "" : fmt::format("{:.3g} m/s", branch.distance),
                                 end};
    for (const double value : branch.values)
      row.push_back(leaf ? fmt::format("{:.6g}", value) : std::string());
    for (std::size_t k = 0; k < table.size(); ++k) table[k].rows.push_back(row[k]);
  }
  return table;
}

void print_tree(const BranchTree& tree) {
  say(stdout, "{}\n", tree.title.empty() ? "branches" : tree.title);
  say(stdout, "{} of {:.4g} s; at most {} at a time\n\n",
      plural(static_cast<std::int64_t>(tree.leaves()), "run"), tree.duration, tree.most);
  const std::vector<Column> table = table_of(tree);
  print_heads(table);
  for (std::size_t row = 0; row < tree.branches.size(); ++row) print_row(table, row);
  say(stdout, "\n");
  for (const std::string& sentence : tree.answer)
    say(stdout, "{}\n", wrapped(sentence, text_width, 2));
}

int interrupted(const Command& command) {
  if (command.json)
    print({{"ok", false}, {"exit_code", exit_stopped()}, {"interrupted", true}});
  else
    say(stderr, "stopped; branches that were not finished say nothing\n");
  return exit_stopped();
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw Failure("cannot be written", file);
}

}  // namespace

void add_branch_flags(CLI::App& subcommand, BranchFlags& flags) {
  subcommand
      .add_option("--branches", flags.most,
                  "Where a step has several solutions, follow each of them, at most so many runs "
                  "at a time, and say which outcomes are possible. Recorded only with --output, "
                  "which is then a folder.")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  subcommand
      .add_option(
          "--quantity", flags.quantities,
          "With --branches: the outcome that is asked for, a number of the last state, as vinci "
          "converge has it: 'block.x', 'impulse(floor, block)'. [the final poses]")
      ->type_name("EXPRESSION");
  subcommand
      .add_option("--tolerance", flags.tolerance,
                  "With --branches: within which outcomes agree, in m or in the unit of the "
                  "quantity. [1 % of the largest body that moves, or of the largest value]")
      ->type_name("NUMBER");
  subcommand
      .add_option("--html", flags.html,
                  "With --branches: write a page with the tree of branches, and beside it, as "
                  "FILE-runs.html, the viewer with the runs over each other.")
      ->type_name("FILE");
}

int run_branches(const BranchFlags& flags, const BranchJob& job, const ChoiceFlags& choices,
                 const Command& command) {
  if (!flags.html.empty()) {
    check_file(flags.html, job.overwrite);
    check_file(viewer_page_of(flags.html), job.overwrite);
  }
  const auto plugins = plugins_of(choices.libraries);
  const Scene scene = load_scene(job.scene, *plugins, choices);
  const RunOverrides overrides = overrides_of(choices);
  BranchOptions options;
  options.most = flags.most;
  options.quantities = flags.quantities;
  if (!flags.tolerance.empty()) options.tolerance = number_of(flags.tolerance, "tolerance");
  listen_for_stop();
  std::optional<Progress> progress;
  options.go_on = [&](std::int64_t done, std::int64_t total) {
    if (!progress) progress.emplace(fs::path(job.scene).stem().string(), 0, total, !job.quiet);
    progress->update(done);
    return !stop_wanted();
  };
  const std::optional<BranchTree> tree = follow_branches(scene, overrides, plugins, options);
  progress.reset();
  if (!tree) return interrupted(command);
  std::optional<TemporaryFolder> scratch;
  std::vector<fs::path> recordings;
  if (!job.output.empty() || !flags.html.empty()) {
    const fs::path folder = job.output.empty() ? scratch.emplace().path() : fs::path(job.output);
    if (!record_leaves(*tree, scene, overrides, plugins, folder, job.overwrite, recordings))
      return interrupted(command);
  }
  if (!flags.html.empty()) {
    const fs::path viewer = viewer_page_of(flags.html);
    PageOptions page;
    page.max_bytes = static_cast<std::uint64_t>(flags.max_size * 1e6);
    page.overwrite = job.overwrite;
    write_page(viewer, recordings, page);
    write_text(flags.html, branches_page(*tree, viewer.filename().string()));
  }
  if (scratch) recordings.clear();
  if (command.json) {
    Json json = {{"ok", true}, {"exit_code", exit_good}};
    json.update(Json::parse(branches_json(*tree)));
    json["recordings"] = Json::array();
    for (const fs::path& path : recordings) json["recordings"].push_back(path.string());
    json["page"] = flags.html.empty() ? Json() : Json(flags.html);
    print(json);
  } else if (!job.quiet) {
    print_tree(*tree);
    if (!flags.html.empty()) say(stdout, "\npage {}\n", flags.html);
  }
  return exit_good;
}

}  // namespace vinci
