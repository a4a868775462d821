// SPDX-License-Identifier: Apache-2.0
// The solvers that come with the house.
#include "vinci/solvers/admm.h"
#include "vinci/solvers/augmented_lagrangian.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/solvers/gauss_seidel.h"
#include "vinci/solvers/interior_point.h"
#include "vinci/solvers/lemke.h"
#include "vinci/solvers/principal_pivoting.h"
#include "vinci/solvers/quadratic_cone.h"
#include "vinci/solvers/semismooth_newton.h"
#include "vinci/solvers/small_solver.h"
#include "vinci/solvers/solver.h"

namespace vinci {

void add_builtin_solvers(SolverRegistry& registry) {
  registry.add(auto_entry());
  registry.add(gauss_seidel_entry());
  registry.add(admm_entry());
  registry.add(augmented_lagrangian_entry());
  registry.add(interior_point_entry());
  registry.add(semismooth_newton_entry());
  registry.add(lemke_entry());
  registry.add(principal_pivoting_entry());
  registry.add(quadratic_cone_entry());
  registry.add(small_entry());
}

}  // namespace vinci
