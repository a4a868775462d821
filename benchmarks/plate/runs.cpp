// SPDX-License-Identifier: Apache-2.0
#include "plate/runs.h"

#include <algorithm>
#include <cmath>

#include "solvers/cpu_clock.h"
#include "step/allocations.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

RunOverrides overrides(int directions, double step, double duration) {
  RunOverrides result;
  result.options = {{"step", std::to_string(step)}, {"duration", std::to_string(duration)}};
  if (directions > 0) {
    result.options["cone"] = "pyramid";
    result.options["directions"] = std::to_string(directions);
  }
  return result;
}

}  // namespace

PlateRun::PlateRun(const std::string& scene, int directions, double step, double duration)
    : simulation_(Scene::load(VINCI_SOURCE_DIR "/experiments/plate/" + scene + ".yaml"),
                  overrides(directions, step, duration)),
      directions_(directions),
      frame_steps_(static_cast<int>(std::lround(frame_time / step))),
      sample_every_(std::max(1, static_cast<int>(duration / frame_time) / most_samples)) {
  body_ = static_cast<int>(simulation_.model().bodies.size()) - 1;
  places_.push_back(simulation_.state().poses[body_].position.head<2>());
}

void PlateRun::run_frame() {
  const std::int64_t before = allocation_count();
  const double start = cpu_seconds();
  int steps = 0;
  for (; steps < frame_steps_ && !simulation_.finished(); ++steps)
    residual_ = std::max(residual_, simulation_.step().solve.residual.relative);
  const double taken = cpu_seconds() - start;
  allocations_ += allocation_count() - before;
  steps_ += steps;
  seconds_ += taken;
  frame_seconds_.push_back(taken / steps);
  solve_seconds_.push_back(simulation_.report().seconds[static_cast<std::size_t>(Stage::solve)]);
  places_.push_back(simulation_.state().poses[body_].position.head<2>());
  if (frames_++ % sample_every_ == 0) samples_.push_back(simulation_.problem());
}

double PlateRun::median_step() const {
  return median(frame_seconds_);
}
double PlateRun::median_solve() const {
  return median(solve_seconds_);
}

void take_turns(std::vector<std::unique_ptr<PlateRun>>& runs) {
  while (!runs.front()->finished())
    for (const auto& run : runs) run->run_frame();
}

ColdSolves solve_cold(const std::vector<ComplementarityProblem>& problems) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  OptionValues options(registry.at("auto").options);
  options.set("tolerance", 1e-10);
  const auto solver = registry.make("auto", options);
  const double clock = clock_cost();
  ColdSolves result;
  std::vector<double> seconds;
  Solution solution;
  for (int round = 0; round < 5; ++round)  // the first one settles the working memory
    for (const ComplementarityProblem& problem : problems) {
      solution.u.setZero(problem.unknowns());
      solution.lambda.setZero(problem.rows());
      const double start = cpu_seconds();
      const SolveReport report = solver->solve(problem, solution);
      const double taken = cpu_seconds() - start - clock;
      if (round == 0) {
        result.iterations += report.iterations / static_cast<double>(problems.size());
        result.residual = std::max(result.residual, report.residual.relative);
        continue;
      }
      seconds.push_back(taken);
    }
  if (!seconds.empty()) result.median = median(seconds);
  return result;
}

}  // namespace vinci
