// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/pyramid_solver.h"

#include <algorithm>

#include "vinci/solvers/cascade.h"

namespace vinci {
namespace {

constexpr const char* pyramid_name = "pyramid";
constexpr const char* no_pyramids =
    "takes friction pyramids of regular directions, alone or beside other contacts: use the solver "
    "'auto'";
constexpr const char* too_large = "too many contacts that act on each other";
// Velocities or components of forces, whichever are fewer, up to which contacts are few: every way
// to begin is cheap.
constexpr int few_contacts = 72;
// Components of forces beside layers, where the equations stay dense.
constexpr int most_dense = 200;
// A guess of so small a residual is begun with.
constexpr double useful = 0.1;
// Asked of Coulomb's problem: its answer differs from that of the pyramids by far more.
constexpr double near_enough = 1e-8;

}  // namespace

PyramidSolver::PyramidSolver() : SolveFrame(pyramid_name, {}) {}

PyramidSolver::~PyramidSolver() = default;

std::string PyramidSolver::refusal(const ComplementarityProblem& problem) const {
  return takes(problem) && PyramidForm().fits(problem) ? "" : no_pyramids;
}

const char* PyramidSolver::prepare(const ComplementarityProblem& problem) {
  if (!judge_.regular()) return singular_mass;
  if (!takes(problem) || !form_.fits(problem) || !units_.read(problem)) return no_pyramids;
  const int rows = units_.problem().rows();
  many_ = std::min(problem.unknowns() > 0 ? problem.unknowns() : rows, rows) > few_contacts;
  if (many_ && !units_.problem().C.empty() && rows > most_dense) return too_large;
  units_.scales(judge_.scales(), scales_);
  limit_.take_many(many_);
  if (!judge_.mass().block_diagonal() ||
      !limit_.load(units_.problem(), judge_.mass(), units_.units(), scales_))
    return too_large;
  return nullptr;
}

SolveFrame::Ending PyramidSolver::run(const ComplementarityProblem& problem, Solution& solution) {
  const Residual guessed = offer_guess(problem, solution);
  if (settled(guessed)) return {};
  units_.to_units(solution.lambda, start_);
  if (guessed.relative < useful && reach(problem, limit_.go_on(start_))) return {};
  if (many_) {
    solve_cones();
    reach(problem, limit_.go_on(lambda_)) || reach(problem, limit_.stiffen());
    return {};
  }
  reach(problem, limit_.go_on_round(start_)) || reach(problem, limit_.stiffen()) ||
      reach(problem, limit_.come_together_round()) || reach(problem, limit_.come_together());
  return {};
}

void PyramidSolver::solve_cones() {
  cones_ = units_.problem();
  cones_.blocks.clear();
  for (const ContactUnit& unit : units_.units()) {
    using Kind = ContactUnit::Kind;
    Block block{.offset = unit.first, .size = unit.count};
    if (unit.kind == Kind::fixed) {
      block.law = Law::equality;
    } else if (unit.kind == Kind::cone) {
      block.law = Law::coulomb;
      block.friction = unit.limit;
    } else if (unit.kind == Kind::disk) {
      block.law = Law::ball;
      block.upper = unit.limit;
    } else if (!unit.touches()) {
      block.law = Law::box;
      block.lower = unit.lower;
      block.upper = unit.upper;
    }
    cones_.blocks.push_back(block);
  }
  if (!methods_) methods_ = std::make_unique<Cascade>(Cascade::Settings{});
  cone_solution_.lambda = start_;
  project_all(cones_, cone_solution_.lambda);
  cone_solution_.u.setZero(cones_.unknowns());
  const Accuracy asked{near_enough};
  AttemptLog log;
  iterations_ += methods_->solve(cones_, cone_solution_, {asked, asked, until_, log}).iterations;
  lambda_ = cone_solution_.lambda;
  if (!lambda_.allFinite()) lambda_ = start_;
}

// From the springs that were found to stiffer ones, as long as the judge asks for more.
bool PyramidSolver::reach(const ComplementarityProblem& problem, bool begun) {
  iterations_ = limit_.steps();
  for (; begun && !until_.passed(); begun = limit_.harden()) {
    if (!limit_.reach(lambda_)) continue;
    units_.from_units(lambda_, limit_.w(), scales_, trial_.lambda);
    trial_.u.resize(problem.unknowns());
    iterations_ = limit_.steps();
    const Residual residual = judge_.measure(problem, trial_);
    if (offer(trial_.lambda, residual, &judge_.u())) return true;
  }
  return until_.passed();
}

}  // namespace vinci
