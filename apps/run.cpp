// SPDX-License-Identifier: Apache-2.0
// `vinci run`: performs scenes, records them, reports how they went.
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/constraints_text.h"
#include "apps/event_table.h"
#include "apps/problem_dump.h"
#include "apps/progress.h"
#include "apps/recorded_run.h"
#include "apps/report.h"
#include "apps/run_branches.h"
#include "apps/stop_signal.h"
#include "apps/text.h"
#include "apps/viewer_child.h"
#include "vinci/model/run_options.h"
#include "vinci/recording/run_loop.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;

struct RunFlags {
  std::vector<std::string> scenes;
  std::string output, resume, dump, dump_folder;
  ChoiceFlags choices;
  BranchFlags branches;
  double flush_interval = Recorder::default_flush_interval;
  bool overwrite = false, quiet = false, profile = false, table = false, view = false;
  bool events = false;
};

// One scene, ready to go.
struct Job {
  std::string name;
  fs::path recording;
  Simulation simulation;
};

// Where a scene's recording goes: `output` names a file, or a folder if it is one, ends like one,
// or several scenes share it.
fs::path recording_path(const RunFlags& flags, const std::string& stem) {
  if (flags.output.empty()) return fs::path("runs") / (stem + ".h5");
  std::error_code code;
  const bool folder = flags.scenes.size() > 1 || flags.output.ends_with('/') ||
                      fs::is_directory(flags.output, code);
  return folder ? fs::path(flags.output) / (stem + ".h5") : fs::path(flags.output);
}

void prepare_path(const fs::path& path, bool overwrite) {
  std::error_code code;
  if (fs::exists(path, code) && !overwrite)
    throw Error(
        "exists already; give --overwrite to replace it, --resume to continue it, or "
        "another place with --output",
        path.string());
  if (fs::exists(path, code) && !can_be_replaced(path))
    throw Error("is not a recording, and nothing else is overwritten", path.string());
  if (!path.has_parent_path()) return;
  fs::create_directories(path.parent_path(), code);
  if (code) throw Failure("cannot be created: " + code.message(), path.parent_path().string());
}

// Options of a plugin go with it when another one is chosen.
void add_over(RunOverrides& below, const RunOverrides& above) {
  std::erase_if(below.plugin_options,
                [&](const auto& item) { return above.options.contains(item.first.first); });
  for (const auto& [name, value] : above.parameters) below.parameters[name] = value;
  for (const auto& [name, text] : above.options) below.options[name] = text;
  for (const auto& [key, text] : above.plugin_options) below.plugin_options[key] = text;
}

Job resumed_job(const RunFlags& flags, const std::shared_ptr<const Plugins>& plugins) {
  if (flags.scenes.size() > 1 || !flags.output.empty() || flags.overwrite)
    throw Error(
        "continues one recording in place: give no --output, no --overwrite and at most "
        "its own scene",
        "--resume");
  const Recording recording(flags.resume);
  const std::string stem = fs::path(flags.resume).stem().string();
  const Scene scene = flags.scenes.empty()
                          ? Scene::parse(recording.scene_text(), stem)
                          : load_scene(flags.scenes.front(), *plugins, flags.choices);
  RunOverrides overrides = recorded_overrides(recording, scene);
  const RunOverrides given = overrides_of(flags.choices);
  add_over(overrides, given);
  Job job{stem, flags.resume, make_simulation(scene, overrides, plugins)};
  const std::int64_t done = recording.info(recording.frames() - 1).step;
  if (given.options.contains("duration") && job.simulation.total_steps() < done)
    throw Error(
        fmt::format("{} has {} already; accepted: at least {} s", flags.resume,
                    plural(done, "step"), static_cast<double>(done) * job.simulation.step_size()),
        "--duration");
  return job;
}

// All scenes are checked before the first one runs.
std::vector<Job> jobs_of(const RunFlags& flags, const std::shared_ptr<const Plugins>& plugins) {
  std::vector<Job> jobs;
  if (!flags.resume.empty()) {
    jobs.push_back(resumed_job(flags, plugins));
    return jobs;
  }
  if (flags.scenes.empty()) throw Error("give a scene file, or --resume RUN.h5", "vinci run");
  const RunOverrides overrides = overrides_of(flags.choices);
  std::vector<Diagnostic> mistakes;
  std::set<fs::path> taken;
  for (const std::string& file : flags.scenes) {
    const std::string stem = fs::path(file).stem().string();
    const fs::path path = recording_path(flags, stem);
    try {
      jobs.push_back(
          {stem, path,
           make_simulation(load_scene(file, *plugins, flags.choices), overrides, plugins)});
    } catch (const SceneError& error) {
      mistakes.insert(mistakes.end(), error.diagnostics().begin(), error.diagnostics().end());
      continue;
    }
    if (!taken.insert(path).second) throw Error("two scenes would be recorded here", path.string());
    prepare_path(path, flags.overwrite);
  }
  if (!mistakes.empty()) throw SceneError(std::move(mistakes));
  return jobs;
}

// Impacts of event-driven runs that give energy, before they do.
void warn_of_gains(const std::vector<Job>& jobs) {
  for (const Job& job : jobs)
    for (const ImpactGain& gain : gains_of(job.simulation))
      say(stderr, "{}: warning: {}\n", job.name, text_of(gain));
}

Recorder open_recorder(const RunFlags& flags, Job& job) {
  if (!flags.resume.empty()) return Recorder::resume(job.recording, job.simulation);
  try {
    return Recorder(job.recording, job.simulation, flags.overwrite);
  } catch (const Error& error) {
    throw Failure(error);
  }
}

RunResult perform(const RunFlags& flags, Job& job, bool with_bar) {
  Simulation& simulation = job.simulation;
  const fs::path folder = flags.dump_folder.empty()
                              ? job.recording.parent_path() / (job.name + "-problems")
                              : fs::path(flags.dump_folder);
  ProblemDump dump(flags.dump, folder, job.name);
  Recorder recorder = open_recorder(flags, job);
  recorder.set_flush_interval(flags.flush_interval);
  try {
    Progress progress(job.name, simulation.state().step, simulation.total_steps(), with_bar);
    RunLoop loop{.last_step = simulation.total_steps(), .recorder = &recorder, .watchers = {&dump}};
    simulation.stop_when(stop_wanted);
    loop.go_on = [&] {
      progress.update(simulation.state().step, simulation.state().time);
      return !stop_wanted();
    };
    run_steps(simulation, loop);
    dump.finish();
    recorder.finish(simulation);
  } catch (const Error& error) {
    throw Failure(error);
  }
  RunResult result = result_of(Recording(job.recording), job.name);
  result.facts.accept = simulation.options().real("accept");
  result.strict = simulation.options().flag("strict");
  result.interrupted = stop_wanted() && !simulation.finished();
  result.problems = dump.files();
  return result;
}

void print_trouble(const RunResult& result) {
  if (result.summary.diverged())
    say(stderr, "{}: the run diverged in step {}: body '{}' has numbers that are not finite\n",
        result.name, result.facts.step, result.summary.diverged_body_name);
  if (result.summary.ending != 0)
    say(stderr, "{}: the run ended in step {}: {}\n", result.name, result.facts.step,
        result.summary.ending_text());
  if (result.strict && !result.summary.certified())
    say(stderr, "{}: the run is strict and step {} is not certified\n", result.name,
        result.summary.first_uncertified);
  if (result.interrupted)
    say(stderr, "stopped in step {} of {}; continue with: vinci run --resume {}\n",
        result.facts.step, result.facts.total_steps, result.recording.string());
}

// Scenes that a signal kept from beginning.
std::vector<std::string> not_begun(const std::vector<Job>& jobs, std::size_t begun) {
  std::vector<std::string> names;
  for (std::size_t i = begun; i < jobs.size(); ++i) names.push_back(jobs[i].name);
  return names;
}

int exit_code(const std::vector<RunResult>& results, std::size_t wanted) {
  if (results.size() < wanted) return exit_stopped();
  int code = exit_good;
  for (const RunResult& result : results) {
    if (result.interrupted) return exit_stopped();
    if (result.summary.diverged() || result.summary.ending != 0 ||
        (result.strict && !result.summary.certified()))
      code = exit_failed;
  }
  return code;
}

int perform_all(const RunFlags& flags, std::vector<Job>& jobs, const Command& command) {
  const bool summaries = !flags.quiet && !flags.table && !command.json;
  std::vector<RunResult> results;
  for (Job& job : jobs) {
    if (stop_wanted()) break;
    results.push_back(perform(flags, job, !flags.quiet));
    if (summaries) {
      if (results.size() > 1) say(stdout, "\n");
      print_summary(results.back());
    }
    if (flags.profile && !command.json) print_profile(results.back().summary);
    if (flags.events && !command.json) print_events(Recording(job.recording));
    std::fflush(stdout);
    if (!command.json) print_trouble(results.back());
  }
  if (flags.table && !command.json) print_table(results);
  const int code = exit_code(results, jobs.size());
  const std::vector<std::string> left = not_begun(jobs, results.size());
  if (!left.empty() && !command.json)
    say(stderr, "stopped before these scenes began: {}\n", fmt::join(left, ", "));
  if (!command.json) return code;
  Json json = {{"ok", code == exit_good}, {"exit_code", code}};
  if (!left.empty()) json["not_begun"] = left;
  const auto told = [&](const RunResult& result) {
    Json run = to_json(result);
    if (flags.events) run["event_list"] = events_json(Recording(result.recording));
    return run;
  };
  if (jobs.size() == 1 && left.empty()) {
    json.update(told(results.front()));
  } else {
    json["runs"] = Json::array();
    for (const RunResult& result : results) json["runs"].push_back(told(result));
  }
  print(json);
  return code;
}

// The viewer of all recordings; a run goes on without one.
std::optional<ViewerChild> start_viewer(const RunFlags& flags, const std::vector<Job>& jobs) {
  if (!flags.view) return std::nullopt;
  std::vector<fs::path> paths;
  for (const Job& job : jobs) paths.push_back(job.recording);
  try {
    std::optional<ViewerChild> viewer(std::in_place, paths, flags.resume.empty());
    say(stderr, "watch it at {}\n", viewer->address());
    return viewer;
  } catch (const Error& error) {
    say(stderr, "no viewer, the run goes on: {}\n", error.what());
    return std::nullopt;
  }
}

// The run with every other one that its steps allow.
int run_all_branches(const RunFlags& flags, const Command& command) {
  if (flags.scenes.size() != 1 || !flags.resume.empty() || !flags.dump.empty() || flags.view ||
      flags.profile || flags.table || flags.events)
    throw Error(
        "follows one scene from its beginning: give one scene, and no --resume, --view, "
        "--dump-problems, --profile, --table or --events",
        "--branches");
  return run_branches(flags.branches,
                      {.scene = flags.scenes.front(),
                       .output = flags.output,
                       .overwrite = flags.overwrite,
                       .quiet = flags.quiet},
                      flags.choices, command);
}

int run_run(const RunFlags& flags, const Command& command) {
  if (!flags.branches.quantities.empty() || !flags.branches.tolerance.empty() ||
      !flags.branches.html.empty())
    throw Error("--quantity, --tolerance and --html belong to --branches", "vinci run");
  const auto plugins = plugins_of(flags.choices.libraries);
  std::vector<Job> jobs = jobs_of(flags, plugins);
  warn_of_gains(jobs);
  listen_for_stop();
  std::optional<ViewerChild> viewer = start_viewer(flags, jobs);
  const int code = perform_all(flags, jobs, command);
  std::fflush(stdout);
  if (viewer && !stop_wanted()) {
    say(stderr, "the run has ended; the viewer stays until Ctrl-C\n");
    viewer->wait_for_stop();
  }
  return code;
}

}  // namespace

void add_run(CLI::App& app, Command& command) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* subcommand = add_subcommand(app, "run", "Run scenes and record them.");
  subcommand->add_option("scene", flags->scenes, "Scene files (YAML).")->type_name("");
  subcommand
      ->add_option("-o,--output", flags->output,
                   "The recording, or the folder for recordings. [runs/<scene>.h5]")
      ->type_name("PATH");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace recordings that exist.");
  subcommand
      ->add_option("--resume", flags->resume,
                   "Continue a recording where it ends; its scene need not be given. A longer "
                   "--duration extends it.")
      ->type_name("RUN.h5");
  subcommand
      ->add_option("--flush-interval", flags->flush_interval,
                   "Wall time between flushes of the recording, in s: what a killed run loses. "
                   "[0.5]")
      ->type_name("NUMBER")
      ->check(CLI::Range(0.0, 3600.0).description(""));
  subcommand->add_flag("--view", flags->view,
                       "Watch the run in the browser; the viewer stays until Ctrl-C.");
  subcommand->add_flag("--profile", flags->profile, "Show where the time went, by stage.");
  subcommand->add_flag("--events", flags->events, "List the events of event-driven steps.");
  subcommand->add_flag("--table", flags->table, "End with one table of all scenes.");
  subcommand->add_flag("--quiet", flags->quiet, "No progress bar and no summary.");
  add_json_flag(*subcommand, command);
  add_branch_flags(*subcommand, flags->branches);
  subcommand
      ->add_option("--dump-problems", flags->dump,
                   "Save the problems of steps: 'every 100', 'worst' or 'step 12,40'.")
      ->type_name("RULE");
  subcommand
      ->add_option("--dump-dir", flags->dump_folder,
                   "Folder for saved problems. [<scene>-problems beside the recording]")
      ->type_name("FOLDER");
  add_choice_flags(*subcommand, flags->choices);
  subcommand->callback([flags, subcommand, &command] {
    command.action = [flags, subcommand, &command] {
      if (flags->branches.most == 0) return run_run(*flags, command);
      return with_flags(*subcommand, [&] { return run_all_branches(*flags, command); });
    };
  });
}

}  // namespace vinci
