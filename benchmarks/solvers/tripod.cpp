// SPDX-License-Identifier: Apache-2.0
// benchmark-tripod: what `auto` costs on the problem that a step meets most often. A tripod of
// three feet stands or slides on a plate (one body of six freedoms, friction 0.5, steps of 1 ms);
// each step's problem follows from the last one's velocities and a lateral load that changes.
//
// The exact cone (9 rows) and pyramids of n directions (3(n + 2) rows), with the velocities as
// unknowns as a stepper poses it and condensed to w = W λ + q; from zero (cold) and from the
// previous step's answer (warm). One solver object throughout.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "solvers/condensed.h"
#include "solvers/cpu_clock.h"
#include "step/allocations.h"
#include "vinci/complementarity/solver.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

constexpr double step = 1e-3;  // s
constexpr double gravity = 9.81, mass = 2.0, friction = 0.5;
constexpr double foot_radius = 0.2, height = 0.15;  // m, of the centre of mass above the plate
constexpr double tolerance = 1e-10;
constexpr int feet = 3;

using Steps = std::vector<ComplementarityProblem>;

struct Motion {
  const char* name;
  double speed;  // m/s along x at the start
  double load;   // lateral, as a part of the weight
};
constexpr Motion motions[] = {{"rests", 0.0, 0.3}, {"slides", 8.0, 0.1}};

void push_row(SparseRows& J, const Vector3& foot, const Vector3& axis) {
  const Vector3 moment = foot.cross(axis);
  for (int k = 0; k < 3; ++k) J.push(k, axis[k]);
  for (int k = 0; k < 3; ++k) J.push(3 + k, moment[k]);
  J.end_row();
}

Vector3 foot(int index) {
  const double angle = 2.0 * M_PI * index / feet + 0.2;
  return {foot_radius * std::cos(angle), foot_radius * std::sin(angle), -height};
}

Vector6 inertia() {
  return (Vector6() << mass, mass, mass, 0.03, 0.03, 0.05).finished();
}

void append_cone(ComplementarityProblem& problem, const Vector3& point) {
  const int row = problem.J.rows;
  push_row(problem.J, point, Vector3::UnitZ());
  push_row(problem.J, point, Vector3::UnitX());
  push_row(problem.J, point, Vector3::UnitY());
  for (int i = 0; i < 3; ++i) problem.C.end_row();
  problem.blocks.push_back({.law = Law::coulomb, .offset = row, .size = 3, .friction = friction});
}

// Stewart and Trinkle's rows: normal, directions, slip multiplier.
void append_pyramid(ComplementarityProblem& problem, const Vector3& point, int directions) {
  const int row = problem.J.rows, slip = row + directions + 1;
  push_row(problem.J, point, Vector3::UnitZ());
  problem.C.end_row();
  for (int k = 0; k < directions; ++k) {
    const double angle = 2.0 * M_PI * k / directions;
    push_row(problem.J, point, {std::cos(angle), std::sin(angle), 0.0});
    problem.C.push(slip, 1.0);
    problem.C.end_row();
  }
  problem.J.end_row();
  problem.C.push(row, friction);
  for (int k = 0; k < directions; ++k) problem.C.push(row + 1 + k, -1.0);
  problem.C.end_row();
  for (int i = row; i <= slip; ++i)
    problem.blocks.push_back({.law = Law::nonnegative, .offset = i, .size = 1});
}

// `directions` 0: the exact cone.
ComplementarityProblem tripod(int directions) {
  ComplementarityProblem problem;
  problem.M.reset(6);
  for (int k = 0; k < 6; ++k) {
    problem.M.push(k, inertia()[k]);
    problem.M.end_row();
  }
  problem.J.reset(6);
  problem.C.reset(directions == 0 ? 3 * feet : feet * (directions + 2));
  for (int i = 0; i < feet; ++i)
    directions == 0 ? append_cone(problem, foot(i)) : append_pyramid(problem, foot(i), directions);
  problem.p.setZero(6);
  problem.b.setZero(problem.J.rows);
  return problem;
}

std::unique_ptr<Solver> make_auto() {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  OptionValues options(registry.at("auto").options);
  options.set("tolerance", tolerance);
  return registry.make("auto", options);
}

// The problems of consecutive steps.
Steps steps_of(int directions, const Motion& motion, int count) {
  ComplementarityProblem problem = tripod(directions);
  const auto solver = make_auto();
  Solution solution{VectorX::Zero(6), VectorX::Zero(problem.rows())};
  Vector6 velocity = Vector6::Zero();
  velocity[0] = motion.speed;
  Steps problems;
  for (int i = 0; i < count; ++i) {
    const double angle = 0.05 * i, lateral = motion.load * mass * gravity;
    Vector6 force = Vector6::Zero();
    force.head<3>() << lateral * std::cos(angle), lateral * std::sin(angle), -mass * gravity;
    problem.p = inertia().cwiseProduct(velocity) + step * force;
    problems.push_back(problem);
    solver->solve(problem, solution);
    velocity = solution.u;
  }
  return problems;
}

struct Cost {
  double microseconds = 0.0;  // median
  double allocations = 0.0;   // a solve
  double residual = 0.0;      // worst
  const char* solver = "";
};

Cost measure(const Steps& problems, bool warm, int rounds) {
  const auto solver = make_auto();
  const double clock = clock_cost();
  Solution solution{VectorX::Zero(problems[0].unknowns()), VectorX::Zero(problems[0].rows())};
  Cost cost;
  std::vector<double> seconds;
  seconds.reserve(problems.size() * static_cast<std::size_t>(rounds));
  std::int64_t allocations = 0;
  for (int round = -1; round < rounds; ++round)  // the first one settles the working memory
    for (const ComplementarityProblem& problem : problems) {
      if (!warm) {
        solution.u.setZero();
        solution.lambda.setZero();
      }
      const std::int64_t before = allocation_count();
      const double start = cpu_seconds();
      const SolveReport report = solver->solve(problem, solution);
      const double elapsed = cpu_seconds() - start - clock;
      if (round < 0) continue;
      allocations += allocation_count() - before;
      seconds.push_back(elapsed);
      cost.residual = std::max(cost.residual, residual(problem, solution).relative);
      cost.solver = report.solver;
    }
  cost.allocations = static_cast<double>(allocations) / static_cast<double>(seconds.size());
  cost.microseconds = 1e6 * median(seconds);
  return cost;
}

void print_row(const std::string& law, const std::string& form, const Motion& motion, bool warm,
               int rows, double goal, const Cost& cost) {
  fmt::print("| {} | {} | {} | {} | {} | {:.2f} | {:.1f} | {} | {:.2f} | {:.1e} | {} |\n", law,
             form, motion.name, warm ? "warm" : "cold", rows, cost.microseconds, goal,
             cost.microseconds <= goal ? "yes" : "no", cost.allocations, cost.residual,
             cost.solver);
  std::fflush(stdout);
}

void run(int rounds) {
  fmt::print(
      "| law | form | tripod | start | rows | us a solve | goal | met | allocations | worst "
      "residual | by |\n|---|---|---|---|---:|---:|---:|---|---:|---:|---|\n");
  for (const int directions : {0, 4, 8, 16, 32, 64})
    for (const Motion& motion : motions) {
      const std::string law = directions == 0 ? "cone" : fmt::format("pyramid {}", directions);
      const Steps with_velocities = steps_of(directions, motion, 256);
      Steps local;
      for (const auto& problem : with_velocities) local.push_back(condensed(problem));
      for (const bool velocities : {true, false})
        for (const bool warm : {false, true}) {
          const Steps& problems = velocities ? with_velocities : local;
          const double goal = directions > 0 ? 3.0 + 0.5 * directions : warm ? 5.0 : 20.0;
          print_row(law, velocities ? "velocities" : "W", motion, warm, problems[0].rows(), goal,
                    measure(problems, warm, rounds));
        }
    }
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  CLI::App app(
      "Microseconds of a small contact problem, cold and warm, beside what they should be");
  int rounds = 20;
  app.add_option("--rounds", rounds, "Times that the 256 steps are solved")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  vinci::run(rounds);
  return 0;
}
