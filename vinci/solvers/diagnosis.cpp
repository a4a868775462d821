// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "vinci/newton/semismooth_newton.h"
#include "vinci/proofs/all_solutions.h"
#include "vinci/proofs/friction_bound.h"
#include "vinci/proofs/local_uniqueness.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/solvers/quasi_static.h"
#include "vinci/splitting/gauss_seidel.h"

namespace vinci {
namespace {

// Velocities differ by more than this share of the speeds at hand, or they are the same; and by
// more than the residuals leave at such a condition.
constexpr double same_share = 1e-6, condition = 1e5;
// An island whose answer the judge measures above this says nothing of others.
constexpr double hopeless = 1e-6;
// Ways that are tried along a direction: from four times the speeds at hand, by quarters.
constexpr int ways = 10;
constexpr int corrected_ways = 4;
constexpr std::size_t most_directions = 4, most_solutions = 64;
constexpr int most_sweeps = 1000;

// Numbers in [0, 1) that depend on the seed alone.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

// Whether friction limits depend on loads: without any, every law is monotone.
bool has_coulomb_friction(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks) {
    if (block.law == Law::moments || (block.law == Law::coulomb && block.friction > 0.0))
      return true;
    // A row of C with entries of both signs: σ of a pyramid with a normal.
    if (block.law != Law::nonnegative) continue;
    bool positive = false, negative = false;
    for (int k = problem.C.starts[block.offset]; k < problem.C.starts[block.offset + 1]; ++k)
      (problem.C.values[k] > 0.0 ? positive : negative) = true;
    if (positive && negative) return true;
  }
  return false;
}

bool is_curved(const ComplementarityProblem& problem) {
  return std::any_of(problem.blocks.begin(), problem.blocks.end(), [](const Block& block) {
    const bool cone = block.law == Law::coulomb || block.law == Law::second_order;
    return (cone && block.size == 3) || (block.law == Law::ball && block.size == 2) ||
           block.law == Law::moments;
  });
}

bool has_pieces(const ComplementarityProblem& problem) {
  return std::none_of(problem.blocks.begin(), problem.blocks.end(),
                      [](const Block& block) { return block.law == Law::moments; });
}

}  // namespace

double MotionMeasure::size(const VectorX& motion) const {
  double most = 0.0, sum = 0.0;
  for (int row = 0; row < rows.rows; ++row) {
    const auto k = static_cast<std::size_t>(row);
    if (row > 0 && group[k] != group[k - 1]) sum = 0.0;
    double speed = 0.0;
    for (int entry = rows.starts[k]; entry < rows.starts[k + 1]; ++entry)
      speed += rows.values[entry] * motion[rows.indices[entry]];
    sum += speed * speed;
    most = std::max(most, sum);
  }
  return std::sqrt(most);
}

struct Diagnoser::Impl {
  explicit Impl(const Settings& chosen)
      : settings(chosen),
        sweeps({.tolerance = Accuracy::usual, .max_iterations = most_sweeps}),
        newton({.tolerance = Accuracy::usual}) {}

  bool is_answer(const ComplementarityProblem& problem, const Solution& solution, double residual);
  bool begin(const DiagnosedProblem& asked);
  void prepare(const DiagnosedProblem& asked);
  bool is_convex_and_unique(const DiagnosedProblem& asked);
  bool enumerate(const DiagnosedProblem& asked);
  void look(const DiagnosedProblem& asked, const Solution& at);
  void look_around(const DiagnosedProblem& asked);
  void start_again(const DiagnosedProblem& asked);
  void walk_around(const DiagnosedProblem& asked, const Solution& from);
  void walk(const DiagnosedProblem& asked, const Solution& from, const Solution& direction);
  void random_point(const ComplementarityProblem& problem, Dice& dice);
  bool solve(const DiagnosedProblem& asked, Solver& solver);
  bool add(const DiagnosedProblem& asked, const Solution& candidate);
  bool is_several() const { return found.solutions.size() > 1; }

  Settings settings;
  FrictionBound bound;
  LocalUniqueness local;
  Judge judge;
  GaussSeidelSolver sweeps;
  SemismoothNewtonSolver newton;
  AutoSolver any;
  QuasiStatic quasi_static;
  Diagnosis found;
  OpenDirections open;  // of the solution that was looked around last
  Solution trial;
  double speed = 0.0;         // that differences are compared with
  double own_residual = 0.0;  // of the answer
  bool regular = true;
  bool judged = false;  // the judge knows the problem
};

bool Diagnoser::Impl::is_answer(const ComplementarityProblem& problem, const Solution& solution,
                                double residual) {
  own_residual = residual;
  judged = own_residual < 0.0;
  if (judged) {
    judge.prepare(problem);
    own_residual = judge.measure(problem, solution).relative;
  }
  return own_residual <= hopeless;
}

// False where the answer is none.
bool Diagnoser::Impl::begin(const DiagnosedProblem& asked) {
  found.verdict = Uniqueness::unknown;
  found.solutions.assign(1, asked.solution);
  found.distance = 0.0;
  found.open_loads = 0;
  found.continuum = found.locally_unique = found.complete = found.searched = false;
  return is_answer(asked.problem, asked.solution, asked.residual);
}

// What the search needs of the judge.
void Diagnoser::Impl::prepare(const DiagnosedProblem& asked) {
  if (!judged) judge.prepare(asked.problem);
  regular = judge.regular();
  speed = std::max(asked.measure.size(asked.solution.u), judge.free_norm());
}

// One more, if the judge confirms it and its velocities are none of those known.
bool Diagnoser::Impl::add(const DiagnosedProblem& asked, const Solution& candidate) {
  if (!candidate.lambda.allFinite() || !candidate.u.allFinite()) return false;
  const Residual residual = judge.measure(asked.problem, candidate);
  if (!(residual.relative <= asked.accuracy.acceptable()) ||
      found.solutions.size() >= most_solutions)
    return false;
  Solution answer{regular ? judge.u() : candidate.u, candidate.lambda};
  const double here = std::max(speed, asked.measure.size(answer.u));
  const double same = std::max(same_share, condition * std::max(residual.relative, own_residual));
  double farthest = 0.0;
  for (const Solution& known : found.solutions) {
    const double distance = asked.measure.size(answer.u - known.u);
    if (distance <= same * here) return false;
    farthest = std::max(farthest, distance);
  }
  found.distance = std::max(found.distance, farthest);
  found.solutions.push_back(std::move(answer));
  return true;
}

// A convex set of solutions: what is unique nearby is unique.
bool Diagnoser::Impl::is_convex_and_unique(const DiagnosedProblem& asked) {
  if (regular || has_coulomb_friction(asked.problem)) return false;
  look(asked, asked.solution);
  return open.is_locally_unique();
}

// The directions in which a solution can be left.
void Diagnoser::Impl::look(const DiagnosedProblem& asked, const Solution& at) {
  open = local(asked.problem, at, asked.accuracy);
  found.open_loads = std::max(found.open_loads, open.loads);
}

// All solutions; true if that decides.
bool Diagnoser::Impl::enumerate(const DiagnosedProblem& asked) {
  if (asked.problem.rows() > settings.enumerated_rows || !has_pieces(asked.problem) ||
      !asked.problem.why_invalid().empty())
    return false;
  // Where sliding is bent the list proves nothing: less is looked into.
  const long choices = is_curved(asked.problem) ? settings.curved_choices : settings.choices;
  found.searched = true;
  const AllSolutions all = all_solutions(
      asked.problem, {.rows = settings.enumerated_rows, .choices = choices, .seconds = infinity});
  bool whole = all.complete && !all.solutions.empty();
  for (const FoundSolution& one : all.solutions) {
    if (add(asked, one.solution)) continue;
    // One that the judge measures too coarsely to confirm could be another one.
    const double distance = asked.measure.size(one.solution.u - asked.solution.u);
    const bool confirmed =
        judge.measure(asked.problem, one.solution).relative <= asked.accuracy.acceptable();
    if ((!is_several() || !confirmed) &&
        distance > same_share * std::max(speed, asked.measure.size(one.solution.u)))
      whole = false;
  }
  for (const FoundSolution& one : all.solutions) {
    if (one.dimension == 0) continue;
    look(asked, one.solution);
    walk_around(asked, one.solution);
    if (!open.is_locally_unique()) whole = false;
  }
  found.complete = whole && found.solutions.size() < most_solutions;
  if (is_several()) return true;
  if (whole) found.verdict = Uniqueness::unique;
  return whole;
}

// Along a direction from a solution, as far as the judge goes along. On curved laws the direction
// only touches the solutions, and a solve corrects it.
void Diagnoser::Impl::walk(const DiagnosedProblem& asked, const Solution& from,
                           const Solution& direction) {
  const double size = asked.measure.size(direction.u);
  if (!(size > 0.0) || !(speed > 0.0)) return;
  const auto go = [&](double way) {
    trial.u = from.u + way * direction.u;
    trial.lambda = from.lambda + way * direction.lambda;
    project_all(asked.problem, trial.lambda);
  };
  for (const double sign : {1.0, -1.0}) {
    double way = sign * 4.0 * speed / size;
    bool arrived = false;
    for (int i = 0; i < ways && !arrived; ++i, way *= 0.25) {
      go(way);
      arrived = add(asked, trial);
    }
    way = sign * speed / size;
    for (int i = 0; i < corrected_ways && !arrived && is_curved(asked.problem); ++i, way *= 0.25) {
      go(way);
      arrived = solve(asked, regular ? static_cast<Solver&>(sweeps) : any);
    }
    found.continuum = found.continuum || arrived;
  }
}

// From the point in trial.
bool Diagnoser::Impl::solve(const DiagnosedProblem& asked, Solver& solver) {
  SolveReport report;
  if (regular)
    report = solver.solve(asked.problem, trial);
  else if (asked.inertia != nullptr)
    report = quasi_static.solve(asked.problem, *asked.inertia, solver, trial, asked.accuracy).solve;
  const bool judged = report.status == SolveStatus::solved;
  // Another problem may have been measured since.
  judge.prepare(asked.problem);
  return judged && add(asked, trial);
}

void Diagnoser::Impl::look_around(const DiagnosedProblem& asked) {
  look(asked, asked.solution);
  found.locally_unique = open.is_locally_unique();
  walk_around(asked, asked.solution);
}

// Along the first directions that change velocities.
void Diagnoser::Impl::walk_around(const DiagnosedProblem& asked, const Solution& from) {
  for (std::size_t k = 0; k < std::min(open.moving.size(), most_directions); ++k)
    walk(asked, from, open.moving[k]);
}

// Loads up to twice the largest one known, friction within its limits.
void Diagnoser::Impl::random_point(const ComplementarityProblem& problem, Dice& dice) {
  const double largest = std::max(found.solutions.front().lambda.cwiseAbs().maxCoeff(),
                                  judge.free_norm() / std::max(judge.scales().maxCoeff(), 1e-300));
  trial = found.solutions.front();
  for (const Block& block : problem.blocks) {
    if (block.law == Law::equality) continue;
    const double load = 2.0 * largest * dice.next();
    for (int i = block.offset; i < block.offset + block.size; ++i)
      trial.lambda[i] = load * (2.0 * dice.next() - 1.0);
    const bool normal = block.law == Law::coulomb || block.law == Law::second_order ||
                        block.law == Law::moments || block.law == Law::nonnegative;
    if (normal) trial.lambda[block.offset] = load;
  }
  for (Eigen::Index i = 0; i < trial.u.size() && !regular; ++i)
    trial.u[i] *= 4.0 * dice.next() - 2.0;
  project_all(problem, trial.lambda);
}

void Diagnoser::Impl::start_again(const DiagnosedProblem& asked) {
  if (asked.problem.rows() > settings.largest_restart) return;
  Dice dice(settings.seed + 1);
  for (int i = 0; i < settings.restarts; ++i) {
    if (i == 0) {
      trial.u.setZero(asked.problem.unknowns());
      trial.lambda.setZero(asked.problem.rows());
    } else {
      random_point(asked.problem, dice);
    }
    Solver& method = i % 2 == 0 ? static_cast<Solver&>(sweeps) : newton;  // in turn
    if (!regular)
      solve(asked, any);
    else
      solve(asked, method.why_not(asked.problem).empty() ? method : newton);
    if (is_several()) return;
  }
}

Diagnoser::Diagnoser(const Settings& settings) : impl_(std::make_unique<Impl>(settings)) {}
Diagnoser::~Diagnoser() = default;
Diagnoser::Diagnoser(Diagnoser&&) noexcept = default;

bool Diagnoser::is_plain(const ComplementarityProblem& problem, const Solution& solution,
                         const Accuracy& accuracy, double residual) {
  return impl_->is_answer(problem, solution, residual) &&
         impl_->bound.proves(problem, solution, accuracy);
}

const Diagnosis& Diagnoser::operator()(const DiagnosedProblem& asked) {
  Impl& impl = *impl_;
  Diagnosis& found = impl.found;
  if (!impl.begin(asked)) return found;
  // The bound asks for a regular M itself, and comes first: most steps end here.
  bool proved =
      !asked.has_doubt && impl.bound.proves(asked.problem, asked.solution, asked.accuracy);
  if (!proved) {
    impl.prepare(asked);
    proved = impl.is_convex_and_unique(asked);
  }
  if (proved) {
    found.verdict = Uniqueness::unique;
  } else if (!impl.enumerate(asked)) {
    impl.look_around(asked);
    if (!impl.is_several()) impl.start_again(asked);
  }
  if (impl.is_several()) found.verdict = Uniqueness::several;
  if (found.verdict == Uniqueness::unique) found.locally_unique = found.complete = true;
  return found;
}

}  // namespace vinci
