// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/island_wise.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <type_traits>

#include "vinci/solvers/auto_solver.h"

namespace vinci {
namespace {

template <class Numbers>
bool are_same_bits(const Numbers& a, const Numbers& b) {
  using Number = std::remove_cvref_t<decltype(a[0])>;
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(Number)) == 0);
}

bool is_same_matrix(const SparseRows& a, const SparseRows& b) {
  return a.cols == b.cols && are_same_bits(a.values, b.values) &&
         are_same_bits(a.indices, b.indices) && are_same_bits(a.starts, b.starts);
}

bool is_same_block(const Block& a, const Block& b) {
  const auto numbers = [](const Block& block) {
    return std::array{block.friction, block.lower, block.upper, block.rolling, block.torsion};
  };
  return a.law == b.law && a.offset == b.offset && a.size == b.size && a.tangents == b.tangents &&
         a.spins == b.spins && are_same_bits(numbers(a), numbers(b));
}

// What differs most often first.
bool is_same_problem(const ComplementarityProblem& a, const ComplementarityProblem& b) {
  return are_same_bits(a.p, b.p) && are_same_bits(a.b, b.b) && is_same_matrix(a.J, b.J) &&
         is_same_matrix(a.M, b.M) && is_same_matrix(a.C, b.C) &&
         std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                    is_same_block);
}

// Up to so many rows a solve costs less than to know that it repeats.
constexpr int small = 36;
// In the place of the first unknown: an island that is the whole.
constexpr int whole = -2;

constexpr const char* rest_name = "rest";

// Whether loads hold what is at rest.
bool holds(const ComplementarityProblem& problem, const VectorX& lambda,
           const IslandWise::Terms& terms, const VectorX& velocities, Judge& judge,
           Solution& answer, SolveReport& report) {
  if (!velocities.isZero(0.0) || lambda.size() != problem.rows()) return false;
  answer.lambda = lambda;
  judge.prepare(problem);
  report.residual = judge.measure(problem, answer);
  if (!judge.regular() || !terms.accuracy.is_solved(report.residual)) return false;
  answer.u = judge.u();
  report.status = SolveStatus::solved;
  report.solver = rest_name;
  return true;
}

// Unlike any other island's; −1 of an island without velocities.
int first_unknown(const ComplementarityProblem& problem, int row) {
  const int start = problem.J.starts[static_cast<std::size_t>(row)];
  return start < problem.J.starts[static_cast<std::size_t>(row) + 1]
             ? problem.J.indices[static_cast<std::size_t>(start)]
             : -1;
}

}  // namespace

IslandWise::IslandWise() {
  workers_.push_back(std::make_unique<Worker>());
}
IslandWise::~IslandWise() = default;

SolveReport IslandWise::solve(ComplementarityProblem& problem, const Terms& terms,
                              Solution& solution) {
  const auto* const splits = dynamic_cast<const AutoSolver*>(&terms.solver);
  if (splits == nullptr || problem.rows() <= small) {
    now_.clear();
    SolveReport rest;
    if (splits != nullptr && terms.velocities != nullptr &&
        holds(problem, solution.lambda, terms, *terms.velocities, judge_, rested_, rest)) {
      report_ = {};
      solution = rested_;
      return rest;
    }
    return solve_whole(problem, terms, solution);
  }
  if (islands_.find(problem) == 1 || (judge_.prepare(problem), !judge_.regular()))
    return solve_one(problem, terms, solution);
  find_repeated(problem, terms, solution);
  prepare_workers(*splits, terms);
  // Others than the caller's thread do not ask the interruption: it is code of the caller.
  const std::thread::id caller = std::this_thread::get_id();
  const auto task = [&](int i, int slot) {
    Worker& worker = *workers_[static_cast<std::size_t>(slot)];
    worker.solver->ask(terms.accuracy);
    worker.solver->limit_by(
        std::this_thread::get_id() == caller ? Deadline(infinity, terms.interruption) : Deadline());
    work(now_[static_cast<std::size_t>(open_[static_cast<std::size_t>(i)])], worker, terms);
  };
  const int count = static_cast<int>(open_.size());
  if (parallel_.threads() > 1)
    parallel_.for_each(count, task);
  else  // without the memory of a function object
    for (int i = 0; i < count; ++i) task(i, 0);
  return collect(problem, terms, solution);
}

SolveReport IslandWise::solve_whole(ComplementarityProblem& problem, const Terms& terms,
                                    Solution& solution) {
  LoadSelection& selection = workers_.front()->selection;
  selection.take_boxes(boxes_);
  const SolveReport solve = selection.solve(problem, terms.solver, terms.accuracy, solution,
                                            terms.velocities, terms.resolution);
  report_ = selection.report();
  return solve;
}

// One island is the whole, with the velocities that no row acts on.
SolveReport IslandWise::solve_one(ComplementarityProblem& problem, const Terms& terms,
                                  Solution& solution) {
  now_.resize(1);
  Island& last = now_.front();
  const VectorX& velocities = terms.velocities ? *terms.velocities : solution.u;
  if (last.solved && last.first == whole && are_same_bits(last.guess.u, velocities) &&
      are_same_bits(last.guess.lambda, solution.lambda) && is_same_problem(last.problem, problem)) {
    problem.b = last.b;
    solution = last.answer;
    report_ = last.selection;
    return last.solve;
  }
  last.first = whole;
  last.problem = problem;
  last.guess.u = velocities;
  last.guess.lambda = solution.lambda;
  last.solved = false;
  SolveReport rest;
  if (holds(problem, last.guess.lambda, terms, velocities, judge_, rested_, rest)) {
    report_ = {};
    solution = rested_;
    last.solve = rest;
  } else {
    last.solve = solve_whole(problem, terms, solution);
  }
  last.solved = last.solve.status == SolveStatus::solved;
  last.b = problem.b;
  last.answer = solution;
  last.selection = report_;
  return last.solve;
}

// The islands of this step into now_, with the answers of those that the last one had; the others
// into open_.
void IslandWise::find_repeated(const ComplementarityProblem& problem, const Terms& terms,
                               const Solution& solution) {
  now_.swap(before_);
  before_at_.assign(static_cast<std::size_t>(problem.unknowns()), -1);
  for (std::size_t i = 0; i < before_.size(); ++i)
    if (const int at = before_[i].first; at >= 0 && at < problem.unknowns())
      before_at_[static_cast<std::size_t>(at)] = static_cast<int>(i);
  now_.resize(static_cast<std::size_t>(islands_.count()));
  open_.clear();
  for (int k = 0; k < islands_.count(); ++k) {
    Island& island = now_[static_cast<std::size_t>(k)];
    island.first = first_unknown(problem, islands_.rows_of(k)[0]);
    island.solved = false;
    islands_.extract(problem, k, island.problem);
    islands_.gather_rows(k, solution.lambda, island.guess.lambda);
    islands_.gather_unknowns(k, terms.velocities ? *terms.velocities : solution.u, island.guess.u);
    const int at = island.first < 0 ? -1 : before_at_[static_cast<std::size_t>(island.first)];
    Island* const last = at < 0 ? nullptr : &before_[static_cast<std::size_t>(at)];
    if (last != nullptr && last->solved && are_same_bits(last->guess.u, island.guess.u) &&
        are_same_bits(last->guess.lambda, island.guess.lambda) &&
        is_same_problem(last->problem, island.problem))
      std::swap(island, *last);
    else
      open_.push_back(k);
  }
}

void IslandWise::prepare_workers(const AutoSolver& like, const Terms& terms) {
  if (parallel_.threads() != terms.threads) parallel_ = Parallel(terms.threads);
  while (static_cast<int>(workers_.size()) < parallel_.threads())
    workers_.push_back(std::make_unique<Worker>());
  for (const auto& worker : workers_) {
    if (!worker->solver) worker->solver = std::make_unique<AutoSolver>(like.settings());
    worker->selection.take_boxes(boxes_);
  }
}

void IslandWise::work(Island& island, Worker& worker, const Terms& terms) {
  island.b = island.problem.b;
  island.solve = {};
  island.selection = {};
  island.solved = holds(island.problem, island.guess.lambda, terms, island.guess.u, worker.judge,
                        island.answer, island.solve);
  if (island.solved) return;
  island.answer = island.guess;
  island.solve =
      worker.selection.solve(island.problem, *worker.solver, terms.accuracy, island.answer,
                             terms.velocities ? &island.guess.u : nullptr, terms.resolution);
  island.selection = worker.selection.report();
  island.solved = island.solve.status == SolveStatus::solved;
  // The problem as it was asked stays; b is that of the answer.
  std::swap(island.b, island.problem.b);
}

// The answers and the verdict on all of them.
SolveReport IslandWise::collect(ComplementarityProblem& problem, const Terms& terms,
                                Solution& solution) {
  report_ = {};
  SolveReport all;
  int largest = -1;
  bool ended = false;
  for (int k = 0; k < islands_.count(); ++k) {
    const Island& island = now_[static_cast<std::size_t>(k)];
    islands_.scatter_rows(k, island.b, problem.b);
    if (island.answer.lambda.size() == islands_.rows(k) && island.answer.lambda.allFinite())
      islands_.scatter_rows(k, island.answer.lambda, solution.lambda);
    report_.chosen += island.selection.chosen;
    report_.missed += island.selection.missed;
    all.iterations += island.solve.iterations;
    // Without an answer, or for want of time, the step is what this island is.
    const SolveStatus status = island.solve.status;
    const bool ends = status == SolveStatus::no_solution || status == SolveStatus::refused;
    if (ended || (!ends && islands_.rows(k) <= largest)) continue;
    ended = ends;
    largest = islands_.rows(k);
    all.solver = island.solve.solver;
    all.status = status;
    all.note = island.solve.note;
  }
  judge_.prepare(problem);
  all.residual = judge_.measure(problem, solution);
  solution.u = judge_.u();
  if (ended) {
    report_ = {};
    return all;
  }
  all.status = SolveStatus::inaccurate;
  conclude(all, terms.accuracy);
  return all;
}

}  // namespace vinci
