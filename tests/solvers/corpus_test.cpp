// SPDX-License-Identifier: Apache-2.0
// Every solver over the whole corpus of problems/: it refuses in words, or its claim holds by the
// judge; `auto` solves all; those that solve agree on the velocities.
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "vinci/complementarity/problem_file.h"
#include "vinci/complementarity/solver.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

TEST(Corpus, every_solver_keeps_its_word_and_auto_solves_all) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VINCI_SOURCE_DIR "/problems")) {
    if (entry.path().extension() != ".h5") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    const ComplementarityProblem problem = load_problem(entry.path());
    std::map<std::string, VectorX> velocities;
    for (const auto& solver : registry.entries()) {
      const auto made = registry.make(solver.name);
      if (!made->why_not(problem).empty()) continue;
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      const SolveReport report = made->solve(problem, solution);
      const Residual judged = residual(problem, solution);
      // The report repeats the judge; solved means at most the solver's own default tolerance.
      EXPECT_EQ(report.residual.relative, judged.relative) << solver.name;
      if (report.status != SolveStatus::solved) continue;
      EXPECT_LE(judged.relative, OptionValues(solver.options).real("tolerance")) << solver.name;
      velocities[solver.name] = solution.u;
    }
    ASSERT_TRUE(velocities.contains("auto"));
    // Impulses of redundant contacts differ, velocities do not: 1e-9 of the largest leaves room for
    // a residual of 1e-11 amplified by the inertia ratios of the parts.
    const VectorX& first = velocities["auto"];
    for (const auto& [name, u] : velocities)
      EXPECT_LE((u - first).cwiseAbs().maxCoeff(),
                1e-9 * std::max(1.0, first.cwiseAbs().maxCoeff()))
          << name;
  }
  EXPECT_GE(files, 21);
}

}  // namespace
}  // namespace vinci
