// SPDX-License-Identifier: Apache-2.0
// benchmark-planar: time of a step of the planar experiments; grasps a second beside Box2D, with
// the error of each against a fine reference.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include <fmt/format.h>

#include "planar/cpu_watch.h"
#include "planar/grasp.h"
#include "step/allocations.h"
#include "vinci/base/error.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  int grasps = 48, repetitions = 3;
  double reference = 1e-5;  // s, step
  std::string scenes = VINCI_SOURCE_DIR "/experiments";
  bool json = false;
};

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
double part_of(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// ---- Steps of the experiments

struct SceneRow {
  std::string name;
  std::vector<double> microseconds;  // a step, of each repetition
  std::int64_t steps = 0;
  double contacts = 0.0, allocations = 0.0, residual = 0.0;
};

void run_scene(const std::filesystem::path& path, SceneRow& row) {
  Simulation simulation(Scene::load(path.string()));
  std::int64_t contacts = 0, steps = 0;
  const std::int64_t before = allocation_count();
  CpuWatch watch;
  for (; !simulation.finished() && steps < 20000; ++steps) {
    const StepReport& report = simulation.step();
    contacts += report.contact_count;
    row.residual = std::max(row.residual, report.solve.residual.relative);
  }
  const double count = static_cast<double>(std::max<std::int64_t>(1, steps));
  row.microseconds.push_back(1e6 * watch.lap() / count);
  row.allocations = static_cast<double>(allocation_count() - before) / count;
  row.steps = steps;
  row.contacts = static_cast<double>(contacts) / count;
}

Json scene_table(const Settings& settings) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::recursive_directory_iterator(settings.scenes))
    if (file.path().extension() == ".yaml") paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  std::vector<SceneRow> rows;
  std::vector<std::filesystem::path> runnable;
  for (const std::filesystem::path& path : paths) {
    try {
      Simulation{Scene::load(path.string())};
    } catch (const Error&) {
      continue;  // a piece that other scenes include
    }
    runnable.push_back(path);
    rows.emplace_back().name =
        std::filesystem::relative(path, settings.scenes).replace_extension().string();
  }
  for (int i = 0; i < settings.repetitions; ++i)
    for (std::size_t k = 0; k < rows.size(); ++k) run_scene(runnable[k], rows[k]);
  Json result = Json::array();
  if (!settings.json)
    fmt::print("{:<24} {:>7} {:>9} {:>9} {:>12} {:>10}\n", "scene", "steps", "contacts", "us/step",
               "allocs/step", "residual");
  for (const SceneRow& row : rows) {
    if (!settings.json)
      fmt::print("{:<24} {:>7} {:>9.1f} {:>9.2f} {:>12.2f} {:>10.1e}\n", row.name, row.steps,
                 row.contacts, median(row.microseconds), row.allocations, row.residual);
    result.push_back({{"scene", row.name},
                      {"steps", row.steps},
                      {"contacts", row.contacts},
                      {"microseconds", median(row.microseconds)},
                      {"allocations", row.allocations},
                      {"residual", row.residual}});
  }
  return result;
}

// ---- Grasps

std::vector<GraspTask> random_tasks(int count) {
  std::mt19937_64 random(7);
  const auto uniform = [&](double low, double high) {  // (low, high]
    return high - (high - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  std::vector<GraspTask> tasks;
  for (int i = 0; i < count; ++i) {
    GraspTask& task = tasks.emplace_back();
    task.x = uniform(-0.01, 0.01);
    task.y = uniform(-0.01, 0.01);
    task.mu_table = uniform(0.33, 0.66);
    task.mu_gripper = i % 2 == 0 ? uniform(0.33, 0.66) : uniform(0.66, 0.99);
  }
  return tasks;
}

// One way to simulate every task.
struct Contender {
  GraspEngine* engine;
  double step;
  std::vector<std::vector<double>> seconds;  // task by repetition, building included; CPU time
  std::vector<GraspEnd> ends;
  double building = 0.0;  // s a grasp, of it
  double residual = -1.0;
  // What came of it.
  double milliseconds = 0.0;  // a grasp, mean over the tasks of medians over the repetitions
  double error_median = 0.0, error_90 = 0.0, error_worst = 0.0;  // m
  int agree = 0;
};

struct Reference {
  std::vector<GraspEnd> ends;
  std::vector<char> converged;
  int held = 0, count = 0;
};

Reference make_reference(GraspEngine& engine, const std::vector<GraspTask>& tasks,
                         const Model& model, double step, double duration) {
  Reference reference;
  for (const GraspTask& task : tasks) {
    const GraspEnd coarse = engine.run(task, 2.0 * step, duration).end;
    reference.ends.push_back(engine.run(task, step, duration).end);
    // Twice the step moves it by less than 5 um: what is left is as much again at most.
    const bool close = distance(coarse, reference.ends.back(), model) < 5e-6;
    reference.converged.push_back(close);
    reference.count += close;
    reference.held += close && held(reference.ends.back(), task, model);
  }
  return reference;
}

void measure(std::vector<Contender>& contenders, const std::vector<GraspTask>& tasks,
             int repetitions, double duration) {
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (std::size_t i = 0; i < tasks.size(); ++i)
      for (Contender& contender : contenders) {
        contender.seconds.resize(tasks.size());
        contender.ends.resize(tasks.size());
        const GraspRun run = contender.engine->run(tasks[i], contender.step, duration);
        contender.seconds[i].push_back(run.building + run.stepping);
        contender.ends[i] = run.end;
        contender.building += run.building;
        contender.residual = std::max(contender.residual, run.residual);
      }
}

void judge(Contender& contender, const std::vector<GraspTask>& tasks, const Reference& reference,
           const Model& model) {
  std::vector<double> errors;
  double total = 0.0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    total += median(contender.seconds[i]);
    if (!reference.converged[i]) continue;
    errors.push_back(distance(contender.ends[i], reference.ends[i], model));
    contender.agree +=
        held(contender.ends[i], tasks[i], model) == held(reference.ends[i], tasks[i], model);
  }
  contender.building /= static_cast<double>(tasks.size() * contender.seconds[0].size());
  contender.milliseconds = 1e3 * total / static_cast<double>(tasks.size());
  contender.error_median = median(errors);
  contender.error_90 = part_of(errors, 0.9);
  contender.error_worst = part_of(errors, 1.0);
}

void print_contenders(const std::vector<Contender>& contenders, const Reference& reference,
                      std::size_t tasks) {
  fmt::print("\n{} of {} random grasps have a converged reference; the part is held in {}\n",
             reference.count, tasks, reference.held);
  fmt::print("{:<24} {:>9} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12} {:>10}\n", "engine", "step ms",
             "ms/grasp", "building", "grasps/s", "median err", "90 % err", "outcome", "residual");
  for (const Contender& c : contenders)
    fmt::print(
        "{:<24} {:>9.4g} {:>10.3f} {:>10.3f} {:>10.0f} {:>9.4f} mm {:>9.4f} mm {:>12} {:>10}\n",
        c.engine->name(), 1e3 * c.step, c.milliseconds, 1e3 * c.building, 1e3 / c.milliseconds,
        1e3 * c.error_median, 1e3 * c.error_90, fmt::format("{} of {}", c.agree, reference.count),
        c.residual < 0.0 ? "" : fmt::format("{:.1e}", c.residual));
}

// For every accuracy the cheapest of each engine that reaches it.
void print_equal_accuracy(const std::vector<Contender>& contenders, const char* words,
                          double Contender::*error) {
  fmt::print("\nms a grasp of the cheapest with {}; ratio: ours over the best peer\n", words);
  std::vector<std::string> names;
  for (const Contender& c : contenders)
    if (std::find(names.begin(), names.end(), c.engine->name()) == names.end())
      names.push_back(c.engine->name());
  fmt::print("{:>10}", "error");
  for (const std::string& name : names) fmt::print(" {:>21}", name);
  fmt::print(" {:>8}\n", "ratio");
  for (const double asked : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6}) {
    fmt::print("{:>7g} mm", 1e3 * asked);
    double ours = 0.0, peer = 0.0;
    for (const std::string& name : names) {
      double best = 0.0;
      for (const Contender& c : contenders)
        if (c.engine->name() == name && c.*error <= asked && (best == 0.0 || c.milliseconds < best))
          best = c.milliseconds;
      fmt::print(" {:>21}", best > 0.0 ? fmt::format("{:.3f}", best) : "not reached");
      if (name == names.front())
        ours = best;
      else if (best > 0.0 && (peer == 0.0 || best < peer))
        peer = best;
    }
    fmt::print(" {:>8}\n", ours > 0.0 && peer > 0.0 ? fmt::format("{:.2f}", ours / peer) : "");
  }
}

Json grasp_table(const Settings& chosen) {
  const Scene scene = Scene::load(chosen.scenes + "/grasp/grasp.yaml");
  const std::shared_ptr<const Model> model = scene.compile();
  const double duration = Simulation(scene).options().real("duration");
  const std::vector<GraspTask> tasks = random_tasks(chosen.grasps);
  std::vector<std::unique_ptr<GraspEngine>> engines;
  engines.push_back(make_vinci_grasp(scene));
#ifdef VINCI_WITH_BOX2D
  for (const Box2dSettings& settings :
       {Box2dSettings{.name = "Box2D"},
        Box2dSettings{
            .name = "Box2D, 50 iterations", .velocity_iterations = 50, .position_iterations = 20},
        Box2dSettings{.name = "Box2D, one joint", .joint_a_support = false},
        Box2dSettings{.name = "Box2D, in cm", .scale = 100.0}})
    engines.push_back(make_box2d_grasp(scene, settings));
#else
  std::fputs("Box2D was not found when this was built: no peer\n", stderr);
#endif
  const Reference reference =
      make_reference(*engines[0], tasks, *model, chosen.reference, duration);
  std::vector<Contender> contenders;
  for (const auto& engine : engines)
    for (const double step : {4e-3, 2e-3, 1e-3, 0.5e-3, 0.25e-3, 0.125e-3})
      contenders.push_back({.engine = engine.get(), .step = step, .seconds = {}, .ends = {}});
  measure(contenders, tasks, chosen.repetitions, duration);
  Json rows = Json::array();
  for (Contender& contender : contenders) {
    judge(contender, tasks, reference, *model);
    rows.push_back({{"engine", contender.engine->name()},
                    {"step", contender.step},
                    {"milliseconds", contender.milliseconds},
                    {"error_median", contender.error_median},
                    {"error_90", contender.error_90},
                    {"error_worst", contender.error_worst},
                    {"agree", contender.agree},
                    {"residual", contender.residual}});
  }
  if (!chosen.json) {
    print_contenders(contenders, reference, tasks.size());
    print_equal_accuracy(contenders, "the median error asked", &Contender::error_median);
    print_equal_accuracy(contenders, "the error asked in 90 %", &Contender::error_90);
  }
  return {{"grasps", tasks.size()},
          {"converged", reference.count},
          {"held", reference.held},
          {"reference_step", chosen.reference},
          {"rows", rows}};
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  CLI::App app("Steps of the planar experiments; grasps a second, and their errors, beside Box2D");
  vinci::Settings settings;
  bool quick = false;
  app.add_flag("--quick", quick, "Eight grasps, a coarser reference, one repetition");
  app.add_flag("--json", settings.json, "Print one JSON document instead of the tables");
  app.add_option("--grasps", settings.grasps, "Random grasps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--experiments", settings.scenes, "The folder of the experiments' scenes")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    settings.grasps = 8;
    settings.repetitions = 1;
    settings.reference = 4e-5;
  }
  try {
    const vinci::Json scenes = vinci::scene_table(settings);
    const vinci::Json grasps = vinci::grasp_table(settings);
    if (settings.json)
      fmt::print("{}\n", vinci::Json{{"scenes", scenes}, {"grasp", grasps}}.dump(2));
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
