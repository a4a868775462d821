// SPDX-License-Identifier: Apache-2.0
// The solvers that come with Vinci.
#include "vinci/solvers/builtin.h"

#include "vinci/newton/augmented_lagrangian.h"
#include "vinci/newton/interior_point.h"
#include "vinci/newton/quadratic_cone.h"
#include "vinci/newton/semismooth_newton.h"
#include "vinci/pivoting/lemke.h"
#include "vinci/pivoting/principal_pivoting.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/solvers/small_solver.h"
#include "vinci/splitting/admm.h"
#include "vinci/splitting/gauss_seidel.h"

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
